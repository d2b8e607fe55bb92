#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Blocks whose size is not a multiple of the warp's.
void find_partial_warps(const KernelReport& report, std::vector<Finding>* findings) {
  const int threads = report.work.needs.threads, rest = threads % 32;
  if (rest == 0) return;
  const int warps = (threads + 31) / 32;
  Finding finding{.id = "partial-warps"};
  finding.saving_fraction = 1 - static_cast<double>(threads) / (32.0 * warps);
  finding.title = "the last warp of every block is not full";
  finding.detail = fmt::format("{} threads a block are {} warps, the last with {} of 32 lanes", threads, warps, rest);
  finding.advice = fmt::format("use {} or {} threads a block", std::max(32, threads / 32 * 32), warps * 32);
  finding.evidence = {{"threads_per_block", static_cast<double>(threads)}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
