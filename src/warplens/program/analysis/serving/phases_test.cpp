#include "warplens/program/analysis/serving/phases.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

TEST(Phases, AnnotationsOfThreeEngines) {
  const auto mixed = parse_iteration(
      "execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->phase, Phase::kMixed);
  EXPECT_EQ(mixed->context_requests, 9);
  EXPECT_EQ(mixed->context_tokens, 8155);
  EXPECT_EQ(mixed->generation_requests, 37);
  EXPECT_EQ(mixed->generation_tokens, 37);
  EXPECT_EQ(parse_iteration("execute_context_2(14721)_generation_0(0)")->phase, Phase::kPrefill);
  EXPECT_EQ(parse_iteration("execute_context_0(0)_generation_64(64)")->phase, Phase::kDecode);
  EXPECT_EQ(parse_iteration("step[EXTEND bs=15 toks=15360]")->context_tokens, 15360);
  EXPECT_EQ(parse_iteration("step[DECODE bs=32]")->generation_tokens, 32);
  EXPECT_EQ(parse_iteration("step[DECODE bs=64 g_sq=128 g_sqsq=256]")->generation_tokens, 128);
  EXPECT_EQ(parse_iteration("step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 g_sq=1]")->phase, Phase::kMixed);
  EXPECT_EQ(parse_iteration("prefill[bs=2 tok=14721 ctx=[7803, 6918]]")->context_tokens, 14721);
  EXPECT_EQ(parse_iteration("decode[bs=117/128 tok=117 d=117]")->generation_requests, 117);
  EXPECT_EQ(parse_iteration("decode[bs=128 tok=384 p=2 d=126 sqsq=132612]")->phase, Phase::kMixed);
  for (const char* other :
       {"ProfilerStep#3", "execute_diffusion_1_256x256", "capture_32_DECODE", "step", "decode[", "step[", ""})
    EXPECT_FALSE(parse_iteration(other)) << other;
}

TEST(Phases, EachIterationHasTheWorkThatItLaunched) {
  TestProfile test;
  const auto iteration = [&](const char* name, int64_t at, int64_t correlation, int64_t kernel_at, int64_t kernel_ns) {
    test.op("main", name, at, 100, {OperatorKind::kRange});
    test.call("main", "cudaLaunchKernel", at + 10, 5, correlation);
    test.kernel("k", kernel_at, kernel_ns, correlation);
  };
  iteration("step[EXTEND bs=1 toks=512]", 0, 1, 50, 400);
  iteration("step[DECODE bs=4]", 200, 2, 450, 30);
  iteration("step[DECODE bs=4]", 400, 3, 480, 50);
  test.op("main", "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq8sk9sqsq8sqsk9)", 410, 80,
          {OperatorKind::kRange});
  const std::vector<PhaseSummary> phases = phase_summaries(test.profile);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].phase, Phase::kPrefill);
  EXPECT_EQ(phases[0].busy_ns, 400);
  EXPECT_EQ(phases[0].tokens, 512);
  EXPECT_EQ(phases[1].iterations, 2);
  EXPECT_EQ(phases[1].busy_ns, 80);
  EXPECT_EQ(phases[1].tokens, 12);  // the inner annotation says more
  EXPECT_EQ(phases[1].host_ns, 200);
}

}  // namespace
}  // namespace warplens::analysis
