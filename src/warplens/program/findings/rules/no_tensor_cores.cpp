// no-tensor-cores: products of 16-bit floats on kernels that do not use tensor cores.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
std::optional<Finding> no_tensor_cores(const Context& c) {
  std::optional<SlowGemms> found = slow_gemms(c, half_rate(c), [&](const Gemm& gemm) {
    return is_half(gemm.dtype) && on_ordinary_units(kernel_name(c, gemm));
  });
  if (!found) return std::nullopt;
  const Gemm& worst = *found->worst;
  Finding f = std::move(found->finding);
  f.title =
      fmt::format("16-bit matrix products run without tensor cores: {} {}", format_ns(found->step_ns), c.each_step());
  f.detail = fmt::format("{} of [{}, {}] x [{}, {}] ran {}.", c.op_name(worst.op), worst.m, worst.k, worst.k, worst.n,
                         ellipsis(kernel_name(c, worst), 80));
  f.advice =
      "Make all dimensions multiples of 8, inputs contiguous, and batch products of single rows or columns into one "
      "larger product.";
  return f;
}

}  // namespace warplens::findings
