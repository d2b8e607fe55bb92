#include "warplens/program/analysis/cut/cut.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// Two steps of 100 ns; each launches one kernel that runs after both, on streams 7 and 8; one kernel was launched
/// before the recording.
class CutTest : public testing::Test {
 protected:
  CutTest() {
    t.op("main", "ProfilerStep#1", 0, 100, {.kind = OperatorKind::kRange});
    t.op("main", "ProfilerStep#2", 100, 100, {.kind = OperatorKind::kRange});
    t.op("main", "aten::add", 10, 20);
    t.op("main", "aten::mul", 110, 20);
    t.call("main", "cudaLaunchKernel", 15, 5, 1, 3);
    t.call("main", "cudaLaunchKernel", 115, 5, 2, 4);
    t.kernel("early", 20, 50, 900);
    t.kernel("add", 300, 50, 1, 3);
    t.kernel("mul", 350, 50, 2, 4, 8);
  }
  Profile cut(const Cut& how) {
    Result<Profile> out = cut_profile(std::move(t.profile), how);
    EXPECT_TRUE(out.ok()) << out.status().message();
    return std::move(out).value();
  }
  std::string error(const Cut& how) { return cut_profile(std::move(t.profile), how).status().message(); }

  static std::vector<std::string> names(const Profile& p) {
    std::vector<std::string> out;
    for (const StringId name : p.device_events.name) out.emplace_back(p.text(name));
    return out;
  }
  TestProfile t;
};

TEST_F(CutTest, AStepHoldsItsOwnHostWorkAndAllThatItLaunched) {
  const Profile p = cut({.steps = std::pair<int64_t, int64_t>{2, 2}});
  EXPECT_EQ(names(p), std::vector<std::string>{"mul"});
  ASSERT_EQ(p.operators.size(), 2u);
  EXPECT_EQ(p.calls.size(), 1u);
  EXPECT_EQ(p.ranks.window_start_ns[0], 100);
  EXPECT_EQ(p.ranks.window_end_ns[0], 400);
  EXPECT_EQ(p.integrity.find("launched-before-recording"), nullptr);
  EXPECT_EQ(p.integrity.find("left-out-by-the-cut")->count, 5);
}

TEST_F(CutTest, TimesCutWhatCrossesThemAndStepsInTwoAreNone) {
  const Profile p = cut({.from_ns = 100, .to_ns = 330});
  EXPECT_EQ(names(p), (std::vector<std::string>{"add"}));
  EXPECT_EQ(p.device_events.duration_ns[0], 30);
  EXPECT_EQ(p.operators.size(), 2u);     // the second step, whole, and its operator
  EXPECT_EQ(p.calls.correlation[0], 0);  // its kernel is left out: it is not lost
  EXPECT_EQ(p.ranks.window_end_ns[0], 330);
}

TEST_F(CutTest, AHalfStepIsNoStep) {
  const Profile p = cut({.from_ns = 50});
  for (const StringId name : p.operators.name) EXPECT_NE(p.text(name), "ProfilerStep#1");
}

TEST_F(CutTest, AStreamLeavesTheHostWhole) {
  const Profile p = cut({.stream = 8});
  EXPECT_EQ(names(p), std::vector<std::string>{"mul"});
  EXPECT_EQ(p.operators.size(), 4u);
  EXPECT_EQ(p.calls.correlation[0], 0);
  EXPECT_EQ(p.calls.correlation[1], 2);
}

TEST_F(CutTest, ACutOfACutIsNotDamaged) {
  t.profile = cut({.from_ns = 0, .to_ns = 340});
  const Profile p = cut({.from_ns = 5, .to_ns = 320});
  for (const IntegrityIssue& issue : p.integrity.issues()) EXPECT_EQ(issue.severity, Severity::kInfo) << issue.id;
}

TEST_F(CutTest, TheWholeStaysAsItIs) { EXPECT_EQ(cut({}).device_events.size(), 3u); }

TEST_F(CutTest, WhatIsNotThereIsNamedWithWhatIs) {
  EXPECT_EQ(error({.steps = std::pair<int64_t, int64_t>{7, 9}}), "no steps 7 to 9; the trace has steps 1 to 2");
}
TEST_F(CutTest, StreamsAreNamed) { EXPECT_EQ(error({.stream = 3}), "nothing ran on stream 3; the streams are 7, 8"); }
TEST_F(CutTest, RanksAreNamed) { EXPECT_EQ(error({.rank = 4}), "there is no rank 4; the ranks are 0"); }
TEST_F(CutTest, AnnotationsAreNamed) {
  EXPECT_EQ(error({.annotation = "x*"}), "no annotation fits 'x*'; the trace has ProfilerStep#1, ProfilerStep#2");
}
TEST_F(CutTest, TimesBehindTheEndAreRefused) {
  EXPECT_EQ(error({.from_ns = 5000}), "nothing is recorded after 5.00 us; the trace is 1.00 us long");
}

}  // namespace
}  // namespace warplens::analysis
