#include "warplens/program/analysis/timeline/timeline.h"

#include <gtest/gtest.h>

#include <random>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

constexpr int64_t kLength = 600;  // nanoseconds of a random timeline

/// What a device does in one nanosecond, counted event by event.
struct Nanosecond {
  int streams = 0, computation = 0, communication = 0, copies = 0;
  int64_t queued = 0;
  bool busy() const { return computation || communication || copies; }
};

/// A device with up to 40 overlapping kernels, collectives and copies on three streams; most have a recorded launch.
struct RandomTimeline {
  explicit RandomTimeline(uint32_t seed) : state(kLength) {
    std::mt19937 random(seed);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    std::vector<std::array<int, 3>> streams(kLength);
    for (int64_t i = 0, events = 1 + below(40); i < events; ++i) {
      const int64_t start = 50 + below(kLength - 100), length = 1 + below(40), stream = below(3), kind = below(4);
      const int64_t launched = below(4) ? start - below(50) : -1;
      if (launched >= 0) test.call("main", "cudaLaunchKernel", launched, 3, i + 1);
      test.kernel(kind == 0 ? "ncclDevKernel_AllReduce" : "k", start, length, launched >= 0 ? i + 1 : 0, 0, stream,
                  kind == 1 ? DeviceEventKind::kCopy : DeviceEventKind::kKernel);
      for (int64_t t = start; t < std::min(start + length, kLength); ++t) {
        (kind == 0 ? state[t].communication : kind == 1 ? state[t].copies : state[t].computation) = 1;
        streams[static_cast<size_t>(t)][static_cast<size_t>(stream)] = 1;
      }
      if (launched >= 0) {
        for (int64_t t = launched; t < start; ++t) ++state[static_cast<size_t>(t)].queued;
      }
    }
    for (size_t t = 0; t < state.size(); ++t) state[t].streams = streams[t][0] + streams[t][1] + streams[t][2];
  }

  template <typename Counts>
  int64_t count(const DeviceStep& row, Counts counts) const {
    int64_t sum = 0;
    for (int64_t t = row.start_ns; t < row.end_ns; ++t) sum += counts(state[static_cast<size_t>(t)]);
    return sum;
  }

  TestProfile test;
  std::vector<Nanosecond> state;
};

TEST(Timeline, SumsAreThoseOfCountingNanoseconds) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTimeline random(seed);
    const Timeline timeline = device_timeline(random.test.profile, Causes(random.test.profile), {});
    ASSERT_EQ(timeline.rows.size(), 1u);
    const DeviceStep& row = timeline.rows[0];
    const auto count = [&](auto counts) { return random.count(row, counts); };
    EXPECT_EQ(row.busy_ns, count([](const Nanosecond& n) { return n.busy(); }));
    EXPECT_EQ(row.idle_ns, count([](const Nanosecond& n) { return !n.busy(); }));
    EXPECT_EQ(row.computation_ns, count([](const Nanosecond& n) { return n.computation; }));
    EXPECT_EQ(row.communication_ns, count([](const Nanosecond& n) { return n.communication; }));
    EXPECT_EQ(row.copies_ns, count([](const Nanosecond& n) { return n.copies; }));
    EXPECT_EQ(row.exposed_communication_ns,
              count([](const Nanosecond& n) { return n.communication && !n.computation; }));
    EXPECT_EQ(row.exposed_copies_ns,
              count([](const Nanosecond& n) { return n.copies && !n.computation && !n.communication; }));
    EXPECT_EQ(row.computation_ns + row.exposed_communication_ns + row.exposed_copies_ns + row.idle_ns,
              row.end_ns - row.start_ns);
    int64_t idle_ns = 0;
    for (const int64_t of_cause : row.idle_by_cause) idle_ns += of_cause;
    EXPECT_EQ(idle_ns, row.idle_ns);
  }
}

TEST(Timeline, StreamsAndQueueAreThoseOfCountingNanoseconds) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTimeline random(seed);
    const Timeline timeline = device_timeline(random.test.profile, Causes(random.test.profile), {});
    const DeviceStep& row = timeline.rows.at(0);
    const LaunchStatistics& launches = row.launches;
    const auto count = [&](auto counts) { return random.count(row, counts); };
    EXPECT_EQ(launches.several_streams_ns, count([](const Nanosecond& n) { return n.streams > 1; }));
    EXPECT_NEAR(launches.streams_mean * static_cast<double>(row.busy_ns),
                static_cast<double>(count([](const Nanosecond& n) { return n.streams; })), 1e-6);
    EXPECT_EQ(launches.queue_empty_ns, count([](const Nanosecond& n) { return n.queued == 0; }));
    EXPECT_NEAR(launches.queue_mean * static_cast<double>(row.end_ns - row.start_ns),
                static_cast<double>(count([](const Nanosecond& n) { return n.queued; })), 1e-6);
    int64_t most = 0;
    for (int64_t t = row.start_ns; t < row.end_ns; ++t)
      most = std::max(most, random.state[static_cast<size_t>(t)].queued);
    EXPECT_EQ(launches.queue_max, most);
  }
}

}  // namespace
}  // namespace warplens::analysis
