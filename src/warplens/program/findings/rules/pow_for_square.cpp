// pow-for-square: x ** 2 through the power operator.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> pow_for_square(const Context& c) {
  Change change;
  std::vector<uint32_t> ops;
  int64_t pow_ns = 0;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event);
    if (op == kNone || c.op_name(op) != "aten::pow") continue;
    const auto concrete = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
    if (concrete.size() < 2 || (concrete[1] != "2" && concrete[1] != "2.")) continue;
    const double bytes = 2.0 * static_cast<double>(c.largest_input(op)) * c.element_bytes(op);
    const auto multiply_ns = static_cast<int64_t>(bytes / std::max(c.hardware.dram_bytes_per_ns, 1.0));
    change.event_duration.emplace_back(event.row, std::min(event.duration_ns, multiply_ns));
    ops.push_back(c.root_of(op));
    pow_ns += event.duration_ns;
  }
  const double share = c.per_step(static_cast<double>(pow_ns)) / static_cast<double>(c.own_step_ns());
  if (share < kMinorSaving) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  f.level = Level::kInfo;
  f.title = fmt::format("a square is computed by the power operator: {} {}",
                        format_ns(static_cast<double>(pow_ns) / static_cast<double>(c.program.steps)), c.each_step());
  f.detail =
      "PyTorch's pow kernel treats the exponent 2 as a product, so little is lost where memory bounds it; other "
      "frameworks and hand-written kernels call a slow function.";
  f.advice = "Write x * x: it is never slower, fuses with its neighbours, and its backward needs no further power.";
  f.evidence = {{"calls_per_step", c.per_step(static_cast<double>(ops.size()))},
                {"device_ns", pow_ns / static_cast<int64_t>(c.program.steps)},
                {"concerned_fraction", share}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
