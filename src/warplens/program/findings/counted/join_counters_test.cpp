#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/counted/counted_kernels.h"
#include "warplens/program/findings/engine.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

CountedLaunch launch(const char* name, int64_t blocks, const char* id, const char* where) {
  CountedLaunch out;
  out.name = name;
  out.grid = {blocks, 1, 1};
  out.block = {256, 1, 1};
  out.device = "H200 SXM";
  out.id = id;
  out.title = "title";
  out.advice = "Mend it.";
  out.saving_fraction = 0.5;
  out.where = {where};
  return out;
}

/// Kernels a millisecond long, in order.
struct Timeline {
  TestProfile test;
  int64_t next = 0;
  void kernel(const char* name, int32_t blocks) {
    ++next;
    test.call("main", "cudaLaunchKernel", next * 10'000, 5000, next);
    const uint32_t row = test.kernel(name, next * 1'000'000, 900'000, next);
    if (blocks == 0) return;
    launch_configs_row config;
    config.grid_x = blocks;
    config.grid_y = config.grid_z = config.block_y = config.block_z = 1;
    config.block_x = 256;
    append(test.profile.launch_configs, config);
    test.profile.device_events.launch_config.resize(row);
    test.profile.device_events.launch_config.push_back(static_cast<uint32_t>(test.profile.launch_configs.size() - 1));
  }
};

TEST(JoinCounters, SpellingsOfOneNameJoin) {
  Timeline t;
  t.kernel("void scale<float>(float const*, int)", 8);
  t.kernel("void scale<double>(double const*, int)", 8);
  const CountedKernels joined = join_counters(t.test.profile, {launch("_Z5scaleIdEvPKT_i", 8, "second", "a.cu:1"),
                                                               launch("scale<float>", 8, "first", "a.cu:1")});
  EXPECT_EQ(joined.joins[0].launch, 1u);
  EXPECT_EQ(joined.joins[1].launch, 0u);
}

TEST(JoinCounters, OrderTellsLaunchesOfOneShapeApart) {
  Timeline t;
  for (int i = 0; i < 3; ++i) t.kernel("stride", 8);
  const CountedKernels joined = join_counters(
      t.test.profile,
      {launch("stride", 8, "a", "x.cu:1"), launch("stride", 8, "b", "x.cu:2"), launch("stride", 8, "c", "x.cu:3")});
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(joined.joins[i].launch, i);
    EXPECT_EQ(joined.joins[i].by, JoinedBy::kOrder);
    EXPECT_EQ(joined.joins[i].candidates, 1);
  }
  EXPECT_TRUE(joined.notes.empty());
}

TEST(JoinCounters, OtherNumbersAreToldWhereCausesDiffer) {
  Timeline t;
  for (int i = 0; i < 3; ++i) t.kernel("stride", 8);
  const CountedKernels same =
      join_counters(t.test.profile, {launch("stride", 8, "a", "x.cu:1"), launch("stride", 8, "a", "x.cu:1")});
  EXPECT_EQ(same.kernels_joined, 3u);
  EXPECT_EQ(same.joins[0].by, JoinedBy::kShape);
  EXPECT_EQ(same.ambiguous_ns, 0);
  const CountedKernels differ =
      join_counters(t.test.profile, {launch("stride", 8, "a", "x.cu:1"), launch("stride", 8, "b", "x.cu:1")});
  EXPECT_EQ(differ.ambiguous_ns, 3 * 900'000);
  ASSERT_EQ(differ.notes.size(), 1u);
  EXPECT_NE(differ.notes[0].find("several counted launches fit"), std::string::npos);
  EXPECT_EQ(differ.causes.at(0).ambiguous, "one of 2 that fit");
}

TEST(JoinCounters, AnotherSizeDoesNotJoin) {
  Timeline t;
  t.kernel("scale", 8);
  t.kernel("other", 8);
  const CountedKernels joined =
      join_counters(t.test.profile, {launch("scale", 16, "a", "x.cu:1"), launch("gone", 8, "a", "x.cu:1")});
  EXPECT_EQ(joined.kernels_joined, 0u);
  ASSERT_EQ(joined.notes.size(), 2u);
  EXPECT_NE(joined.notes[0].find("kernels without counters"), std::string::npos);
  EXPECT_NE(joined.notes[1].find("scale of 16,1,1 x 256,1,1; in the timeline 8,1,1 x 256,1,1"), std::string::npos)
      << joined.notes[1];
  EXPECT_NE(joined.notes[1].find("gone"), std::string::npos);
}

TEST(JoinCounters, WithoutShapesNamesJoin) {
  Timeline t;
  t.kernel("scale", 0);
  const CountedKernels joined = join_counters(t.test.profile, {launch("ns::scale(float*)", 16, "a", "x.cu:1")});
  EXPECT_EQ(joined.kernels_joined, 1u);
  EXPECT_EQ(joined.joins[0].by, JoinedBy::kName);
}

TEST(JoinCounters, AFindingOfTheTimelineCarriesTheCause) {
  Timeline t;
  for (int i = 0; i < 200; ++i) t.kernel("scale", 8);
  const Report report =
      find_all(t.test.profile, join_counters(t.test.profile, {launch("scale", 8, "uncoalesced-access", "x.cu:7")}));
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const Finding& f) { return f.id == "kernel-cause"; });
  ASSERT_NE(found, report.findings.end());
  EXPECT_EQ(found->where.front(), "x.cu:7");
  ASSERT_EQ(found->kernels.size(), 1u);
  EXPECT_EQ(found->kernels[0].events, 199);  // each launch is a step, and the first one is the start
  EXPECT_GT(found->saving_fraction.value_or(0), 0.3);
}

}  // namespace
}  // namespace warplens::findings
