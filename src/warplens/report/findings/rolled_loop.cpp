#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Short loops over shared memory, or over what L1 holds, whose length is known only at run time: counters, addresses
// and branches outnumber the arithmetic.
void find_rolled_loops(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kBranches = 0.2, kOverhead = 1.2, kShared = 0.3, kOften = 0.04, kDiverging = 0.02;
  constexpr double kTogether = 4;
  constexpr double kHits = 0.9;  // of loads of global memory: windows and rows that neighbours share
  constexpr double kIntegers = 0.15, kRemaining = 0.1;  // of the integer instructions and branches, once unrolled
  constexpr double kLoads = 0.65, kPasses = 0.75;  // of shared memory: what every lane reads comes four words at a time
  if (report.waits_for_others) return;             // its turns are a matter of time
  const bool near = report.work.l1_hit_rate >= kHits;
  double floating = 0, integer = 0, branches = 0, diverging = 0, loads = 0, narrow = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    floating += static_cast<double>(line.floating);
    if (line.integer_wide == 0) integer += static_cast<double>(line.integer);  // divisions are another finding's
    branches += static_cast<double>(line.branches);
    diverging += static_cast<double>(line.all.divergent_branches);
    const auto requests = static_cast<double>(line.shared_load.requests);
    loads += requests + (near ? static_cast<double>(line.global_load.requests - line.broadcast.requests) : 0);
    if (line.shared_load.bytes <= 4 * line.shared_load.predicated_on_threads) narrow += requests;
    if (line.branches && !place(line).empty()) places.push_back({line.branches, place(line)});
  }
  if (floating < kOften * report.work.instructions || loads < kShared * floating || diverging > kDiverging * branches)
    return;
  if (branches < kBranches * floating || integer + branches < kOverhead * floating) return;
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "rolled-loop"}};
  Work w = report.work;
  const double spared_integers = integer * (1 - kIntegers), spared_branches = branches * (1 - kRemaining);
  const double shares = spared_integers / std::max(1.0, w.alu + w.imad), before = w.instructions;
  w.alu *= std::max(0.0, 1 - shares);
  w.imad *= std::max(0.0, 1 - shares);
  w.branches = std::max(0.0, w.branches - spared_branches);
  w.memory -= narrow * (1 - kLoads);
  w.shared_wavefronts -= std::min(w.shared_wavefronts, narrow * (1 - kPasses));
  w.instructions = std::max(0.2 * before, before - spared_integers - spared_branches - narrow * (1 - kLoads));
  // Waits for memory stay; near, loads of several turns are under way at once.
  set_block_cycles(w.block_cycles_l1 * w.instructions / before, near ? 1 / kTogether : 1, &w);
  finding.promise(report, w);
  finding.title = "a short loop is not unrolled, and most of its instructions are loop overhead";
  finding.detail = fmt::format("{:.1f} integer instructions and {:.2f} branches for each arithmetic instruction",
                               integer / floating, branches / floating);
  finding.advice =
      "make the loop's length a constant (constexpr or a template argument), or add #pragma unroll; then addresses "
      "become offsets, and neighbouring loads combine";
  finding.evidence = {{"integer_per_operation", integer / floating}, {"branches_per_operation", branches / floating}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 2); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
