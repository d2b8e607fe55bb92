#include "warplens/gpu/metric_unit.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

struct Case {
  const char *metric, *unit;
};

/// Units as CUPTI 13.0 tells them of GH100, in the words of this program: a gpc_cycle is a cycle, an l2_sector a
/// sector.
constexpr Case kCases[] = {
    {"gpu__time_duration.sum", "ns"},
    {"sm__cycles_active.avg", "cycle"},
    {"smsp__inst_executed.sum", "inst"},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%"},
    {"smsp__warps_eligible.avg.per_cycle_active", "warp"},
    {"sm__maximum_warps_per_active_cycle_pct", "%"},
    {"sm__warps_active.sum", "warp cycle"},
    {"dram__bytes_read.sum", "byte"},
    {"dram__bytes_read.sum.per_second", "byte/s"},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    {"sm__inst_executed.avg.per_cycle_elapsed", "inst/cycle"},
    {"sm__cycles_elapsed.avg.per_second", "cycle/s"},
    {"lts__t_sectors_op_read.sum", "sector"},
    {"lts__t_sector_hit_rate.pct", "%"},
    {"lts__t_sector_hit_rate.ratio", ""},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request"},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict"},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "byte/sector"},
    {"smsp__sass_branch_targets_threads_divergent.sum", "branch"},
    {"smsp__thread_inst_executed.sum", "thread inst"},
    {"smsp__average_inst_executed_per_warp.ratio", "inst/warp"},
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "cycle/inst"},
    {"smsp__average_warp_latency_per_inst_issued.ratio", "cycle/inst"},
    {"launch__registers_per_thread", "register/thread"},
    {"smsp__inst_executed.sum@bytes.cu:4", "inst"},
};

TEST(MetricUnit, FollowsFromTheName) {
  for (const Case& c : kCases) EXPECT_EQ(unit_of(c.metric), c.unit) << c.metric;
}

}  // namespace
}  // namespace warplens::gpu
