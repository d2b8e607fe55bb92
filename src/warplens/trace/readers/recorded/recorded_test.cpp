// From a stream, as the recorder writes it, to tables.
#include <gtest/gtest.h>

#include <string>

#include "warplens/trace/profile/host_sample.h"
#include "warplens/trace/readers/recorded/builder.h"
#include "warplens/trace/stream/encoder.h"
#include "warplens/trace/stream/file_blocks.h"

namespace warplens::recorded {
namespace {

constexpr uint64_t kStart = 1'800'000'000'000'000'000;

struct Blocks : stream::BlockSink {
  void put(stream::BlockKind, std::string_view block, uint64_t, uint64_t) override { bytes += numbers.next(block); }
  stream::FileBlocks numbers;
  std::string bytes = [] {
    const stream::FileHeader header = stream::file_header();
    return std::string(reinterpret_cast<const char*>(&header), sizeof header);
  }();
};

struct Recording {
  Blocks blocks;
  stream::Encoder to{blocks};

  Profile profile() {
    to.end();
    to.flush();
    blocks.bytes += blocks.numbers.totals();
    Builder builder("test.wlens");
    const Result<stream::Damage> damage = stream::decode(blocks.bytes, builder);
    EXPECT_TRUE(damage.ok());
    return builder.finish(*damage);
  }
};

TEST(Recorded, OccupancyAsTorchEstimatesIt) {
  Recording r;
  const stream::KernelSite full = {r.to.text("k"), 0, 1, 7, {4 * 132, 1, 1}, {512, 1, 1}, 32, 0};
  stream::KernelSite few = full;
  few.grid[0] = 66;  // half a block an SM
  r.to.device({.ordinal = 0,
               .name = "NVIDIA H200",
               .memory_bytes = 1,
               .sm_count = 132,
               .compute_major = 9,
               .compute_minor = 0,
               .max_threads_per_sm = 2048,
               .registers_per_sm = 65536,
               .shared_bytes_per_sm = 233472,
               .warp_size = 32});
  for (const stream::KernelSite& site : {full, few})
    r.to.kernel({.site = r.to.site(site), .start_ns = kStart, .end_ns = kStart + 10, .correlation = 1});
  const Profile p = r.profile();
  ASSERT_EQ(p.device_events.size(), 2U);
  EXPECT_DOUBLE_EQ(p.launch_configs.occupancy[p.device_events.launch_config[0]], 1);
  EXPECT_DOUBLE_EQ(p.launch_configs.occupancy[p.device_events.launch_config[1]], 0.125);
}

TEST(Recorded, IdsThatAreFarAboveOthersTakeNoMoreMemory) {
  Builder builder("test.wlens");
  builder.text(1, "near");
  for (const uint32_t id : {(1U << 26) - 1, 1U << 30, UINT32_MAX}) {
    builder.text(id, "far");
    builder.site(id, stream::CallSite{1, 0, 1});
    builder.activity(stream::Tag::kCall, {.site = id, .start_ns = kStart, .end_ns = kStart + 10, .correlation = id});
  }
  const Profile p = builder.finish({});
  ASSERT_EQ(p.calls.size(), 3U);
  EXPECT_EQ(p.text(p.calls.name[2]), "near");
}

TEST(Recorded, SpansThatNoClockReachesDoNotOverflow) {
  for (const std::optional<int64_t> base : {std::optional<int64_t>(), std::optional<int64_t>(INT64_MIN)}) {
    Builder builder("test.wlens", base);
    builder.site(1, stream::CallSite{1, 0, 1});
    for (const uint64_t start : {kStart, uint64_t{0}, uint64_t{INT64_MAX}, UINT64_MAX})
      for (const uint64_t end : {kStart, uint64_t{0}, uint64_t{INT64_MAX}, UINT64_MAX})
        builder.activity(stream::Tag::kCall, {.site = 1, .start_ns = start, .end_ns = end});
    const Profile p = builder.finish({});
    ASSERT_EQ(p.calls.size(), 16U);
    EXPECT_LE(p.ranks.window_end_ns[0] - p.ranks.window_start_ns[0], int64_t{1} << 61);
    EXPECT_EQ(p.calls.duration_ns[3] > int64_t{1} << 58, true) << "an end that is absurd stays so";
  }
}

TEST(Recorded, ById) {
  ById<int> values;
  for (int id = 0; id < 100; ++id) values[id * 3] = id;  // gaps, as missing blocks leave them
  values[20'000] = -1;                                   // far, until the others have come near
  for (int id = 100; id < 10'000; ++id) values[id * 3] = id;
  EXPECT_EQ(*values.find(20'000), -1);
  EXPECT_EQ(*values.find(9'999 * 3), 9'999);
  EXPECT_EQ(*values.find(1), 0);
  EXPECT_EQ(values.find(uint64_t{1} << 30), nullptr);
  int sum = 0;
  values.for_each([&](int value) { sum += value < 0; });
  EXPECT_EQ(sum, 1);
}

TEST(Recorded, AWaitForAnEventIsOneForItsStream) {
  Recording r;
  const auto sync = [&](uint32_t type, uint32_t on_stream, uint64_t at, uint64_t correlation, uint64_t event) {
    r.to.sync({.site = r.to.site(stream::SyncSite{type, 0, 1, on_stream}),
               .start_ns = kStart + at,
               .end_ns = kStart + at + 5,
               .correlation = correlation,
               .event_plus_1 = event});
  };
  sync(stream::kEventRecorded, 7, 10, 100, 1);
  sync(stream::kStreamWaitEvent, 13, 20, 101, 1);
  sync(stream::kEventRecorded, 20, 30, 102, 1);  // the same event again
  sync(stream::kStreamWaitEvent, 13, 40, 103, 1);
  sync(stream::kStreamWaitEvent, 13, 50, 104, 2);  // recorded before the recording
  const Profile p = r.profile();
  ASSERT_EQ(p.synchronizations.size(), 3U);
  EXPECT_EQ(p.synchronizations.wait_on_stream[0], 7);
  EXPECT_EQ(p.synchronizations.wait_on_correlation[0], 100);
  EXPECT_EQ(p.synchronizations.wait_on_stream[1], 20);
  EXPECT_EQ(p.synchronizations.wait_on_correlation[1], 102);
  EXPECT_EQ(p.synchronizations.wait_on_stream[2], -1);
}

TEST(Recorded, SamplesStandForTheTimeToTheNext) {
  Recording r;
  r.to.metadata(stream::kSamplePeriod, "1000");
  const auto sample = [&](uint32_t thread, uint64_t at, std::string_view stack, std::string_view state) {
    r.to.mark(thread, kStart + at, r.to.text(stack),
              r.to.text(std::string(stream::kSampleDomain) + std::string(state)));
  };
  sample(5, 0, "a.py(1): f;b.py(2): g", "running");
  sample(5, 1100, "a.py(1): f", kWaitsForGil);
  sample(6, 1100, "c.py(3): h", "sleeps");
  sample(5, 90'000, "a.py(1): f", "running");
  const Profile p = r.profile();
  ASSERT_EQ(p.other_events.size(), 4U);
  EXPECT_EQ(p.text(p.other_events.category[0]), kHostSampleCategory);
  EXPECT_EQ(p.text(p.other_events.name[0]), "a.py(1): f;b.py(2): g");
  EXPECT_EQ(p.other_events.duration_ns[0], 1100);
  EXPECT_EQ(p.text(p.other_events.args[1]), "{\"state\": \"waits for the GIL\"}");
  EXPECT_EQ(p.other_events.duration_ns[1], 1000);  // the next one is too far away
}

TEST(Recorded, OperatorsHaveShapesTypesAndValues) {
  Recording r;
  r.to.begin_operator(5, kStart, r.to.text("aten::pow"),
                      r.to.text("[[4], []]\x1f[\"float\", \"Scalar\"]\x1f[\"\", \"2\"]"), -1);
  r.to.pop(5, kStart + 10);
  r.to.begin_operator(5, kStart + 20, r.to.text("aten::mm"), r.to.text("[[2, 3]]"), -1);
  r.to.pop(5, kStart + 30);
  const Profile p = r.profile();
  ASSERT_EQ(p.operators.size(), 2U);
  EXPECT_EQ(p.text(p.operators.input_shapes[0]), "[[4], []]");
  EXPECT_EQ(p.text(p.operators.input_types[0]), "[\"float\", \"Scalar\"]");
  EXPECT_EQ(p.text(p.operators.concrete_inputs[0]), "[\"\", \"2\"]");
  EXPECT_EQ(p.text(p.operators.input_shapes[1]), "[[2, 3]]");
  EXPECT_EQ(p.operators.concrete_inputs[1], StringId::kEmpty);
}

TEST(Recorded, BackwardFunctionsAreKnownByTheEnginesRangeAroundThem) {
  Recording r;
  r.to.begin_operator(5, kStart, r.to.text("aten::mm"), 0, 7);
  r.to.pop(5, kStart + 10);
  r.to.begin_operator(6, kStart + 20, r.to.text("autograd::engine::evaluate_function: MmBackward0"), 0, -1);
  r.to.begin_operator(6, kStart + 21, r.to.text("MmBackward0"), 0, 7);
  r.to.begin_operator(6, kStart + 22, r.to.text("aten::mm"), 0, -1);
  for (int i = 0; i < 3; ++i) r.to.pop(6, kStart + 30 + i);
  const Profile p = r.profile();
  ASSERT_EQ(p.operators.size(), 4U);
  EXPECT_EQ(p.operators.forward_thread[0], 0);
  EXPECT_NE(p.operators.forward_thread[2], 0) << "its number is that of a forward operator";
  EXPECT_EQ(p.operators.forward_thread[3], 0);
}

TEST(Recorded, KernelsOfCollectivesKnowWhatTheyMove) {
  Recording r;
  const uint32_t call = r.to.site(stream::CallSite{r.to.text("cudaLaunchKernelExC"), 0, 5});
  const stream::KernelSite site = {
      r.to.text("ncclDevKernel_AllReduce_Sum_f32"), 0, 1, 7, {24, 1, 1}, {512, 1, 1}, 96, 0};
  r.to.begin_operator(5, kStart, r.to.text("record_param_comms"), 0, -1);
  r.to.mark(5, kStart + 1, r.to.text(R"({"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1024,
            "Out msg nelems": 1024, "Group size": 2, "Process Group Name": "0", "Process Group Ranks": "[0, 1]"})"),
            r.to.text(stream::kArgumentsDomain));
  r.to.call({.site = call, .start_ns = kStart + 5, .end_ns = kStart + 8, .correlation = 9});
  r.to.pop(5, kStart + 10);
  r.to.call({.site = call, .start_ns = kStart + 20, .end_ns = kStart + 22, .correlation = 10});
  for (const uint64_t correlation : {9, 10})
    r.to.kernel({.site = r.to.site(site), .start_ns = kStart + 30, .end_ns = kStart + 40, .correlation = correlation});
  const Profile p = r.profile();
  ASSERT_EQ(p.collectives.size(), 1U);
  EXPECT_EQ(p.text(p.collectives.name[0]), "allreduce");
  EXPECT_EQ(p.text(p.collectives.group_ranks[0]), "[0, 1]");
  EXPECT_EQ(p.collectives.in_elements[0], 1024);
  EXPECT_EQ(p.device_events.collective[0], 0U);
  EXPECT_EQ(p.device_events.collective[1], kNone);
}

}  // namespace
}  // namespace warplens::recorded
