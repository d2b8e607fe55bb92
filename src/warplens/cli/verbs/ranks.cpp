// warplens ranks: several ranks of one job, who waits for whom in its collectives and why.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/rank_reading.h"
#include "warplens/cli/ranks_tables.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/ranks/waiting.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

using analysis::CollectiveCost;
using analysis::RankAnalysis;
using analysis::RankCost;

/// Those that most was waited in, at most `limit`.
std::vector<CollectiveCost*> most_waiting(RankAnalysis& analysis, size_t limit) {
  std::vector<CollectiveCost*> order;
  for (CollectiveCost& c : analysis.collectives) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->waiting_ns > b->waiting_ns; });
  order.resize(std::min(order.size(), limit));
  return order;
}

/// In JSON every value is a number of its own unit; for people times are times.
Table outlier_table(const RankAnalysis& analysis, const std::vector<analysis::RankOutlier>& outliers) {
  Table table{{{"rank", "rank", Kind::kNumber},
               {"what", "what"},
               {"time_ns", "time", Kind::kTimeNs},
               {"median_time_ns", "median time", Kind::kTimeNs},
               {"count", "count", Kind::kNumber},
               {"median_count", "median count", Kind::kNumber},
               {"score", "score", Kind::kNumber}},
              {}};
  for (const analysis::RankOutlier& o : outliers) {
    const Cell value(o.value), median(o.median), none;
    table.rows.push_back({int64_t{analysis.ranks[o.rank].rank}, std::string(o.what), o.is_time ? value : none,
                          o.is_time ? median : none, o.is_time ? none : value, o.is_time ? none : median, o.score});
  }
  return table;
}

/// Of more ranks than a screen has lines, those that made the others wait the longest, in the order of the ranks.
Table shown_ranks(const RankAnalysis& analysis, Table ranks, size_t most) {
  if (ranks.rows.size() <= most) return ranks;
  std::vector<size_t> order(ranks.rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return analysis.ranks[a].caused_waiting_ns > analysis.ranks[b].caused_waiting_ns;
  });
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<std::vector<Cell>> rows;
  for (const size_t row : order) rows.push_back(ranks.rows[row]);
  ranks.rows = std::move(rows);
  return ranks;
}

/// The table as wide as a terminal: JSON and Markdown have these columns, too.
Table without_columns(Table table, std::initializer_list<std::string_view> keys) {
  for (size_t at = table.columns.size(); at-- > 0;) {
    if (std::find(keys.begin(), keys.end(), table.columns[at].name) == keys.end()) continue;
    table.columns.erase(table.columns.begin() + static_cast<ptrdiff_t>(at));
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + static_cast<ptrdiff_t>(at));
  }
  return table;
}

std::string as_text(const RankAnalysis& analysis, const Table& ranks, const Table& collectives, const Table& outliers) {
  constexpr size_t kMostRanks = 48;
  std::string out =
      ranks_headline(analysis) + "\n" +
      to_terminal(without_columns(shown_ranks(analysis, ranks, kMostRanks), {"kernels", "computation_ns"}),
                  terminal_width());
  if (ranks.rows.size() > kMostRanks)
    out += fmt::format("{} of {} ranks are shown: those that made the others wait longest; --json has all\n",
                       kMostRanks, ranks.rows.size());
  if (!outliers.rows.empty())
    out += '\n' + styled("Ranks unlike the others", Style::kBold) + '\n' + to_terminal(outliers, terminal_width());
  if (!collectives.rows.empty())
    out += '\n' + styled("Collectives by waiting", Style::kBold) + '\n' + to_terminal(collectives, terminal_width());
  return out;
}

/// Files of folders that could not be read.
std::string unread(const ReadRanks& ranks) {
  constexpr size_t kMostNamed = 5;
  std::string out;
  for (size_t i = 0; i < std::min(ranks.left_out.size(), kMostNamed); ++i)
    out += fmt::format("left out: {}\n", ranks.left_out[i].second);
  if (ranks.left_out.size() > kMostNamed)
    out += fmt::format("left out: {} more files\n", ranks.left_out.size() - kMostNamed);
  return out.empty() ? out : "\n" + out;
}

