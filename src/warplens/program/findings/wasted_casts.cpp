#include "warplens/program/findings/wasted_casts.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"

namespace warplens::findings {
namespace {

struct Cast {
  uint32_t event, op;
  bool down;  // to 16 bits
  int64_t elements;
};

bool converts(std::string_view name) {
  return name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_" || name == "ToCopyBackward0";
}

std::vector<Cast> find_casts(const Context& c) {
  std::vector<Cast> out;
  for (uint32_t i = 0; i < c.program.events.size(); ++i) {
    const uint32_t op = c.op_of(c.program.events[i]);
    if (op == kNone || (c.op_name(op) != "aten::copy_" && c.op_name(op) != "aten::_to_copy")) continue;
    const auto& types = c.types(op);
    if (types.size() < 2) continue;
    const bool down = is_half(types[0]) && types[1] == "float", up = types[0] == "float" && is_half(types[1]);
    if (down || up) out.push_back({i, op, down, c.largest_input(op)});
  }
  return out;
}

/// A loss reads few elements of its input.
bool picks_losses(std::string_view name) { return name.starts_with("aten::nll_loss"); }

class CastFinder {
 public:
  explicit CastFinder(const Context& context) : c(context), casts_(find_casts(c)) {
    for (size_t i = 0; i < casts_.size(); ++i) {
      if (casts_[i].down) by_function_[outermost_cast(casts_[i].op)] = i;
    }
    for (const ProgramEvent& event : c.program.events) time_of_[c.op_of(event)] += event.duration_ns;
  }

  WastedCasts run() {
    wasted_.assign(casts_.size(), 0);
    for (size_t i = 0; i < casts_.size(); ++i) {
      wasted_[i] |= casts_[i].down;
      if (casts_[i].down) continue;
      if (!undone_soon(i)) undone_backward(i);
    }
    for (size_t i = 0; i < casts_.size(); ++i) {
      if (wasted_[i]) leave_out(casts_[i]);
    }
    return std::move(out_);
  }

 private:
  /// The operator or the backward function that converts.
  uint32_t outermost_cast(uint32_t op) const {
    while (c.joined.operators.parent[op] != kNone && converts(c.op_name(c.joined.operators.parent[op])))
      op = c.joined.operators.parent[op];
    return op;
  }

  void leave_out(const Cast& cast) {
    out_.events.push_back(cast.event);
    out_.operators.push_back(cast.op);
    out_.change.events_removed.push_back(c.program.events[cast.event].row);
    out_.change.host_removed.push_back(c.span_with_call(outermost_cast(cast.op)));
  }

  /// Whether the work runs on 16 bits as well.
  bool takes_16_bits(const ProgramEvent& event) const {
    const std::string_view name = c.op_name(c.op_of(event));
    const bool on_device =
        c.p.device_events.kind[event.row] == DeviceEventKind::kKernel || c.is_copy(event, CopyKind::kDeviceToDevice);
    return on_device && (is_pointwise(name) || analysis::is_by_rows(name) || picks_losses(name));
  }
  /// Whether it takes a tensor of 32 bits as large as the converted one, or most of it.
  bool takes(const ProgramEvent& event, const Cast& cast) const {
    const uint32_t op = c.op_of(event);
    const auto& shapes = c.shapes(op);
    const auto& types = c.types(op);
    for (size_t k = 0; k < std::min(shapes.size(), types.size()); ++k) {
      if (types[k] == "float" && !shapes[k].is_list && 2 * analysis::element_count(shapes[k].dims) >= cast.elements)
        return true;
    }
    return false;
  }

