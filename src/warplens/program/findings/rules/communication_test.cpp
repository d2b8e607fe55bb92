#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/analysis/timeline/collective_work.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// One step of `count` all-reduces of `bytes` among 8 ranks, `each_us` long, each launched by an operator of its own;
/// with `between` a product runs before each.
TestProfile all_reduces(int count, int64_t bytes, int64_t each_us, bool products) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, count * 20 * kMicrosecond, {OperatorKind::kRange});
  auto& c = test.profile.collectives;
  c.name.push_back(test.text("allreduce"));
  c.dtype.push_back(test.text("Float"));
  c.in_elements.push_back(bytes / 4);
  c.out_elements.push_back(bytes / 4);
  c.group_size.push_back(8);
  for (auto* column : {&c.group_name, &c.group_description, &c.group_ranks}) column->push_back(StringId::kEmpty);
  c.sequence.push_back(-1);
  c.source_rank.push_back(-1);
  c.destination_rank.push_back(-1);
  int64_t at = 0, device = 20 * kMicrosecond;
  for (int i = 0; i < count; ++i) {
    const int64_t correlation = 2 * i + 1;
    const uint32_t product = test.op("main", products ? "aten::mm" : "aten::mul", at, 8 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", at + 2 * kMicrosecond, 3 * kMicrosecond, correlation, product + 1);
    test.kernel("k", device, 50 * kMicrosecond, correlation, product + 1);
    const uint32_t op = test.op("main", "c10d::allreduce_", at + 10 * kMicrosecond, 8 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", at + 12 * kMicrosecond, 3 * kMicrosecond, correlation + 1, op + 1);
    const uint32_t row = test.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", device + 51 * kMicrosecond,
                                     each_us * kMicrosecond, correlation + 1, op + 1);
    test.profile.device_events.collective.at(row) = 0;
    at += 20 * kMicrosecond;
    device += (each_us + 52) * kMicrosecond;
  }
  return test;
}

/// Makes the last of the all-reduces one of `bytes` that takes `us`.
void make_last(TestProfile& test, int64_t bytes, int64_t us) {
  Profile& p = test.profile;
  auto& c = p.collectives;
  for (auto* column : {&c.name, &c.dtype, &c.group_name, &c.group_description, &c.group_ranks})
    column->push_back(column->values()[0]);
  for (auto* column : {&c.in_elements, &c.out_elements}) column->push_back(bytes / 4);
  c.group_size.push_back(8);
  c.sequence.push_back(-1);
  c.source_rank.push_back(-1);
  c.destination_rank.push_back(-1);
  const auto last = static_cast<uint32_t>(p.device_events.size() - 1);
  p.device_events.collective.at(last) = 1;
  p.device_events.duration_ns.at(last) = us * kMicrosecond;
}

TEST(ManyCollectives, AreBucketedWhereOnlyPointwiseWorkLiesBetween) {
  const TestProfile test = all_reduces(100, 64 << 10, 60, false);
  const Report report = find_all(test.profile);
  const Finding* finding = find_finding(report, "many-collectives");
  ASSERT_TRUE(finding);
  EXPECT_GT(*finding->saving_fraction, 0.4);  // all but the 50 us kernels between
  EXPECT_LT(*finding->saving_fraction, 0.6);
}

TEST(ManyCollectives, StayWhereEachNeedsAProductBeforeIt) {
  EXPECT_FALSE(find_finding(find_all(all_reduces(100, 64 << 10, 60, true).profile), "many-collectives"));
}

TEST(ManyCollectives, LargeOnesAreNone) {
  EXPECT_FALSE(find_finding(find_all(all_reduces(100, 64 << 20, 400, false).profile), "many-collectives"));
}

