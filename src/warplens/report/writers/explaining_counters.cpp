#include "warplens/report/writers/explaining_counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "warplens/base/text.h"

namespace warplens::report {
namespace {

/// Counters with `part` in their names, and the units of the time model whose work they count.
struct UnitsOfCounter {
  std::string_view part;
  std::array<std::string_view, 2> units;
};

constexpr UnitsOfCounter kUnitsOfCounters[] = {
    // the first that fits holds
    {"dram__", {"DRAM"}},
    {"lts__", {"L2"}},
    {"op_atom", {"atomics"}},
    {"op_red", {"atomics"}},
    {"dshared", {"cluster network"}},
    {"t_sectors", {"L1 and shared memory", "L2"}},
    {"wavefronts", {"L1 and shared memory", "load and store unit"}},
    {"bank_conflicts", {"L1 and shared memory", "load and store unit"}},
    {"t_requests", {"load and store unit"}},
    {"smsp__inst_executed_op_", {"load and store unit"}},
    {"local", {"L1 and shared memory"}},
    {"pipe_tensor", {"tensor cores"}},
    {"pipe_fp64", {"FP64 pipe"}},
    {"op_dadd", {"FP64 pipe"}},
    {"op_dmul", {"FP64 pipe"}},
    {"op_dfma", {"FP64 pipe"}},
    {"pipe_xu", {"special functions"}},
    {"pipe_alu", {"ALU pipe"}},
    {"pipe_fma", {"FMA pipe"}},
    {"op_fadd", {"FMA pipe"}},
    {"op_fmul", {"FMA pipe"}},
    {"op_ffma", {"FMA pipe"}},
    {"op_h", {"FMA pipe"}},
    {"inst_executed", {"issue slots"}},
    {"launch__", {"latency", "block launches"}},
};

double change_of_units(std::string_view metric, const std::function<double(std::string_view)>& unit_change_ns) {
  for (const UnitsOfCounter& row : kUnitsOfCounters) {
    if (!contains(metric, row.part)) continue;
    double most = 0;
    for (const std::string_view unit : row.units) most = std::max(most, unit.empty() ? 0 : unit_change_ns(unit));
    return most;
  }
  return 0;
}

}  // namespace

void order_by_explanation(const std::function<double(std::string_view)>& unit_change_ns, std::vector<Change>* changes) {
  const auto explained = [&](const Change& change) {
    return std::tuple(change_of_units(change.metric, unit_change_ns), std::abs(change.after - change.before));
  };
  std::ranges::stable_sort(*changes, std::greater(), explained);
}

}  // namespace warplens::report
