#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Narrow loads of neighbouring elements, where instructions rather than bytes cost the time.
void find_unvectorised_access(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kOften = 0.05;      // of all instructions
  constexpr double kLoop = 4;          // turns of a warp
  constexpr double kAgain = 2;         // loads of a byte
  constexpr uint64_t kOwn = 16;        // sectors of a request where each lane takes 16 bytes one by one
  bool apart = false;                  // lanes' bytes do not fill their sectors
  double requests = 0, times = 4;      // as many elements fit into 16 bytes
  double turns = 0;                    // of the accesses' lines, a warp
  double loaded = 0;                   // bytes
  double loads = 0, load_sectors = 0;  // of the accesses
  Defect finding{{.id = "unvectorised-access"}};
  for (const LineCounts& line : report.lines) loaded += static_cast<double>(line.global_load.bytes);
  // What several threads load again, windows of a filter or values handed over, does not come in vectors; bytes of a
  // window do, a word at a time.
  const bool again = loaded > kAgain * 32 * report.work.read_sectors;
  for (const LineCounts& line : report.lines) {
    for (const auto* access : {&line.global_load, &line.global_store}) {
      // Lanes a word or more apart, though each takes a byte of its own: their neighbours are other lanes' words.
      const bool words = 32 * access->sectors >= 4 * access->predicated_on_threads;
      const bool window = again && access == &line.global_load && words;
      if (access->requests == 0 || is_broadcast(*access) || window || access->bytes > 4 * access->predicated_on_threads)
        continue;
      const double lane_bytes = static_cast<double>(access->bytes) /
                                static_cast<double>(std::max<uint64_t>(access->predicated_on_threads, 1));
      const bool full = access->predicated_on_threads > 16 * access->requests;
      // Bytes with room for others between them are neighbours too: a thread's, that it takes one by one.
      const bool own = lane_bytes < 4 && access->sectors <= kOwn * access->requests && line.instructions > 1;
      const bool together = own || (access->sectors <= access->ideal_sectors + access->requests &&
                                    access->ideal_sectors * 32 >= access->bytes);
      if (!full || !together) continue;
      apart |= access->sectors > access->ideal_sectors + access->requests;
      requests += static_cast<double>(access->requests);
      if (access == &line.global_load) {
        loads += static_cast<double>(access->requests);
        load_sectors += static_cast<double>(access->sectors);
      }
      turns = std::max(turns, turns_of(line, report.work));
      times = std::max(times, 16 / std::max(lane_bytes, 1.0));
      if (const std::string at = place(line);
          !at.empty() && finding.where.size() < 3 && (finding.where.empty() || finding.where.back() != at))
        finding.where.push_back(at);
    }
  }
  // Halves that are loaded one by one are worked on one by one, by instructions that would take two.
  const bool halves_alone = times > 4 && report.work.half > 0;
  if (requests <= 0 || (requests < kOften * report.work.instructions && !halves_alone)) return;
  // A thread that takes `times` elements computes one address for them. Small elements are worked on several at once.
  Work w = apart ? coalesced(report) : report.work;
  const double once = 1 - 1 / times, before = w.instructions;
  const double floating = w.fma + w.fp64 + w.special, halves = w.half;
  const double others = std::max(0.0, w.instructions - floating - halves - w.memory);
  w.memory -= std::min(w.memory, requests) * once;
  w.alu -= w.alu * once;
  w.imad -= w.imad * once;
  w.branches -= w.branches * once;
  if (times > 4) w.half /= 2;
  w.instructions = floating + w.half + w.memory + others * (1 - once);
  const bool loop = turns >= kLoop;  // else there are fewer threads
  // A request for `times` as many bytes waits for the last of their lines.
  const double lines = loads > 0 ? load_sectors / 4 / loads : 1;
  Waits one_by_one, together = waits_for(lines * times);
  one_by_one.add(waits_for(lines), times);
  if (loop) {
    set_block_cycles(w.block_cycles_l1, together, one_by_one, &w);
    spare_block_cycles((before - w.instructions) / warps_of(w), &w);
  } else {
    w.blocks = std::max(w.blocks / times, std::min(w.blocks, 2.0 * report.device->sms));
    one_by_one.l2 /= times, one_by_one.dram /= times;  // a thread waits as often as before
    set_block_cycles(w.block_cycles_l1, together, one_by_one, &w);
  }
  finding.promise_beyond(report, loop ? report.work : in_larger_blocks(report), w);
  finding.title = "neighbouring elements are loaded or stored one by one";
  finding.detail = fmt::format("{} requests of 4 bytes or less per thread", format_count(requests));
  finding.advice = "load four neighbours at once (float4), with addresses aligned to 16 bytes";
  finding.evidence = {{"requests", requests}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
