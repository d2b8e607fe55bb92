#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Warps whose lanes take different ways, so that each way is walked with the others idle.
void find_divergence(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.15, kFewThreads = 24;  // of 32, active at an instruction on average
  simt::InstructionCounts all;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    all.add(line.all);
    const std::string at = place(line);
    if (at.empty() || line.all.executions == 0) continue;
    // Lanes that end early leave no branch that diverged.
    const uint64_t idle = 32 * line.all.executions - line.all.active_threads;
    if (line.all.divergent_branches) places.push_back({line.all.divergent_branches + (uint64_t{1} << 62), at});
    else if (idle > 16 * line.all.executions) places.push_back({idle, at});
  }
  if (all.executions == 0) return;
  // A last warp that is not full is no divergence.
  const int threads = report.work.needs.threads, warps = (threads + 31) / 32;
  const double full = static_cast<double>(threads) / warps;
  const double active = static_cast<double>(all.active_threads) / static_cast<double>(all.executions);
  if (active >= std::min(kFewThreads, 0.75 * full)) return;
  Work w = report.work;
  const double factor = active / full;
  for (double* part : {&w.instructions, &w.alu, &w.fma, &w.imad, &w.fp64, &w.half, &w.special, &w.memory, &w.shared_wavefronts,
                       &w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram}) {
    *part *= factor;
  }
  // With lanes that only end early, as after a warp's sum, there is less to gain than the mean says.
  const double saved = saving(report, w);
  if (saved < (all.divergent_branches ? 0 : kWorthSaying)) return;
  std::sort(places.rbegin(), places.rend());
  Finding finding{.id = "divergence"};
  finding.saving_fraction = saved;
  finding.title = "threads of a warp take different branches";
  finding.detail =
      fmt::format("{:.1f} of {:.0f} threads of a warp are active at an instruction on average", active, full);
  finding.advice =
      "let whole warps agree: sort or group the work by the branch it takes, or replace the branch by arithmetic";
  finding.evidence = {{"active_threads_per_instruction", active},
                      {"divergent_branches", static_cast<double>(all.divergent_branches)}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
