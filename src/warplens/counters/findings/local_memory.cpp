#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Arrays and spilled registers that live in local memory.
void find_local_memory(const KernelReport& report, std::vector<Finding>* findings) {
  double sectors = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    sectors += static_cast<double>(line.local.sectors);
    if (const std::string at = place(line); line.local.sectors && !at.empty()) places.push_back({line.local.sectors, at});
  }
  if (sectors == 0) return;
  kernel::Work w = report.work;
  w.memory -= std::min(w.memory, w.local_sectors / 4);
  w.local_sectors = w.local_store_sectors = 0;
  std::sort(places.rbegin(), places.rend());
  // Spills come with registers at their limit; an array that is indexed at run time comes with few.
  const bool spills = report.resources.registers >= 128;
  Finding finding{.id = spills ? "spills" : "local-array"};
  finding.saving_fraction = saving(report, w);
  finding.title = spills ? "registers are spilled to local memory" : "an array that is indexed at run time lives in local memory";
  finding.detail = fmt::format("{:.0f} sectors of local memory, {} bytes a thread", sectors, report.resources.local_bytes);
  finding.advice = spills ? "let threads hold less: smaller tiles, less unrolling, a higher limit in __launch_bounds__"
                          : "index it by constants (unroll the loop), or keep it in shared memory";
  finding.evidence = {{"local_sectors", sectors}, {"local_bytes_per_thread", static_cast<double>(report.resources.local_bytes)}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
