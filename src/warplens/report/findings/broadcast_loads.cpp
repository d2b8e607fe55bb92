#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

Work without_broadcasts(const KernelReport& report) {
  constexpr double kWords = 2;  // of constant memory that an instruction loads
  Work w = report.work;
  double requests = 0, sectors = 0, all = 0, straight = 0, room = 0;
  for (const LineCounts& line : report.lines) {
    requests += static_cast<double>(line.broadcast.requests);
    sectors += static_cast<double>(line.broadcast.sectors);
    all += static_cast<double>(line.global_load.requests);
    room += static_cast<double>(line.floating - std::min(line.floating, line.fixed_operands));
    // Where no loop comes back to it, an instruction names its word.
    if (turns_of(line, w) <= 1) straight += static_cast<double>(line.broadcast.requests);
  }
  // An operand comes by way of uniform registers. Arithmetic that has a constant already has no room for another: that
  // one is loaded by the unit that loaded it before.
  const double operands = std::min(straight, room);
  w.memory -= std::min(w.memory, operands + (requests - operands) * (1 - model::kFixedConstantCycles));
  w.instructions -= std::min(w.instructions, straight * (1 - 1 / kWords));
  w.cache_lines -= std::min(w.cache_lines, requests);
  take_loads(std::min(w.load_sectors, sectors), &w);
  spare_block_cycles(straight * (1 - 1 / kWords) / warps_of(w), &w);
  const double waits = all > 0 ? 1 - requests / all : 1;  // for memory, that remain
  set_block_cycles(w.block_cycles_l1, waits, &w);
  return w;
}

bool broadcasts_fit_constants(const KernelReport& report) {
  double requests = 0;
  for (const LineCounts& line : report.lines) requests += static_cast<double>(line.broadcast.requests);
  return requests <= model::kConstantWords * warps_of(report.work);
}

// Constants and other data that all threads of a warp read at once, one by one from global memory.
void find_broadcast_loads(const KernelReport& report, std::vector<Defect>* findings) {
  double requests = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    if (line.broadcast.requests == 0) continue;
    requests += static_cast<double>(line.broadcast.requests);
    if (const std::string at = place(line); !at.empty()) places.push_back({line.broadcast.requests, at});
  }
  if (requests <= 0) return;
  // A larger table takes ten times as long from constant memory; redundant-loads puts it in tiles of shared memory.
  if (!broadcasts_fit_constants(report)) return;
  std::sort(places.rbegin(), places.rend());
  Defect finding{{.id = "broadcast-loads"}};
  finding.promise(report, without_broadcasts(report));
  finding.title = "all threads of a warp read the same word of global memory";
  finding.detail = fmt::format("{} loads bring one sector for a whole warp, {:.0f} % of all instructions",
                               format_count(requests), 100 * requests / report.work.instructions);
  finding.advice =
      "keep the data in registers or shared memory, load several words at once (float4), or use __constant__ "
      "memory, which saves registers and load instructions";
  finding.evidence = {{"broadcast_requests", requests}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
