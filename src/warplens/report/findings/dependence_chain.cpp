#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"
#include "warplens/run/sass/counting/clock.h"

namespace warplens::report {

namespace {

/// A loop whose next load waits for the answer to the last one, and few warps beside it. True when it said so.
bool find_loads_in_turn(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kTurns = 8, kTogether = 2, kFewTogether = 4.2, kFewWarps = 4, kMended = 4;
  const Work& now = report.work;
  const simt::sass_machine::Cycles cycles = simt::sass_machine::cycles_of(sass::Latency::kGlobal);
  const double latency = static_cast<double>(cycles[2] - cycles[0]);
  const double waits = (now.block_cycles_dram - now.block_cycles_l1) / latency;  // of a warp for memory, one by one
  double loads = 0;
  const LineCounts* most = nullptr;
  for (const LineCounts& line : report.lines) {
    loads += static_cast<double>(line.global_load.requests) / warps_of(now);
    if (!most || line.global_load.requests > most->global_load.requests) most = &line;
  }
  const double warps = std::ceil(now.needs.threads / 32.0) * std::min(std::ceil(now.blocks / report.device->sms),
                                                                      1.0 * report.time.occupancy.blocks);  // an SM's
  const double together = warps <= kFewWarps ? kFewTogether : kTogether;
  if (waits < kTurns || loads > together * waits || report.time.limited_by != "latency") return false;
  if (report.waits_for_others || exchanges_through_global(report)) return false;
  Work w = now;
  set_block_cycles(w.block_cycles_l1, 1 / kMended, &w);
  Defect finding{{.id = "dependence-chain"}};
  finding.promise(report, w);
  finding.title = "a loop has one load in flight at a time, and too few warps hide the latency";
  finding.detail =
      fmt::format("a warp waits {:.0f} times for memory, with {:.1f} loads in flight", waits, loads / waits);
  finding.advice =
      "keep several loads in flight: unroll the loop with several accumulators, prefetch the data of the next "
      "iteration, or launch more threads";
  finding.evidence = {{"waits_per_warp", waits}, {"loads_per_wait", loads / waits}};
  if (const std::string at = place(*most); !at.empty()) finding.where.push_back(at);
  return say(std::move(finding), findings);
}

}  // namespace

// Few warps, each waiting for its own last result. Mended, several chains run side by side; waits at barriers and for
// memory stay.
void find_dependence_chains(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kChains = 4;
  const Work& now = report.work;
  if (find_loads_in_turn(report, findings)) return;
  const double of_block = std::ceil(now.needs.threads / 32.0), instructions = now.instructions / warps_of(now);
  // The ways of lanes that part are walked one after the other.
  if (std::ranges::find(*findings, "divergence", &Finding::id) != findings->end()) return;
  double barriers = 0, calls = 0;
  for (const LineCounts& line : report.lines) {
    barriers += static_cast<double>(line.barriers);
    calls += static_cast<double>(line.precise_calls);
  }
  // So are the slow ways of precise functions, where most branches lead around these.
  if (2 * calls > now.branches) return;
  const double waited = barriers / warps_of(now) *
                        static_cast<double>(simt::sass_machine::barrier_cycles(static_cast<uint64_t>(of_block)));
  const double resident =
      std::min(std::ceil(now.blocks / report.device->sms), static_cast<double>(report.time.occupancy.blocks));
  const double chain = now.block_cycles_l1 - waited, turns = now.branches / warps_of(now) * model::kTakenBranchCycles,
               issued = instructions * std::max(1.0, of_block * resident / 4);
  const double least = std::max(chain / kChains, issued + turns);  // chains side by side go through the same branches
  if (2 * now.block_cycles_l1 < now.block_cycles_dram) return;     // it mostly waits for memory
  // A warp that issues every other cycle has two chains already.
  if (chain <= least) return;
  Work w = now;
  spare_block_cycles(chain - least, &w);
  Defect finding{{.id = "dependence-chain"}};
  finding.promise(report, w);
  finding.title = "each instruction depends on the previous one, and too few warps hide the latency";
  finding.detail =
      fmt::format("a warp issues one instruction every {:.1f} cycles; {:.0f} warps share an SM's four schedulers",
                  now.block_cycles_l1 / instructions, of_block * resident);
  finding.advice = "split the chain into independent ones (several accumulators), or launch more threads";
  finding.evidence = {{"cycles_per_instruction", now.block_cycles_l1 / instructions},
                      {"warps_per_sm", of_block * resident}};
  for (const LineCounts& line : report.lines) {
    if (const std::string at = place(line); !at.empty()) {
      finding.where.push_back(at);
      break;
    }
  }
  say(std::move(finding), findings);
}

}  // namespace warplens::report
