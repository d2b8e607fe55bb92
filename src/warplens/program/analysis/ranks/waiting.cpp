#include "warplens/program/analysis/ranks/waiting.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "warplens/base/middle.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/forest.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/links.h"

namespace warplens::analysis {
namespace {

class Analyser {
 public:
  Analyser(const Profile& profile, const std::vector<RankFacts>& facts)
      : profile_(profile), events_(profile.device_events), facts_(facts), job_(job::align_ranks(profile)) {}

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
      const RankFacts& facts = facts_[r];
      rank.busy_ns = length_ns(facts.busy);
      rank.steps = facts.steps;
      rank.step_ns = facts.step_ns;
      rank.kernels = facts.kernels;
      rank.computation_ns = facts.computation_ns;
      rank.communication_ns = facts.communication_ns;
      rank.exposed_communication_ns = facts.exposed_communication_ns;
      rank.span_ns = profile_.ranks.window_end_ns[r] - profile_.ranks.window_start_ns[r];
      analysis.ranks.push_back(rank);
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
    cost.late_begin_ns = begin;
    const int64_t window = profile_.ranks.window_start_ns[cost.last_rank];  // from which busy spans count
    cost.late_idle_ns = end - begin - overlap_ns(facts_[cost.last_rank].busy, begin - window, end - window);
  }

  const Profile& profile_;
  const device_events_table& events_;
  const std::vector<RankFacts>& facts_;
  job::Job job_;
};

/// Operators and launches of a profile, joined once for many questions.
class Hosts {
 public:
  explicit Hosts(const Profile& profile)
      : profile_(profile), operators_(operator_forest(profile)), call_of_(link_device_calls(profile)) {}

  std::string at(uint32_t event, int64_t begin_ns, int64_t end_ns) const {
    const uint32_t call = call_of_[event];
    if (call == kNone) return "";
    const uint32_t op =
        innermost_at(operators_, profile_.operators.start_ns.values(), profile_.operators.duration_ns.values(),
                     profile_.calls.thread[call], begin_ns + (end_ns - begin_ns) / 2);
    return op == kNone ? "outside any operator" : std::string(profile_.text(profile_.operators.name[op]));
  }

 private:
  const Profile& profile_;
  Forest operators_;
  RowLinks call_of_;
};

void add_outliers(const RankAnalysis& analysis, const char* what, bool is_time, int64_t RankCost::* member,
                  std::vector<RankOutlier>& out) {
  std::vector<int64_t> values, deviations;
  for (const RankCost& rank : analysis.ranks) values.push_back(rank.*member);
  const int64_t median = middle_of(values);
  double sum = 0;
  for (const int64_t value : values) {
    deviations.push_back(std::llabs(value - median));
    sum += static_cast<double>(deviations.back());
  }
  // Iglewicz and Hoaglin: the median deviation, and the mean one where more than half of the values are equal; both are
  // scaled to a normal distribution's standard deviation.
  const auto spread = static_cast<double>(middle_of(deviations));
  const double scale = spread > 0 ? 1.4826 * spread : 1.2533 * sum / static_cast<double>(values.size());
  constexpr double kBeyond = 3.5;
  if (scale <= 0) return;
  for (uint32_t r = 0; r < values.size(); ++r) {
    const double score = static_cast<double>(values[r] - median) / scale;
    if (std::fabs(score) > kBeyond) out.push_back({r, what, is_time, values[r], median, score});
  }
}

}  // namespace

RankAnalysis analyse_ranks(const Profile& profile, const std::vector<RankFacts>& facts) {
  const TimedScope timed("analyse ranks");
  return Analyser(profile, facts).run();
}

RankAnalysis analyse_ranks(const Profile& profile) {
  RankAnalysis analysis = analyse_ranks(profile, rank_facts(profile));
  const Hosts hosts(profile);
  for (CollectiveCost& cost : analysis.collectives) {
    const uint32_t event = cost.events[cost.last_rank];
    cost.late_host = hosts.at(event, cost.late_begin_ns, profile.device_events.start_ns[event]);
  }
  return analysis;
}

std::string host_at(const Profile& profile, uint32_t event, int64_t begin_ns, int64_t end_ns) {
  return Hosts(profile).at(event, begin_ns, end_ns);
}

std::vector<RankOutlier> rank_outliers(const RankAnalysis& analysis) {
  constexpr size_t kFewestRanks = 5;
  std::vector<RankOutlier> out;
  if (analysis.ranks.size() < kFewestRanks) return out;
  add_outliers(analysis, "host step", true, &RankCost::step_ns, out);
  add_outliers(analysis, "GPU busy", true, &RankCost::busy_ns, out);
  add_outliers(analysis, "computation", true, &RankCost::computation_ns, out);
  add_outliers(analysis, "exposed communication", true, &RankCost::exposed_communication_ns, out);
  add_outliers(analysis, "kernels", false, &RankCost::kernels, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return std::fabs(a.score) > std::fabs(b.score); });
  return out;
}

}  // namespace warplens::analysis
