#include "warplens/program/findings/slow_operators.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/roofline.h"
#include "warplens/program/analysis/operators/traffic.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/operators.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

constexpr double kReachable = 1.5;        // times the bound: what a kernel made for the shape takes
constexpr double kFarOver = 3;            // times the bound: uncounted work, odd tiles and clocks explain less
constexpr int64_t kLeastCallNs = 20'000;  // a shorter call is mostly its start and its tail

/// Rates on the ordinary units for 32-bit floats: fp32-gemm tells what tensor cores would do.
double flops_rate(const Context& c, const std::string& dtype) {
  if (analysis::is_half(dtype) || analysis::is_float8(dtype)) return c.hardware.half_flops_per_ns;
  return dtype == "float" ? c.hardware.fp32_flops_per_ns : 0;
}

/// Sets the bound; none where the work or the rate is not known.
bool set_bound(const Context& c, SlowOperator& slow) {
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
bool told_elsewhere(const Context& c, const SlowOperator& slow) {
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

}  // namespace

double SlowOperator::reachable_ns() const { return kReachable * bound_ns; }

std::vector<SlowOperator> slow_operators(const Context& c) {
  const analysis::CountedOperators counted(c.p, c.joined.operators);
  using Key = std::tuple<StringId, StringId, StringId, StringId>;
  std::map<Key, SlowOperator> groups;
  std::vector<uint8_t> seen(c.p.operators.size(), 0);
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kKernel || c.is_communication(event)) continue;
    const uint32_t op = counted(c.op_of(event));
    if (op == kNone) continue;
    const auto& ops = c.p.operators;
    SlowOperator& group = groups[{ops.name[op], ops.input_shapes[op], ops.input_types[op], ops.concrete_inputs[op]}];
    group.op = op;
    group.device_ns += event.duration_ns;
    group.events.push_back(&event);
    group.calls += !seen[op];
    seen[op] = 1;
  }
  std::vector<SlowOperator> out;
  for (auto& [key, group] : groups) {
    if (group.call_ns() >= kLeastCallNs && !told_elsewhere(c, group) && set_bound(c, group) &&
        group.times() >= kFarOver)
      out.push_back(std::move(group));
  }
  std::sort(out.begin(), out.end(),
            [](const SlowOperator& a, const SlowOperator& b) { return a.device_ns > b.device_ns; });
  return out;
}

void reach(const SlowOperator& slow, Change& change) {
  const double scale = kReachable / slow.times();
  for (const ProgramEvent* event : slow.events)
    change.event_duration.emplace_back(event->row,
                                       static_cast<int64_t>(scale * static_cast<double>(event->duration_ns)));
}

bool converts_layout(std::string_view kernel) {
  return contains(kernel, "nchwToNhwc") || contains(kernel, "nhwcToNchw") || contains(kernel, "NCHWToNHWC") ||
         contains(kernel, "NHWCToNCHW") || contains(kernel, "nchw2nhwc") || contains(kernel, "nhwc2nchw") ||
         contains(kernel, "SubTensorOpWithScalar") || contains(kernel, "tensorTransformGeneric");
}

bool is_slow_by_layout(const Context& c, const SlowOperator& slow) {
  const auto& shapes = c.shapes(slow.op);
  if (!contains(c.op_name(slow.op), "batch_norm") || shapes.empty() || shapes.front().dims.size() != 4) return false;
  NameMemo converts(c.p, converts_layout);
  return std::ranges::any_of(c.program.events,
                             [&](const ProgramEvent& event) { return converts(c.p.device_events.name[event.row]); });
}

}  // namespace warplens::findings
