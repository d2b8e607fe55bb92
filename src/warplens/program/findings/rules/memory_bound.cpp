// memory-bound: a good part of the step goes to kernels that compute little and move tensors to memory and back.
#include <algorithm>
#include <map>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/findings/idle.h"
#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr double kLeastShare = 0.25;  // of the step
constexpr double kLeastBusy = 0.75;   // of the recorded time: else the device is not the limit

/// Those that stand in a row of two or more on their stream, as indexes into Program::events: only such can be fused. A
/// row of one kernel alone is a loop.
std::vector<uint32_t> fusable_rows(const Context& c) {
  std::vector<uint32_t> out;
  std::vector<std::vector<uint32_t>> rows(c.program.streams.size());
  const auto close = [&](std::vector<uint32_t>& row) {
    const auto name = [&](uint32_t i) { return c.p.device_events.name[c.program.events[i].row]; };
    if (std::any_of(row.begin(), row.end(), [&](uint32_t i) { return name(i) != name(row.front()); }))
      out.insert(out.end(), row.begin(), row.end());
    row.clear();
  };
  for (uint32_t i = 0; i < c.program.events.size(); ++i) {
    const ProgramEvent& event = c.program.events[i];
    if (moves_memory(c, event)) rows[event.stream].push_back(i);
    else close(rows[event.stream]);
  }
  for (std::vector<uint32_t>& row : rows) close(row);
  return out;
}

/// "vectorized_elementwise_kernel<AddFunctor> (9.32 ms), ...", the costliest first.
std::string costliest(const Context& c, const std::map<StringId, int64_t>& kernels) {
  std::vector<std::pair<int64_t, StringId>> order;
  for (const auto& [name, ns] : kernels) order.emplace_back(ns, name);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(order.size(), 3); ++i)
    names.push_back(fmt::format("{} ({})", ellipsis(analysis::short_kernel_name(c.p.text(order[i].second)), 60),
                                format_ns(c.per_step(static_cast<double>(order[i].first)))));
  return join(names, ", ");
}

}  // namespace

std::optional<Finding> memory_bound(const Context& c) {
  std::map<std::string_view, int64_t> by_class;
  std::map<StringId, int64_t> kernels;
  int64_t total_ns = 0;
  std::vector<uint32_t> rows;
  for (const uint32_t i : fusable_rows(c)) {
    const ProgramEvent& event = c.program.events[i];
    rows.push_back(event.row);
    total_ns += event.duration_ns;
    by_class[class_of(c, event)] += event.duration_ns;
    kernels[c.p.device_events.name[event.row]] += event.duration_ns;
  }
  const double share = c.per_step(static_cast<double>(total_ns)) / static_cast<double>(c.own_step_ns());
  const bool device_is_limit = static_cast<double>(recorded_busy_ns(c)) >=
                               kLeastBusy * static_cast<double>(c.recorded.end_ns - c.recorded.start_ns);
  if (share < kLeastShare || !device_is_limit) return std::nullopt;
  std::vector<std::pair<int64_t, std::string_view>> order;
  for (const auto& [name, ns] : by_class) order.emplace_back(ns, name);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> parts;
  for (const auto& [ns, name] : order)
    parts.push_back(fmt::format("{} {}", name, format_share(static_cast<double>(ns) / static_cast<double>(total_ns))));
  Finding f;
  f.level = Level::kInfo;
  f.events = std::move(rows);
  f.title = fmt::format("kernels that mostly move memory, in rows of two or more, take {} of the {}: {}",
                        format_share(share), c.program.has_steps ? "step" : "trace", join(parts, ", "));
  f.detail =
      fmt::format("The costliest: {}. Each reads its tensors from memory and writes them back.", costliest(c, kernels));
  f.advice =
      "Fuse them: torch.compile does it for whole modules; in inference it folds batch norms into convolutions, and "
      "16-bit tensors halve the bytes. Write a kernel for expressions that no library function covers.";
  f.evidence = {{"device_ns", total_ns / static_cast<int64_t>(c.program.steps)}, {"concerned_fraction", share}};
  for (const auto& [ns, name] : order)
    f.evidence.emplace_back(fmt::format("{}_ns", name), ns / static_cast<int64_t>(c.program.steps));
  return f;
}

}  // namespace warplens::findings
