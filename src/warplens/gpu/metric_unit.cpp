#include "warplens/gpu/metric_unit.h"

namespace warplens::gpu {
namespace {

struct Unit {
  std::string_view part, unit;
};

/// The first part that a name holds decides: shares, then what divides one thing by another, then what is counted.
constexpr Unit kUnits[] = {
    {"_pct", "%"},
    {".pct", "%"},
    {"hit_rate", ""},
    {"sectors_per_request", "sector/request"},
    {"bytes_per_sector", "byte/sector"},
    {"bytes_per_wavefront", "byte/wavefront"},
    {"bytes_per_cta", "byte/block"},
    {"thread_inst_executed_per_inst", "thread/inst"},
    {"thread_inst_executed_pred_on_per_inst", "thread/inst"},
    {"threads_launched_per_warp", "thread/warp"},
    {"registers_per_thread", "register/thread"},
    {"waves_per_multiprocessor", "wave/SM"},
    {"inst_issued_per_issue_active", "inst/cycle"},
    {"_per_issue_active", "cycle/inst"},
    {"_per_warp_active", ""},
    {"issue_stalled", "warp cycle"},
    {"warp_latency_per_inst", "cycle/inst"},
    {"latency", "cycle"},
    {"time_duration", "ns"},
    {"shared_mem", "byte/block"},
    {"bytes", "byte"},
    {"bank_conflicts", "conflict"},
    {"wavefronts", "wavefront"},
    {"requests", "request"},
    {"sectors", "sector"},
    {"branch_targets", "branch"},
    {"thread_inst", "thread inst"},
    {"occupancy_limit", "block/SM"},
    {"block_size", "thread/block"},
    {"grid_size", "block"},
    {"thread_count", "thread"},
    {"cycles", "cycle"},
    {"issue_active", "cycle"},
    {"inst_executed", "inst"},
    {"inst_issued", "inst"},
    {"threads_launched", "thread"},
    {"warps_launched", "warp"},
    {"maximum_warps_per_active_cycle", "warp"},
    {"warps", "warp cycle"},
    {"ctas_launched", "block"},
    {"ctas", "block cycle"},
    {"ops_path", "op"},
    {"_tags", "tag"},
};

std::string counted(std::string_view metric) {
  for (const Unit& unit : kUnits) {
    if (metric.find(unit.part) != std::string_view::npos) return std::string(unit.unit);
  }
  return "";
}

}  // namespace

std::string unit_of(std::string_view metric) {
  metric = metric.substr(0, metric.find('@'));
  std::string unit = counted(metric);
  if (unit.empty() || unit == "%") return unit;
  if (metric.find(".per_second") != std::string_view::npos) return unit + "/s";
  if (metric.find(".per_cycle") != std::string_view::npos)
    return unit.ends_with(" cycle") ? unit.substr(0, unit.size() - 6) : unit + "/cycle";
  if (metric.find("_per_warp") != std::string_view::npos && unit.find('/') == std::string::npos) return unit + "/warp";
  return unit;
}

}  // namespace warplens::gpu
