// Replays of CUDA graphs: those that show fewer nodes than other replays of the same graph.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/profile/checks/correlations.h"

namespace warplens::checks {
namespace {

/// The kernels of one replay in the order of their start.
using Names = std::vector<StringId>;

struct Replays {
  std::map<int64_t, std::vector<uint32_t>> by_correlation;
};

/// Device events of each graph launch within the recording.
Replays find_replays(const Profile& profile, const RankRows& rows) {
  Replays out;
  const calls_table& calls = profile.calls;
  std::vector<StringId> launches;
  for (const char* name : {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"}) {
    if (const StringId id = profile.strings.find(name); id != StringId::kEmpty) launches.push_back(id);
  }
  if (launches.empty()) return out;
  for (size_t i = rows.calls; i < calls.size(); ++i) {
    if (std::find(launches.begin(), launches.end(), calls.name[i]) != launches.end())
      out.by_correlation.try_emplace(calls.correlation[i]);
  }
  const device_events_table& events = profile.device_events;
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    if (events.kind[i] == DeviceEventKind::kRange) continue;
    const auto found = out.by_correlation.find(events.correlation[i]);
    if (found != out.by_correlation.end()) found->second.push_back(static_cast<uint32_t>(i));
  }
  return out;
}

bool is_subsequence(const Names& part, const Names& whole) {
  size_t at = 0;
  for (const StringId name : whole) {
    if (at < part.size() && part[at] == name) ++at;
  }
  return at == part.size();
}

}  // namespace

void check_graphs(const Profile& profile, const RankRows& rows, Integrity& out) {
  const device_events_table& events = profile.device_events;
  std::map<std::pair<int64_t, Names>, int64_t> shapes;  // graph id and node names: replays
  for (auto& [correlation, nodes] : find_replays(profile, rows).by_correlation) {
    if (nodes.empty()) continue;
    std::vector<uint32_t> ordered = nodes;
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](uint32_t a, uint32_t b) { return events.start_ns[a] < events.start_ns[b]; });
    Names names;
    for (const uint32_t i : ordered) names.push_back(events.name[i]);
    ++shapes[{events.graph_id[ordered.front()], std::move(names)}];
  }
  int64_t incomplete = 0;
  size_t nodes = 0, of_nodes = 0;
  for (const auto& [shape, replays] : shapes) {
    for (const auto& [other, other_replays] : shapes) {
      // Without graph ids a rarer replay that another one contains is taken for a damaged one.
      const bool same_graph = shape.first == other.first && (shape.first != 0 || replays < other_replays);
      if (!same_graph || shape.second.size() >= other.second.size() || !is_subsequence(shape.second, other.second))
        continue;
      incomplete += replays;
      nodes = shape.second.size();
      of_nodes = other.second.size();
      break;
    }
  }
  if (incomplete > 0)
    out.add("incomplete-graph-replays", Severity::kWarning, incomplete,
            fmt::format("{}: {} replays of a CUDA graph show fewer nodes than others do, one {} of {}",
                        rank_name(profile, rows.rank), incomplete, nodes, of_nodes),
            "records were dropped; compare complete replays only, or record fewer of them");
}

}  // namespace warplens::checks
