#include "warplens/program/analysis/steps/steps.h"

#include <algorithm>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/marked_steps.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/analysis/steps/repeated_steps.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {
namespace {

std::vector<Step> profiler_steps(const Profile& p) {
  NameMemo numbers(p, step_number);
  std::vector<Step> steps;
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (p.operators.kind[row] != OperatorKind::kRange) continue;
    const std::optional<int64_t> number = numbers(p.operators.name[row]);
    if (!number) continue;
    const int64_t start_ns = p.operators.start_ns[row];
    steps.push_back({rank_of_operator(p, row), *number, start_ns, start_ns + p.operators.duration_ns[row], {}});
  }
  return steps;
}

int64_t first_operator_ns(const Profile& p, uint32_t rank) {
  int64_t first_ns = INT64_MAX;
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (rank_of_operator(p, row) == rank) first_ns = std::min(first_ns, p.operators.start_ns[row]);
  }
  return first_ns;
}

/// From one update of the weights to the next. What follows the last one is no step: nothing says where it would end.
std::vector<Step> optimizer_steps(const Profile& p, uint32_t rank, const std::vector<int64_t>& updates_ns) {
  constexpr size_t kLeastUpdates =
      3;  // of fewer the first begins with the recording and there is nothing to hold it against
  if (updates_ns.size() < kLeastUpdates) return {};
  std::vector<Step> steps;
  int64_t start_ns = first_operator_ns(p, rank);
  for (const int64_t end_ns : updates_ns) {
    steps.push_back({rank, static_cast<int64_t>(steps.size()) + 1, start_ns, end_ns, {}});
    start_ns = end_ns;
  }
  return steps;
}

/// Steps of a rank that has no ranges of a profiler's.
std::vector<Step> found_steps(const Profile& p, uint32_t rank, StepSource& source) {
  const std::vector<int64_t> updates_ns = optimizer_step_ends(p, rank);
  source = StepSource::kRange;
  std::vector<Step> steps = range_steps(p, rank, updates_ns);
  if (steps.empty()) {
    source = StepSource::kOptimizer;
    steps = optimizer_steps(p, rank, updates_ns);
  }
  if (steps.empty()) {
    source = StepSource::kModule;
    steps = module_steps(p, rank);
  }
  if (steps.empty()) {
    source = StepSource::kRepeated;
    steps = repeated_steps(p, rank);
  }
  if (steps.empty()) source = StepSource::kNone;
  return steps;
}

}  // namespace

std::optional<int64_t> step_number(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return parse_int(name.substr(kPrefix.size()));
}

std::string_view source_name(StepSource source) {
  switch (source) {
    case StepSource::kProfiler: return "ProfilerStep ranges";
    case StepSource::kRange: return "ranges of the program";
    case StepSource::kOptimizer: return "calls of the optimizer";
    case StepSource::kModule: return "calls of the outermost module";
    case StepSource::kRepeated: return "repetitions of the same launches";
    case StepSource::kNone: break;
  }
  return "nothing";
}

Steps find_steps(const Profile& p) {
  Steps out{StepSource::kProfiler, profiler_steps(p)};
  std::vector<bool> marked(p.ranks.size());
  for (const Step& step : out.list) marked[step.rank] = true;
  if (out.list.empty()) out.source = StepSource::kNone;
  for (uint32_t rank = 0; rank < marked.size(); ++rank) {
    if (marked[rank]) continue;
    StepSource source = StepSource::kNone;
    for (Step& step : found_steps(p, rank, source)) out.list.push_back(std::move(step));
    if (out.source == StepSource::kNone) out.source = source;
  }
  std::sort(out.list.begin(), out.list.end(), [](const Step& a, const Step& b) {
    return std::tie(a.rank, a.start_ns, a.number) < std::tie(b.rank, b.start_ns, b.number);
  });
  return out;
}

}  // namespace warplens::analysis
