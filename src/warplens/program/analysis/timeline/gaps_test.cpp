#include "warplens/program/analysis/timeline/gaps.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// A kernel until 100 us, another from 400 us on; `between` fills the host's time before its launch at 390 us.
template <typename Between>
Gap only_gap(Between between) {
  TestProfile test;
  test.op("main", "aten::mul", 0, 20 * kUs);
  test.call("main", "cudaLaunchKernel", 5 * kUs, 5 * kUs, 1, 1);
  test.kernel("first", 20 * kUs, 80 * kUs, 1, 1);
  between(test);
  test.call("main", "cudaLaunchKernel", 390 * kUs, 5 * kUs, 2, 0);
  test.kernel("second", 400 * kUs, 10 * kUs, 2, 0);
  const Causes causes(test.profile);
  const std::vector<Gap> gaps = find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs);
  EXPECT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps.at(0).start_ns, 100 * kUs);
  EXPECT_EQ(gaps.at(0).end_ns, 400 * kUs);
  return gaps.at(0);
}

TEST(Gaps, NameWhatTheHostDid) {
  EXPECT_EQ(only_gap([](TestProfile&) {}).cause, GapCause::kPython);
  EXPECT_EQ(only_gap([](TestProfile& t) {
              t.op("main", "aten::add", 110 * kUs, 40 * kUs), t.op("main", "aten::add", 150 * kUs, 90 * kUs),
                  t.op("main", "aten::add", 240 * kUs, 90 * kUs);
            }).cause,
            GapCause::kLaunchBound);
  EXPECT_EQ(only_gap([](TestProfile& t) { t.call("main", "cudaStreamSynchronize", 30 * kUs, 75 * kUs, 9); }).cause,
            GapCause::kSynchronization);
  EXPECT_EQ(only_gap([](TestProfile& t) { t.call("main", "cudaMalloc", 120 * kUs, 250 * kUs, 9); }).cause,
            GapCause::kAllocator);
  EXPECT_EQ(only_gap([](TestProfile& t) { t.op("main", "aten::randn", 110 * kUs, 270 * kUs); }).cause,
            GapCause::kInput);
  EXPECT_EQ(only_gap([](TestProfile& t) {
              t.op("main", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 110 * kUs, 270 * kUs,
                   {OperatorKind::kRange});
            }).cause,
            GapCause::kInput);
}

TEST(Gaps, AHostInABarrierWaitsForItsPeers) {
  EXPECT_EQ(only_gap([](TestProfile& t) { t.op("main", "gloo:barrier", 110 * kUs, 270 * kUs); }).cause,
            GapCause::kPeer);
}

TEST(Gaps, AHostThatWaitedForACollectiveThatWaitedForAnotherRank) {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 5 * kUs, 5 * kUs, 1);
  test.kernel("ncclDevKernel_AllReduce_Sum", 20 * kUs, 80 * kUs, 1);
  test.call("main", "cudaStreamSynchronize", 15 * kUs, 90 * kUs, 9);
  test.call("main", "cudaLaunchKernel", 390 * kUs, 5 * kUs, 2);
  test.kernel("second", 400 * kUs, 10 * kUs, 2);
  const Causes causes(test.profile);
  EXPECT_EQ(find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs).at(0).cause,
            GapCause::kSynchronization);
  EXPECT_EQ(
      find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs, {{20 * kUs, 70 * kUs}}).at(0).cause,
      GapCause::kPeer);
}

TEST(Gaps, QueuedKernelsHaveLaunchGaps) {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 0, 5 * kUs, 1);
  test.call("main", "cudaLaunchKernel", 5 * kUs, 5 * kUs, 2);
  test.kernel("first", 20 * kUs, 80 * kUs, 1);
  test.kernel("second", 101 * kUs, 80 * kUs, 2);
  const Causes causes(test.profile);
  const std::vector<Gap> gaps = find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].cause, GapCause::kLaunchGap);
  EXPECT_EQ(gaps[0].end_ns - gaps[0].start_ns, 1 * kUs);
}

TEST(Gaps, AKernelQueuedEarlyInALongGapWaitedForSomethingElseThanTheHost) {
  const auto cause = [](int64_t launched_us) {
    TestProfile test;
    test.call("main", "cudaLaunchKernel", 0, 5 * kUs, 1);
    test.kernel("first", 20 * kUs, 80 * kUs, 1);
    test.call("main", "cudaLaunchKernel", launched_us * kUs, 5 * kUs, 2);
    test.kernel("second", 900 * kUs, 80 * kUs, 2);
    const Causes causes(test.profile);
    return find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs).at(0).cause;
  };
  EXPECT_EQ(cause(50), GapCause::kQueued);   // before the gap
  EXPECT_EQ(cause(139), GapCause::kQueued);  // 39 us into it
  EXPECT_EQ(cause(880), GapCause::kHost);    // without operators, frames or samples
}

TEST(Gaps, ALongLaunchIsTheHostsTime) {
  TestProfile test;
  test.op("main", "aten::add", 100 * kUs, 790 * kUs);
  test.call("main", "cudaLaunchKernel", 0, 5 * kUs, 1);
  test.kernel("first", 20 * kUs, 80 * kUs, 1);
  test.call("main", "cudaLaunchKernel", 120 * kUs, 770 * kUs, 2);  // loads the kernel's code
  test.kernel("second", 893 * kUs, 80 * kUs, 2);
  const Causes causes(test.profile);
  EXPECT_EQ(find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs).at(0).cause,
            GapCause::kLaunchBound);
}

TEST(Gaps, ArrangingTensorsIsNoInput) {
  EXPECT_EQ(only_gap([](TestProfile& t) { t.op("main", "aten::unflatten_dense_tensors", 110 * kUs, 270 * kUs); }).cause,
            GapCause::kLaunchBound);
}

TEST(Gaps, WithoutALaunchTheCauseIsUnknown) {
  TestProfile test;
  test.kernel("first", 0, 10 * kUs, 0);
  test.kernel("second", 50 * kUs, 10 * kUs, 0);
  const Causes causes(test.profile);
  EXPECT_EQ(find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kUs).at(0).cause, GapCause::kUnknown);
}

}  // namespace
}  // namespace warplens::analysis
