#include "warplens/program/analysis/cut/windows.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/classify/rules.h"
#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {
namespace {

TimeSet step_windows(const std::vector<Step>& steps, uint32_t rank, std::pair<int64_t, int64_t> numbers) {
  std::vector<Span> spans;
  for (const Step& step : steps) {
    if (step.rank == rank && step.number >= numbers.first && step.number <= numbers.second)
      spans.push_back({step.start_ns, step.end_ns});
  }
  return unite(std::move(spans));
}

TimeSet annotation_windows(const Profile& p, uint32_t rank, const std::string& glob) {
  std::vector<Span> spans;
  const auto& t = p.operators;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (t.kind[row] == OperatorKind::kRange && p.threads.rank[t.thread[row]] == rank &&
        fits_glob(glob, p.text(t.name[row])))
      spans.push_back({t.start_ns[row], t.start_ns[row] + t.duration_ns[row]});
  }
  return unite(std::move(spans));
}

TimeSet phase_windows(const Profile& p, uint32_t rank, Phase phase) {
  std::vector<Span> spans;
  for (const IterationSpan& iteration : iterations(p, rank)) {
    if (iteration.counts.phase == phase) spans.push_back(iteration.host);
  }
  return unite(std::move(spans));
}

/// Names of the trace's annotations, for who misspelt one.
std::string annotations_of(const Profile& p) {
  constexpr size_t kShown = 8;
  std::vector<std::string> names;
  for (uint32_t row = 0; row < p.operators.size() && names.size() < kShown; ++row) {
    if (p.operators.kind[row] != OperatorKind::kRange) continue;
    const std::string name(p.text(p.operators.name[row]));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "the trace has none (record_function() and NVTX ranges make them)"
                       : "the trace has " + join(names, ", ");
}

/// "no prefill; the trace has decode".
Status no_phase(const Profile& p, const Cut& cut) {
  std::vector<std::string> has;
  for (const PhaseSummary& phase : phase_summaries(p)) has.emplace_back(phase_name(phase.phase));
  return not_found(fmt::format("no iteration is {}; {}", Cut{.phase = cut.phase}.text(),
                               has.empty()
                                   ? "the trace has no annotations of vLLM, SGLang or ATOM (execute_context_..., "
                                     "step[DECODE ...], decode[...]): use --annotation"
                                   : "the trace has " + join(has, " and ")));
}

Status nothing_chosen(const Profile& p, const Cut& cut, const std::vector<Step>& steps) {
  if (cut.phase && !cut.steps && cut.annotation.empty()) return no_phase(p, cut);
  if (!cut.steps) return not_found(fmt::format("no annotation fits '{}'; {}", cut.annotation, annotations_of(p)));
  if (steps.empty())
    return not_found("the trace marks no steps (profiler.step() was not called): cut it by --from and --to");
  const auto [lowest, highest] =
      std::minmax_element(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.number < b.number; });
  const std::string has = fmt::format("the trace has steps {} to {}", lowest->number, highest->number);
  if (cut.annotation.empty()) return not_found(fmt::format("no {}; {}", Cut{.steps = cut.steps}.text(), has));
  return not_found(
      fmt::format("no annotation fits '{}' in {}; {}", cut.annotation, Cut{.steps = cut.steps}.text(), has));
}

Result<Span> times_of(const Profile& p, const Cut& cut) {
  Span out{INT64_MIN, INT64_MAX};
  if (!cut.from_ns && !cut.to_ns) return out;
  if (cut.from_ns && cut.to_ns && *cut.from_ns >= *cut.to_ns) return usage_error("--from must come before --to");
  const int64_t zero_ns = p.ranks.size() ? p.ranks.window_start_ns[0] : 0;
  int64_t end_ns = zero_ns;
  for (const int64_t end : p.ranks.window_end_ns) end_ns = std::max(end_ns, end);
  if (cut.from_ns.value_or(0) >= end_ns - zero_ns)
    return not_found(fmt::format("nothing is recorded after {}; the trace is {} long",
                                 format_ns(static_cast<double>(*cut.from_ns)),
                                 format_ns(static_cast<double>(end_ns - zero_ns))));
  if (cut.from_ns) out.start_ns = zero_ns + *cut.from_ns;
  if (cut.to_ns) out.end_ns = zero_ns + std::min(*cut.to_ns, end_ns - zero_ns + 1);
  return out;
}

}  // namespace

std::optional<Span> CutWindows::within_times(int64_t start_ns, int64_t duration_ns) const {
  const int64_t end_ns = start_ns + std::max<int64_t>(duration_ns, 0);
  if (end_ns == start_ns)
    return start_ns >= times.start_ns && start_ns < times.end_ns ? std::optional(Span{start_ns, end_ns}) : std::nullopt;
  const Span out{std::max(start_ns, times.start_ns), std::min(end_ns, times.end_ns)};
  return out.start_ns < out.end_ns ? std::optional(out) : std::nullopt;
}

bool CutWindows::chosen_at(uint32_t rank, int64_t time_ns) const {
  if (!of_host) return true;
  const TimeSet& set = chosen[rank];
  const auto after =
      std::lower_bound(set.begin(), set.end(), time_ns, [](const Span& span, int64_t t) { return span.end_ns <= t; });
  return after != set.end() && after->start_ns <= time_ns;
}

std::optional<Span> CutWindows::kept(uint32_t rank, int64_t start_ns, int64_t duration_ns) const {
  std::optional<Span> out = within_times(start_ns, duration_ns);
  if (!out || !of_host) return out;
  if (out->start_ns == out->end_ns) return chosen_at(rank, out->start_ns) ? out : std::nullopt;
  const TimeSet& set = chosen[rank];
  const auto first = std::upper_bound(set.begin(), set.end(), out->start_ns,
                                      [](int64_t time, const Span& span) { return time < span.end_ns; });
  const auto behind = std::lower_bound(first, set.end(), out->end_ns,
                                       [](const Span& span, int64_t time) { return span.start_ns < time; });
  if (first == behind) return std::nullopt;
  return Span{std::max(out->start_ns, first->start_ns), std::min(out->end_ns, std::prev(behind)->end_ns)};
}

Result<CutWindows> cut_windows(const Profile& p, const Cut& cut) {
  CutWindows out;
  WL_ASSIGN(out.times, times_of(p, cut));
  out.of_host = cut.steps.has_value() || !cut.annotation.empty() || cut.phase;
  out.chosen.resize(p.ranks.size());
  if (!out.of_host) return out;
  const std::vector<Step> steps = cut.steps ? find_steps(p).list : std::vector<Step>();
  bool any = false;
  for (uint32_t rank = 0; rank < p.ranks.size(); ++rank) {
    TimeSet& set = out.chosen[rank];
    set = {{INT64_MIN, INT64_MAX}};
    if (cut.steps) set = step_windows(steps, rank, *cut.steps);
    if (!cut.annotation.empty()) set = intersect(set, annotation_windows(p, rank, cut.annotation));
    if (cut.phase) set = intersect(set, phase_windows(p, rank, *cut.phase));
    any = any || (!set.empty() && (!cut.rank || p.ranks.rank[rank] == *cut.rank));
  }
  if (!any) return nothing_chosen(p, cut, steps);
  return out;
}

}  // namespace warplens::analysis
