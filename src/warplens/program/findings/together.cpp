#include "warplens/program/findings/together.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "warplens/base/text.h"

namespace warplens::findings {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

constexpr size_t kFirst = 3;

/// What keeps a step from being captured: capture allows no wait for the device, no memory of the driver's, no copy of
/// pageable memory, no optimizer that counts its steps on the host, no state of random numbers read back.
constexpr std::array<std::string_view, 8> kBeforeCapture = {
    "host-sync",     "allocator-churn",   "uncached-allocator", "pageable-copy",
    "repeated-copy", "many-small-copies", "unfused-optimizer",  "recomputed-forward"};

}  // namespace

std::vector<std::string> save_after_what_forbids_capture(const Context& context, const Changes& changes,
                                                         std::vector<Finding>& findings) {
  const auto graph = std::ranges::find(findings, "launch-bound", &Finding::id);
  if (graph == findings.end() || !changes.contains(graph->id) || !changes.at(graph->id).graph) return {};
  Change before;
  std::vector<std::string> first;
  for (const Finding& finding : findings) {
    if (std::ranges::find(kBeforeCapture, finding.id) == kBeforeCapture.end() || is_minor(finding) ||
        !changes.contains(finding.id))
      continue;
    before = with_both(std::move(before), changes.at(finding.id));
    first.push_back(finding.id);
  }
  if (first.empty()) return {};
  const int64_t before_ns = context.saving_ns(before);
  const int64_t both_ns = context.saving_ns(with_both(std::move(before), changes.at(graph->id)));
  const int64_t rest_ns = std::clamp<int64_t>(both_ns - before_ns, 0, *graph->saving_ns);
  context.set_saving(*graph, rest_ns);
  graph->detail +=
      fmt::format(" The step cannot be captured yet: fix {} first. The saving is on top of theirs.", join(first, ", "));
  return first;
}

Change with_both(Change first, const Change& second) {
  append(first.host_removed, second.host_removed);
  append(first.event_duration, second.event_duration);
  append(first.events_removed, second.events_removed);
  append(first.calls_not_waiting, second.calls_not_waiting);
  append(first.prefetched, second.prefetched);
  append(first.detached, second.detached);
  append(first.host_added, second.host_added);
  first.graph |= second.graph;
  first.prefetch_across_steps |= second.prefetch_across_steps;
  // The last length of an event counts: the shortest.
  std::ranges::sort(first.event_duration, [](const auto& a, const auto& b) {
    return std::pair(a.first, -a.second) < std::pair(b.first, -b.second);
  });
  return first;
}

void add_up(const Context& context, const Changes& changes, std::vector<Finding>& findings) {
  Change all;
  int64_t saved_ns = 0;
  size_t added = 0;
  for (Finding& finding : findings) {
    const auto change = changes.find(finding.id);
    if (change == changes.end() || !finding.saving_ns || added++ == kFirst) continue;
    all = with_both(std::move(all), change->second);
    const int64_t alone = *finding.saving_ns,
                  together = added == 1
                                 ? alone
                                 : std::clamp(context.saving_ns(all), std::max(saved_ns, alone), saved_ns + alone);
    finding.beside_fraction =
        static_cast<double>(together - saved_ns) / static_cast<double>(std::max<int64_t>(context.step_ns, 1));
    saved_ns = together;
  }
}

}  // namespace warplens::findings
