// unaligned-gemm: a 16-bit product with a dimension that is not a multiple of 8 falls back to a slow, unaligned kernel.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr int64_t kAlignment = 8;  // elements of 16 bits: 16 bytes, what tensor-core kernels load at once
constexpr int64_t kGoodSize = 64;  // the usual advice: also fills tiles
constexpr double kWorthwhile = 1.25;

int64_t next_good(int64_t size) { return (size + kGoodSize - 1) / kGoodSize * kGoodSize; }

bool is_odd(int64_t size) { return size % kAlignment != 0; }

/// Whether a kernel's name says that it loads fewer than eight elements at once: cutlass's align1, align2, align4.
bool says_unaligned(std::string_view kernel) {
  return contains(kernel, "align1") || contains(kernel, "align2") || contains(kernel, "align4");
}

/// The dimension that keeps rows of a matrix from beginning at multiples of 16 bytes, or 0. A number of rows does not
/// matter by itself: only what a row's length depends on, n of the result, and k and n or m of the operands.
int64_t odd_dimension(const Gemm& g, std::string_view kernel) {
  if (is_odd(g.n)) return g.n;
  if (g.lda > 0 && g.ldb > 0) {
    for (const int64_t leading : {g.lda, g.ldb}) {
      if (is_odd(leading)) return leading == g.m || leading == g.k ? leading : 0;
    }
    return 0;
  }
  if (is_odd(g.k)) return g.k;
  return is_odd(g.m) && says_unaligned(kernel) ? g.m : 0;
}

}  // namespace

std::optional<Finding> unaligned_gemm(const Context& c) {
  if (!c.hardware.known) return std::nullopt;  // no bound to set the products against
  const double rate = half_rate(c);
  Change change;
  std::vector<const Gemm*> slow;
  int64_t device_ns = 0;
  for (const Gemm& gemm : c.gemms()) {
    if (!is_half(gemm.dtype) || !odd_dimension(gemm, kernel_name(c, gemm)) ||
        std::min({gemm.m, gemm.n, gemm.k}) < kAlignment)
      continue;
    const int64_t aligned_ns = gemm_ns(c, gemm, rate);
    if (static_cast<double>(gemm.device_ns) < kWorthwhile * static_cast<double>(aligned_ns)) continue;
    run_as_one(c, gemm.events, static_cast<double>(aligned_ns), change);
    slow.push_back(&gemm);
    device_ns += gemm.device_ns;
  }
  if (slow.empty()) return std::nullopt;
  std::sort(slow.begin(), slow.end(), [](const Gemm* a, const Gemm* b) { return a->device_ns > b->device_ns; });
  const Gemm& worst = *slow.front();
  const int64_t odd = odd_dimension(worst, kernel_name(c, worst));
  Finding f;
  c.set_saving(f, change);
  f.title = fmt::format("matrix products with a dimension of {} run on unaligned kernels: {} {}; {} would be aligned",
                        odd, format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)),
                        c.each_step(), next_good(odd));
  f.detail = fmt::format(
      "{} of [{}, {}] x [{}, {}] in {} ran {} at {:.0f} TFLOP/s; aligned products reach about {:.0f} here.",
      c.op_name(worst.op), worst.m, worst.k, worst.k, worst.n, worst.dtype, ellipsis(kernel_name(c, worst), 60),
      worst.flops() / static_cast<double>(worst.device_ns) / 1e3, rate / 1e3);
  f.advice = fmt::format(
      "Pad {} to {} (a multiple of {}; at least of {}): for a vocabulary, pad the embedding and ignore the extra "
      "logits.",
      odd, next_good(odd), kGoodSize, kAlignment);
  f.evidence = {
      {"dimension", odd},
      {"next_good", next_good(odd)},
      {"products_per_step", c.per_step(static_cast<double>(slow.size()))},
      {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
      {"kernel", std::string(kernel_name(c, worst))},
      {"concerned_fraction", c.per_step(static_cast<double>(device_ns)) / static_cast<double>(c.own_step_ns())}};
  std::vector<uint32_t> ops;
  for (const Gemm* gemm : slow) ops.push_back(gemm->op);
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
