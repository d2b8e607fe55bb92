#include "warplens/bench/results/compare_results.h"

#include <gmock/gmock.h>

#include "warplens/bench/stats/series_for_test.h"

namespace warplens::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Measurement measured(const std::string& name, double factor, uint64_t seed) {
  Random random(seed);
  Measurement m;
  m.name = name;
  m.source = kMeasured;
  m.regime = "cold";
  m.samples_ns = independent_series(Noise::kNormal, 100, random);
  for (double& x : m.samples_ns) x *= factor;
  return m;
}

Results of(std::vector<Measurement> measurements) {
  Results out;
  out.measurements = std::move(measurements);
  return out;
}

TEST(CompareResults, GivesVerdictsAndNamesWhatIsOnOneSideOnly) {
  const ComparedResults compared =
      compare_results(of({measured("a", 1, 1), measured("b", 1, 2), measured("old", 1, 3)}),
                      of({measured("a", 1.1, 4), measured("b", 1, 5), measured("new", 1, 6)}), {});
  ASSERT_EQ(compared.pairs.size(), 2u);
  EXPECT_EQ(compared.pairs[0].comparison.verdict, Verdict::kSlower);
  EXPECT_EQ(compared.pairs[1].comparison.verdict, Verdict::kEquivalent);
  EXPECT_THAT(compared.only_in_base, ElementsAre("old [measured cold]"));
  EXPECT_THAT(compared.only_in_new, ElementsAre("new [measured cold]"));
  EXPECT_EQ(compared.slower_by_more_than(0.05), 1u);
  EXPECT_EQ(compared.slower_by_more_than(0.20), 0u);
}

TEST(CompareResults, AnInvalidRunHasNoVerdict) {
  Measurement bad = measured("a", 5, 1);
  bad.valid = false, bad.errors = {"y differs from its reference"};
  const ComparedResults compared = compare_results(of({measured("a", 1, 2)}), of({bad}), {});
  EXPECT_EQ(compared.pairs[0].comparison.verdict, Verdict::kInconclusive);
  EXPECT_THAT(compared.pairs[0].why, HasSubstr("NEW is not valid: y differs"));
}

TEST(CompareResults, EmulatedOnesCompareByTheirBound) {
  Measurement a = measured("k", 1, 1);
  a.source = kEmulated;
  a.samples_ns.clear();
  a.bound_ns = 1000;
  a.metrics = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 65536},
               {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum@k.cu:42", 65536}};
  Measurement b = a;
  b.bound_ns = 3000;
  b.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 262144;
  b.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum@k.cu:42"] = 262144;
  const ComparedResults compared = compare_results(of({a}), of({b}), {});
  EXPECT_EQ(compared.pairs[0].comparison.verdict, Verdict::kSlower);
  EXPECT_DOUBLE_EQ(compared.pairs[0].comparison.ratio, 3);
  EXPECT_THAT(compared.pairs[0].why, HasSubstr("4x the global-load sectors in line 42 (65536 -> 262144)"));
}

TEST(CompareResults, NotesAnotherMachineAndOtherClocks) {
  Results a = of({measured("a", 1, 1)}), b = a;
  a.environment.device = "NVIDIA H200";
  b.environment.device = "NVIDIA A100";
  a.measurements[0].sm_clock_mhz = 1980;
  b.measurements[0].sm_clock_mhz = 1400;
  EXPECT_THAT(compare_results(a, b, {}).notes, ElementsAre("the device differs: 'NVIDIA H200' and 'NVIDIA A100'",
                                                           HasSubstr("the SM clock was 1980 MHz, now 1400 MHz")));
  EXPECT_THAT(compare_results(a, a, {}).notes, IsEmpty());
}

TEST(CompareResults, EmulatedOnesCompareByTheirEstimateWhereTheBoundStays) {
  Measurement a = measured("k", 1, 1);
  a.source = kEmulated;
  a.samples_ns.clear();
  a.bound_ns = 1000;
  a.estimate_ns = 4000;
  Measurement b = a;
  b.estimate_ns = 6000;
  const ComparedPair pair = compare_results(of({a}), of({b}), {}).pairs[0];
  EXPECT_EQ(pair.comparison.verdict, Verdict::kSlower);
  EXPECT_DOUBLE_EQ(pair.comparison.ratio, 1.5);
  EXPECT_EQ(pair.new_ns, 6000);
}

TEST(CompareResults, TheEstimateJudgesWhereTheBoundDisagrees) {
  Measurement a = measured("k", 1, 1);
  a.source = kEmulated;
  a.samples_ns.clear();
  a.bound_ns = 1000;
  a.estimate_ns = 6000;
  Measurement b = a;
  b.bound_ns = 3000;
  b.estimate_ns = 4000;
  const ComparedPair pair = compare_results(of({a}), of({b}), {}).pairs[0];
  EXPECT_EQ(pair.comparison.verdict, Verdict::kFaster);
  EXPECT_EQ(pair.time, "estimate");
  a.modelled_device = "H200 SXM", b.modelled_device = "A100 SXM 80GB";
  EXPECT_THAT(compare_results(of({a}), of({b}), {}).notes, ElementsAre(HasSubstr("for H200 SXM, now for A100")));
}

TEST(CompareResults, WhatCannotBeJudgedIsNamed) {
  Measurement bad = measured("a", 1, 1);
  bad.valid = false, bad.errors = {"y differs from its reference"};
  const auto compared = compare_results(of({measured("a", 1, 2), measured("b", 1, 3)}), of({bad}), {});
  EXPECT_THAT(compared.not_judged(), ElementsAre(HasSubstr("b"), HasSubstr("NEW is not valid: y differs")));
}

TEST(ExplainCounters, WhatItCostStandsBeforeWhatIsGone) {
  const std::map<std::string, double> base = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 131072},
                                              {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 32768}};
  const std::map<std::string, double> now = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1048576}};
  EXPECT_THAT(explain_counters(base, now, Verdict::kSlower), ::testing::StartsWith("8x the global-store sectors"));
  EXPECT_THAT(explain_counters(now, base, Verdict::kFaster), ::testing::StartsWith("0.13x the global-store sectors"));
}

TEST(ExplainCounters, SaysNothingOfSmallChanges) {
  const Verdict slower = Verdict::kSlower;
  EXPECT_EQ(explain_counters({{"x", 100}}, {{"x", 102}}, slower), "");
  EXPECT_EQ(explain_counters({{"x", 100}}, {{"x", 1250}}, slower), "12x the x (100 -> 1250)");
  EXPECT_EQ(explain_counters({}, {{"smsp__inst_executed.sum", 7}}, slower), "new: warp instructions (0 -> 7)");
}

}  // namespace
}  // namespace warplens::bench
