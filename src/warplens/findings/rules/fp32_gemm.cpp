// fp32-gemm: 32-bit products on the ordinary units, where TF32 would use tensor cores.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/findings/gemms.h"
#include "warplens/findings/rules.h"

namespace warplens::findings {
namespace {

bool uses_tensor_cores(std::string_view kernel) {
  return contains(kernel, "tf32") || contains(kernel, "tensorop") || contains(kernel, "s1688") ||
         contains(kernel, "nvjet_sm90_tss") || contains(kernel, "TF32");
}

}  // namespace

std::optional<Finding> fp32_gemm(const Context& c) {
  constexpr double kLeastSaving = 0.02;
  if (c.hardware.compute_major < 8 || c.hardware.tf32_flops_per_ns <= 0) return std::nullopt;
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  const Gemm* worst = nullptr;
  const std::vector<Gemm> gemms = find_gemms(c);
  for (const Gemm& gemm : gemms) {
    if (gemm.dtype != "float" || uses_tensor_cores(c.event_name(c.program.events[gemm.events[0]]))) continue;
    retime(c, gemm, std::min(gemm.device_ns, gemm_ns(c, gemm, c.hardware.tf32_flops_per_ns)), change);
    ops.push_back(gemm.op), device_ns += gemm.device_ns;
    if (!worst || gemm.device_ns > worst->device_ns) worst = &gemm;
  }
  if (!worst) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  f.title =
      fmt::format("32-bit matrix products run without tensor cores: {} {}",
                  format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)), c.each_step());
  f.detail = fmt::format(
      "{} of [{}, {}] x [{}, {}] reached {:.0f} TFLOP/s in {}; TF32 reaches about {:.0f} here.", c.op_name(worst->op),
      worst->m, worst->k, worst->k, worst->n, worst->flops() / static_cast<double>(worst->device_ns) / 1e3,
      ellipsis(c.event_name(c.program.events[worst->events[0]]), 60), c.hardware.tf32_flops_per_ns / 1e3);
  f.advice =
      "Where ten bits of mantissa are enough (training usually), torch.set_float32_matmul_precision(\"high\"); or run "
      "in bf16 with torch.autocast, twice as fast again.";
  f.evidence = {{"products_per_step", c.per_step(static_cast<double>(ops.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"kernel", std::string(c.event_name(c.program.events[worst->events[0]]))}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
