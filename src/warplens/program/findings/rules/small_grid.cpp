// small-grid: kernels whose blocks leave a quarter of the device's SMs or more without work.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> small_grid(const Context& c) {
  constexpr int64_t kLongEnoughNs = 8000;  // shorter ones cost their launch, whatever their grid
  constexpr double kIdleShare = 0.25;      // of the SMs: tiles in clusters leave a few of them idle by design
  std::vector<LaunchShape> found;
  int64_t device_ns = 0;
  for (const LaunchShape& shape : c.launch_shapes()) {
    if (static_cast<double>(shape.blocks) > (1 - kIdleShare) * c.hardware.sm_count ||
        shape.device_ns / static_cast<int64_t>(shape.count()) < kLongEnoughNs)
      continue;
    found.push_back(shape);
    device_ns += shape.device_ns;
  }
  if (found.empty() || static_cast<double>(device_ns) < kWorthNaming * static_cast<double>(device_time_ns(c)))
    return std::nullopt;
  Finding f = describe(c, found);
  f.title =
      fmt::format("kernels with too few blocks for the {} SMs take {} {}", c.hardware.sm_count,
                  format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)), c.each_step());
  f.detail = fmt::format("{} ran {} blocks of {} threads: at least {} of the SMs were idle.",
                         ellipsis(c.p.text(found[0].name), 80), found[0].blocks, found[0].threads,
                         format_share(1 - static_cast<double>(found[0].blocks) / c.hardware.sm_count));
  f.advice =
      "Give each launch more independent work (larger batch, batched operators), or split the reduced dimension "
      "(split-k, stream-k). Or run such kernels in parallel with others on a second stream.";
  return f;
}

}  // namespace warplens::findings
