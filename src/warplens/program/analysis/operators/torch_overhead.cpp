#include <algorithm>

#include "warplens/program/analysis/operators/torch_events.h"

namespace warplens::analysis {
namespace {

struct Open {
  int64_t start_ns, end_ns, id;
  uint32_t overhead;  // row of overheads, or kNone
};

/// What torch's event tree holds on the stopping thread of `rank`, by start. Frames have id 0: they lead to no kernels.
std::vector<Open> events_on(const Profile& p, uint32_t rank, uint32_t thread) {
  std::vector<Open> events;
  const auto add = [&](int64_t start_ns, int64_t duration_ns, int64_t id, uint32_t overhead) {
    events.push_back({start_ns, start_ns + duration_ns, id, overhead});
  };
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (p.operators.thread[row] == thread)
      add(p.operators.start_ns[row], p.operators.duration_ns[row], p.operators.external_id[row], kNone);
  }
  for (uint32_t row = 0; row < p.python_frames.size(); ++row) {
    if (p.python_frames.thread[row] == thread)
      add(p.python_frames.start_ns[row], p.python_frames.duration_ns[row], 0, kNone);
  }
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    if (p.calls.external_id[row] == 0 && p.threads.rank[p.calls.thread[row]] == rank)
      add(p.calls.start_ns[row], p.calls.duration_ns[row], p.calls.correlation[row], kNone);
  }
  for (uint32_t row = 0; row < p.overheads.size(); ++row) {
    if (p.threads.rank[p.overheads.thread[row]] == rank)
      add(p.overheads.start_ns[row], p.overheads.duration_ns[row], 0, row);
  }
  std::stable_sort(events.begin(), events.end(), [](const Open& a, const Open& b) { return a.start_ns < b.start_ns; });
  return events;
}

}  // namespace

std::vector<int64_t> overhead_ids(const Profile& profile, const std::vector<uint32_t>& stopping_thread) {
  std::vector<int64_t> ids(profile.overheads.size(), 0);
  if (ids.empty()) return ids;
  for (uint32_t rank = 0; rank < stopping_thread.size(); ++rank) {
    // Torch replays starts and ends in order of time: an end closes all that started later and is still open.
    std::vector<Open> open;
    for (Open event : events_on(profile, rank, stopping_thread[rank])) {
      const auto ended =
          std::find_if(open.begin(), open.end(), [&](const Open& o) { return o.end_ns < event.start_ns; });
      open.erase(ended, open.end());
      if (event.overhead != kNone) {
        const int64_t given = profile.overheads.external_id[event.overhead];
        event.id = given != 0 ? given : open.empty() ? 0 : open.back().id;
        ids[event.overhead] = event.id;
      }
      if (event.end_ns > event.start_ns) open.push_back(event);
    }
  }
  return ids;
}

}  // namespace warplens::analysis
