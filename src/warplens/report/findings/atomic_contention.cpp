#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Atomics that queue up on a few addresses.
void find_atomic_contention(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.1, kOfWarp = 2.1, kStriding = 2;
  constexpr double kOneLane = 1.5, kManyLanes = 6;  // cycles of a slice of L2 for a block's request or requests
  const Work& now = report.work;
  if (now.hottest_atomic_cycles < 8192) return;
  // Combined already: a block adds once, or, of a grid that strides over its data, a block to every address or a warp.
  if (now.atomic_lanes <= 1.05 * now.blocks) return;
  const bool of_warps = now.atomic_lanes <= kOfWarp * warps_of(now);
  const double addresses = 8 * now.written_sectors;  // at most
  const bool of_blocks = now.atomic_lanes <= 1.05 * now.blocks * addresses;
  if ((of_warps || of_blocks) && report.time.waves <= kStriding) return;
  Work w = now;
  const double adds = std::min(now.blocks, 8.0 * report.device->sms);  // to the busiest slice, one a block
  w.hottest_atomic_cycles = std::min(now.hottest_atomic_cycles, (of_warps ? kOneLane : kManyLanes) * adds);
  w.atomic_sectors *= w.hottest_atomic_cycles / now.hottest_atomic_cycles;
  w.shared_atomic_serial += of_warps ? 0 : now.atomic_lanes / 8;
  const double saved = saving(report, w);
  if (saved < kWorthSaying) return;
  Finding finding{.id = "atomic-contention"};
  finding.saving_fraction = saved;
  finding.title = "many threads' atomics meet on the same addresses";
  finding.detail = fmt::format(
      "{:.0f} threads' atomics; those on the busiest 512 bytes keep a slice of the L2 cache busy for {:.0f} cycles",
      now.atomic_lanes, now.hottest_atomic_cycles);
  finding.advice = "combine in registers (warp shuffles) or in shared memory first, and add once a block";
  finding.evidence = {{"atomic_threads", now.atomic_lanes}, {"cycles_of_the_busiest_slice", now.hottest_atomic_cycles}};
  for (const LineCounts& line : report.lines) {
    if (const std::string at = place(line); line.atomics.requests && !at.empty()) finding.where.push_back(at);
  }
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
