// fp32-gemm: 32-bit products on the ordinary units, where TF32 would use tensor cores.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

bool uses_tensor_cores(std::string_view kernel) {
  return contains(kernel, "tf32") || contains(kernel, "tensorop") || contains(kernel, "s1688") ||
         contains(kernel, "nvjet_sm90_tss") || contains(kernel, "TF32");
}

}  // namespace

std::optional<Finding> fp32_gemm(const Context& c) {
  if (c.hardware.compute_major < 8 || c.hardware.tf32_flops_per_ns <= 0) return std::nullopt;
  std::optional<SlowGemms> found = slow_gemms(c, c.hardware.tf32_flops_per_ns, [&](const Gemm& gemm) {
    return gemm.dtype == "float" && !uses_tensor_cores(kernel_name(c, gemm));
  });
  if (!found) return std::nullopt;
  const Gemm& worst = *found->worst;
  Finding f = std::move(found->finding);
  f.title =
      fmt::format("32-bit matrix products run without tensor cores: {} {}", format_ns(found->step_ns), c.each_step());
  f.detail = fmt::format(
      "{} of [{}, {}] x [{}, {}] reached {:.0f} TFLOP/s in {}; TF32 reaches about {:.0f} here.", c.op_name(worst.op),
      worst.m, worst.k, worst.k, worst.n, worst.flops() / static_cast<double>(worst.device_ns) / 1e3,
      ellipsis(kernel_name(c, worst), 60), c.hardware.tf32_flops_per_ns / 1e3);
  f.advice =
      "Where ten bits of mantissa are enough (training usually), torch.set_float32_matmul_precision(\"high\"); or run "
      "in bf16 with torch.autocast, twice as fast again.";
  return f;
}

}  // namespace warplens::findings
