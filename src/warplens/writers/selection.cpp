#include "warplens/writers/selection.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/classify/rules.h"
#include "warplens/program/analysis/steps.h"

namespace warplens::writers {
namespace {

using analysis::Span;
using analysis::TimeSet;

TimeSet step_windows(const std::vector<analysis::Step>& steps, uint32_t rank, std::pair<int64_t, int64_t> numbers) {
  std::vector<Span> spans;
  for (const analysis::Step& step : steps)
    if (step.rank == rank && step.number >= numbers.first && step.number <= numbers.second)
      spans.push_back({step.start_ns, step.end_ns});
  return analysis::unite(std::move(spans));
}

TimeSet annotation_windows(const Profile& p, uint32_t rank, const std::string& glob) {
  std::vector<Span> spans;
  const auto& t = p.operators;
  for (uint32_t row = 0; row < t.size(); ++row)
    if (t.kind[row] == OperatorKind::kRange && p.threads.rank[t.thread[row]] == rank &&
        analysis::fits_glob(glob, p.text(t.name[row])))
      spans.push_back({t.start_ns[row], t.start_ns[row] + t.duration_ns[row]});
  return analysis::unite(std::move(spans));
}

}  // namespace

Result<Selection> Selection::make(const Profile& profile, const Cut& cut) {
  Selection selection(profile, cut);
  WL_TRY(selection.check());
  return selection;
}

Selection::Selection(const Profile& profile, const Cut& cut)
    : p_(&profile), cut_(cut), rank_(profile.ranks.size(), true), windows_(profile.ranks.size()),
      links_(analysis::link_events(profile, analysis::operator_forest(profile))) {
  if (profile.ranks.size() != 0) zero_ns_ = profile.ranks.window_start_ns[0];
  has_windows_ = cut.steps.has_value() || !cut.annotation.empty();
  const auto steps = cut.steps ? analysis::find_steps(profile) : std::vector<analysis::Step>();
  for (uint32_t rank = 0; rank < rank_.size(); ++rank) {
    rank_[rank] = !cut.rank || profile.ranks.rank[rank] == *cut.rank;
    if (cut.steps) windows_[rank] = step_windows(steps, rank, *cut.steps);
    if (cut.annotation.empty()) continue;
    TimeSet named = annotation_windows(profile, rank, cut.annotation);
    windows_[rank] = cut.steps ? analysis::intersect(windows_[rank], named) : std::move(named);
  }
}

Status Selection::check() const {
  if (cut_.rank && std::find(rank_.begin(), rank_.end(), true) == rank_.end())
    return not_found(fmt::format("there is no rank {}", *cut_.rank));
  const auto& streams = p_->device_events.stream;
  if (cut_.stream && std::find(streams.begin(), streams.end(), *cut_.stream) == streams.end()) {
    return not_found(fmt::format("nothing ran on stream {}", *cut_.stream));
  }
  const bool none = std::all_of(windows_.begin(), windows_.end(), [](const TimeSet& set) { return set.empty(); });
  if (has_windows_ && none) {
    if (!cut_.steps) return not_found(fmt::format("no annotation fits '{}'", cut_.annotation));
    const auto steps = analysis::find_steps(*p_);
    if (steps.empty())
      return not_found("the trace marks no steps (profiler.step() was not called): cut by --from and --to");
    return not_found(
        fmt::format("nothing fits; the trace has steps {} to {}", steps.front().number, steps.back().number));
  }
  return {};
}

bool Selection::in_windows(uint32_t rank, int64_t start_ns, int64_t end_ns) const {
  if (!has_windows_) return true;
  const TimeSet& set = windows_[rank];
  const auto after =
      std::lower_bound(set.begin(), set.end(), start_ns, [](const Span& span, int64_t t) { return span.end_ns <= t; });
  return after != set.end() && after->start_ns <= end_ns;
}

bool Selection::in_time(int64_t start_ns, int64_t end_ns) const {
  return (!cut_.from_ns || end_ns >= zero_ns_ + *cut_.from_ns) && (!cut_.to_ns || start_ns < zero_ns_ + *cut_.to_ns);
}

bool Selection::host(uint32_t thread, int64_t start_ns, int64_t duration_ns) const {
  const uint32_t rank = p_->threads.rank[thread];
  return rank_[rank] && duration_ns >= cut_.shortest_ns && in_time(start_ns, start_ns + duration_ns) &&
         in_windows(rank, start_ns, start_ns + duration_ns);
}

bool Selection::instant(uint32_t thread, int64_t time_ns) const {
  const uint32_t rank = p_->threads.rank[thread];
  return rank_[rank] && in_time(time_ns, time_ns) && in_windows(rank, time_ns, time_ns);
}

bool Selection::on_device(uint32_t device, int64_t stream, int64_t start_ns, int64_t duration_ns) const {
  const uint32_t rank = p_->devices.rank[device];
  return rank_[rank] && (!cut_.stream || stream == *cut_.stream) && duration_ns >= cut_.shortest_ns &&
         in_time(start_ns, start_ns + duration_ns);
}

bool Selection::device(uint32_t row) const {
  const auto& t = p_->device_events;
  if (!on_device(t.device[row], t.stream[row], t.start_ns[row], t.duration_ns[row])) return false;
  if (!has_windows_) return true;
  const uint32_t rank = p_->devices.rank[t.device[row]];
  const uint32_t call = links_.event_call[row], op = links_.event_operator[row];
  if (call != kNone) return in_windows(rank, p_->calls.start_ns[call], p_->calls.start_ns[call]);
  if (op != kNone) return in_windows(rank, p_->operators.start_ns[op], p_->operators.start_ns[op]);
  return in_windows(rank, t.start_ns[row], t.start_ns[row] + t.duration_ns[row]);
}

}  // namespace warplens::writers
