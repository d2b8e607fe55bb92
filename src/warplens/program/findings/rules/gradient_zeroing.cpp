// gradient-zeroing: gradients filled with zeros, which backward then reads and adds to.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

bool accumulates(std::string_view name) { return name == "torch::autograd::AccumulateGrad"; }
bool zeroes(std::string_view name) { return name == "aten::zero_" || name == "aten::_foreach_zero_"; }

/// Zeroing in the optimizer's zero_grad(), or by the program itself: not inside another operator.
uint32_t zeroing_operator(const Context& c, uint32_t op) {
  const uint32_t zero = c.around(op, zeroes);
  if (zero == kNone) return kNone;
  if (c.around(zero, is_gradient_zeroing) != kNone) return zero;
  return c.root_of(zero) == zero ? zero : kNone;
}

}  // namespace

std::optional<Finding> gradient_zeroing(const Context& c) {
  Change change;
  std::vector<uint32_t> ops;
  size_t zeroed = 0, added = 0;
  int64_t device_ns = 0;
  std::vector<const ProgramEvent*> adds;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event);
    if (op == kNone) continue;
    if (const uint32_t zero = zeroing_operator(c, op); zero != kNone) {
      ++zeroed;
      device_ns += event.duration_ns;
      change.events_removed.push_back(event.row);
      change.host_removed.push_back(c.span_with_call(zero));
      ops.push_back(zero);
    } else if (contains(c.op_name(op), "aten::add") && c.around(op, accumulates) != kNone) {
      adds.push_back(&event);
    }
  }
  if (!zeroed || adds.empty()) return std::nullopt;
  for (const ProgramEvent* event : adds) {
    const uint32_t op = c.around(c.op_of(*event), [](std::string_view name) { return contains(name, "aten::add"); });
    ++added;
    device_ns += event->duration_ns;
    change.events_removed.push_back(event->row);
    change.host_removed.push_back(c.span_with_call(op));
  }
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("gradients are zeroed and then added to: {} and {} kernels {}",
                        format_count(c.per_step(static_cast<double>(zeroed))),
                        format_count(c.per_step(static_cast<double>(added))), c.each_step());
  f.detail =
      fmt::format("They take {} of device time {}. Backward writes a gradient that is None without reading it.",
                  format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)), c.each_step());
  f.advice = "Call optimizer.zero_grad(set_to_none=True), the default since PyTorch 2.0, or set p.grad = None.";
  f.evidence = {{"zeroing_kernels_per_step", c.per_step(static_cast<double>(zeroed))},
                {"adding_kernels_per_step", c.per_step(static_cast<double>(added))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
