#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

/// What keeps further warps out, and what to do about it.
std::string advice_for(const gpu::Occupancy& now, const gpu::BlockNeeds& needs) {
  if (now.limiters & gpu::kLimitShared)
    return fmt::format("use less than {} bytes of shared memory per block, or give a block more work",
                       needs.static_shared_bytes + needs.dynamic_shared_bytes);
  return fmt::format(
      "use fewer than {} registers per thread (__launch_bounds__, less unrolling), or give a thread more work so that "
      "fewer warps suffice",
      needs.registers);
}

}  // namespace

// Fewer warps than needed to hide latency, because of the registers and shared memory that a block asks for. Blocks
// that are too small for an SM's number of them are another finding.
void find_low_occupancy(const KernelReport& report, std::vector<Defect>* findings) {
  const gpu::Occupancy& now = report.time.occupancy;
  if (now.blocks == 0) return;
  Work w = report.work;
  w.needs.static_shared_bytes = w.needs.dynamic_shared_bytes = 0;
  w.needs.registers = 0;
  const gpu::Occupancy best = gpu::occupancy(report.device->architecture(), w.needs);
  if (best.warps <= now.warps) return;
  Defect finding{{.id = "low-occupancy"}};
  finding.promise(report, w);
  finding.title = "too few resident warps hide the latency";
  finding.detail = fmt::format("{} of {} warps fit on an SM; limited by {}", now.warps, now.max_warps,
                               join(gpu::limiter_names(now.limiters), ", "));
  finding.advice = advice_for(now, report.work.needs);
  finding.evidence = {
      {"warps_per_sm", now.warps}, {"max_warps_per_sm", now.max_warps}, {"possible_warps_per_sm", best.warps}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
