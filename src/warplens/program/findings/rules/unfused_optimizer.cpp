// unfused-optimizer: the optimizer updates its parameters one by one, several kernels each.
#include <algorithm>
#include <cmath>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

// Fused steps seen on an H200's host: fixed work in Python, and a share a tensor for grouping.
constexpr int64_t kFusedStepNs = 100'000, kFusedTensorNs = 2'500;
constexpr double kMostOthers = 0.25;    // of the pointwise kernels
constexpr double kTensorsAKernel = 48;  // that one multi-tensor kernel takes
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

Update find_update(const Context& c) {
  Update out;
  std::map<uint32_t, bool> ranges;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event);
    const uint32_t range = c.around(op, analysis::is_optimizer_step);
    if (range == kNone) continue;
    if (ranges.emplace(range, true).second) out.ranges.push_back(c.span_of(range));
    const bool multi_tensor = contains(c.event_name(event), "multi_tensor_apply");
    if (!multi_tensor && !is_pointwise(c.op_name(op))) {
      ++out.others;
      continue;
    }
    out.events.push_back(&event);
    out.device_ns += event.duration_ns;
    out.multi_tensor += multi_tensor;
    auto& entry = out.by_operator[c.p.operators.name[op]];
    ++entry.first;
    entry.second += c.largest_input(op);
  }
  return out;
}

}  // namespace

std::optional<Finding> unfused_optimizer(const Context& c) {
  constexpr double kLeastKernels = 30, kLeastSaving = 0.01;
  const Update update = find_update(c);
  const double kernels = c.per_step(static_cast<double>(update.events.size()));
  if (kernels < kLeastKernels || update.multi_tensor * 2 > update.events.size()) return std::nullopt;
  // Updates that multiply matrices, as Muon's and Shampoo's do, are compiled or share their work among ranks are
  // nothing that fused=True replaces.
  if (static_cast<double>(update.others) > kMostOthers * static_cast<double>(update.events.size())) return std::nullopt;
  // Every parameter passes each of the update's operators, the most frequent ones perhaps more than once.
  std::vector<size_t> counts;
  int64_t elements = 0;
  for (const auto& [name, entry] : update.by_operator) {
    counts.push_back(entry.first);
    elements = std::max(elements, entry.second / static_cast<int64_t>(std::max<size_t>(entry.first, 1)));
  }
  std::sort(counts.begin(), counts.end());
  const double tensors = c.per_step(static_cast<double>(counts[counts.size() / 2]));
  const double fused_ns =
      static_cast<double>(elements) * tensors * kBytesAnElement / std::max(c.hardware.dram_bytes_per_ns, 1.0);
  const auto launches = static_cast<size_t>(std::max(1.0, tensors / kTensorsAKernel));
  Change change;
  change.host_removed = update.ranges;
  for (const analysis::Span& range : update.ranges)
    change.host_added.emplace_back(range.start_ns, kFusedStepNs + static_cast<int64_t>(tensors * kFusedTensorNs));
  const size_t kept = launches * update.ranges.size();
  for (size_t i = 0; i < update.events.size(); ++i) {
    if (i < kept)
      change.event_duration.emplace_back(update.events[i]->row,
                                         static_cast<int64_t>(fused_ns / static_cast<double>(launches)));
    else change.events_removed.push_back(update.events[i]->row);
  }
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  f.title = fmt::format("the optimizer runs {} kernels {} for about {} parameters: {} of device time",
                        format_count(kernels), c.each_step(), format_count(std::round(tensors)),
                        format_ns(static_cast<double>(update.device_ns) / static_cast<double>(c.program.steps)));
  f.detail = "Each parameter is updated separately, operator by operator.";
  f.advice = "Construct the optimizer with fused=True (or foreach=True): a few kernels update all parameters.";
  f.evidence = {{"kernels_per_step", kernels},
                {"parameters", tensors},
                {"device_ns", update.device_ns / static_cast<int64_t>(c.program.steps)}};
  return f;
}

}  // namespace warplens::findings
