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
  m.name = name, m.source = kMeasured, m.regime = "cold";
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
  a.source = kEmulated, a.samples_ns.clear(), a.bound_ns = 1000;
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
  a.environment.device = "NVIDIA H200", b.environment.device = "NVIDIA A100";
  a.measurements[0].sm_clock_mhz = 1980, b.measurements[0].sm_clock_mhz = 1400;
  EXPECT_THAT(compare_results(a, b, {}).notes, ElementsAre("the device differs: 'NVIDIA H200' and 'NVIDIA A100'",
                                                           HasSubstr("the SM clock was 1980 MHz, now 1400 MHz")));
  EXPECT_THAT(compare_results(a, a, {}).notes, IsEmpty());
}

TEST(ExplainCounters, SaysNothingOfSmallChanges) {
  EXPECT_EQ(explain_counters({{"x", 100}}, {{"x", 102}}), "");
  EXPECT_EQ(explain_counters({{"x", 100}}, {{"x", 1250}}), "12x the x (100 -> 1250)");
  EXPECT_EQ(explain_counters({}, {{"smsp__inst_executed.sum", 7}}), "new: warp instructions (0 -> 7)");
}

}  // namespace
}  // namespace warplens::bench
