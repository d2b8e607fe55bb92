#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// The same data loaded from global memory again and again.
void find_redundant_loads(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kTimes = 8, kWorthSaying = 0.12, kTile = 16;
  double bytes = 0, requests = 0, shared_requests = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    if (is_broadcast(line.global_load)) continue;  // another finding
    bytes += static_cast<double>(line.global_load.bytes);
    requests += static_cast<double>(line.global_load.requests);
    shared_requests += static_cast<double>(line.shared_load.requests);
    if (const std::string at = place(line); line.global_load.bytes && !at.empty())
      places.push_back({line.global_load.bytes, at});
  }
  const double distinct = 32 * report.work.read_sectors;
  if (distinct <= 0 || bytes < kTimes * distinct || shared_requests >= requests) return;  // it has its tiles already
  kernel::Work w = report.work;
  const double saved_requests = requests * (1 - 1 / kTile);
  w.cache_lines /= kTile;
  w.load_sectors /= kTile;
  w.memory -= std::min(w.memory, 0.8 * saved_requests);  // tiles are read from shared memory, several words at once
  w.instructions -= std::min(0.7 * w.instructions, 1.6 * saved_requests);  // and their addresses are constants
  w.shared_wavefronts += 0.25 * saved_requests;
  const double share = w.instructions / std::max(report.work.instructions, 1.0);
  for (double* cycles : {&w.block_cycles_l1, &w.block_cycles_l2, &w.block_cycles_dram}) *cycles *= share;
  w.block_cycles_l2 = w.block_cycles_l1 + (w.block_cycles_l2 - w.block_cycles_l1) / kTile;
  w.block_cycles_dram = w.block_cycles_l1 + (w.block_cycles_dram - w.block_cycles_l1) / kTile;
  const double saved = saving(report, w);
  if (saved < kWorthSaying) return;
  std::sort(places.rbegin(), places.rend());
  Finding finding{.id = "redundant-loads"};
  finding.saving_fraction = saved;
  finding.title = "the same data are loaded from global memory many times";
  finding.detail = fmt::format("threads load {:.0f} bytes of {:.0f} distinct ones: {:.0f} times each", bytes, distinct,
                               bytes / distinct);
  finding.advice =
      "load a tile into shared memory once a block and reuse it from there; keep several results a thread in registers";
  finding.evidence = {{"loaded_bytes", bytes}, {"distinct_bytes", distinct}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 2); ++k) finding.where.push_back(places[k].second);
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
