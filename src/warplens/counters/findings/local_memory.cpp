#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

namespace {

struct Local {
  double sectors = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  void add(const LineCounts& line, uint64_t sectors_here) {
    sectors += static_cast<double>(sectors_here);
    if (const std::string at = place(line); sectors_here && !at.empty()) places.push_back({sectors_here, at});
  }
  void finish(const KernelReport& report, Finding finding, std::vector<Finding>* findings) {
    std::sort(places.rbegin(), places.rend());
    finding.detail =
        fmt::format("{:.0f} sectors of local memory, {} bytes a thread", sectors, report.resources.local_bytes);
    finding.evidence = {{"local_sectors", sectors},
                        {"local_bytes_per_thread", static_cast<double>(report.resources.local_bytes)}};
    for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
    findings->push_back(std::move(finding));
  }
};

/// The launch without `share` of its local memory; `passes`: of shared memory, a request, that take its place.
kernel::Work without(const KernelReport& report, double share, double passes) {
  kernel::Work w = report.work;
  const double requests = w.local_sectors / 4 * share;
  if (passes == 0) w.memory -= std::min(w.memory, requests), w.instructions -= std::min(0.5 * w.instructions, requests);
  w.local_sectors *= 1 - share;
  w.local_store_sectors *= 1 - share;
  w.shared_wavefronts += passes * requests;
  return w;
}

}  // namespace

// Registers that do not fit and are spilled, and arrays that are indexed at run time: both live in local memory.
void find_local_memory(const KernelReport& report, std::vector<Finding>* findings) {
  Local spilled, arrays;
  for (const LineCounts& line : report.lines) {
    spilled.add(line, line.spill.sectors);
    arrays.add(line, line.local.sectors - line.spill.sectors);
  }
  const double all = spilled.sectors + arrays.sectors;
  // An array's first filling goes to fixed places too: with an array, only much of that is spilling.
  const bool spills = arrays.sectors > 0 ? spilled.sectors > 0.8 * all : spilled.sectors > 0;
  if (spills) {
    Finding finding{
        .id = "spills",
        .title = "registers are spilled to local memory",
        .advice = "let threads hold less: smaller tiles, less unrolling, a higher limit in __launch_bounds__"};
    finding.saving_fraction = saving(report, without(report, spilled.sectors / all, 0));
    spilled.finish(report, std::move(finding), findings);
  }
  if (arrays.sectors > 0 && !spills) {
    Local whole = arrays;
    whole.sectors = all;
    Finding finding{.id = "local-array", .title = "an array that is indexed at run time lives in local memory",
                    .advice = "index it by constants (unroll the loop), or keep it in shared memory"};
    finding.saving_fraction = saving(report, without(report, 1, 0.5));
    whole.finish(report, std::move(finding), findings);
  }
}

}  // namespace warplens::counters
