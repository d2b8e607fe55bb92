#include "warplens/report/verify.h"

#include <gtest/gtest.h>

namespace warplens::report {
namespace {

KernelReport emulated_report() {
  KernelReport out;
  out.kernel = "f";
  out.metrics = {{"smsp__inst_executed.sum", 100},
                 {"dram__bytes_read.sum", 4000, Fidelity::kEstimated},
                 {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 5},
                 {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 70},
                 {"smsp__thread_inst_executed.sum", 3200},
                 {"only__emulated.sum", 1}};
  return out;
}

constexpr std::string_view kHardware = R"({"schema_version":1,"source":"hardware","launches":[
  {"kernel":"g","skipped":"a stream is being captured into a graph"},
  {"kernel":"f","metrics":{"smsp__inst_executed.sum":100,"dram__bytes_read.sum":5000,
   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum":9,"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum":64,
   "smsp__thread_inst_executed.sum":3000}},
  {"kernel":"f","metrics":{"smsp__inst_executed.sum":7}}]})";

TEST(Verify, EveryCommonMetricHasItsReason) {
  const KernelReport report = emulated_report();
  const auto rows = verify(*json::parse(kHardware), {&report});
  ASSERT_TRUE(rows.ok());
  std::vector<std::string> reasons;
  for (const VerifiedMetric& row : *rows) reasons.push_back(row.reason());
  EXPECT_EQ(reasons, (std::vector<std::string>{"equal", "modelled", "arbitration", "combined", "unexplained"}));
  EXPECT_NEAR((*rows)[1].difference(), -0.2, 1e-12);
  EXPECT_TRUE(verify_summary(*rows).starts_with("1 of 5 counters are equal; 1 modelled"));
}

TEST(Verify, NoLaunchInCommonIsSaid) {
  KernelReport report = emulated_report();
  report.kernel = "h";
  const auto rows = verify(*json::parse(kHardware), {&report});
  ASSERT_FALSE(rows.ok());
  EXPECT_NE(rows.status().message().find("it counted f"), std::string::npos);
}

}  // namespace
}  // namespace warplens::report
