#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Atomics that queue up on a few addresses.
void find_atomic_contention(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.1;
  const kernel::Work& now = report.work;
  if (now.hottest_atomic_cycles < 8192) return;
  const double warps = now.blocks * std::ceil(now.needs.threads / 32.0);
  if (now.atomic_lanes <= 1.05 * warps) return;  // a warp adds once: they are combined already
  kernel::Work w = now;
  w.hottest_atomic_cycles = std::min(now.hottest_atomic_cycles, 16 * std::min(now.blocks, 8.0 * report.device->sms));
  w.atomic_sectors *= w.hottest_atomic_cycles / now.hottest_atomic_cycles;
  w.shared_atomic_serial += now.atomic_lanes / 8;
  const double saved = saving(report, w);
  if (saved < kWorthSaying) return;
  Finding finding{.id = "atomic-contention"};
  finding.saving_fraction = saved;
  finding.title = "many threads' atomics meet on the same addresses";
  finding.detail = fmt::format(
      "{:.0f} threads' atomics; those on the busiest line of 128 bytes keep the L2 cache busy for {:.0f} cycles",
      now.atomic_lanes, now.hottest_atomic_cycles);
  finding.advice = "combine in registers (warp shuffles) or in shared memory first, and add once a block";
  finding.evidence = {{"atomic_threads", now.atomic_lanes}, {"cycles_on_the_busiest_line", now.hottest_atomic_cycles}};
  for (const LineCounts& line : report.lines) {
    if (const std::string at = place(line); line.atomics.requests && !at.empty()) finding.where.push_back(at);
  }
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
