#include "warplens/program/analysis/steps.h"

#include <algorithm>
#include <tuple>

#include "warplens/base/text.h"

namespace warplens::analysis {

std::optional<int64_t> step_number(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return parse_int(name.substr(kPrefix.size()));
}

std::vector<Step> find_steps(const Profile& profile) {
  const auto& ops = profile.operators;
  std::vector<Step> steps;
  for (uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.kind[row] != OperatorKind::kRange) continue;
    const std::optional<int64_t> number = step_number(profile.text(ops.name[row]));
    if (!number) continue;
    steps.push_back({profile.threads.rank[ops.thread[row]], *number, row, ops.start_ns[row],
                     ops.start_ns[row] + ops.duration_ns[row]});
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tie(a.rank, a.start_ns, a.number) < std::tie(b.rank, b.start_ns, b.number);
  });
  return steps;
}

}  // namespace warplens::analysis
