#include "warplens/program/analysis/ranks/waiting.h"

#include <algorithm>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/forest.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/steady_steps.h"

namespace warplens::analysis {
namespace {

class Analyser {
 public:
  explicit Analyser(const Profile& profile)
      : profile_(profile),
        events_(profile.device_events),
        job_(job::align_ranks(profile)),
        operators_(operator_forest(profile)),
        links_(link_events(profile, operators_)),
        activity_(profile.ranks.size()) {
    std::vector<std::vector<Span>> spans(profile.ranks.size());
    for (size_t e = 0; e < events_.size(); ++e) {
      if (events_.kind[e] != DeviceEventKind::kRange)
        spans[rank_of_event(profile, e)].push_back({events_.start_ns[e], events_.start_ns[e] + events_.duration_ns[e]});
    }
    for (size_t r = 0; r < spans.size(); ++r) activity_[r] = unite(std::move(spans[r]));
  }

  RankAnalysis run() {
    RankAnalysis analysis;
    analysis.unmatched = job_.unmatched;
    analysis.not_one_job = job::not_one_job(profile_, job_);
    add_ranks(analysis);
    const int64_t all_recorded_ns = everybody_records();
    for (const job::MatchedCollective& matched : job_.collectives) {
      for (size_t r = 0; r < matched.events.size(); ++r) {
        if (matched.events[r] != kNone) ++analysis.ranks[r].collectives;
      }
      if (earliest_start(matched) < all_recorded_ns) ++analysis.before_all_recorded;
      else add_collective(matched, analysis);
    }
    return analysis;
  }

 private:
  int64_t shift(size_t rank) const { return job_.clocks[rank].shift_ns; }
  int64_t start(size_t rank, uint32_t event) const { return events_.start_ns[event] + shift(rank); }

  /// When the last profiler to start had started, on the first rank's clock.
  int64_t everybody_records() const {
    int64_t latest = INT64_MIN;
    for (size_t r = 0; r < profile_.ranks.size(); ++r)
      latest = std::max(latest, profile_.ranks.window_start_ns[r] + shift(r));
    return latest;
  }

  int64_t earliest_start(const job::MatchedCollective& matched) const {
    int64_t earliest = INT64_MAX;
    for (size_t r = 0; r < matched.events.size(); ++r) {
      if (matched.events[r] != kNone) earliest = std::min(earliest, start(r, matched.events[r]));
    }
    return earliest;
  }

  void add_ranks(RankAnalysis& analysis) const {
    for (size_t r = 0; r < profile_.ranks.size(); ++r) {
      RankCost rank;
      rank.rank = profile_.ranks.rank[r];
      rank.clock = job_.clocks[r];
      rank.clock.shift_ns += profile_.ranks.clock_shift_ns[r];  // what reading has moved it by
      rank.busy_ns = length_ns(activity_[r]);
      analysis.ranks.push_back(rank);
    }
    const StepSet set = step_set(profile_, link_device_calls(profile_));
    for (size_t i = 0; i < set.steps.size(); ++i) {
      const Step& step = set.steps[i];
      if (set.roles[i] != StepRole::kSteady) continue;
      RankCost& rank = analysis.ranks[step.rank];
      rank.step_ns = (rank.step_ns * rank.steps + step.end_ns - step.start_ns) / (rank.steps + 1);
      ++rank.steps;
    }
  }

  void add_collective(const job::MatchedCollective& matched, RankAnalysis& analysis) const {
    CollectiveCost cost;
    cost.events = matched.events;
    cost.start_ns = earliest_start(matched);
    cost.transfer_ns = INT64_MAX;
    int64_t latest = INT64_MIN;
    for (uint32_t r = 0; r < matched.events.size(); ++r) {
      const uint32_t event = matched.events[r];
      if (event == kNone) continue;
      cost.transfer_ns = std::min(cost.transfer_ns, events_.duration_ns[event]);
      if (start(r, event) > latest) {
        latest = start(r, event);
        cost.last_rank = r;
      }
      describe(event, cost);
    }
    cost.late_ns = latest - cost.start_ns;
    for (size_t r = 0; r < matched.events.size(); ++r) {
      if (matched.events[r] == kNone) continue;
      const int64_t waiting_ns = events_.duration_ns[matched.events[r]] - cost.transfer_ns;
      analysis.ranks[r].transfer_ns += cost.transfer_ns;
      analysis.ranks[r].waiting_ns += waiting_ns;
      if (r != cost.last_rank) analysis.ranks[cost.last_rank].caused_waiting_ns += waiting_ns;
      cost.waiting_ns += waiting_ns;
    }
    ++analysis.ranks[cost.last_rank].last;
    explain_lateness(matched.events[cost.last_rank], cost);
    if (cost.bytes > 0 && cost.transfer_ns > 0) {
      cost.algorithm_gbs = static_cast<double>(cost.bytes) / static_cast<double>(cost.transfer_ns);
      cost.bus_gbs = cost.algorithm_gbs * bus_factor(cost.name, cost.group_size);
    }
    cost.start_ns -= profile_.ranks.window_start_ns[0];
    analysis.collectives.push_back(std::move(cost));
  }

  void describe(uint32_t event, CollectiveCost& cost) const {
    const uint32_t row = events_.collective[event];
    if (row == kNone) {
      const std::string_view kernel = profile_.text(events_.name[event]);
      if (cost.name.empty()) cost.name = short_kernel_name(kernel.substr(0, kernel.find('(')));
      return;
    }
    const auto& c = profile_.collectives;
    cost.name = profile_.text(c.name[row]);
    cost.group_size = c.group_size[row];
    cost.bytes = std::max(c.in_elements[row], c.out_elements[row]) * element_bytes(profile_.text(c.dtype[row]));
  }

  void explain_lateness(uint32_t event, CollectiveCost& cost) const {
    const int64_t begin = cost.start_ns - shift(cost.last_rank), end = events_.start_ns[event];
    cost.late_idle_ns = end - begin - length_ns(clip(activity_[cost.last_rank], begin, end));
    const uint32_t call = links_.event_call[event];
    if (call == kNone) return;
    const uint32_t op =
        innermost_at(operators_, profile_.operators.start_ns.values(), profile_.operators.duration_ns.values(),
                     profile_.calls.thread[call], begin + (end - begin) / 2);
    cost.late_host = op == kNone ? "outside any operator" : profile_.text(profile_.operators.name[op]);
  }

  const Profile& profile_;
  const device_events_table& events_;
  job::Job job_;
  Forest operators_;
  Links links_;
  std::vector<TimeSet> activity_;
};

}  // namespace

RankAnalysis analyse_ranks(const Profile& profile) {
  const TimedScope timed("analyse ranks");
  return Analyser(profile).run();
}

}  // namespace warplens::analysis
