#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

struct Local {
  double sectors = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  void add(const LineCounts& line, uint64_t sectors_here) {
    sectors += static_cast<double>(sectors_here);
    if (const std::string at = place(line); sectors_here && !at.empty()) places.push_back({sectors_here, at});
  }
  void finish(const KernelReport& report, Defect finding, std::vector<Defect>* findings) {
    std::sort(places.rbegin(), places.rend());
    finding.detail = fmt::format("{} sectors of local memory, {} bytes per thread", format_count(sectors),
                                 report.resources.local_bytes);
    finding.evidence = {{"local_sectors", sectors},
                        {"local_bytes_per_thread", static_cast<double>(report.resources.local_bytes)}};
    for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
    say(std::move(finding), findings);
  }
};

/// Do the lanes of a warp mostly go to the same place of their arrays, as loops do that could be unrolled? Then a
/// request takes no more sectors than its bytes. Places that the data choose lie apart.
bool lanes_agree(const KernelReport& report) {
  uint64_t requests = 0, agree = 0;
  for (const LineCounts& line : report.lines) {
    requests += line.local.requests;
    if (line.local.sectors <= line.local.ideal_sectors + line.local.requests) agree += line.local.requests;
  }
  return 2 * agree > requests;
}

/// With every index a constant: what computes places in the array, and walks through it, is gone with the accesses.
Work in_registers(const KernelReport& report, Work w) {
  double integers = 0, branches = 0;
  for (const LineCounts& line : report.lines) {
    if (line.local.requests == 0) continue;
    integers += static_cast<double>(line.integer);
    branches += static_cast<double>(line.branches);
  }
  const double before = std::max(report.work.instructions, 1.0);
  integers = std::min(integers, w.alu + w.imad);
  const double kept = 1 - integers / std::max(w.alu + w.imad, 1.0);
  w.alu *= kept;
  w.imad *= kept;
  w.branches -= std::min(branches, w.branches);
  w.instructions = std::max(w.instructions - integers - branches, w.fma + w.fp64 + w.half + w.special + w.alu + w.imad);
  scale_instruction_cycles(w.instructions / before, &w);
  return w;
}

/// The launch without `share` of its local memory; `passes`: of shared memory, a request, that take its place.
Work without(const KernelReport& report, double share, double passes) {
  Work w = report.work;
  const double requests = w.local_sectors / 4 * share;
  if (passes == 0) {
    w.memory -= std::min(w.memory, requests);
    w.instructions -= std::min(0.5 * w.instructions, requests);
  }
  const double missed = (w.load_sectors + w.local_sectors - w.local_store_sectors) * (1 - w.l1_hit_rate);
  w.local_sectors *= 1 - share;
  w.local_store_sectors *= 1 - share;
  w.partial_local_sectors *= 1 - share;
  const double loads = w.load_sectors + w.local_sectors - w.local_store_sectors;
  w.l1_hit_rate = loads > 0 ? std::clamp(1 - missed / loads, 0.0, 1.0) : 0;
  w.l1_late_rate *= 1 - share;
  w.shared_wavefronts += passes * requests;
  return w;
}

}  // namespace

// Registers that do not fit and are spilled, and arrays that are indexed at run time: both live in local memory.
void find_local_memory(const KernelReport& report, std::vector<Defect>* findings) {
  Local spilled, arrays;
  for (const LineCounts& line : report.lines) {
    spilled.add(line, line.spill.sectors);
    arrays.add(line, line.local.sectors - line.spill.sectors);
  }
  const double all = spilled.sectors + arrays.sectors;
  // An array's first filling goes to fixed places too: with an array, only much of that is spilling.
  const bool spills = arrays.sectors > 0 ? spilled.sectors > 0.8 * all : spilled.sectors > 0;
  if (spills) {
    Defect finding{{.id = "spills",
                    .title = "registers spill to local memory",
                    .advice = "reduce the registers of a thread: smaller tiles, less unrolling; or raise the limit in "
                              "__launch_bounds__"}};
    finding.promise(report, without(report, spilled.sectors / all, 0));
    spilled.finish(report, std::move(finding), findings);
  }
  if (arrays.sectors > 0 && !spills) {
    Local whole = arrays;
    whole.sectors = all;
    Defect finding{{.id = "local-array",
                    .title = "an array with run-time indices is in local memory",
                    .advice = "index the array by constants (unroll the loop), or keep it in shared memory"}};
    finding.promise(report,
                    lanes_agree(report) ? in_registers(report, without(report, 1, 0)) : without(report, 1, 0.5));
    whole.finish(report, std::move(finding), findings);
  }
}

}  // namespace warplens::report
