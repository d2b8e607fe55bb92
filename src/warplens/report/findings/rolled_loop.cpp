#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Loops that count their turns: without a loop, counters are constants, addresses offsets, and moves other names.
void find_rolled_loops(const KernelReport& report, std::vector<Defect>* findings) {
  if (report.waits_for_others) return;  // its turns are a matter of time
  double all = 0, alu = 0, imad = 0, branches = 0, joined = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    all += static_cast<double>(line.loop_overhead);
    alu += static_cast<double>(line.loop_alu);
    imad += static_cast<double>(line.loop_imad);
    joined += static_cast<double>(3 * line.loop_words / 4);  // one loads four
    if (line.loop_overhead == 0) continue;
    branches += static_cast<double>(std::min(line.branches, line.loop_overhead));
    if (!place(line).empty()) places.push_back({line.loop_overhead, place(line)});
  }
  if (all <= 0) return;
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "rolled-loop"}};
  Work w = report.work;
  const double before = w.instructions;
  w.alu -= std::min(alu, w.alu);
  w.imad -= std::min(imad, w.imad);
  w.branches -= std::min(branches, w.branches);
  w.memory -= std::min(joined, w.memory);
  w.shared_wavefronts -= std::min(joined, w.shared_wavefronts);
  w.instructions -= std::min(all + joined, w.instructions);
  scale_instruction_cycles(w.instructions / before, &w);  // waits for memory stay
  finding.promise(report, w);
  finding.title = "a loop is not unrolled: its counter, addresses and branch take instructions";
  finding.detail = fmt::format("{:.0f} % of the instructions serve only loops ({} of {})", 100 * all / before,
                               format_count(all), format_count(before));
  finding.advice =
      "make the loop's length a constant (constexpr or a template argument), or add #pragma unroll; then addresses "
      "become offsets, and neighbouring loads combine";
  finding.evidence = {{"loop_instructions", all}, {"instructions", before}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 2); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
