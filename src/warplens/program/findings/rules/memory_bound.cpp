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

using KernelRow = std::vector<uint32_t>;  // indexes into Program::events

/// Those that stand in a row of two or more on their stream and are known to work on as many elements: only such can be
/// fused. A row of one kernel alone is a loop. What another finding shortens is that one's.
std::vector<KernelRow> fusable_rows(const Context& c) {
  std::vector<KernelRow> out, rows(c.program.streams.size());
  const auto close = [&](KernelRow& row) {
    const auto name = [&](uint32_t i) { return c.p.device_events.name[c.program.events[i].row]; };
    if (std::any_of(row.begin(), row.end(), [&](uint32_t i) { return name(i) != name(row.front()); }))
      out.push_back(std::move(row));
    row.clear();
  };
  const auto elements = [&](uint32_t i) { return c.largest_input(c.op_of(c.program.events[i])); };
  for (uint32_t i = 0; i < c.program.events.size(); ++i) {
    const ProgramEvent& event = c.program.events[i];
    if (c.p.device_events.kind[event.row] == DeviceEventKind::kSet)
      continue;  // it reads nothing that fusing would save
    KernelRow& row = rows[event.stream];
    const bool moves = moves_memory(c, event) && !c.told.contains(event.row) && elements(i) > 0;
    if (!moves || (!row.empty() && elements(row.back()) != elements(i))) close(row);
    if (moves) row.push_back(i);
  }
  for (KernelRow& row : rows) close(row);
  return out;
}

/// Every row as one kernel, as long as its longest: that one's tensors move in any case.
Change fused(const Context& c, const std::vector<KernelRow>& rows) {
  Change change;
  for (const KernelRow& row : rows) {
    const uint32_t longest =
        *std::ranges::max_element(row, {}, [&](uint32_t i) { return c.program.events[i].duration_ns; });
    for (const uint32_t i : row) {
      if (i != longest) change.events_removed.push_back(c.program.events[i].row);
    }
  }
  return change;
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
  const std::vector<KernelRow> rows = fusable_rows(c);
  if (rows.empty()) return std::nullopt;
  Finding f;
  for (const KernelRow& row : rows) {
    for (const uint32_t i : row) {
      const ProgramEvent& event = c.program.events[i];
      f.events.push_back(event.row);
      total_ns += event.duration_ns;
      by_class[class_of(c, event)] += event.duration_ns;
      kernels[c.p.device_events.name[event.row]] += event.duration_ns;
    }
  }
  c.set_saving(f, fused(c, rows));
  if (saves_little(f)) return std::nullopt;
  const double share = c.per_step(static_cast<double>(total_ns)) / static_cast<double>(c.own_step_ns());
  std::vector<std::pair<int64_t, std::string_view>> order;
  for (const auto& [name, ns] : by_class) order.emplace_back(ns, name);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> parts;
  for (const auto& [ns, name] : order)
    parts.push_back(fmt::format("{} {}", name, format_share(static_cast<double>(ns) / static_cast<double>(total_ns))));
  f.title = fmt::format("sequences of kernels that mostly move memory take {} of the {}: {}", format_share(share),
                        c.program.has_steps ? "step" : "trace", join(parts, ", "));
  f.detail = fmt::format(
      "The costliest: {}. Each reads its tensors from memory and writes them back. The saving assumes one kernel for "
      "each sequence, as long as its longest kernel.",
      costliest(c, kernels));
  f.advice =
      "Fuse them: torch.compile does it for whole modules; in inference it folds batch norms into convolutions, and "
      "16-bit tensors halve the bytes. Write a kernel for expressions that no library function covers.";
  f.evidence = {{"device_ns", total_ns / static_cast<int64_t>(c.program.steps)}, {"fused_fraction", share}};
  for (const auto& [ns, name] : order)
    f.evidence.emplace_back(fmt::format("{}_ns", name), ns / static_cast<int64_t>(c.program.steps));
  return f;
}

}  // namespace warplens::findings
