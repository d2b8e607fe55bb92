#include "warplens/report/metric_unit.h"

#include <iterator>

namespace warplens::report {
namespace {

struct Unit {
  std::string_view part, unit;
};

/// The first part that a name holds decides.
constexpr Unit kUnits[] = {
    {"_pct", "%"},
    {".pct", "%"},
    {"thread_inst_executed_per_inst", "thread/inst"},
    {"thread_inst_executed_pred_on_per_inst", "thread/inst"},
    {"registers_per_thread", "register/thread"},
    {"waves_per_multiprocessor", "wave/SM"},
    {"time_duration", "ns"},
    {"shared_mem", "byte/block"},
    {"bytes", "byte"},
    {"bank_conflicts", "conflict"},
    {"wavefronts", "wavefront"},
    {"requests", "request"},
    {"sectors", "sector"},
    {"branch_targets", "branch"},
    {"thread_inst", "thread inst"},
    {"inst_executed", "inst"},
    {"inst_issued", "inst"},
    {"occupancy_limit", "block/SM"},
    {"block_size", "thread/block"},
    {"grid_size", "block"},
    {"thread_count", "thread"},
    {"cycles", "cycle"},
    {"warps", "warp"},
};

}  // namespace

std::string_view unit_of(std::string_view metric) {
  for (const Unit& unit : kUnits) {
    if (metric.find(unit.part) != std::string_view::npos) return unit.unit;
  }
  return "";
}

}  // namespace warplens::report
