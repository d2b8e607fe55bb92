// The same counters in another form: ncu's sections ask for rates and averages where the reports here take sums.
#include <map>
#include <string>

#include "warplens/base/text.h"
#include "warplens/counters/ncu/ncu.h"

namespace warplens::counters::ncu {
namespace {

struct Derivation {
  std::string metric, from;
  std::string times;  // another metric, or empty
  double factor = 1;
};

const std::vector<Derivation>& derivations() {
  static const std::vector<Derivation> all = [] {
    std::vector<Derivation> out = {
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
         ""},
        {"smsp__inst_executed.sum", "inst_executed", ""},
        {"smsp__thread_inst_executed.sum", "thread_inst_executed", ""},
        {"smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio",
         "smsp__inst_executed.sum"},
        {"smsp__thread_inst_executed_pred_on.sum", "thread_inst_executed_true", ""},
        {"smsp__thread_inst_executed_pred_on.sum", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
         "smsp__inst_executed.sum"},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", "smsp__issue_active.avg.per_cycle_active", "", 100},
        // Four schedulers an SM, on every GPU that ncu counts on.
        {"smsp__sass_branch_targets_threads_divergent.sum", "smsp__sass_branch_targets_threads_divergent.avg",
         "launch__sm_count", 4},
        {"dram__bytes_read.sum", "dram__sectors_read.sum", "", 32},
        {"dram__bytes_write.sum", "dram__sectors_write.sum", "", 32},
        {"dram__bytes_read.sum", "dram__bytes_read.sum.per_second", "gpu__time_duration.sum", 1e-9},
        {"dram__bytes_write.sum", "dram__bytes_write.sum.per_second", "gpu__time_duration.sum", 1e-9},
    };
    for (const char* operation : {"fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"}) {
      const std::string sum = fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", operation);
      for (const char* cycles : {"smsp__cycles_elapsed.max", "smsp__cycles_elapsed.avg", "sm__cycles_elapsed.max"})
        out.push_back({sum, sum + ".per_cycle_elapsed", cycles});
    }
    return out;
  }();
  return all;
}

}  // namespace

void derive(Counts* counts) {
  for (size_t d = 0; d < counts->devices.size(); ++d) {
    CountedDevice& device = counts->devices[d];
    std::map<std::string, size_t, std::less<>> columns;
    for (size_t k = 0; k < device.metrics.size(); ++k) columns.emplace(device.metrics[k], k);
    for (const Derivation& how : derivations()) {
      const auto from = columns.find(how.from), times = columns.find(how.times);
      if (from == columns.end() || (!how.times.empty() && times == columns.end())) continue;
      const auto [to, is_new] = columns.try_emplace(how.metric, device.metrics.size());
      if (is_new) {
        device.metrics.push_back(how.metric);
        device.units.emplace_back();
      }
      for (CountedLaunch& launch : counts->launches) {
        if (launch.device != d || launch.values.empty()) continue;
        launch.values.resize(device.metrics.size());
        std::optional<double>& value = launch.values[to->second];
        const std::optional<double> a = launch.values[from->second];
        const std::optional<double> b = how.times.empty() ? std::optional<double>(1) : launch.values[times->second];
        if (!value && a && b) value = *a * *b * how.factor;
      }
    }
  }
}

}  // namespace warplens::counters::ncu
