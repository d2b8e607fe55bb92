// fp32-gemm: 32-bit products on the ordinary units, where TF32 would use tensor cores.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/idle.h"
#include "warplens/program/findings/rules.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

constexpr const char* kAdvice =
    "Call torch.set_float32_matmul_precision(\"high\") if ten bits of mantissa are enough (usually in training). Or "
    "run in bf16 with torch.autocast, which is twice as fast again.";

constexpr const char* kHalfAdvice =
    "Run under torch.autocast(\"cuda\", torch.float16), with a GradScaler in training. This GPU's tensor cores take "
    "16-bit floats.";
constexpr const char* kBfloatAdvice =
    "Run under torch.autocast(\"cuda\", torch.bfloat16), which also halves the memory of activations. On this GPU "
    "TF32 is no faster than 32 bits.";
constexpr const char* kConvolutionAdvice =
    "Check that torch.backends.cudnn.allow_tf32 is True, its default. If it is, try bf16 with torch.autocast, "
    "channels_last, channel counts that are multiples of 8, and torch.backends.cudnn.benchmark.";

bool uses_tensor_cores(std::string_view kernel) {
  return contains(kernel, "tf32") || contains(kernel, "tensorop") || contains(kernel, "s1688") ||
         contains(kernel, "nvjet_sm90_tss") || contains(kernel, "TF32");
}

/// Kernels whose elements are 16-bit floats by their names, on whatever units.
bool takes_half(std::string_view kernel) {
  return contains(kernel, "__nv_bfloat16") || contains(kernel, "__half") || contains(kernel, "fp16_") ||
         contains(kernel, "bf16_");
}

/// Products in 32 bits on ordinary units, by the names of cuBLAS's and cutlass's kernels.
bool is_ordinary_product(std::string_view kernel) {
  if (uses_tensor_cores(kernel) || takes_half(kernel)) return false;
  return contains(kernel, "sgemm") || contains(kernel, "gemm_f32f32_f32f32") || contains(kernel, "simt_s");
}

/// Convolutions in 32 bits on ordinary units, by the names of cuDNN's kernels.
bool is_ordinary_convolution(std::string_view kernel) {
  if (uses_tensor_cores(kernel) || takes_half(kernel)) return false;
  const bool direct = contains(kernel, "dgrad") || contains(kernel, "wgrad") || contains(kernel, "winograd");
  return contains(kernel, "scudnn") || contains(kernel, "convolve_sgemm") || (direct && contains(kernel, "<float"));
}

/// What else cuDNN computes a convolution of 32-bit floats by, without tensor cores: implicit products, or transforms.
bool is_part_of_convolution(std::string_view kernel) {
  if (uses_tensor_cores(kernel) || takes_half(kernel)) return false;
  return contains(kernel, "ffma") || contains(kernel, "fft2d_") || is_ordinary_product(kernel);
}

/// Whether only 16-bit floats gain by tensor cores: Volta and Turing have no TF32, GeForce cards take it at the rate of
/// the ordinary units.
bool has_only_half(const Context& c) {
  constexpr double kWorthIt = 1.5;
  return c.hardware.tf32_flops_per_ns < kWorthIt * c.hardware.fp32_flops_per_ns &&
         c.hardware.half_flops_per_ns > c.hardware.fp32_flops_per_ns;
}

const char* half_advice(const Context& c) { return c.hardware.compute_major >= 8 ? kBfloatAdvice : kHalfAdvice; }

