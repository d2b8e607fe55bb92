#include "warplens/cli/ranks_tables.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::cli {
namespace {

using analysis::CollectiveCost;
using analysis::RankAnalysis;
using analysis::RankCost;

/// How many of a rank's collectives end where those of the rank it was aligned by do.
std::string shown_by(const RankAnalysis& analysis, const RankCost& rank) {
  if (&rank == &analysis.ranks.front()) return "the first";
  return fmt::format("{} of {}", rank.clock.matched, rank.clock.possible);
}

}  // namespace

Table ranks_table(const RankAnalysis& analysis) {
  Table table{{{"rank", "rank", Kind::kNumber},
               {"steps", "steps", Kind::kNumber, 5},
               {"step_ns", "host step", Kind::kTimeNs},
               {"kernels", "kernels", Kind::kNumber},
               {"busy_ns", "GPU busy", Kind::kTimeNs},
               {"computation_ns", "computation", Kind::kTimeNs},
               {"exposed_communication_ns", "exposed", Kind::kTimeNs},
               {"collectives", "collectives", Kind::kNumber, 4},
               {"transfer_ns", "transfer", Kind::kTimeNs},
               {"waiting_ns", "waiting", Kind::kTimeNs},
               {"last", "came last", Kind::kNumber},
               {"caused_waiting_ns", "made others wait", Kind::kTimeNs},
               {"clock_shift_ns", "clock shift", Kind::kTimeNs, 2},
               {"clock_spread_ns", "clock spread", Kind::kTimeNs, 1},
               {"clock_shown_by", "shown by", Kind::kText, 3},
               {"clock_sure", "sure", Kind::kText, 6}},
              {}};
  for (const RankCost& r : analysis.ranks)
    table.rows.push_back({int64_t{r.rank}, r.steps, r.steps > 0 ? Cell(r.step_ns) : Cell(), r.kernels, r.busy_ns,
                          r.computation_ns, r.exposed_communication_ns, r.collectives, r.transfer_ns, r.waiting_ns,
                          r.last, r.caused_waiting_ns, r.clock.shift_ns, r.clock.spread_ns, shown_by(analysis, r),
                          std::string(r.clock.sure ? "yes" : "no")});
  return table;
}

Table collective_table(const RankAnalysis& analysis, const std::vector<CollectiveCost*>& shown) {
  Table table{{{"name", "collective"},
               {"bytes", "message", Kind::kBytes},
               {"start_ns", "start", Kind::kTimeNs, 3},
               {"transfer_ns", "transfer", Kind::kTimeNs},
               {"waiting_ns", "waiting", Kind::kTimeNs},
               {"last_rank", "last", Kind::kNumber},
               {"late_ns", "late by", Kind::kTimeNs, 4},
               {"late_idle_ns", "its GPU idle", Kind::kTimeNs},
               {"late_host", "its host in"},
               {"algorithm_gbs", "alg GB/s", Kind::kNumber, 1},
               {"bus_gbs", "bus GB/s", Kind::kNumber, 2}},
              {}};
  for (const CollectiveCost* c : shown) {
    const bool known = c->bytes > 0;
    table.rows.push_back({c->name, known ? Cell(c->bytes) : Cell(), c->start_ns, c->transfer_ns, c->waiting_ns,
                          int64_t{analysis.ranks[c->last_rank].rank}, c->late_ns, c->late_idle_ns, c->late_host,
                          known ? Cell(c->algorithm_gbs) : Cell(), known ? Cell(c->bus_gbs) : Cell()});
  }
  return table;
}

