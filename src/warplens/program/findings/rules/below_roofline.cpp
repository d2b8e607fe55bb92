// below-roofline: kernels that take several times as long as their operations and bytes need.
#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/roofline.h"
#include "warplens/program/analysis/operators/traffic.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr double kFarOver = 3;            // times the bound: uncounted work, odd tiles and clocks explain less
constexpr double kReachable = 1.5;        // times the bound: what a kernel made for the shape takes
constexpr int64_t kLeastCallNs = 20'000;  // a shorter call is mostly its start and its tail

/// All calls of one operator with inputs of one shape.
struct Slow {
  uint32_t op = kNone;  // one of them
  std::vector<const ProgramEvent*> events;
  int64_t device_ns = 0;
  size_t calls = 0;
  double bound_ns = 0;  // of one call, at the rates of Hardware
  bool memory = false;
  double call_ns() const { return static_cast<double>(device_ns) / static_cast<double>(calls); }
  double times() const { return call_ns() / bound_ns; }
};

/// Rates on the ordinary units for 32-bit floats: fp32-gemm tells what tensor cores would do.
double flops_rate(const Context& c, const std::string& dtype) {
  if (analysis::is_half(dtype) || analysis::is_float8(dtype)) return c.hardware.half_flops_per_ns;
  return dtype == "float" ? c.hardware.fp32_flops_per_ns : 0;
}

/// Sets the bound; none where the work or the rate is not known.
bool set_bound(const Context& c, Slow& slow) {
  const double flops = analysis::useful_flops(c.p, slow.op).value_or(0);
  const double bytes = analysis::least_bytes(c.p, slow.op).value_or(0);
  const double rate = flops_rate(c, analysis::element_type(c.p.text(c.p.operators.input_types[slow.op])));
  if (bytes <= 0 || (flops > 0 && rate <= 0)) return false;
  const double memory_ns = bytes / c.hardware.dram_bytes_per_ns, compute_ns = flops > 0 ? flops / rate : 0;
  slow.memory = memory_ns >= compute_ns;
  slow.bound_ns = std::max({memory_ns, compute_ns, model::kShortKernelNs});
  return true;
}

/// What rules of their own tell: 16-bit products of odd sizes or on ordinary units, and the softmax of naive attention.
bool told_elsewhere(const Context& c, const Slow& slow) {
  constexpr int64_t kAlignment = 8;
  if (c.op_name(slow.op) == "aten::_softmax") return true;
  if (!is_matrix_product(c.op_name(slow.op)) ||
      !analysis::is_half(analysis::element_type(c.p.text(c.p.operators.input_types[slow.op]))))
    return false;
  if (on_ordinary_units(c.event_name(*slow.events.front()))) return true;
  for (const analysis::InputShape& input : c.shapes(slow.op)) {
    for (const int64_t size : input.dims) {
      if (size >= kAlignment && size % kAlignment != 0) return true;
    }
  }
  return false;
}

std::vector<Slow> find_slow(const Context& c) {
  const analysis::CountedOperators counted(c.p, c.joined.operators);
  using Key = std::tuple<StringId, StringId, StringId, StringId>;
  std::map<Key, Slow> groups;
  std::vector<uint8_t> seen(c.p.operators.size(), 0);
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kKernel || c.is_communication(event)) continue;
    const uint32_t op = counted(c.op_of(event));
    if (op == kNone) continue;
    const auto& ops = c.p.operators;
    Slow& group = groups[{ops.name[op], ops.input_shapes[op], ops.input_types[op], ops.concrete_inputs[op]}];
    group.op = op;
    group.device_ns += event.duration_ns;
    group.events.push_back(&event);
    group.calls += !seen[op];
    seen[op] = 1;
  }
  std::vector<Slow> out;
  for (auto& [key, group] : groups) {
    if (group.call_ns() >= kLeastCallNs && !told_elsewhere(c, group) && set_bound(c, group) &&
        group.times() >= kFarOver)
      out.push_back(std::move(group));
  }
  std::sort(out.begin(), out.end(), [](const Slow& a, const Slow& b) { return a.device_ns > b.device_ns; });
  return out;
}

}  // namespace

std::optional<Finding> below_roofline(const Context& c) {
  constexpr double kLeastSaving = 0.03;
  if (!c.hardware.by_name || c.hardware.dram_bytes_per_ns <= 0) return std::nullopt;
  const std::vector<Slow> slow = find_slow(c);
  if (slow.empty()) return std::nullopt;
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  for (const Slow& group : slow) {
    const double scale = kReachable / group.times();
    for (const ProgramEvent* event : group.events)
      change.event_duration.emplace_back(event->row,
                                         static_cast<int64_t>(scale * static_cast<double>(event->duration_ns)));
    ops.push_back(group.op);
    device_ns += group.device_ns;
  }
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  const Slow& worst = slow.front();
  f.title = fmt::format("{} takes {} a call, {:.1f} times as long as its {} need", c.op_name(worst.op),
                        format_ns(worst.call_ns()), worst.times(), worst.memory ? "bytes" : "operations");
  f.detail = fmt::format(
      "{} of {} ran {} times in {}; good kernels reach {}. All such operators take {} of device time {}.",
      c.op_name(worst.op), ellipsis(analysis::torch_shapes(c.p.text(c.p.operators.input_shapes[worst.op])), 100),
      worst.calls, ellipsis(c.event_name(*worst.events.front()), 80), format_ns(kReachable * worst.bound_ns),
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
