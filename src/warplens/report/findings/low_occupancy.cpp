#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Fewer warps than needed to hide latency, because of what a block asks for.
void find_low_occupancy(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kLow = 0.5, kGain = 0.05;
  const gpu::Occupancy& now = report.time.occupancy;
  if (now.blocks == 0 || now.fraction() > kLow || report.work.blocks <= report.device->sms) return;
  const gpu::BlockNeeds& needs = report.work.needs;
  Work best = report.work;
  double most = 0;
  std::string advice;
  auto consider = [&](const Work& w, std::string what) {
    const double saved = saving(report, w);
    if (saved > most) {
      most = saved;
      best = w;
      advice = std::move(what);
    }
  };
  if (now.limiters & gpu::kLimitShared) {
    Work w = report.work;
    w.needs.static_shared_bytes = w.needs.dynamic_shared_bytes = 0;
    consider(w, fmt::format("ask for less shared memory than {} bytes a block, or let a block do more",
                            needs.static_shared_bytes + needs.dynamic_shared_bytes));
  }
  if (now.limiters & gpu::kLimitRegisters) {
    Work w = report.work;
    w.needs.registers = 32;
    consider(w, fmt::format(
                    "use fewer than {} registers a thread (__launch_bounds__, less unrolling), or more work a thread "
                    "so that fewer warps suffice",
                    needs.registers));
  }
  if (now.limiters & (gpu::kLimitBlocks | gpu::kLimitBarriers)) {
    Work w = report.work;
    const double times = std::max(1.0, 256.0 / needs.threads);
    w.needs.threads = static_cast<int>(needs.threads * times);
    w.blocks = std::ceil(w.blocks / times);
    consider(w, fmt::format("use larger blocks than {} threads", needs.threads));
  }
  if (most < kGain) return;
  Defect finding{{.id = "low-occupancy"}};
  finding.promise(report, best);
  finding.title = "too few warps are resident to hide latency";
  finding.detail = fmt::format("{} of {} warps an SM; limited by {}", now.warps, now.max_warps,
                               join(gpu::limiter_names(now.limiters), ", "));
  finding.advice = advice;
  finding.evidence = {{"warps_per_sm", now.warps},
                      {"max_warps_per_sm", now.max_warps},
                      {"possible_warps_per_sm", gpu::occupancy(report.device->architecture(), best.needs).warps}};
  findings->push_back(std::move(finding));
}

}  // namespace warplens::report
