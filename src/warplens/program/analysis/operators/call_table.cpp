#include "warplens/program/analysis/operators/call_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace warplens::analysis {

std::vector<CallRow> call_table(const Profile& profile) {
  const auto& calls = profile.calls;
  std::map<std::pair<std::string_view, CallKind>, std::vector<int64_t>> times_ns;
  for (size_t call = 0; call < calls.size(); ++call)
    times_ns[{profile.text(calls.name[call]), calls.kind[call]}].push_back(calls.duration_ns[call]);
  std::vector<CallRow> rows;
  for (auto& [key, times] : times_ns) {
    std::ranges::sort(times);
    rows.push_back({key.first, key.second, static_cast<int64_t>(times.size()),
                    std::accumulate(times.begin(), times.end(), int64_t{0}), times[times.size() / 2], times.front(),
                    times.back()});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &CallRow::host_ns);
  return rows;
}

}  // namespace warplens::analysis
