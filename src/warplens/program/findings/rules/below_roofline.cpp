// below-roofline: kernels that take several times as long as their operations and bytes need.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/operators/shapes.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/slow_operators.h"

namespace warplens::findings {

std::optional<Finding> below_roofline(const Context& c) {
  if (!c.hardware.by_name || c.hardware.dram_bytes_per_ns <= 0) return std::nullopt;
  std::vector<SlowOperator> slow = slow_operators(c);
  std::erase_if(slow, [&](const SlowOperator& one) { return is_slow_by_layout(c, one); });
  if (slow.empty()) return std::nullopt;
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  for (const SlowOperator& group : slow) {
    reach(group, change);
    ops.push_back(group.op);
    device_ns += group.device_ns;
  }
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  const SlowOperator& worst = slow.front();
  f.title = fmt::format("{} takes {} a call, {:.1f} times as long as its {} need", c.op_name(worst.op),
                        format_ns(worst.call_ns()), worst.times(), worst.memory ? "bytes" : "operations");
  f.detail = fmt::format(
      "{} of {} ran {} times in {}; good kernels reach {}. All such operators take {} of device time {}.",
      c.op_name(worst.op), ellipsis(analysis::torch_shapes(c.p.text(c.p.operators.input_shapes[worst.op])), 100),
      worst.calls, ellipsis(c.event_name(*worst.events.front()), 80), format_ns(worst.reachable_ns()),
      format_ns(c.per_step(static_cast<double>(device_ns))), c.each_step());
  f.advice =
      "Compare every operator with the roofline: `warplens ops --roofline`. Try another backend or layout "
      "(scaled_dot_product_attention's backends, channels_last, torch.backends.cudnn.benchmark, tuned or "
      "max-autotune products). If a product has few tiles for many SMs, use split-k or a larger batch. For your own "
      "kernel, read its counters (`warplens kernel`).";
  f.evidence = {{"operator", std::string(c.op_name(worst.op))},
                {"call_ns", static_cast<int64_t>(worst.call_ns())},
                {"roofline_ns", static_cast<int64_t>(worst.bound_ns)},
                {"bound_by", std::string(worst.memory ? "memory" : "compute")},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
