#include "warplens/cuda_api/sharing.h"

#include <algorithm>
#include <vector>

namespace warplens::cuda_api {

Span Residents::place(int device, double begin_ns, double ns, double share) {
  std::vector<const Resident*> others;
  std::vector<double> changes;  // when the SMs that are left change
  for (const Resident& each : all_) {
    if (each.device != device || each.span.end_ns <= begin_ns) continue;
    others.push_back(&each);
    changes.push_back(each.span.end_ns);
    if (each.span.begin_ns > begin_ns) changes.push_back(each.span.begin_ns);
  }
  std::ranges::sort(changes);
  constexpr double kLeast = 1e-6;  // of the SMs: less is none
  double now_ns = begin_ns, first_ns = -1, left_ns = ns, pace = 1;
  for (const double next_ns : changes) {
    double taken = 0;
    for (const Resident* each : others)
      taken += each->span.begin_ns <= now_ns && now_ns < each->span.end_ns ? each->share : 0;
    pace = 1 - taken < kLeast ? 0 : std::min(1.0, (1 - taken) / share);
    if (pace > 0 && first_ns < 0) first_ns = now_ns;
    if (pace * (next_ns - now_ns) >= left_ns) break;
    left_ns -= pace * (next_ns - now_ns);
    now_ns = next_ns;
    pace = 1;
  }
  const Span out{first_ns < 0 ? now_ns : first_ns, now_ns + left_ns / pace};
  all_.push_back({out, share, device});
  if (all_.size() > kKept) all_.pop_front();
  return out;
}

}  // namespace warplens::cuda_api
