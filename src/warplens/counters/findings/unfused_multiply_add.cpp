#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {

// Multiplications and additions that could be one instruction.
void find_unfused_multiply_add(const KernelReport& report, std::vector<Finding>* findings) {
  constexpr double kWorthSaying = 0.3;
  double separate = 0, fused = 0;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    separate += static_cast<double>(line.fp32_add_mul);
    fused += static_cast<double>(line.fp32_fma);
    if (const std::string at = place(line); line.fp32_add_mul && !at.empty()) places.push_back({line.fp32_add_mul, at});
  }
  if (separate + fused == 0 || 0.5 * separate / (separate + fused) < kWorthSaying) return;
  kernel::Work w = report.work;
  const double removed = separate / 2 / 32;
  w.fma -= std::min(w.fma, removed);
  w.instructions -= std::min(w.instructions, removed);
  const double saved = saving(report, w);
  if (saved < 0.05) return;
  std::sort(places.rbegin(), places.rend());
  Finding finding{.id = "unfused-multiply-add"};
  finding.saving_fraction = saved;
  finding.title = "multiplications and additions stand apart";
  finding.detail =
      fmt::format("{:.0f} threads' additions and multiplications beside {:.0f} fused ones", separate, fused);
  finding.advice = "compile without -fmad=false, or write fmaf(a, b, c) where rounding allows it";
  finding.evidence = {{"add_or_mul_threads", separate}, {"fma_threads", fused}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 2); ++k) finding.where.push_back(places[k].second);
  findings->push_back(std::move(finding));
}

}  // namespace warplens::counters
