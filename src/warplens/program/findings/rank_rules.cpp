#include "warplens/program/findings/rank_rules.h"

#include <algorithm>
#include <map>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/ranks/waiting.h"
#include "warplens/program/findings/finding.h"

namespace warplens::findings {
namespace {

using analysis::CollectiveCost;
using analysis::RankAnalysis;
using analysis::RankCost;

constexpr double kLeastWaiting = 0.03;  // of a step, for each of the others
constexpr double kLeastUneven = 0.05;   // of a step, that balanced ranks would save
constexpr double kMostlyOne = 0.6;      // of all waiting: then one rank is the cause
constexpr double kIdleShare = 0.25;     // of its lateness, its GPU idle; a rank that lags while it works costs little
constexpr double kMuchWaiting = 0.25;   // of a step: worth saying even of a rank that works all along

Finding with_saving(int64_t saving_ns, int64_t step_ns) {
  Finding f;
  f.saving_ns = std::clamp<int64_t>(saving_ns, 0, step_ns);
  f.saving_fraction = static_cast<double>(*f.saving_ns) / static_cast<double>(step_ns);
  f.level = std::max(level_of(*f.saving_fraction), Level::kWarn);
  return f;
}

/// What the late rank's host was in most often, by the time the others waited.
std::string usual_host(const RankAnalysis& ranks, uint32_t late_rank) {
  std::map<std::string, int64_t> times;
  for (const CollectiveCost& cost : ranks.collectives) {
    if (cost.last_rank == late_rank) times[cost.late_host] += cost.waiting_ns;
  }
  const auto longest =
      std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest == times.end() ? std::string() : longest->first;
}

/// The late rank's own kernel in the collective in which the others waited longest for it; empty if it has none.
std::vector<uint32_t> longest_wait(const RankAnalysis& ranks, uint32_t late_rank) {
  const CollectiveCost* longest = nullptr;
  for (const CollectiveCost& cost : ranks.collectives) {
    if (cost.last_rank == late_rank && (longest == nullptr || cost.waiting_ns > longest->waiting_ns)) longest = &cost;
  }
  if (longest == nullptr || longest->events[late_rank] == kNone) return {};
  return {longest->events[late_rank]};
}

/// Waiting that a rank causes beyond its usual lag, which passes from one collective to the next and costs a step
/// nothing.
int64_t waiting_beyond_lag(const RankAnalysis& ranks, uint32_t late_rank) {
  std::vector<int64_t> waits;
  for (const CollectiveCost& cost : ranks.collectives) {
    if (cost.last_rank == late_rank) waits.push_back(cost.waiting_ns);
  }
  const int64_t lag_ns = middle_of(waits);
  int64_t beyond_ns = 0;
  for (const int64_t wait_ns : waits) beyond_ns += std::max<int64_t>(0, wait_ns - lag_ns);
  return beyond_ns;
}

/// How much of a rank's lateness its GPU spent idle, 0..1.
double idle_share(const RankAnalysis& ranks, uint32_t late_rank) {
  double late_ns = 0, idle_ns = 0;
  for (const CollectiveCost& cost : ranks.collectives) {
    if (cost.last_rank == late_rank) {
      late_ns += static_cast<double>(cost.late_ns);
      idle_ns += static_cast<double>(cost.late_idle_ns);
    }
  }
  return late_ns > 0 ? idle_ns / late_ns : 0;
}

}  // namespace

std::vector<Finding> rank_findings(const Profile& profile, int64_t step_ns) {
  std::vector<Finding> out;
  if (profile.ranks.size() < 2 || step_ns <= 0) return out;
  const RankAnalysis ranks = analysis::analyse_ranks(profile);
  const auto worst = std::max_element(ranks.ranks.begin(), ranks.ranks.end(), [](const RankCost& a, const RankCost& b) {
    return a.caused_waiting_ns < b.caused_waiting_ns;
  });
  if (worst == ranks.ranks.end() || worst->caused_waiting_ns <= 0) return out;
  int64_t waiting = 0;
  for (const RankCost& rank : ranks.ranks) waiting += rank.waiting_ns;
  const int64_t steps = std::max<int64_t>(worst->steps, 1), others = static_cast<int64_t>(ranks.ranks.size()) - 1;
  const int64_t each_ns = waiting / steps / others;
  if (static_cast<double>(each_ns) < kLeastWaiting * static_cast<double>(step_ns)) return out;
  const auto late = static_cast<uint32_t>(worst - ranks.ranks.begin());
  if (static_cast<double>(worst->caused_waiting_ns) >= kMostlyOne * static_cast<double>(waiting)) {
    const int64_t caused_ns = worst->caused_waiting_ns / steps / others;
    if (idle_share(ranks, late) < kIdleShare &&
        static_cast<double>(caused_ns) < kMuchWaiting * static_cast<double>(step_ns))
      return out;
    const int64_t beyond_lag_ns = waiting_beyond_lag(ranks, late) / steps / others;
    Finding f = with_saving(beyond_lag_ns, step_ns);
    const std::string host = usual_host(ranks, late);
    f.id = "straggler";
    f.events = longest_wait(ranks, late);
    f.title = fmt::format("rank {} comes last in {} of {} collectives; each other rank waits {} a step", worst->rank,
                          worst->last, ranks.collectives.size(), format_ns(static_cast<double>(caused_ns)));
    f.detail = host.empty()
                   ? "The wait is the time of a collective beyond its shortest duration on any rank."
                   : fmt::format("Meanwhile its host was mostly {}{}.", host.starts_with("outside") ? "" : "in ", host);
    f.advice =
        "Compare that rank's timeline with another's: its input, its host's load, its GPU's clock, or work that only "
        "it does (logging, checkpoints, evaluation).";
    f.evidence = {{"rank", int64_t{worst->rank}},
                  {"caused_waiting_ns", caused_ns},
                  {"beyond_lag_ns", beyond_lag_ns},
                  {"collectives_last", worst->last},
                  {"host", host}};
    out.push_back(std::move(f));
  } else {
    // Balanced, a step takes the ranks' mean instead of the slowest one's time: less by the waiting of all, shared by
    // all.
    const int64_t saving_ns = waiting / steps / static_cast<int64_t>(ranks.ranks.size());
    if (static_cast<double>(saving_ns) < kLeastUneven * static_cast<double>(step_ns)) return out;
    Finding f = with_saving(saving_ns, step_ns);
    f.id = "uneven-collective";
    f.title =
        fmt::format("ranks reach collectives at different times: each waits {} a step, and no rank is always last",
                    format_ns(static_cast<double>(saving_ns)));
    f.detail = "Work differs from rank to rank and from step to step, as with sequences of different lengths.";
    f.advice = "Balance the batches (sort or bucket by length, pack sequences), or shard by work rather than by count.";
    f.evidence = {{"waiting_ns", saving_ns}, {"collectives", static_cast<int64_t>(ranks.collectives.size())}};
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace warplens::findings
