#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"
#include "warplens/run/sass/counting/clock.h"

namespace warplens::report {

// Barriers that come after very little work. Mended, a warp keeps to itself or there is much more work between two.
void find_excess_synchronization(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kOften = 0.043, kNeedless = 0.9, kWorthSaying = 0.05, kAgain = 6;
  constexpr double kBetween = 3.2;  // shared accesses a barrier that only hand values over
  constexpr double kMoreWork = 8;   // times as much between two barriers
  double barriers = 0, shared = 0, loads = 0, stores = 0;
  Defect finding{{.id = "excess-synchronization"}};
  for (const LineCounts& line : report.lines) {
    barriers += static_cast<double>(line.barriers);
    shared += static_cast<double>(line.shared_load.requests + line.shared_store.requests);
    loads += static_cast<double>(line.global_load.requests);
    stores += static_cast<double>(line.global_store.requests);
    if (const std::string at = place(line); line.barriers && !at.empty() && finding.where.size() < 3)
      finding.where.push_back(at);
  }
  if (report.work.instructions <= 0 || barriers / report.work.instructions < kOften) return;
  Work w = report.work;
  if (barriers < kAgain * warps_of(w)) return;
  const double warps = warps_of(w), a_block = std::ceil(w.needs.threads / 32.0);
  const double waited = kNeedless * barriers / warps *
                        static_cast<double>(simt::sass_machine::barrier_cycles(static_cast<uint64_t>(a_block)));
  // Where what is loaded was stored before the barrier, no barrier can go, and another finding tells the cause.
  const bool own_work = loads >= std::max(0.03 * barriers, 4 * warps) && !exchanges_through_global(report);
  const double turns = own_work ? kMoreWork : 1;
  // Between two barriers a load's answer cannot be waited for by another turn's work.
  set_block_cycles(std::max(w.block_cycles_l1 - waited, 0.2 * w.block_cycles_l1), 1 / turns, &w);
  w.instructions -= kNeedless * barriers;
  if (shared <= kBetween * barriers) {  // a shuffle hands over what was stored, waited for and loaded
    // Steps of a tree that few warps take part in are issued by all, predicated; a shuffle a step remains.
    const double issued = own_work ? 0 : w.memory - loads - stores;
    const double spared = std::max({0.0, shared - barriers / 2, issued - barriers});
    w.memory -= std::min(w.memory, spared);
    w.instructions -= std::min(0.5 * w.instructions, spared);
    w.shared_wavefronts *= 0.5;
    w.shared_conflicts *= 0.5;
  }
  const double saved = saving_beyond(report, with_gathered_lanes(report), w);
  if (saved < kWorthSaying) return;
  finding.promise_beyond(report, with_gathered_lanes(report), w);
  finding.title = "threads of a block wait for each other after very little work";
  finding.detail = fmt::format("one of {:.0f} instructions is a barrier", report.work.instructions / barriers);
  finding.advice =
      "drop barriers that order nothing, use __syncwarp and shuffles within a warp, or do more between two barriers";
  finding.evidence = {{"barriers", barriers}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
