// Work on one stream that overlaps.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/trace/profile/checks/checks.h"

namespace warplens::checks {

void check_streams(const Profile& profile, const RankRows& rows, Integrity& out) {
  const device_events_table& events = profile.device_events;
  std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> streams;
  std::vector<uint32_t>* last = nullptr;
  std::pair<uint32_t, int64_t> last_key;
  for (size_t i = rows.device_events; i < events.size(); ++i) {
    // Nodes of a graph run side by side under one stream's name.
    if (events.kind[i] != DeviceEventKind::kKernel || events.graph_node_id[i] != 0) continue;
    const std::pair key(events.device[i], events.stream[i]);
    if (last == nullptr || key != last_key) {
      last = &streams[key];
      last_key = key;
    }
    last->push_back(static_cast<uint32_t>(i));
  }
  int64_t overlapping = 0, most_ns = 0;
  for (auto& [key, kernels] : streams) {
    const auto earlier = [&](uint32_t a, uint32_t b) { return events.start_ns[a] < events.start_ns[b]; };
    if (!std::is_sorted(kernels.begin(), kernels.end(), earlier)) std::sort(kernels.begin(), kernels.end(), earlier);
    int64_t end_ns = INT64_MIN;
    for (const uint32_t i : kernels) {
      if (events.start_ns[i] < end_ns) {
        ++overlapping;
        most_ns = std::max(most_ns, std::min(end_ns, events.start_ns[i] + events.duration_ns[i]) - events.start_ns[i]);
      }
      end_ns = std::max(end_ns, events.start_ns[i] + events.duration_ns[i]);
    }
  }
  if (overlapping > 0)
    out.add("overlapping-kernels", Severity::kInfo, overlapping,
            fmt::format("{}: {} kernels overlap the previous one on their stream, by up to {}",
                        rank_name(profile, rows.rank), overlapping, format_ns(static_cast<double>(most_ns))),
            "programmatic dependent launch can cause this; busy time counts overlap once");
}

}  // namespace warplens::checks
