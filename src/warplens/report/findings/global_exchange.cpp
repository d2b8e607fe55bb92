#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// Loads and stores of a launch by the sectors they come back to.
struct Exchange {
  double barriers = 0, loads = 0, stores = 0;  // warp instructions
  double again_loaded = 1, again_stored = 1;   // sectors moved over distinct ones
  explicit Exchange(const KernelReport& report) {
    for (const LineCounts& line : report.lines) {
      barriers += static_cast<double>(line.barriers);
      loads += static_cast<double>(line.global_load.requests);
      stores += static_cast<double>(line.global_store.requests);
    }
    const Work& w = report.work;
    if (w.read_sectors > 0) again_loaded = w.load_sectors / w.read_sectors;
    if (w.written_sectors > 0) again_stored = w.store_sectors / w.written_sectors;
  }
  bool between_barriers(const Work& work) const {
    constexpr double kAgain = 4, kOften = 0.1,
                     kTimes = 1.5;        // barriers per warp; stores a barrier; times a sector moves
    constexpr double kHandedOver = 0.25;  // of what is loaded
    return work.exchanged_sectors >= kHandedOver * work.load_sectors && barriers >= kAgain * warps_of(work) &&
           stores >= kOften * barriers && loads >= kOften * barriers && again_loaded >= kTimes &&
           again_stored >= kTimes;
  }
};

/// With the values in shared memory: global memory is read once at the beginning and written once at the end.
Work in_shared_memory(const Work& now, const Exchange& exchange) {
  Work w = now;
  const double loads = 1 / exchange.again_loaded, stores = 1 / exchange.again_stored;  // of them stay
  w.cache_lines *= (now.load_sectors * loads + now.store_sectors * stores) / (now.load_sectors + now.store_sectors);
  w.load_sectors *= loads;
  w.store_sectors *= stores;
  w.partial_sectors *= stores;
  w.merged_sectors = w.completed_sectors = 0;
  w.l1_hit_rate = w.l1_late_rate = 0;
  set_block_cycles(w.block_cycles_l1, loads, &w);  // what is handed over is answered as soon as by L1
  w.shared_wavefronts += exchange.loads * (1 - loads) + exchange.stores * (1 - stores);
  return w;
}

}  // namespace

bool exchanges_through_global(const KernelReport& report) { return Exchange(report).between_barriers(report.work); }

// Threads of a block that hand values to each other through global memory, a barrier after every step.
void find_global_exchange(const KernelReport& report, std::vector<Defect>* findings) {
  const Exchange exchange(report);
  if (!exchange.between_barriers(report.work)) return;
  Defect finding{{.id = "global-exchange"}};
  finding.promise_beyond(report, coalesced(report), in_shared_memory(report.work, exchange));
  finding.title = "threads of a block exchange values through global memory";
  finding.detail =
      fmt::format("each sector is loaded {1:.1f} times and stored {2:.1f} times, with {0:.0f} barriers per warp",
                  exchange.barriers / warps_of(report.work), exchange.again_loaded, exchange.again_stored);
  finding.advice =
      "load once into shared memory, work there, and store the result once; within a warp, exchange values by "
      "shuffles";
  finding.evidence = {{"loads_of_a_sector", exchange.again_loaded}, {"stores_of_a_sector", exchange.again_stored}};
  for (const LineCounts& line : report.lines) {
    const std::string at = place(line);
    if (line.global_store.requests && !at.empty() && finding.where.size() < 3) finding.where.push_back(at);
  }
  say(std::move(finding), findings);
}

}  // namespace warplens::report
