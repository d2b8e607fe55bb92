#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

Work in_larger_blocks(const Work& work) {
  constexpr double kThreads = 256;
  const double times = std::floor(kThreads / std::max(work.needs.threads, 1));
  Work w = work;
  if (times < 2) return w;
  w.blocks = std::ceil(w.blocks / times);
  w.needs.threads = static_cast<int>(w.needs.threads * times);
  w.needs.static_shared_bytes = static_cast<int64_t>(static_cast<double>(w.needs.static_shared_bytes) * times);
  w.needs.dynamic_shared_bytes = static_cast<int64_t>(static_cast<double>(w.needs.dynamic_shared_bytes) * times);
  return w;
}

// Many blocks of few threads: starting them takes longer than what they do.
void find_small_blocks(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.1;
  // Where the blocks that an SM holds are too few as well, low-occupancy says the same.
  const gpu::Occupancy& held = report.time.occupancy;
  if (report.time.waves <= 1 || (held.fraction() <= 0.5 && (held.limiters & gpu::kLimitBlocks))) return;
  const double saved = saving(report, in_larger_blocks(report.work));
  if (saved < kWorthSaying) return;
  Finding finding{.id = "small-blocks"};
  finding.saving_fraction = saved;
  finding.title = "blocks are too small: starting them takes longer than their work";
  finding.detail = fmt::format("{:.0f} blocks of {} threads, {:.0f} instructions a warp", report.work.blocks,
                               report.work.needs.threads, report.work.instructions / warps_of(report.work));
  finding.advice = "launch the same threads in blocks of 128 to 512, or let a thread do more";
  finding.evidence = {{"blocks", report.work.blocks}, {"threads", static_cast<double>(report.work.needs.threads)}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
