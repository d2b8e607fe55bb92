// tail-effect: a last wave of blocks that fills only a part of the device.
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> tail_effect(const Context& c) {
  constexpr double kIdleShare = 0.2;  // of the kernel's time, at most, that full waves would save
  std::vector<LaunchShape> found;
  double lost_ns = 0;
  for (const LaunchShape& shape : c.launch_shapes()) {
    if (!shape.blocks_per_sm || shape.blocks < c.hardware.sm_count) continue;
    const double waves =
        static_cast<double>(shape.blocks) / (static_cast<double>(shape.blocks_per_sm) * c.hardware.sm_count);
    const double lost = waves > 1 ? (std::ceil(waves) - waves) / std::ceil(waves) : 0;
    if (lost < kIdleShare) continue;
    found.push_back(shape);
    lost_ns += lost * static_cast<double>(shape.device_ns);
  }
  if (found.empty() || lost_ns < kWorthNaming * static_cast<double>(device_time_ns(c))) return std::nullopt;
  Finding f = describe(c, found);
  f.evidence.emplace_back("lost_at_most_ns", static_cast<int64_t>(lost_ns) / static_cast<int64_t>(c.program.steps));
  f.title = fmt::format("a partly filled last wave of blocks costs at most {} {}",
                        format_ns(lost_ns / static_cast<double>(c.program.steps)), c.each_step());
  f.detail = fmt::format(
      "{}: {} blocks, {} fit on an SM, so {:.2f} waves on {} SMs. This bound assumes that all blocks take equally "
      "long.",
      ellipsis(c.p.text(found[0].name), 80), found[0].blocks, found[0].blocks_per_sm,
      static_cast<double>(found[0].blocks) / (found[0].blocks_per_sm * static_cast<double>(c.hardware.sm_count)),
      c.hardware.sm_count);
  f.advice =
      "Choose sizes or tiles that fill whole waves, smaller tiles, or a persistent kernel that loops over tiles.";
  return f;
}

}  // namespace warplens::findings