/// The part that the cuts choose is taken out of the whole job; else each file is read by itself.
Result<RankAnalysis> analyse(const Invocation& invocation, size_t limit, ReadRanks& ranks) {
  WL_ASSIGN(const analysis::Cut cut, chosen_cut(invocation));
  const bool one_by_one = cut.whole() && !invocation.has("--capture") &&
                          std::count(invocation.operands.begin(), invocation.operands.end(), "-") == 0;
  if (!one_by_one) {
    std::vector<std::string> paths;
    for (const std::string& path : invocation.operands) {
      const std::vector<std::string> found = traces_in(path);
      paths.insert(paths.end(), found.begin(), found.end());
      if (found.empty()) paths.push_back(path);
    }
    WL_ASSIGN(ranks.profile, read_cut(invocation, paths));
    return analysis::analyse_ranks(ranks.profile);
  }
  WL_ASSIGN(ranks, read_ranks(invocation.operands));
  RankAnalysis analysis = analysis::analyse_ranks(ranks.profile, ranks.facts);
  tell_hosts(ranks, most_waiting(analysis, limit));
  return analysis;
}

Result<int> run_ranks(const Invocation& invocation) {
  if (invocation.operands.empty()) return usage_error("give the traces of the ranks of one job, or their folder");
  WL_ASSIGN(size_t limit, invocation.count("--limit"));
  if (limit == 0) limit = SIZE_MAX;
  ReadRanks read;
  WL_ASSIGN(RankAnalysis analysis, analyse(invocation, limit, read));
  if (analysis.not_one_job)
    return invalid_input(*analysis.not_one_job + ": not the ranks of one job; give the traces of one recording");
  const Table ranks = ranks_table(analysis), collectives = collective_table(analysis, most_waiting(analysis, limit)),
              outliers = outlier_table(analysis, analysis::rank_outliers(analysis));
  const ProfileReport report(invocation, read.profile);
  if (invocation.format() == Format::kJson) {
    WL_TRY(report.json(
        [&](json::Writer& writer) {
          writer.member("unmatched", analysis.unmatched).member("before_all_recorded", analysis.before_all_recorded);
          write_rows(writer.key("ranks"), ranks);
          write_rows(writer.key("outliers"), outliers);
          write_rows(writer.key("collectives"), collectives);
          writer.key("left_out").begin_array();
          for (const auto& [file, why] : read.left_out)
            writer.begin_object()
                .member("file", std::string_view(file))
                .member("why", std::string_view(why))
                .end_object();
          writer.end_array();
        },
        false));
  } else if (invocation.format() == Format::kMarkdown) {
    WL_TRY(report.markdown(ranks_headline(analysis) + '\n' + to_markdown(ranks) + '\n' + to_markdown(collectives) +
                           '\n' + ranks_left_out(analysis) + unread(read)));
  } else {
    WL_TRY(report.table(collectives,
                        as_text(analysis, ranks, collectives, outliers) + ranks_left_out(analysis) + unread(read)));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kRanks;
const Verb kRanks = {
    "ranks",
    "show which ranks of a job wait for which, and why",
    "PROFILE...|FOLDER",
    "Matches the collectives of several ranks' traces, and aligns the ranks' clocks by them. The transfer of a "
    "collective is its shortest duration across ranks. The rest is the wait for the last rank. A folder means all "
    "files in it. Each is read alone, so a job of a thousand ranks takes the memory of a few.",
    with_cut_flags({{"--limit", "N", "collectives shown; 0: all", "10"}}),
    {{"warplens ranks trace.rank0.json.gz trace.rank1.json.gz", "two ranks of a data-parallel step"},
     {"warplens ranks traces/", "every rank of a job"}},
    run_ranks};

}  // namespace warplens::cli
