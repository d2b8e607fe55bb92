// The checks of a profile that was read before and has lost rows on purpose since.
#include <algorithm>
#include <iterator>

#include "warplens/trace/profile/checks/checks.h"

namespace warplens {
namespace {

constexpr std::string_view kIssuesOfRanks[] = {"absurd-times",
                                               "clock-ahead",
                                               "clocks-apart",
                                               "dropped-records",
                                               "tail-lost",
                                               "kernels-without-duration",
                                               "kernels-without-launch",
                                               "launched-before-recording",
                                               "no-device-activity",
                                               "overlapping-kernels",
                                               "partly-overlapping-spans",
                                               "incomplete-graph-replays",
                                               "left-out-by-the-cut"};

Integrity without_issues_of_ranks(const Integrity& from) {
  Integrity out;
  for (const IntegrityIssue& issue : from.issues()) {
    if (std::find(std::begin(kIssuesOfRanks), std::end(kIssuesOfRanks), issue.id) == std::end(kIssuesOfRanks))
      out.add(issue.id, issue.severity, issue.count, issue.detail, issue.advice);
  }
  return out;
}

/// The first row that belongs to `rank` or a later one; `owners` names each row's owner, which has a rank.
size_t first_row(const Column<uint32_t>& owners, const Column<uint32_t>& rank_of_owner, uint32_t rank) {
  const auto before = [&](uint32_t owner) { return owner == kNone || rank_of_owner[owner] < rank; };
  return static_cast<size_t>(std::partition_point(owners.begin(), owners.end(), before) - owners.begin());
}

RankRows rows_of(const Profile& p, uint32_t rank) {
  return {.rank = rank,
          .operators = first_row(p.operators.thread, p.threads.rank, rank),
          .calls = first_row(p.calls.thread, p.threads.rank, rank),
          .device_events = first_row(p.device_events.device, p.devices.rank, rank),
          .synchronizations = first_row(p.synchronizations.device, p.devices.rank, rank),
          .python_frames = first_row(p.python_frames.thread, p.threads.rank, rank)};
}

/// `profile` up to the rows of `next`, without its texts.
Profile up_to(const Profile& profile, const RankRows& next) {
  Profile view;
  const auto rows = [&](std::string_view table, size_t size) {
    if (table == "operators") return next.operators;
    if (table == "calls") return next.calls;
    if (table == "device_events") return next.device_events;
    if (table == "synchronizations") return next.synchronizations;
    return table == "python_frames" ? next.python_frames : size;
  };
#define WL_TABLE(name, first, what)  \
  {                                  \
    auto& into = view.name;          \
    const auto& from = profile.name; \
    const size_t count = rows(#name, from.size());
#define WL_COLUMN(type, name, what) into.name.borrow(from.name.values().first(count));
#define WL_END() }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
  return view;
}

}  // namespace

void recheck(Profile& profile) {
  profile.integrity = without_issues_of_ranks(profile.integrity);
  for (uint32_t rank = 0; rank < profile.ranks.size(); ++rank) {
    Profile view = up_to(profile, rows_of(profile, rank + 1));
    view.strings = std::move(profile.strings);
    check_rank(view, rows_of(profile, rank));
    profile.strings = std::move(view.strings);
    for (const IntegrityIssue& issue : view.integrity.issues())
      profile.integrity.add(issue.id, issue.severity, issue.count, issue.detail, issue.advice);
  }
}

}  // namespace warplens
