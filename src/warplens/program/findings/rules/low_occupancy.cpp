// low-occupancy: kernels that hide latency with warps, launched so that few fit on an SM.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

/// Tensor-core kernels keep their tiles in registers and shared memory by design.
bool low_by_design(std::string_view kernel) {
  for (const char* part :
       {"gemm", "nvjet", "xmma", "cutlass", "flash", "fmha", "sdpa", "conv", "attention", "Persistent"}) {
    if (contains(kernel, part)) return true;
  }
  return false;
}

}  // namespace

std::optional<Finding> low_occupancy(const Context& c) {
  constexpr double kLow = 0.3;
  constexpr int64_t kLongEnoughNs = 5000;
  std::vector<LaunchShape> found;
  int64_t device_ns = 0;
  for (const LaunchShape& shape : c.launch_shapes()) {
    if (!shape.blocks_per_sm || shape.occupancy >= kLow || shape.blocks < c.hardware.sm_count ||
        low_by_design(c.p.text(shape.name)))
      continue;
    if (shape.device_ns / static_cast<int64_t>(shape.count()) < kLongEnoughNs) continue;
    found.push_back(shape);
    device_ns += shape.device_ns;
  }
  if (found.empty() || static_cast<double>(device_ns) < kWorthNaming * static_cast<double>(device_time_ns(c)))
    return std::nullopt;
  Finding f = describe(c, found);
  f.title =
      fmt::format("kernels that can hold only {} of an SM's warps take {} {}", format_share(found[0].occupancy),
                  format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)), c.each_step());
  f.detail = fmt::format(
      "{}: {} threads per block, {} registers per thread, {} of shared memory; {} blocks fit on an SM.",
      ellipsis(c.p.text(found[0].name), 80), found[0].threads, c.p.launch_configs.registers_per_thread[found[0].config],
      format_bytes(static_cast<double>(c.p.launch_configs.shared_bytes[found[0].config])), found[0].blocks_per_sm);
  f.advice =
      "Find the limit with `warplens occupancy`. Fewer registers (__launch_bounds__) or less shared memory per block "
      "let "
      "more blocks fit.";
  return f;
}

}  // namespace warplens::findings
