// no-tensor-cores: products of 16-bit floats on kernels that do not use tensor cores.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/findings/gemms.h"
#include "warplens/findings/rules.h"

namespace warplens::findings {
namespace {

bool ordinary_units(std::string_view kernel) {
  return contains(kernel, "simt") || contains(kernel, "sgemm") || contains(kernel, "gemmSN") ||
         contains(kernel, "gemv") || contains(kernel, "ffma") || contains(kernel, "fma_") ||
         contains(kernel, "dot_kernel");
}

}  // namespace

std::optional<Finding> no_tensor_cores(const Context& c) {
  constexpr double kLeastSaving = 0.02;
  const std::vector<Gemm> gemms = find_gemms(c);
  const double rate = half_rate(c, gemms);
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  const Gemm* worst = nullptr;
  for (const Gemm& gemm : gemms) {
    if (!is_half(gemm.dtype) || !ordinary_units(c.event_name(c.program.events[gemm.events[0]]))) continue;
    retime(c, gemm, std::min(gemm.device_ns, gemm_ns(c, gemm, rate)), change);
    ops.push_back(gemm.op), device_ns += gemm.device_ns;
    if (!worst || gemm.device_ns > worst->device_ns) worst = &gemm;
  }
  if (!worst) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  f.title =
      fmt::format("16-bit matrix products run without tensor cores: {} {}",
                  format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)), c.each_step());
  f.detail = fmt::format("{} of [{}, {}] x [{}, {}] ran {}.", c.op_name(worst->op), worst->m, worst->k, worst->k,
                         worst->n, ellipsis(c.event_name(c.program.events[worst->events[0]]), 80));
  f.advice =
      "Make all dimensions multiples of 8, inputs contiguous, and batch products of single rows or columns into one "
      "larger product.";
  f.evidence = {{"products_per_step", c.per_step(static_cast<double>(ops.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"kernel", std::string(c.event_name(c.program.events[worst->events[0]]))}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