TEST(SlowCollective, IsJudgedByBusBandwidthOfItsSize) {
  const Report slow = find_all(all_reduces(20, 64 << 20, 20'000, true).profile);  // 5.9 GB/s on the bus of an H200
  const Finding* finding = find_finding(slow, "slow-collective");
  ASSERT_TRUE(finding);
  EXPECT_GT(*finding->saving_fraction, 0.9);
  EXPECT_FALSE(find_finding(find_all(all_reduces(20, 64 << 20, 400, true).profile), "slow-collective"));  // 294 GB/s
  EXPECT_FALSE(
      find_finding(find_all(all_reduces(20, 4 << 10, 200, true).profile), "slow-collective"));  // too small to tell
}

TEST(SlowCollective, IsNotTheLinkWhereOneOfThemWasFast) {
  TestProfile test = all_reduces(20, 64 << 20, 20'000, true);
  for (uint32_t row = 1; row < 40; row += 10) test.profile.device_events.duration_ns.at(row) = 400 * kMicrosecond;
  EXPECT_FALSE(find_finding(find_all(test.profile), "slow-collective"));
  EXPECT_TRUE(find_finding(find_all(test.profile), "uneven-collective"));
}

TEST(SlowCollective, IsNotTheLinkWhereAnotherSizeOfTheGroupWasFast) {
  TestProfile test = all_reduces(20, 64 << 20, 20'000, true);
  make_last(test, 32 << 20, 300);  // half as much, at 147 GB/s or more
  EXPECT_FALSE(find_finding(find_all(test.profile), "slow-collective"));
}

TEST(SlowCollective, AShortMessageThatMostlyStartsDoesNotSpeakForTheLink) {
  TestProfile test = all_reduces(20, 64 << 20, 20'000, true);
  make_last(test, 1 << 20, 60);  // half of its time is its start: 30 GB/s
  EXPECT_TRUE(find_finding(find_all(test.profile), "slow-collective"));
}

TEST(SlowCollective, OfAPairWithoutASwitchIsJudgedByTheLinksBetweenTheTwo) {
  EXPECT_EQ(analysis::usual_bus_gbs("Tesla V100-SXM2-32GB", 8), 100);
  EXPECT_EQ(analysis::usual_bus_gbs("Tesla V100-SXM2-32GB", 2), 33);
  EXPECT_EQ(analysis::usual_bus_gbs("AMD Instinct MI300X", 2), 36);
  EXPECT_EQ(analysis::usual_bus_gbs("NVIDIA H200", 2), 350) << "a switch gives a pair all links";
}

TEST(UnevenCollective, OfALoneRankIsWhatExceedsTheShortest) {
  TestProfile test = all_reduces(20, 64 << 20, 400, true);
  EXPECT_FALSE(find_finding(find_all(test.profile), "uneven-collective"));
  int64_t later = 0;
  for (uint32_t row = 0; row < test.profile.device_events.size(); ++row) {  // every second one waits for 2 ms
    test.profile.device_events.start_ns.at(row) += later;
    if (row % 4 != 1) continue;
    test.profile.device_events.duration_ns.at(row) += 2000 * kMicrosecond;
    later += 2000 * kMicrosecond;
  }
  const Report report = find_all(test.profile);
  const Finding* finding = find_finding(report, "uneven-collective");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(static_cast<double>(*finding->saving_ns), 20e6, 1e6);
  EXPECT_FALSE(find_finding(report, "slow-collective"));
}

TEST(UnevenCollective, OfASmallMessageIsSeenInOneThatTakesMilliseconds) {
  EXPECT_FALSE(find_finding(find_all(all_reduces(2, 24 << 10, 200, true).profile), "uneven-collective"));
  const Report report = find_all(all_reduces(2, 24 << 10, 7000, true).profile);
  const Finding* finding = find_finding(report, "uneven-collective");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(static_cast<double>(*finding->saving_ns), 2 * 6.7e6, 1e5);
}

TEST(ExposedCommunication, IsToldWhereNothingCouldHideIt) {
  const Report report = find_all(all_reduces(4, 256 << 20, 20'000, true).profile);
  const Finding* finding = find_finding(report, "exposed-communication");
  ASSERT_TRUE(finding);
  EXPECT_FALSE(finding->saving_fraction);
  EXPECT_GT(concerned_fraction(*finding), 0.9);
}

}  // namespace
}  // namespace warplens::findings
