#include "warplens/program/analysis/steps/work_times.h"

#include <algorithm>

#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/links.h"

namespace warplens::analysis {

WorkTimes::WorkTimes(const Profile& p, uint32_t rank) {
  CallRoles roles(p);
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    const CallRole role = roles(row);
    if (rank_of_call(p, row) == rank &&
        (role == CallRole::kLaunch || role == CallRole::kGraphLaunch || role == CallRole::kCopy))
      times_.push_back(p.calls.start_ns[row]);
  }
  const bool launches = !times_.empty();
  for (uint32_t row = 0; !launches && row < p.operators.size(); ++row) {
    if (rank_of_operator(p, row) == rank && p.operators.kind[row] == OperatorKind::kOperator)
      times_.push_back(p.operators.start_ns[row]);
  }
  std::sort(times_.begin(), times_.end());
}

size_t WorkTimes::count(int64_t start_ns, int64_t end_ns) const {
  if (end_ns <= start_ns) return 0;
  return static_cast<size_t>(std::lower_bound(times_.begin(), times_.end(), end_ns) -
                             std::lower_bound(times_.begin(), times_.end(), start_ns));
}

}  // namespace warplens::analysis
