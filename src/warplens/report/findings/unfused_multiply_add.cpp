#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

struct Precision {
  double separate = 0, fused = 0;  // threads of sums that take a product which stands apart, and of both in one
  bool unfused() const { return separate > 0; }
};

/// The pipe without one of two instructions.
void fuse(const Precision& p, double* pipe, Work* w) {
  if (!p.unfused()) return;
  const double removed = std::min(*pipe, p.separate / 32);
  *pipe -= removed;
  const double kept = 1 - removed / std::max(w->instructions, 1.0);
  w->instructions *= kept;
  scale_instruction_cycles(kept, w);
}

}  // namespace

// Multiplications and additions that could be one instruction.
void find_unfused_multiply_add(const KernelReport& report, std::vector<Defect>* findings) {
  Precision single, twice, half;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const LineCounts& line : report.lines) {
    single.separate += static_cast<double>(line.fp32_sum_of_product);
    single.fused += static_cast<double>(line.fp32_fma);
    twice.separate += static_cast<double>(line.fp64_sum_of_product);
    twice.fused += static_cast<double>(line.fp64_fma);
    half.separate += static_cast<double>(line.half_sum_of_product);
    half.fused += static_cast<double>(line.half_fma);
    const uint64_t here = line.fp32_sum_of_product + line.fp64_sum_of_product + line.half_sum_of_product;
    if (const std::string at = place(line); here && !at.empty()) places.push_back({here, at});
  }
  Work w = report.work;
  fuse(single, &w.fma, &w);
  fuse(twice, &w.fp64, &w);
  fuse(half, &w.half, &w);
  std::sort(places.rbegin(), places.rend());
  const double separate = single.separate + twice.separate + half.separate;
  const double fused = single.fused + twice.fused + half.fused;
  Defect finding{{.id = "unfused-multiply-add"}};
  finding.promise(report, w);
  finding.title = "multiplications and additions are separate instructions";
  finding.detail = fmt::format("{} separate multiply-and-add pairs of threads, and {} fused ones",
                               format_count(separate), format_count(fused));
  finding.advice = "compile without -fmad=false, or write fmaf(a, b, c) where rounding allows it";
  finding.evidence = {{"sum_of_product_threads", separate}, {"fma_threads", fused}};
  for (size_t k = 0; k < std::min<size_t>(places.size(), 2); ++k) finding.where.push_back(places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
