#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

Work without_broadcasts(const KernelReport& report) {
  Work w = report.work;
  double requests = 0, sectors = 0, all = 0;
  for (const LineCounts& line : report.lines) {
    requests += static_cast<double>(line.broadcast.requests);
    sectors += static_cast<double>(line.broadcast.sectors);
    all += static_cast<double>(line.global_load.requests);
  }
  // Constants are loaded too, two or four words at a time, and take the unit longer: three quarters remain. Each half
  // of the instructions does.
  constexpr double kRemains = 0.75, kInstructions = 0.5;
  const double kept = 1 - kInstructions * std::min(1.0, requests / std::max(w.instructions, 1.0));
  w.memory -= std::min(w.memory, requests * (1 - kRemains));
  w.instructions *= kept;
  w.cache_lines -= std::min(w.cache_lines, requests);
  take_loads(std::min(w.load_sectors, sectors), &w);
  scale_block_cycles(kept, &w);
  const double waits = all > 0 ? 1 - requests / all : 1;  // for memory, that remain
  set_block_cycles(w.block_cycles_l1, waits, &w);
  return w;
}

bool broadcasts_fit_constants(const KernelReport& report) {
  constexpr double kTable = 512;  // words
  double requests = 0;
  for (const LineCounts& line : report.lines) requests += static_cast<double>(line.broadcast.requests);
  return requests <= kTable * warps_of(report.work);
}

// Constants and other data that all threads of a warp read at once, one by one from global memory.
void find_broadcast_loads(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kOften = 0.1;  // of all instructions
  double requests = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    if (line.broadcast.requests == 0) continue;
    requests += static_cast<double>(line.broadcast.requests);
    if (const std::string at = place(line); !at.empty()) places.push_back({line.broadcast.requests, at});
  }
  if (report.work.instructions <= 0 || requests < kOften * report.work.instructions) return;
  // A larger table takes ten times as long from constant memory; redundant-loads puts it in tiles of shared memory.
  if (!broadcasts_fit_constants(report)) return;
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "broadcast-loads"}};
  finding.promise(report, without_broadcasts(report));
  finding.title = "all threads of a warp read the same word of global memory";
  finding.detail = fmt::format("{:.0f} loads of one sector for a whole warp, {:.0f} % of all instructions", requests,
                               100 * requests / report.work.instructions);
  finding.advice =
      "keep it in registers or shared memory, load several words at once (float4), or put it into __constant__ memory, "
      "which spares registers and load instructions";
  finding.evidence = {{"broadcast_requests", requests}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