namespace {

/// Ranks of which it is not sure that they stand on the first rank's clock.
std::string doubt(const RankAnalysis& analysis) {
  std::vector<std::string> unsure;
  for (const RankCost& rank : analysis.ranks) {
    if (!rank.clock.sure) unsure.push_back(std::to_string(rank.rank));
  }
  if (unsure.empty()) return "";
  return fmt::format(
      "not sure: the clock of rank {} could not be aligned, because too few of its collectives end when those of other "
      "ranks do; "
      "the waits may be wrong\n",
      join(unsure, ", "));
}

/// "no rank stands out: ranks 7, 1 and 5 made the others wait for 22, 20 and 18 % of it", or nothing where one does.
std::string spread_waiting(const RankAnalysis& analysis, int64_t waiting_ns) {
  constexpr double kStandsOut = 0.4;  // of all waiting, caused by one rank
  std::vector<std::pair<int64_t, int32_t>> caused;
  for (const RankCost& rank : analysis.ranks) caused.emplace_back(rank.caused_waiting_ns, rank.rank);
  std::sort(caused.rbegin(), caused.rend());
  const auto share = [&](size_t i) { return static_cast<double>(caused[i].first) / static_cast<double>(waiting_ns); };
  if (caused.size() < 3 || waiting_ns <= 0 || share(0) >= kStandsOut) return "";
  return fmt::format("no rank stands out: ranks {}, {} and {} caused {:.0f}, {:.0f} and {:.0f} % of the waiting\n",
                     caused[0].second, caused[1].second, caused[2].second, 100 * share(0), 100 * share(1),
                     100 * share(2));
}

}  // namespace

std::string ranks_headline(const RankAnalysis& analysis) {
  if (analysis.ranks.size() < 2) return "one rank only: give the traces of several ranks of one job\n";
  if (analysis.collectives.empty()) return "no collective was recorded on more than one rank: nothing to compare\n";
  const auto worst =
      std::max_element(analysis.ranks.begin(), analysis.ranks.end(),
                       [](const RankCost& a, const RankCost& b) { return a.caused_waiting_ns < b.caused_waiting_ns; });
  const auto row = static_cast<uint32_t>(worst - analysis.ranks.begin());
  int64_t late_ns = 0, idle_ns = 0, transfer_ns = 0, waiting_ns = 0;
  for (const CollectiveCost& c : analysis.collectives) {
    transfer_ns += c.transfer_ns;
    waiting_ns += c.waiting_ns;
    if (c.last_rank == row) {
      late_ns += c.late_ns;
      idle_ns += c.late_idle_ns;
    }
  }
  std::string out = fmt::format(
      "{} collectives matched across {} ranks: {} of transfer, {} of waiting\n", analysis.collectives.size(),
      analysis.ranks.size(), format_ns(static_cast<double>(transfer_ns)), format_ns(static_cast<double>(waiting_ns)));
  if (const std::string spread = spread_waiting(analysis, waiting_ns); !spread.empty())
    return out + spread + doubt(analysis);
  const double per_step =
      static_cast<double>(worst->caused_waiting_ns) / static_cast<double>(std::max<int64_t>(1, worst->steps));
  out += fmt::format("rank {} came last in {} collectives and made the others wait {}{}", worst->rank, worst->last,
                     format_ns(worst->steps > 0 ? per_step : static_cast<double>(worst->caused_waiting_ns)),
                     worst->steps > 0 ? " a step" : "");
  if (late_ns > 0)
    out += fmt::format("; its GPU was idle for {:.0f} % of that time",
                       100.0 * static_cast<double>(idle_ns) / static_cast<double>(late_ns));
  return out + '\n' + doubt(analysis);
}

std::string ranks_left_out(const RankAnalysis& analysis) {
  std::string out;
  if (analysis.unmatched > 0)
    out += fmt::format(
        "\n{} collective kernels have no partner on another rank (not recorded there, or by profilers that started or "
        "stopped at other times)\n",
        analysis.unmatched);
  if (analysis.before_all_recorded > 0)
    out +=
        fmt::format("{} matched collectives began before the profilers of all ranks ran: their waiting is left out\n",
                    analysis.before_all_recorded);
  return out;
}

}  // namespace warplens::cli
