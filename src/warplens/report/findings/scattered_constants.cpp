#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Lanes of a warp that want different words of constant memory, which hands out one at a time.
void find_scattered_constants(const KernelReport& report, std::vector<Defect>* findings) {
  Defect finding{{.id = "scattered-constants"}};
  double words = 0, requests = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    const simt::InstructionCounts& c = line.constant_load;
    if (c.wavefronts <= c.ideal_wavefronts) continue;
    words += static_cast<double>(c.wavefronts);
    requests += static_cast<double>(c.ideal_wavefronts);
    if (const std::string at = place(line); !at.empty()) places.push_back({c.wavefronts, at});
  }
  if (words <= 0) return;
  Work w = report.work;
  w.memory -= std::min(w.memory, model::kConstantCycles * words - requests);
  w.shared_wavefronts += requests;
  spare_block_cycles(model::kConstantWordCycles * (words - requests) / warps_of(w), &w);
  std::sort(places.rbegin(), places.rend());
  finding.promise(report, w);
  finding.title = "lanes of a warp read different words of constant memory";
  finding.detail = fmt::format("{} words for {} loads of warps; constant memory delivers one word at a time",
                               format_count(words), format_count(requests));
  finding.advice =
      "copy a table that threads index differently to shared memory, or read it from global memory through L1 "
      "(const __restrict__, __ldg)";
  finding.evidence = {{"constant_words", words}, {"constant_requests", requests}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
