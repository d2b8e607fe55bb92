#include <gtest/gtest.h>

#include "warplens/base/text.h"
#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"
#include "warplens/trace/profile/host_sample.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// One step of `count` operators of `host_us` each, which launch a kernel of `kernel_us`.
TestProfile eager(int count, int64_t host_us, int64_t kernel_us) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, count * host_us * kMicrosecond, {OperatorKind::kRange});
  int64_t free_at = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t at = i * host_us * kMicrosecond;
    const uint32_t op = test.op("main", "aten::convolution", at, (host_us - 1) * kMicrosecond);
    test.call("main", "cudaLaunchKernel", at + (host_us - 10) * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
    const int64_t start = std::max(at + (host_us - 4) * kMicrosecond, free_at + kMicrosecond);
    test.kernel("k", start, kernel_us * kMicrosecond, i + 1, op + 1);
    free_at = start + kernel_us * kMicrosecond;
  }
  return test;
}

TEST(LaunchBound, IsJudgedByWhatTheIdleTimeIsMadeOfNotByTheKernelsLength) {
  const Report report = find_all(eager(100, 200, 60).profile);
  const Finding* finding = find_finding(report, "launch-bound");
  ASSERT_TRUE(finding);  // kernels of 60 us, and a device idle for 70 % of the step
  EXPECT_NEAR(*finding->saving_fraction, 0.7, 0.05);
  EXPECT_FALSE(find_finding(find_all(eager(100, 200, 190).profile), "launch-bound"));
}

/// `test`, whose host reads a value of the device `times` times in a step of `span_us`.
void read_values(TestProfile& test, int times, int64_t span_us) {
  for (int i = 0; i < times; ++i) {
    const int64_t at = (i + 1) * span_us / (times + 1) * kMicrosecond - 9 * kMicrosecond;
    const uint32_t op = test.op("main", "aten::item", at, 8 * kMicrosecond);
    test.call("main", "cudaMemcpyAsync", at, 2 * kMicrosecond, 700 + i, op + 1);
    const uint32_t row = test.kernel("Memcpy DtoH (Device -> Pageable)", at + kMicrosecond, kMicrosecond, 700 + i,
                                     op + 1, 7, DeviceEventKind::kCopy);
    test.profile.device_events.copy_kind.at(row) = CopyKind::kDeviceToHost;
    test.profile.device_events.bytes.at(row) = 4;
    test.call("main", "cudaStreamSynchronize", at + 3 * kMicrosecond, 4 * kMicrosecond, 800 + i, op + 1);
  }
}

TEST(HostSync, IsNotConcludedFromAnExcerptOfFewerThanEightDeviceEvents) {
  for (const int kernels : {4, 5}) {  // and three values read between them
    TestProfile test = eager(kernels, 100, 90);
    read_values(test, 3, kernels * 100);
    EXPECT_EQ(find_finding(find_all(test.profile), "host-sync") != nullptr, kernels == 5) << kernels + 3 << " events";
  }
}

/// Eight turns that compare a tensor with a number, wait for how many rows are equal, and work on those.
Report groups(bool of_new_numbers) {
  TestProfile test;
  uint32_t id = 0;
  const auto launch = [&](std::string_view name, int64_t at_us, const TestProfile::Op& more = {}) {
    const uint32_t op = test.op("main", name, at_us * kMicrosecond, 20 * kMicrosecond, more);
    test.call("main", "cudaLaunchKernel", (at_us + 5) * kMicrosecond, 5 * kMicrosecond, ++id, op + 1);
    test.kernel(name, (at_us + 15) * kMicrosecond, 10 * kMicrosecond, id, op + 1);
    return op;
  };
  for (int turn = 0; turn < 8; ++turn) {
    const int64_t at = turn * 100;
    const std::string number = "[\"\", \"" + std::to_string(of_new_numbers ? turn : 1) + "\"]";
    launch("aten::eq", at, {.shapes = "[[4096], []]", .concrete = number});
    const uint32_t waits = launch("aten::nonzero", at + 22);
    test.call("main", "cudaStreamSynchronize", (at + 33) * kMicrosecond, 20 * kMicrosecond, 900 + turn, waits + 1);
    launch("aten::mm", at + 60);
  }
  return find_all(test.profile);
}