  /// The next conversion back to 16 bits undoes this one, if only such work and kernels of the program's own lie
  /// between. What else becomes 32 bits there, such as weights, serves that work.
  bool undone_soon(size_t i) {
    constexpr uint32_t kSoon = 8;  // kernels
    const Cast& up = casts_[i];
    size_t j = i + 1;
    while (j < casts_.size() && (!casts_[j].down || casts_[j].elements != up.elements)) ++j;
    if (j == casts_.size() || casts_[j].event - up.event > kSoon) return false;
    for (uint32_t e = up.event + 1; e < casts_[j].event; ++e) {
      const ProgramEvent& between = c.program.events[e];  // a copy from the host is no work on what was cast
      const bool own = is_own_kernel(c, between) && c.p.device_events.kind[between.row] == DeviceEventKind::kKernel;
      if (!own && !takes_16_bits(between)) return false;
    }
    for (size_t k = i; k < j; ++k) wasted_[k] = 1;
    halve_between(up, casts_[j]);
    return true;
  }

  /// The backward pass converts the gradient back. All between that takes such a tensor must be such work.
  void undone_backward(size_t i) {
    const Cast& up = casts_[i];
    const Cast* back = nullptr;
    for (uint32_t op = up.op; !back && op != kNone && converts(c.op_name(op)); op = c.joined.operators.parent[op]) {
      const auto functions = c.backward_functions().find(op);
      if (functions == c.backward_functions().end()) continue;
      for (const uint32_t function : functions->second) {
        const auto at = by_function_.find(function);
        if (at != by_function_.end() && casts_[at->second].elements == up.elements) back = &casts_[at->second];
      }
    }
    if (!back || back->event < up.event) return;
    bool any = false;
    for (uint32_t e = up.event + 1; e < back->event; ++e) {
      if (!takes(c.program.events[e], up)) continue;
      any = true;
      if (!takes_16_bits(c.program.events[e])) return;
    }
    if (!any) return;
    wasted_[i] = 1;
    halve_between(up, *back);
  }

  void halve_between(const Cast& up, const Cast& back) {
    out_.undone = true;
    for (uint32_t e = up.event + 1; e < back.event; ++e) {
      const ProgramEvent& between = c.program.events[e];
      const std::string_view name = c.op_name(c.op_of(between));
      const bool own = is_own_kernel(c, between);
      if (!own && !takes(between, up)) continue;
      out_.by_rows |= analysis::is_by_rows(name);
      out_.change.event_duration.emplace_back(between.row, with_half_the_bytes(between, up));
    }
  }

  /// A kernel that moves its bytes of 32 bits as fast as memory allows takes half of its time for 16 bits. Of one that
  /// takes longer, the time of those bytes is spared. A kernel of the program's own reads the converted tensor and
  /// writes another; what it does besides is not known.
  int64_t with_half_the_bytes(const ProgramEvent& event, const Cast& cast) const {
    const uint32_t op = c.op_of(event);
    if (is_own_kernel(c, event)) {
      const double moves_ns = moving_ns(c, 2 * sizeof(float) * static_cast<double>(cast.elements));
      return 2 * moves_ns > static_cast<double>(event.duration_ns) ? event.duration_ns / 2 : event.duration_ns;
    }
    if (picks_losses(c.op_name(op))) return event.duration_ns;
    const auto whole_ns = static_cast<double>(time_of_.at(op));
    const double moves_ns = moving_ns(c, analysis::least_bytes(c.p, op).value_or(0));
    const double spared_ns = 2 * moves_ns > whole_ns ? whole_ns / 2 : moves_ns / 2;
    return static_cast<int64_t>(static_cast<double>(event.duration_ns) * (1 - spared_ns / whole_ns));
  }

  const Context& c;
  const std::vector<Cast> casts_;
  std::vector<uint8_t> wasted_;
  std::unordered_map<uint32_t, size_t> by_function_;  // of casts_: conversions to 16 bits
  std::unordered_map<uint32_t, int64_t> time_of_;     // of an operator's own events
  WastedCasts out_;
};

}  // namespace

WastedCasts wasted_casts(const Context& context) { return CastFinder(context).run(); }

}  // namespace warplens::findings
