// unfused-optimizer: the optimizer updates its parameters one by one, several kernels each.
#include <algorithm>
#include <cmath>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/tensor_loops.h"

namespace warplens::findings {
namespace {

constexpr double kMostOthers = 0.25;  // of the pointwise kernels
constexpr double kBytesAnElement =
    28;  // Adam in 32 bits: reads weight, gradient, two moments; writes all but the gradient

struct Update {
  std::vector<const ProgramEvent*> events;
  std::vector<analysis::Span> ranges;
  std::map<StringId, std::pair<size_t, int64_t>> by_operator;  // kernels, elements
  int64_t device_ns = 0;
  size_t multi_tensor = 0;
  size_t others = 0;  // kernels that no multi-tensor kernel replaces: products, reductions, compiled ones, collectives
};

/// Whether a kernel of operators on lists has more than one tensor in its list; groups of one parameter each have not.
bool has_list(const Context& c, const ProgramEvent& event) {
  if (!contains(c.event_name(event), "multi_tensor_apply")) return false;
  const auto& shapes = c.shapes(c.op_of(event));
  return shapes.empty() || !shapes[0].is_list || shapes[0].list.size() > 1;
}

/// Of the tensor that it updates, or of all in its list.
int64_t elements_of(const Context& c, uint32_t op) {
  const auto& shapes = c.shapes(op);
  if (shapes.empty() || !shapes[0].is_list) return c.largest_input(op);
  int64_t elements = 0;
  for (const analysis::Shape& shape : shapes[0].list) elements += analysis::element_count(shape);
  return elements;
}

Update find_update(const Context& c) {
  Update out;
  std::map<uint32_t, bool> ranges;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event);
    const uint32_t range = c.around(op, analysis::is_optimizer_step);
    if (range == kNone) continue;
    if (ranges.emplace(range, true).second) out.ranges.push_back(c.span_of(range));
    const bool listed = contains(c.event_name(event), "multi_tensor_apply");
    if (!listed && !is_pointwise(c.op_name(op))) {
      ++out.others;
      continue;
    }
    out.events.push_back(&event);
    out.device_ns += event.duration_ns;
    out.multi_tensor += has_list(c, event);
    auto& entry = out.by_operator[c.p.operators.name[op]];
    ++entry.first;
    entry.second += elements_of(c, op);
  }
  return out;
}

/// Whether a fused step can replace the optimizers'. Updates that multiply matrices, as Muon's and Shampoo's do, are
/// compiled or share their work among ranks are nothing that fused=True replaces.
bool can_be_fused(const Update& update) {
  return update.multi_tensor * 2 <= update.events.size() &&
         static_cast<double>(update.others) <= kMostOthers * static_cast<double>(update.events.size());
}

/// Every parameter passes each of the update's operators, the most frequent ones perhaps more than once: of a step.
double parameters_of(const Context& c, const Update& update) {
  std::vector<size_t> counts;
  for (const auto& [name, entry] : update.by_operator) counts.push_back(entry.first);
  std::sort(counts.begin(), counts.end());
  return counts.empty() ? 0 : c.per_step(static_cast<double>(counts[counts.size() / 2]));
}

void fuse(const Context& c, const Update& update, double tensors, Change& change) {
  int64_t elements = 0;
  for (const auto& [name, entry] : update.by_operator)
    elements = std::max(elements, entry.second / static_cast<int64_t>(std::max<size_t>(entry.first, 1)));
  const double fused_ns =
      static_cast<double>(elements) * tensors * kBytesAnElement / std::max(c.hardware.dram_bytes_per_ns, 1.0);
  const auto launches = static_cast<size_t>(lists_of(tensors));
  change.host_removed.insert(change.host_removed.end(), update.ranges.begin(), update.ranges.end());
  for (const analysis::Span& range : update.ranges)
    change.host_added.emplace_back(range.start_ns,
                                   static_cast<int64_t>(model::kListedStepNs + tensors * model::kListedTensorNs));
  const size_t kept = launches * update.ranges.size();
  for (size_t i = 0; i < update.events.size(); ++i) {
    if (i < kept)
      change.event_duration.emplace_back(update.events[i]->row,
                                         static_cast<int64_t>(fused_ns / static_cast<double>(launches)));
    else change.events_removed.push_back(update.events[i]->row);
  }
}

/// The host's time in the optimizers' steps, and its share of a recorded step.
std::string host_text(const Context& c, const Update& update) {
  int64_t host_ns = 0;
  for (const analysis::Span& range : update.ranges) host_ns += range.end_ns - range.start_ns;
  const double each_ns = c.per_step(static_cast<double>(host_ns));
  if (each_ns <= 0 || c.recorded_step_ns <= 0) return "";
  return fmt::format(" The optimizer's step keeps the host busy for {} {}, {} of the recorded time.",
                     format_ns(each_ns), c.each_step(),
                     format_share(each_ns / static_cast<double>(c.recorded_step_ns)));
}

}  // namespace

std::optional<Finding> unfused_optimizer(const Context& c) {
  constexpr double kLeastKernels = 30;
  const Update update = find_update(c);
  Change change;
  double kernels = 0, tensors = 0;
  int64_t device_ns = 0;
  if (!update.events.empty() && can_be_fused(update)) {
    kernels = c.per_step(static_cast<double>(update.events.size()));
    tensors = parameters_of(c, update);
    device_ns = update.device_ns;
    fuse(c, update, tensors, change);
  }
  const bool by_optimizer = kernels > 0;
  std::vector<uint32_t> ops;
  for (const TensorLoop& loop : c.tensor_loops()) {
    if (!loop.updates) continue;
    kernels += c.per_step(static_cast<double>(loop.kernels));
    tensors += c.per_step(static_cast<double>(loop.turns.size()));
    for (const Turn& turn : loop.turns) {
      for (const uint32_t event : events_within(c, span_of(c, turn))) device_ns += c.program.events[event].duration_ns;
    }
    ops.push_back(loop.turns.front().back());
    run_on_lists(c, loop, change);
  }
  if (kernels < kLeastKernels) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("{} {} kernels {} for about {} parameters: {} of device time",
                        by_optimizer ? "the optimizer runs" : "a loop over tensors runs", format_count(kernels),
                        c.each_step(), format_count(std::round(tensors)),
                        format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)));
  f.detail = "Each parameter is updated separately, operator by operator.";
  if (by_optimizer) f.detail += host_text(c, update);
  if (by_optimizer && !ops.empty()) f.detail += " A loop in the program itself does the same.";
  f.advice = by_optimizer ? "Construct the optimizer with fused=True (or foreach=True): a few kernels update all "
                            "parameters."
                          : "";
  if (!ops.empty()) {
    f.advice += by_optimizer ? " " : "";
    f.advice +=
        "Update all tensors of a loop together: torch._foreach_lerp_, torch._foreach_mul_ and "
        "torch._foreach_add_ take lists of them.";
  }
  f.evidence = {{"kernels_per_step", kernels},
                {"parameters", tensors},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
