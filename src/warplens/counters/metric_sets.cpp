#include "warplens/counters/metric_sets.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::counters {
namespace {

using Names = std::vector<std::string>;

constexpr size_t kMainReasons = 6;  // more would take the report's metrics a ninth pass

void add(Names* to, const Names& more) {
  for (const std::string& name : more) {
    if (std::find(to->begin(), to->end(), name) == to->end()) to->push_back(name);
  }
}

/// `pattern` with {} filled by each of `parts`.
Names each(const char* pattern, const std::vector<const char*>& parts) {
  Names out;
  for (const char* part : parts) out.push_back(fmt::format(fmt::runtime(pattern), part));
  return out;
}

Names timing() {
  return {"gpu__time_duration.sum",
          "gpc__cycles_elapsed.max",
          "sm__cycles_active.avg",
          "sm__cycles_active.max",
          "sm__cycles_active.min",
          "smsp__inst_executed.sum",
          "smsp__issue_active.avg.pct_of_peak_sustained_active",
          "sm__warps_active.avg.pct_of_peak_sustained_active",
          "smsp__warps_eligible.avg.per_cycle_active",
          "dram__bytes_read.sum",
          "dram__bytes_write.sum",
          "dram__throughput.avg.pct_of_peak_sustained_elapsed"};
}

Names memory() {
  Names out = {"dram__bytes_read.sum",
               "dram__bytes_write.sum",
               "dram__throughput.avg.pct_of_peak_sustained_elapsed",
               "lts__t_sectors_op_read.sum",
               "lts__t_sectors_op_write.sum",
               "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
               "lts__t_sectors.avg",
               "lts__t_sectors.max",
               "dram__bytes_read.avg",
               "dram__bytes_read.max",
               "lts__t_sector_hit_rate.pct",
               "l1tex__t_sector_hit_rate.pct",
               "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"};
  const std::vector<const char*> spaces = {"global_op_ld",  "global_op_st", "global_op_atom",
                                           "global_op_red", "local_op_ld",  "local_op_st"};
  for (const char* space : spaces) {
    if (space != std::string_view("global_op_red"))
      out.push_back(fmt::format("l1tex__t_requests_pipe_lsu_mem_{}.sum", space));
    out.push_back(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}.sum", space));
  }
  add(&out, each("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", {"ld", "st", "atom"}));
  add(&out, each("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", {"ld", "st"}));
  add(&out, each("smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio", {"ld", "st"}));
  return out;
}

Names roofline() {
  Names out;
  for (const char* precision : {"f", "d", "h"}) {
    for (const char* operation : {"add", "mul", "fma"})
      out.push_back(fmt::format("smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum", precision, operation));
  }
  add(&out, each("sm__inst_executed_pipe_tensor_op_{}.sum", {"hmma", "hmma_type_hfma2", "gmma", "dmma", "imma"}));
  return out;
}

Names instructions() {
  return {"smsp__thread_inst_executed.sum",
          "smsp__thread_inst_executed_pred_on.sum",
          "smsp__sass_branch_targets_threads_divergent.sum",
          "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
          "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
          "smsp__inst_executed_op_branch.sum"};
}

Names pipes() {
  Names out = each("sm__inst_executed_pipe_{}.avg.pct_of_peak_sustained_active", {"alu", "fma", "lsu", "xu"});
  add(&out, each("sm__pipe_{}_cycles_active.avg.pct_of_peak_sustained_active", {"fp64", "tensor"}));
  add(&out, each("sm__inst_executed_pipe_{}.sum", {"alu", "fma", "lsu", "xu", "fp64"}));
  return out;
}

Names stalls(size_t count) {
  Names out;
  for (size_t k = 0; k < std::min(count, stall_reasons().size()); ++k) out.push_back(stall_metric(stall_reasons()[k]));
  return out;
}

/// What costs passes of its own and the report can do without.
Names more() {
  return {"smsp__average_warp_latency_per_inst_issued.ratio",
          "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
          "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
          "l1tex__m_xbar2l1tex_read_sectors.sum",
          "l1tex__m_l1tex2xbar_write_sectors.sum",
          "lts__d_sectors.avg.pct_of_peak_sustained_elapsed",
          "sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active",
          "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active",
          "sm__inst_executed_pipe_cbu.avg.pct_of_peak_sustained_active"};
}

}  // namespace

const std::vector<MetricSet>& metric_sets() {
  static const std::vector<MetricSet> all = {
      {"timing", "time, cycles, occupancy, issue slots, DRAM; nothing is replayed"},
      {"memory", "timing, with requests, sectors, cache hits and shared memory"},
      {"roofline", "timing, with arithmetic by precision"},
      {"stalls", "timing, with every reason for which warps wait"},
      {"report", "the metrics of the report and its findings"},
      {"full", "all of them, and more of the caches and pipes"},
  };
  return all;
}

const std::vector<std::string_view>& stall_reasons() {
  static const std::vector<std::string_view> all = {"long_scoreboard",
                                                    "short_scoreboard",
                                                    "wait",
                                                    "barrier",
                                                    "lg_throttle",
                                                    "mio_throttle",
                                                    "math_pipe_throttle",
                                                    "not_selected",
                                                    "no_instruction",
                                                    "branch_resolving",
                                                    "dispatch_stall",
                                                    "drain",
                                                    "gmma",
                                                    "imc_miss",
                                                    "membar",
                                                    "misc",
                                                    "selected",
                                                    "sleeping",
                                                    "tex_throttle"};
  return all;
}

std::string stall_metric(std::string_view reason) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason);
}

Result<std::vector<std::string>> metrics_of_set(std::string_view name) {
  Names out = timing();
  if (name == "timing") return out;
  const bool report = name == "report", full = name == "full";
  if (!report && !full && name != "memory" && name != "roofline" && name != "stalls") {
    std::vector<std::string> known;
    for (const MetricSet& set : metric_sets()) known.emplace_back(set.name);
    return usage_error(fmt::format("--set {}: choose {}", name, join(known, ", ")));
  }
  if (report || full || name == "memory") add(&out, memory());
  if (report || full || name == "roofline") add(&out, roofline());
  if (report || full) add(&out, instructions());
  if (report || full || name == "stalls") add(&out, stalls(report ? kMainReasons : SIZE_MAX));
  if (report || full) add(&out, pipes());
  if (full) add(&out, more());
  return out;
}

}  // namespace warplens::counters
