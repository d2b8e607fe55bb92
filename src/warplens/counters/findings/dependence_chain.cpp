#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"
#include "warplens/sass/clock.h"

namespace warplens::counters {

// Few warps, each waiting for its own last result.
void find_dependence_chains(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kIndependent = 4, kIdle = 0.3, kWorthSaying = 0.1, kBranches = 0.08;
  const kernel::Work& now = report.work;
  const double warps_per_block = std::ceil(now.needs.threads / 32.0);
  const double instructions = now.instructions / std::max(1.0, now.blocks * warps_per_block);  // of a warp
  if (now.block_cycles_l1 <= 0 || instructions / now.block_cycles_l1 > kIdle) return;
  // Barriers are waits of another kind.
  double barriers = 0;
  for (const LineCounts& line : report.lines) barriers += static_cast<double>(line.barriers);
  const double waited = barriers / std::max(1.0, now.blocks * warps_per_block) *
                        static_cast<double>(sass::barrier_cycles(static_cast<uint64_t>(warps_per_block)));
  if (waited > 0.3 * now.block_cycles_l1) return;
  const double resident =
      std::min(std::ceil(now.blocks / report.device->sms), static_cast<double>(report.time.occupancy.blocks));
  const double busy = instructions * warps_per_block * resident / 4 / now.block_cycles_l1;  // of a scheduler's slots
  // Waits for memory are another matter: the chain is what remains with all loads answered at once.
  if (busy > 0.5 || now.block_cycles_l1 < 0.5 * now.block_cycles_dram) return;
  // Code full of branches, as the slow ways of roots and divisions are, runs one after the other whatever its order.
  if (now.branches > kBranches * now.instructions) return;
  kernel::Work w = now;
  const double least =
      std::max(now.block_cycles_l1 / kIndependent, instructions * std::max(1.0, warps_per_block * resident / 4));
  const double saved_cycles = now.block_cycles_l1 - least;
  for (double* cycles : {&w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram}) *cycles -= saved_cycles;
  const double saved = saving(report, w);
  if (saved < kWorthSaying) return;
  Finding finding{.id = "dependence-chain"};
  finding.saving_fraction = saved;
  finding.title = "each instruction waits for the one before, and there are few warps to fill the gaps";
  finding.detail =
      fmt::format("a warp issues one instruction in {:.1f} cycles; {:.0f} warps share an SM's four schedulers",
                  now.block_cycles_l1 / instructions, warps_per_block * resident);
  finding.advice = "cut the chain into several independent ones (several accumulators), or launch more threads";
  finding.evidence = {{"cycles_per_instruction", now.block_cycles_l1 / instructions},
                      {"warps_per_sm", warps_per_block * resident}};
  for (const LineCounts& line : report.lines) {
    if (const std::string at = place(line); !at.empty()) {
      finding.where.push_back(at);
      break;
    }
  }
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
