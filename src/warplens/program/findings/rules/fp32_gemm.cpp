// fp32-gemm: 32-bit products on the ordinary units, where TF32 would use tensor cores.
#include <algorithm>

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

/// Products in 32 bits on ordinary units, by the names of cuBLAS's and cutlass's kernels.
bool is_ordinary_product(std::string_view kernel) {
  if (uses_tensor_cores(kernel)) return false;
  return contains(kernel, "sgemm") || contains(kernel, "gemm_f32f32_f32f32") || contains(kernel, "simt_s");
}

/// Where operators were not recorded kernels tell, without their sizes: TF32 at half of what the peaks promise.
std::optional<Finding> by_kernels(const Context& c) {
  constexpr double kLeastSaving = 0.02, kOfPromise = 0.5;
  constexpr int64_t kLeastKernelNs = 5000;  // shorter ones are bound by their launch
  const double faster = std::max(1.0, kOfPromise * c.hardware.tf32_flops_per_ns / c.hardware.fp32_flops_per_ns);
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  std::string_view worst;
  int64_t worst_ns = 0;
  for (const ProgramEvent& event : c.program.events) {
    if (c.op_of(event) != kNone || event.duration_ns < kLeastKernelNs || !is_ordinary_product(c.event_name(event)))
      continue;
    change.event_duration.emplace_back(event.row,
                                       static_cast<int64_t>(static_cast<double>(event.duration_ns) / faster));
    device_ns += event.duration_ns;
    if (event.duration_ns > worst_ns) {
      worst_ns = event.duration_ns;
      worst = c.event_name(event);
    }
  }
  if (worst.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  const size_t products = change.event_duration.size();
  f.title = fmt::format("32-bit matrix products run without tensor cores: {} {}",
                        format_ns(c.per_step(static_cast<double>(device_ns))), c.each_step());
  f.detail = fmt::format("{} kernels by their names, most {}; no operators with shapes were recorded. TF32 is taken to "
                         "be {:.1f} times as fast, half of what the peaks promise.",
                         format_count(c.per_step(static_cast<double>(products))), ellipsis(worst, 60), faster);
  f.evidence = {{"products_per_step", c.per_step(static_cast<double>(products))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"kernel", std::string(worst)}};
  return f;
}

constexpr const char* kAdvice =
    "Where ten bits of mantissa are enough (training usually), torch.set_float32_matmul_precision(\"high\"); or run "
    "in bf16 with torch.autocast, twice as fast again.";

}  // namespace

std::optional<Finding> fp32_gemm(const Context& c) {
  if (c.hardware.compute_major < 8 || c.hardware.tf32_flops_per_ns <= 0) return std::nullopt;
  std::optional<SlowGemms> found = slow_gemms(c, c.hardware.tf32_flops_per_ns, [&](const Gemm& gemm) {
    return gemm.dtype == "float" && !uses_tensor_cores(kernel_name(c, gemm));
  });
  if (!found) {
    std::optional<Finding> f = by_kernels(c);
    if (f) f->advice = kAdvice;
    return f;
  }
  const Gemm& worst = *found->worst;
  Finding f = std::move(found->finding);
  f.title =
      fmt::format("32-bit matrix products run without tensor cores: {} {}", format_ns(found->step_ns), c.each_step());
  f.detail = fmt::format(
      "{} of [{}, {}] x [{}, {}] reached {:.0f} TFLOP/s in {}; TF32 reaches about {:.0f} here.", c.op_name(worst.op),
      worst.m, worst.k, worst.k, worst.n, worst.flops() / static_cast<double>(worst.device_ns) / 1e3,
      ellipsis(kernel_name(c, worst), 60), c.hardware.tf32_flops_per_ns / 1e3);
  f.advice = kAdvice;
  return f;
}

}  // namespace warplens::findings