/// Kernels tell where operators were not recorded, and of convolutions: without sizes, so that tensor cores are taken
/// to reach kOfPromise of what the peaks promise, at most kMostGain. Faster products save what the device is the limit
/// for.
std::optional<Finding> by_kernels(const Context& c) {
  constexpr double kOfPromise = 0.7, kMostGain = 2, kLeastBusy = 0.75;
  constexpr int64_t kLeastKernelNs = 5000;  // shorter ones are bound by their launch
  const double tensor_rate = has_only_half(c) ? c.hardware.half_flops_per_ns : c.hardware.tf32_flops_per_ns;
  const double faster = std::clamp(kOfPromise * tensor_rate / c.hardware.fp32_flops_per_ns, 1.0, kMostGain);
  const bool device_is_limit = static_cast<double>(recorded_busy_ns(c)) >=
                               kLeastBusy * static_cast<double>(c.recorded.end_ns - c.recorded.start_ns);
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  std::string_view worst;
  int64_t worst_ns = 0;
  bool worst_convolves = false;
  NameMemo products(c.p, is_ordinary_product), convolutions(c.p, is_ordinary_convolution),
      parts(c.p, is_part_of_convolution);
  for (const ProgramEvent& event : c.program.events) {
    const StringId name = c.p.device_events.name[event.row];
    const bool unsized = c.op_of(event) == kNone || has_only_half(c);
    const bool of_convolution = contains(c.op_name(c.op_of(event)), "convolution");
    const bool slow = (unsized && products(name)) || convolutions(name) || (of_convolution && parts(name));
    if (!slow || event.duration_ns < kLeastKernelNs || (c.op_of(event) != kNone && !device_is_limit)) continue;
    change.event_duration.emplace_back(event.row,
                                       static_cast<int64_t>(static_cast<double>(event.duration_ns) / faster));
    device_ns += event.duration_ns;
    if (event.duration_ns > worst_ns) {
      worst_ns = event.duration_ns;
      worst = c.event_name(event);
      worst_convolves = of_convolution || convolutions(name);
    }
  }
  if (worst.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  const size_t count = change.event_duration.size();
  f.title =
      fmt::format("32-bit {} run without tensor cores: {} {}", worst_convolves ? "convolutions" : "matrix products",
                  format_ns(c.per_step(static_cast<double>(device_ns))), c.each_step());
  f.detail = fmt::format(
      "{} kernels by their names, most {}; their sizes are unknown. {} is assumed to be {:.1f} times as fast.",
      format_count(c.per_step(static_cast<double>(count))), ellipsis(worst, 60),
      has_only_half(c) ? "16 bits on tensor cores" : "TF32", faster);
  f.advice = has_only_half(c) ? half_advice(c) : worst_convolves ? kConvolutionAdvice : kAdvice;
  f.evidence = {{"products_per_step", c.per_step(static_cast<double>(count))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"kernel", std::string(worst)}};
  return f;
}

}  // namespace

std::optional<Finding> fp32_gemm(const Context& c) {
  if (c.hardware.fp32_flops_per_ns <= 0) return std::nullopt;
  if (has_only_half(c)) return by_kernels(c);
  if (c.hardware.compute_major < 8 || c.hardware.tf32_flops_per_ns <= 0) return std::nullopt;
  std::optional<SlowGemms> found = slow_gemms(c, c.hardware.tf32_flops_per_ns, [&](const Gemm& gemm) {
    return gemm.dtype == "float" && !uses_tensor_cores(kernel_name(c, gemm));
  });
  std::optional<Finding> by_names = by_kernels(c);
  if (!found || (by_names && *by_names->saving_ns > *found->finding.saving_ns)) return by_names;
  const Gemm& worst = *found->worst;
  Finding f = std::move(found->finding);
  f.title =
      fmt::format("32-bit matrix products run without tensor cores: {} {}", format_ns(found->step_ns), c.each_step());
  f.detail = fmt::format("{} of [{}, {}] x [{}, {}] reached {:.0f} TFLOP/s in {}; TF32 reaches about {:.0f} here.",
                         c.op_name(worst.op), worst.m, worst.k, worst.k, worst.n,
                         worst.flops() / static_cast<double>(worst.device_ns) / 1e3,
                         ellipsis(kernel_name(c, worst), 60), c.hardware.tf32_flops_per_ns / 1e3);
  f.advice = kAdvice;
  return f;
}

}  // namespace warplens::findings
