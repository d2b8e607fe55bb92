#include "warplens/counters/baseline.h"

#include <gtest/gtest.h>

#include "warplens/counters/write_json.h"

namespace warplens::counters {
namespace {

KernelReport report(double sectors, uint64_t line_sectors) {
  KernelReport out;
  out.kernel = "k";
  out.device = *gpu::find_device("h200");
  out.metrics = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors, Fidelity::kExact},
                 {"gpu__time_duration.sum", sectors * 2, Fidelity::kEstimated}};
  LineCounts line;
  line.file = "k.cu";
  line.line = 7;
  line.global_load.sectors = line_sectors;
  out.lines.push_back(line);
  return out;
}

json::Value saved(const KernelReport& report) {
  json::Writer w;
  w.begin_object().key("launches").begin_array().begin_object().member("kernel", report.kernel);
  write_report(w, report);
  w.end_object().end_array().end_object();
  return *json::parse(w.text());
}

TEST(CompareWithBaseline, NothingChangedWhenNothingDid) {
  const KernelReport now = report(100, 100);
  EXPECT_TRUE(compare_with_baseline(saved(now), {&now})->empty());
}

TEST(CompareWithBaseline, NamesTheMetricAndTheLineButNoEstimate) {
  const KernelReport before = report(100, 100), now = report(150, 150);
  const auto changes = compare_with_baseline(saved(before), {&now});
  ASSERT_EQ(changes->size(), 2u);
  EXPECT_EQ((*changes)[0].metric, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_DOUBLE_EQ((*changes)[0].growth(), 0.5);
  EXPECT_EQ((*changes)[1].where, "k.cu:7");
}

TEST(CompareWithBaseline, SaysWhenALaunchIsNew) {
  const KernelReport now = report(1, 1);
  const auto changes = compare_with_baseline(*json::parse(R"({"launches":[]})"), {&now});
  ASSERT_EQ(changes->size(), 1u);
  EXPECT_EQ((*changes)[0].metric, "(not in the baseline)");
  EXPECT_FALSE(compare_with_baseline(*json::parse("{}"), {&now}).ok());
}

}  // namespace
}  // namespace warplens::counters
