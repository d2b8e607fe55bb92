#include "warplens/program/analysis/timeline/counters.h"

#include <gmock/gmock.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

using Samples = std::vector<std::pair<int64_t, double>>;

Samples samples(const Profile& p, std::string_view name) {
  Samples out;
  for (uint32_t row = 0; row < p.counter_samples.size(); ++row) {
    if (p.text(p.counter_samples.name[row]) == name)
      out.emplace_back(p.counter_samples.time_ns[row], p.counter_samples.value[row]);
  }
  return out;
}

TEST(Counters, QueueAndBandwidthChangeWithTheEvents) {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 10, 5, 1);
  test.call("main", "cudaLaunchKernel", 20, 5, 2);
  test.kernel("a", 30, 50, 1);
  test.kernel("b", 80, 50, 2);
  const uint32_t copy = test.kernel("Memcpy HtoD", 200, 100, 0, 0, 7, DeviceEventKind::kCopy);
  test.profile.device_events.copy_kind.at(copy) = CopyKind::kHostToDevice;
  test.profile.device_events.bytes.at(copy) = 2500;
  add_counters(test.profile);
  EXPECT_EQ(samples(test.profile, "GPU 0 queue"), (Samples{{10, 1}, {20, 2}, {30, 1}, {80, 0}}));
  EXPECT_EQ(samples(test.profile, "GPU 0 host to device GB/s"), (Samples{{200, 25}, {300, 0}}));
  EXPECT_TRUE(samples(test.profile, "GPU 0 allocated MiB").empty());
}

}  // namespace
}  // namespace warplens::analysis