double saving_of(const Report& report, std::string_view id) {
  const Finding* finding = find_finding(report, id);
  return finding ? finding->saving_fraction.value_or(0) : 0;
}

TEST(HostSync, CountsALoopOverGroupsOfRowsAsOneTurn) {
  EXPECT_GT(saving_of(groups(true), "host-sync"), 0.6);
  EXPECT_LT(saving_of(groups(false), "host-sync"), 0.4) << "the same rows again: turns may need each other";
}

TEST(LaunchBound, IsCapturedInPiecesBetweenReadingValues) {
  TestProfile few = eager(200, 100, 30), many = eager(200, 100, 30);
  read_values(few, 4, 20'000);
  read_values(many, 40, 20'000);
  const Report report = find_all(few.profile);
  const Finding* finding = find_finding(report, "launch-bound");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(*finding->saving_fraction, 0.65, 0.08);
  const Report pieces = find_all(many.profile);  // five launches between two of them: ten times as many graphs
  const Finding* less = find_finding(pieces, "launch-bound");
  EXPECT_TRUE(!less || *less->saving_fraction < *finding->saving_fraction);
}

/// Makes a device event a copy of a batch to the device.
void make_batch_copy(TestProfile& test, uint32_t row) {
  test.profile.device_events.kind.at(row) = DeviceEventKind::kCopy;
  test.profile.device_events.copy_kind.at(row) = CopyKind::kHostToDevice;
  test.profile.device_events.bytes.at(row) = 1 << 20;
}

/// `count` launches, 10 ms of silence after the first.
Report silent(int count, bool batch_behind) {
  TestProfile test;
  for (int i = 0; i < count; ++i) {
    const int64_t at = (i ? 10'000 : 0) + i * 30;
    const uint32_t op = test.op("main", "aten::mm", at * kMicrosecond, 20 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", (at + 5) * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
    const uint32_t row = test.kernel("k", (at + 12) * kMicrosecond, 20 * kMicrosecond, i + 1, op + 1);
    if (batch_behind && i == 2) make_batch_copy(test, row);
  }
  return find_all(test.profile);
}

TEST(InputBound, IsNotConcludedFromAFewEventsOfAnExcerpt) {
  EXPECT_FALSE(find_finding(silent(7, true), "input-bound"));
  EXPECT_TRUE(find_finding(silent(8, true), "input-bound"));
}

TEST(InputBound, HoldsSilenceBeforeTheFirstCallWhereTheDeviceHadEndedEarlierWork) {
  TestProfile test;
  test.kernel("k", 0, 100 * kMicrosecond, 999);  // launched before the recording
  for (int i = 0; i < 20; ++i) {
    const int64_t at = 50'000 + i * 30;
    test.call("main", "cudaLaunchKernel", at * kMicrosecond, 5 * kMicrosecond, i + 1);
    const uint32_t row = test.kernel("k", (at + 12) * kMicrosecond, 15 * kMicrosecond, i + 1);
    if (i == 0) make_batch_copy(test, row);
  }
  const Report report = find_all(test.profile);
  EXPECT_EQ(report.findings.front().id, "input-bound");
  EXPECT_GT(*report.findings.front().saving_fraction, 0.9);
}

TEST(InputBound, HoldsWhatTheHostDoesAroundALoader) {
  TestProfile test;  // 40 ms to start the workers, 20 of the loader, 20 more before the batch is copied
  test.op("main", "aten::empty", 0, 5 * kMicrosecond);
  test.op("main", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 40'000 * kMicrosecond,
          20'000 * kMicrosecond, {OperatorKind::kRange});
  for (int i = 0; i < 20; ++i) {
    const int64_t at = 80'000 + i * 30;
    const uint32_t op = test.op("main", "aten::mm", at * kMicrosecond, 20 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", (at + 5) * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
    const uint32_t row = test.kernel("k", (at + 12) * kMicrosecond, 20 * kMicrosecond, i + 1, op + 1);
    if (i == 0) make_batch_copy(test, row);
  }
  const Report report = find_all(test.profile);
  EXPECT_EQ(report.findings.front().id, "input-bound");
  EXPECT_NE(report.findings.front().title.find("around it"), std::string::npos);
  EXPECT_GT(*report.findings.front().saving_fraction, 0.6);  // two thirds of nearly all
}

TEST(InputBound, NamesTheLineWhereStacksWereSampled) {
  TestProfile test;
  for (int i = 0; i < 20; ++i) {
    const int64_t at = (i ? 10'000 : 0) + i * 30;
    const uint32_t op = test.op("main", "aten::mm", at * kMicrosecond, 20 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", (at + 5) * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
    const uint32_t row = test.kernel("k", (at + 12) * kMicrosecond, 20 * kMicrosecond, i + 1, op + 1);
    if (i == 2) make_batch_copy(test, row);
  }
  Profile& p = test.profile;
  append(p.other_events, {.start_ns = 100 * kMicrosecond,
                          .duration_ns = 9'000 * kMicrosecond,
                          .name = p.strings.intern("train.py(3): <module>;data.py(12): decode"),
                          .category = p.strings.intern(kHostSampleCategory),
                          .thread = test.thread("main"),
                          .args = p.strings.intern("{\"state\": \"running\"}"),
                          .phase = 'P'});
  const Report report = find_all(p);
  const Finding* finding = find_finding(report, "input-bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where.at(0), "data.py(12): decode");
}

TEST(InputBound, IsSilenceOnlyWhereABatchIsCopiedBehindIt) {
  const Report report = silent(20, false);
  EXPECT_FALSE(find_finding(report, "input-bound"));
  EXPECT_EQ(report.findings.front().id, "idle-gpu");
}

TEST(LaunchBound, TakesShortSilenceForTheHostWhereOperatorsWereNotRecorded) {
  TestProfile test;
  for (int i = 0; i < 100; ++i) {
    const int64_t at = i * 800 * kMicrosecond;  // 700 us of Python that nothing tells
    test.call("main", "cudaLaunchKernel", at, 5 * kMicrosecond, i + 1);
    test.kernel("k", at + 10 * kMicrosecond, 90 * kMicrosecond, i + 1);
  }
  const Report report = find_all(test.profile);
  EXPECT_FALSE(find_finding(report, "input-bound"));
  ASSERT_TRUE(find_finding(report, "launch-bound"));
  EXPECT_GT(*find_finding(report, "launch-bound")->saving_fraction, 0.8);
}

TEST(LaunchBound, TakesBuffersTakenApartAndTurnsThatNeedEachOtherForNoBatch) {
  enum { kApart, kInTurn, kGathered };
  for (const int kind : {kApart, kInTurn, kGathered}) {
    TestProfile test;
    for (int i = 0; i < 40; ++i) {
      const int64_t at = i * 100 * kMicrosecond;
      TestProfile::Op slice;
      slice.shapes = "[[4096], [], [], [], []]";
      const std::string places = fmt::format(R"(["", "0", "{}", "{}", "1"])", i, i + 1);
      slice.concrete = places;
      if (kind == kApart) test.op("main", "aten::unflatten_dense_tensors", at, 40 * kMicrosecond);
      test.op("main", "aten::slice", at + 5 * kMicrosecond, 20 * kMicrosecond, slice);
      const uint32_t op = test.op("main", "aten::mul", at + 50 * kMicrosecond, 40 * kMicrosecond);
      test.call("main", "cudaLaunchKernel", at + 60 * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
      test.kernel("k", at + 70 * kMicrosecond, 2 * kMicrosecond, i + 1, op + 1);
    }
    if (kind != kInTurn) test.op("main", "aten::stack", (39 * 100 + 92) * kMicrosecond, kMicrosecond);
    const Report report = find_all(test.profile);
    const Finding* finding = find_finding(report, "launch-bound");
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->detail.find("slices of a tensor") != std::string::npos, kind == kGathered);
    if (kind == kInTurn) {
      EXPECT_LE(*finding->saving_ns, report.step_ns - 40 * 2 * kMicrosecond);
    }
  }
}

TEST(ColdStart, IncludesWhatTheFirstCallOfAnOperatorTakes) {
  TestProfile test;
  int64_t at = 0;
  for (int i = 0; i < 30; ++i) {  // the first one's library starts for 100 ms, 20 of them in its launch
    const int64_t op_ns = i ? 100 * kMicrosecond : 100'000 * kMicrosecond, launch_ns = (i ? 5 : 20'000) * kMicrosecond;
    const uint32_t op = test.op("main", "aten::conv2d", at, op_ns);
    test.call("main", "cudaLaunchKernel", at + op_ns - launch_ns - 5 * kMicrosecond, launch_ns, i + 1, op + 1);
    test.kernel("k", at + op_ns, 10 * kMicrosecond, i + 1, op + 1);
    at += op_ns + 20 * kMicrosecond;
  }
  const Report report = find_all(test.profile);
  EXPECT_EQ(report.findings.front().id, "cold-start");
  EXPECT_GT(*report.findings.front().saving_fraction, 0.9);
  const Finding* launching = find_finding(report, "launch-bound");
  EXPECT_TRUE(!launching || *launching->saving_fraction < 0.05);
}

TEST(LaunchBound, LeavesAStepThatWaitsForTheHostsData) {
  TestProfile test = eager(100, 20, 19);
  test.profile.operators.duration_ns.at(0) += 3000 * kMicrosecond;
  test.op("main", "aten::randn", 2000 * kMicrosecond, 2990 * kMicrosecond);
  const uint32_t op = test.op("main", "aten::mul", 4992 * kMicrosecond, 6 * kMicrosecond);
  test.call("main", "cudaLaunchKernel", 4993 * kMicrosecond, 3 * kMicrosecond, 500, op + 1);
  test.kernel("k", 4998 * kMicrosecond, 10 * kMicrosecond, 500, op + 1);
  const Report report = find_all(test.profile);
  EXPECT_EQ(report.findings.front().id, "input-bound");
}

TEST(ColdStart, FirstLaunchesThatLoadCodeAreNoLaunching) {
  TestProfile test;
  int64_t at = 0;
  for (int i = 0; i < 30; ++i) {
    const int64_t launch_ns =
        i < 3 ? 50'000 * kMicrosecond : 5 * kMicrosecond;  // three kernels, each loaded when first launched
    const uint32_t op = test.op("main", "aten::add", at, launch_ns + 10 * kMicrosecond);
    test.call("main", "hipLaunchKernel", at + 5 * kMicrosecond, launch_ns, i + 1, op + 1);
    test.kernel(i % 3 == 0   ? "a"
                : i % 3 == 1 ? "b"
                             : "c",
                at + 8 * kMicrosecond + launch_ns, 20 * kMicrosecond, i + 1, op + 1);
    at += launch_ns + 40 * kMicrosecond;
  }
  const Report report = find_all(test.profile);
  const Finding* finding = find_finding(report, "cold-start");
  ASSERT_TRUE(finding);
  EXPECT_GT(*finding->saving_fraction, 0.95);
  EXPECT_EQ(report.findings.front().id, "cold-start");
  const Finding* launching = find_finding(report, "launch-bound");
  EXPECT_TRUE(!launching || *launching->saving_fraction < 0.05);
}

TEST(ColdStart, CapturingAGraphHappensOnce) {
  TestProfile test = eager(30, 30, 25);
  test.call("main", "hipStreamBeginCapture", 1000 * kMicrosecond, 5 * kMicrosecond, 900);
  test.call("main", "hipStreamEndCapture", 8000 * kMicrosecond, 50 * kMicrosecond, 901);
  test.profile.operators.duration_ns.at(0) = 8100 * kMicrosecond;
  const Report report = find_all(test.profile);
  const Finding* finding = find_finding(report, "cold-start");
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->title.find("capturing graphs (7.05 ms)"), std::string::npos) << finding->title;
}

/// 30 ms without a call before the second of 20 launches, which is of `op` and `kernel`.
Report after_silence(const char* op_name, const char* kernel) {
  TestProfile test;
  for (int i = 0; i < 20; ++i) {
    const int64_t at = (i ? 30'000 : 0) + i * 30;
    const uint32_t op = test.op("main", i == 1 ? op_name : "aten::mm", at * kMicrosecond, 20 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", (at + 5) * kMicrosecond, 5 * kMicrosecond, i + 1, op + 1);
    const uint32_t row = test.kernel(i == 1 ? kernel : "k", (at + 12) * kMicrosecond, 20 * kMicrosecond, i + 1, op + 1);
    if (i == 2) make_batch_copy(test, row);
  }
  return find_all(test.profile);
}

TEST(ColdStart, CompilingBeforeCompiledCodeFirstRunsIsNoInput) {
  const Report fused = after_silence("fallback_function", "fused_add");
  const Finding* finding = find_finding(fused, "cold-start");
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->title.find("compiling (30."), std::string::npos) << finding->title;
  EXPECT_FALSE(find_finding(fused, "input-bound"));
  EXPECT_TRUE(find_finding(after_silence("aten::mul", "triton_poi_fused_mul_0"), "cold-start"));
  const Report eager_mode = after_silence("aten::mul", "elementwise");
  EXPECT_FALSE(find_finding(eager_mode, "cold-start"));
  EXPECT_TRUE(find_finding(eager_mode, "input-bound"));
}

TEST(ColdStart, ACaptureIncludesEmptyingTheCacheBeforeIt) {
  TestProfile test = eager(30, 30, 25);
  test.call("main", "cudaDeviceSynchronize", 950 * kMicrosecond, 10 * kMicrosecond, 897);
  test.call("main", "cudaFree", 970 * kMicrosecond, 400 * kMicrosecond, 898);
  test.call("main", "cudaFree", 1400 * kMicrosecond, 400 * kMicrosecond, 899);
  test.call("main", "cudaStreamBeginCapture", 2000 * kMicrosecond, 5 * kMicrosecond, 900);
  test.call("main", "cudaStreamEndCapture", 5000 * kMicrosecond, 50 * kMicrosecond, 901);
  test.profile.operators.duration_ns.at(0) = 8100 * kMicrosecond;
  const Report report = find_all(test.profile);
  EXPECT_TRUE(find_finding(report, "cold-start"));
  EXPECT_FALSE(find_finding(report, "allocator-churn"));
}

TEST(HostSync, TheWaitThatEndsASingleStepIsItsResult) {
  const auto waits = [](int steps) {
    TestProfile test;
    for (int s = 0; s < steps; ++s) {
      const int64_t begin = s * 5000;
      test.op("main", "ProfilerStep#" + std::to_string(s + 1), begin * kMicrosecond, 5000 * kMicrosecond,
              {OperatorKind::kRange});
      for (int i = 0; i < 40; ++i) {
        const int64_t at = begin + 10 + i * 20;
        const uint32_t op = test.op("main", "aten::mm", at * kMicrosecond, 15 * kMicrosecond);
        test.call("main", "cudaLaunchKernel", (at + 5) * kMicrosecond, 5 * kMicrosecond, s * 100 + i + 1, op + 1);
        test.kernel("k", (begin + 30 + i * 100) * kMicrosecond, 99 * kMicrosecond, s * 100 + i + 1, op + 1);
      }
      test.call("main", "cudaDeviceSynchronize", (begin + 900) * kMicrosecond, 3150 * kMicrosecond, s * 100 + 90);
    }
    return find_all(test.profile);
  };
  EXPECT_FALSE(find_finding(waits(1), "host-sync"));
  EXPECT_TRUE(find_finding(waits(3), "host-sync"));
}

TEST(HostSync, OfABareWaitTenMicrosecondsOfPythonGoWithIt) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 5000 * kMicrosecond, {OperatorKind::kRange});
  for (int i = 0; i < 50; ++i) {  // an operator, 20 us of Python, a wait of 12 us outside any operator, 38 us of Python
    const int64_t at = i * 100 * kMicrosecond;
    const uint32_t op = test.op("main", "aten::mm", at, 30 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", at + 20 * kMicrosecond, 5 * kMicrosecond, 2 * i + 1, op + 1);
    test.kernel("k", at + 28 * kMicrosecond, 32 * kMicrosecond, 2 * i + 1, op + 1);
    test.call("main", "cudaDeviceSynchronize", at + 50 * kMicrosecond, 12 * kMicrosecond, 2 * i + 2);
  }
  const Report report = find_all(test.profile);
  const Finding* finding = find_finding(report, "host-sync");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(*finding->saving_fraction, 0.22, 0.04);  // 22 of 100 us: the rest of the Python stays
}

/// Each of 40 kernels with a tensor asked of the driver before it and given back after it.
TestProfile allocations(int count) {
  TestProfile test = eager(40, 300, 20);
  for (int i = 0; i < count; ++i) {
    test.call("main", "cudaMalloc", (i * 300 + 10) * kMicrosecond, 100 * kMicrosecond, 1000 + i);
    test.call("main", "cudaFree", (i * 300 + 120) * kMicrosecond, 100 * kMicrosecond, 2000 + i);
  }
  return test;
}

TEST(UncachedAllocator, EveryTensorAsksTheDriver) {
  const Report off = find_all(allocations(40).profile);
  ASSERT_TRUE(find_finding(off, "uncached-allocator"));
  EXPECT_NEAR(*find_finding(off, "uncached-allocator")->saving_fraction, 0.67, 0.1);
  EXPECT_FALSE(find_finding(off, "allocator-churn"));
  const Report churn = find_all(allocations(5).profile);
  EXPECT_FALSE(find_finding(churn, "uncached-allocator"));
  EXPECT_TRUE(find_finding(churn, "allocator-churn"));
}

TEST(AllocatorChurn, NotOfAProgramThatAsksAtItsStartAndGivesBackAtItsEnd) {
  TestProfile test = eager(40, 300, 20);
  test.profile.operators.name.at(0) = test.profile.strings.intern("a run without steps");
  for (int i = 0; i < 5; ++i) {
    test.call("main", "cudaMalloc", (i * 300 + 10) * kMicrosecond, 100 * kMicrosecond, 1000 + i);
    test.call("main", "cudaFree", ((35 + i) * 300 + 120) * kMicrosecond, 100 * kMicrosecond, 2000 + i);
  }
  EXPECT_FALSE(find_finding(find_all(test.profile), "allocator-churn"));
}

/// Steps of 12 kernels of different names, the third of which asks the driver for memory: 3 times for 0.3 ms, once for
/// 90 ms.
TEST(ColdStart, MemoryThatARunningProgramAsksForIsNone) {
  TestProfile test;
  int64_t at = 0, correlation = 1;
  for (int step = 0; step < 4; ++step) {
    const int64_t start = at;
    const uint32_t marker = test.op("main", "ProfilerStep#" + std::to_string(step), at, 0, {OperatorKind::kRange});
    for (int i = 0; i < 12; ++i) {
      const int64_t asks = i != 10 ? 0 : (step == 2 ? 90'000 : 300) * kMicrosecond;
      const uint32_t op = test.op("main", "aten::mm", at, 20 * kMicrosecond + asks);
      if (asks) test.call("main", "cudaMalloc", at + 1000, asks, 1000 + correlation, op + 1);
      test.call("main", "cudaLaunchKernel", at + asks + 3000, 5 * kMicrosecond, correlation, op + 1);
      test.kernel("k" + std::to_string(i), at + asks + 12 * kMicrosecond, 100 * kMicrosecond, correlation++, op + 1);
      at += asks + 110 * kMicrosecond;
    }
    test.profile.operators.duration_ns.at(marker) = at - start;
  }
  const Report report = find_all(test.profile);
  EXPECT_FALSE(find_finding(report, "cold-start"));
  const Finding* churn = find_finding(report, "allocator-churn");
  ASSERT_TRUE(churn);
  EXPECT_GT(*churn->saving_fraction, 0.1);
}

}  // namespace
}  // namespace warplens::findings
