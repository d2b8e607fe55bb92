#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"
#include "warplens/run/sass/counting/clock.h"

namespace warplens::report {
namespace {

/// Barriers of a launch and what lies between them, in warp instructions.
struct Steps {
  double barriers = 0, loads = 0, stores = 0, global = 0;  // of shared memory; requests for global memory
  double load_requests = 0, store_requests = 0;            // of shared memory, with a lane that takes part
  double passes = 0;                                       // of these loads and stores, at least
  std::vector<std::string> where;
  explicit Steps(const KernelReport& report) {
    for (const LineCounts& line : report.lines) {
      barriers += static_cast<double>(line.barriers);
      loads += static_cast<double>(line.shared_load.executions);
      stores += static_cast<double>(line.shared_store.executions);
      load_requests += static_cast<double>(line.shared_load.requests);
      store_requests += static_cast<double>(line.shared_store.requests);
      passes += static_cast<double>(line.shared_load.ideal_wavefronts + line.shared_store.ideal_wavefronts);
      global += static_cast<double>(line.global_load.requests);
      if (const std::string at = place(line); line.barriers && !at.empty() && where.size() < 3) where.push_back(at);
    }
  }
  /// Each barrier orders one value of a thread, which it computed: global memory gives few of them.
  bool computed(double warps) const {
    return std::floor(store_requests / warps) <= std::floor(barriers / warps) + 1 && 2 * global < store_requests;
  }
  /// The same of any value, which two others load at most, as an operand each. Tiles hold more, or are loaded more
  /// often.
  bool pairs_up(double warps) const {
    return stores > 0 && stores <= barriers + warps && load_requests <= 2 * store_requests;
  }
};

/// The launch on a machine whose barriers nobody waits for. Where threads hand values over between them, a shuffle
/// takes each store's place; where they fill tiles, the next tile's loads are under way during this one's work.
Work without_waiting(const KernelReport& report, const Steps& steps) {
  Work w = report.work;
  const double warps = warps_of(w), of_warp = steps.barriers / warps;
  const auto of_block = static_cast<uint64_t>(std::ceil(w.needs.threads / 32.0));
  const double waited = of_warp * static_cast<double>(simt::sass_machine::barrier_cycles(of_block));
  spare_block_cycles(waited, &w);
  w.barriers = std::max(0.0, w.barriers - steps.barriers);
  w.instructions -= steps.barriers;
  const bool pairs = steps.pairs_up(warps);
  if (pairs || steps.computed(warps)) {
    w.memory -= std::min(w.memory, steps.loads);
    w.instructions -= steps.loads;
    w.shared_wavefronts -= std::min(w.shared_wavefronts, steps.passes);
  }
  if (!pairs && steps.stores > 0 && steps.global > 0 && !exchanges_through_global(report))
    set_block_cycles(w.block_cycles_l1, std::min(1.0, 2 / of_warp), &w);  // a turn has two barriers
  return w;
}

}  // namespace

// Barriers that come after very little work. Mended, a warp keeps to itself or there is much more work between two.
void find_excess_synchronization(const KernelReport& report, std::vector<Defect>* findings) {
  const Steps steps(report);
  if (steps.barriers <= 0) return;
  Defect finding{{.id = "excess-synchronization"}};
  finding.promise(report, without_waiting(report, steps));
  finding.title = "barriers come after very little work";
  finding.detail = fmt::format("one in {:.0f} instructions is a barrier", report.work.instructions / steps.barriers);
  finding.advice =
      "remove barriers that order nothing, use __syncwarp and shuffles within a warp, or do more work between "
      "barriers";
  finding.evidence = {{"barriers", steps.barriers}};
  finding.where = steps.where;
  say(std::move(finding), findings);
}

}  // namespace warplens::report
