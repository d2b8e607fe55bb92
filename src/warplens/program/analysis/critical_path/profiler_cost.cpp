#include "warplens/program/analysis/critical_path/profiler_cost.h"

#include <algorithm>
#include <vector>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/recording_cost.h"

namespace warplens::analysis {
namespace {

constexpr double kEnterAndLeave = 2.0;
constexpr double kCallShare = 0.33;
constexpr double kFrameShare = 0.8;      // of an operator's cost without shapes; fitted with with_stack
constexpr size_t kSamplesWanted = 4096;  // enough for a stable median
constexpr double kDefaultEnterNs = 450, kDefaultLaunchNs = 3600;  // a current server CPU, where a trace shows neither
constexpr int64_t kHandOverNs = 3000;                             // a longer gap is work, not a hand-over

double median(std::vector<int64_t> values, double otherwise) {
  return values.size() < 8 ? otherwise : static_cast<double>(middle_of(std::move(values)));
}

bool hands_over(std::string_view name) {
  return name == "aten::linear" || name == "aten::matmul" || name == "aten::to" || name == "aten::item" ||
         name == "aten::t" || name == "aten::relu" || name == "aten::zeros_like" || name == "aten::contiguous" ||
         name == "aten::reshape";
}

double entering_ns(const Profile& profile, const Forest& operators, uint32_t rank) {
  std::vector<int64_t> gaps;
  const auto& ops = profile.operators;
  for (const uint32_t row : operators.order) {
    if (gaps.size() >= kSamplesWanted) break;
    const uint32_t at = operators.position[row];
    if (operators.subtree_end[row] == at + 1 || ops.kind[row] != OperatorKind::kOperator) continue;
    if (rank_of_operator(profile, row) != rank || !hands_over(profile.text(ops.name[row]))) continue;
    const int64_t gap = ops.start_ns[operators.order[at + 1]] - ops.start_ns[row];
    if (gap > 0 && gap < kHandOverNs) gaps.push_back(gap);
  }
  return median(std::move(gaps), kDefaultEnterNs);
}

double launch_ns(const Profile& profile, uint32_t rank) {
  std::vector<int64_t> durations;
  for (size_t row = 0; row < profile.calls.size() && durations.size() < kSamplesWanted; ++row) {
    if (rank_of_call(profile, row) != rank) continue;
    if (profile.text(profile.calls.name[row]).find("LaunchKernel") == std::string_view::npos) continue;
    durations.push_back(profile.calls.duration_ns[row]);
  }
  return median(std::move(durations), kDefaultLaunchNs);
}

}  // namespace

ProfilerCost measure_profiler_cost(const Profile& profile, const Forest& operators, uint32_t rank) {
  ProfilerCost cost;
  cost.per_operator_ns = kEnterAndLeave * entering_ns(profile, operators, rank);
  cost.per_call_ns = kCallShare * std::min(launch_ns(profile, rank), 3 * kDefaultLaunchNs);
  cost.per_frame_ns = kFrameShare * kDefaultEnterNs;
  for (size_t i = 0; i < profile.metadata.size(); ++i) {
    if (profile.metadata.rank[i] != rank) continue;
    const std::string_view key = profile.text(profile.metadata.key[i]);
    const auto told_ns = parse_int(profile.text(profile.metadata.value[i]));
    if (key == kOperatorCost && told_ns) {
      cost.per_operator_ns = static_cast<double>(*told_ns);
      cost.measured = true;
    }
    if (key == kModuleCost && told_ns) cost.per_frame_ns = static_cast<double>(*told_ns);
    if (key == kCallCost && told_ns) cost.per_call_ns = static_cast<double>(*told_ns);
  }
  return cost;
}

}  // namespace warplens::analysis
