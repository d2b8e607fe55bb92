#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"
#include "warplens/sass/clock.h"

namespace warplens::counters {

// Barriers that come after very little work.
void find_excess_synchronization(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kOften = 0.03, kNeedless = 0.9;
  double barriers = 0;
  Finding finding{.id = "excess-synchronization"};
  for (const LineCounts& line : report.lines) {
    barriers += static_cast<double>(line.barriers);
    if (const std::string at = place(line); line.barriers && !at.empty() && finding.where.size() < 3)
      finding.where.push_back(at);
  }
  if (report.work.instructions <= 0 || barriers / report.work.instructions < kOften) return;
  const double warps = std::max(1.0, report.work.blocks * std::ceil(report.work.needs.threads / 32.0));
  kernel::Work w = report.work;
  const double waited = kNeedless * barriers / warps *
                        static_cast<double>(sass::barrier_cycles(static_cast<uint64_t>(warps / report.work.blocks)));
  for (double* cycles : {&w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram})
    *cycles = std::max(*cycles - waited, 0.2 * *cycles);
  w.instructions -= kNeedless * barriers;
  const double saved = saving(report, w);
  if (saved < 0.03) return;
  finding.saving_fraction = saved;
  finding.title = "threads of a block wait for each other after very little work";
  finding.detail = fmt::format("one of {:.0f} instructions is a barrier", report.work.instructions / barriers);
  finding.advice = "drop barriers that order nothing, use __syncwarp within a warp, or do more between two barriers";
  finding.evidence = {{"barriers", barriers}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
