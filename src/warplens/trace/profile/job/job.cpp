#include "warplens/trace/profile/job/job.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"

namespace warplens::job {
namespace {

constexpr int64_t kClockNoiseNs = 100'000;
constexpr int64_t kWallClockNs = 1'000'000'000'000'000'000;  // times after 2001 count from 1970

using RankMeetings = std::vector<Meetings>;

bool has_wall_clock(const Profile& profile, uint32_t rank) {
  return profile.ranks.window_start_ns[rank] - profile.ranks.clock_shift_ns[rank] + profile.base_ns >= kWallClockNs;
}

int64_t windows_apart_ns(const Profile& profile, uint32_t a, uint32_t b) {
  const ranks_table& ranks = profile.ranks;
  return std::max(ranks.window_start_ns[a] - ranks.window_end_ns[b], ranks.window_start_ns[b] - ranks.window_end_ns[a]);
}

RankClock clock_of(const Fit& fit, const RankClock& reference) {
  RankClock clock{.sure = fit.sure && reference.sure,
                  .spread_ns = fit.spread_ns,
                  .matched = fit.pairs.size(),
                  .possible = fit.possible};
  if (!clock.sure) return clock;
  clock.fitted_ns = reference.fitted_ns + fit.shift_ns;
  const bool noise = std::llabs(fit.shift_ns) <= kClockNoiseNs + 4 * fit.spread_ns;
  clock.shift_ns = reference.shift_ns + (noise ? 0 : fit.shift_ns);
  return clock;
}

/// By the first rank where that is sure, else by any that already stands on its clock.
std::vector<RankClock> align_clocks(const Profile& profile, const RankMeetings& meetings) {
  std::vector<RankClock> clocks(meetings.size());
  clocks[0].sure = true;
  std::vector<uint32_t> aligned = {0}, waiting(meetings.size() - 1);
  std::iota(waiting.begin(), waiting.end(), 1);
  for (size_t next = 0; next < aligned.size(); ++next) {
    const uint32_t reference = aligned[next];
    std::vector<RankClock> found(waiting.size());
    parallel_for(waiting.size(), default_threads(), [&](size_t i) {
      const bool common_clock = has_wall_clock(profile, reference) && has_wall_clock(profile, waiting[i]);
      found[i] = clock_of(fit_meetings(meetings[reference], meetings[waiting[i]], common_clock), clocks[reference]);
    });
    std::vector<uint32_t> left;
    for (size_t i = 0; i < waiting.size(); ++i) {
      RankClock& clock = clocks[waiting[i]];
      if (found[i].sure || found[i].matched > clock.matched) clock = found[i];
      (found[i].sure ? aligned : left).push_back(waiting[i]);
    }
    waiting = std::move(left);
  }
  return clocks;
}

/// Collectives of all ranks as one list each: of every group the rank that recorded most of it leads.
class Matcher {
 public:
  Matcher(const RankMeetings& meetings, const std::vector<RankClock>& clocks) : meetings_(meetings), clocks_(clocks) {}

  void run(Job& job) {
    std::map<std::tuple<StringId, StringId, Function>, RankMeetings> groups;
    for (uint32_t rank = 0; rank < meetings_.size(); ++rank) {
      for (const Meeting& m : meetings_[rank]) {
        RankMeetings& by_rank = groups[{m.group_name, m.group_ranks, m.function}];
        by_rank.resize(meetings_.size());
        by_rank[rank].push_back(m);
      }
    }
    for (const auto& [group, by_rank] : groups) match_group(by_rank, job);
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [end_ns, collective] : found_) job.collectives.push_back(std::move(collective));
  }

 private:
  void match_group(const RankMeetings& by_rank, Job& job) {
    const auto longest = std::max_element(by_rank.begin(), by_rank.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const auto leader = static_cast<uint32_t>(longest - by_rank.begin());
    std::vector<MatchedCollective> matched(longest->size());
    for (size_t i = 0; i < matched.size(); ++i) {
      matched[i].events.assign(by_rank.size(), kNone);
      matched[i].events[leader] = (*longest)[i].event;
    }
    for (uint32_t rank = 0; rank < by_rank.size(); ++rank) {
      if (rank == leader) continue;
      const int64_t shift_ns = clocks_[rank].fitted_ns - clocks_[leader].fitted_ns;
      const int64_t tolerance = tolerance_ns(std::max(clocks_[rank].spread_ns, clocks_[leader].spread_ns));
      const auto pairs = pair_meetings(*longest, by_rank[rank], shift_ns, tolerance);
      for (const auto& [i, j] : pairs) matched[i].events[rank] = by_rank[rank][j].event;
      job.unmatched += static_cast<int64_t>(by_rank[rank].size() - pairs.size());
    }
    for (size_t i = 0; i < matched.size(); ++i) {
      const auto missing = std::count(matched[i].events.begin(), matched[i].events.end(), kNone);
      const bool alone = static_cast<size_t>(missing) + 1 == matched[i].events.size();
      job.unmatched += alone;
      if (!alone) found_.push_back({(*longest)[i].end_ns + clocks_[leader].shift_ns, std::move(matched[i])});
    }
  }

  const RankMeetings& meetings_;
  const std::vector<RankClock>& clocks_;
  std::vector<std::pair<int64_t, MatchedCollective>> found_;
};

/// "8.5 days", "3.2 hours", "70 s".
std::string long_time(int64_t ns) {
  const double hours = static_cast<double>(ns) / 3.6e12;
  if (hours >= 48) return fmt::format("{:.1f} days", hours / 24);
  return hours >= 2 ? fmt::format("{:.1f} hours", hours) : format_ns(static_cast<double>(ns));
}

std::string file_name(const Profile& profile, uint32_t rank) {
  return std::string(profile.text(profile.ranks.file[rank]));
}

}  // namespace

Job align_ranks(const Profile& profile) {
  const TimedScope timed("match collectives across ranks");
  Job job;
  if (profile.ranks.size() == 0) return job;
  const RankMeetings meetings = meetings_by_rank(profile);
  job.clocks = align_clocks(profile, meetings);
  Matcher(meetings, job.clocks).run(job);
  return job;
}

std::optional<std::string> not_one_job(const Profile& profile, const Job& job) {
  const ranks_table& ranks = profile.ranks;
  std::map<int32_t, uint32_t> seen;
  uint32_t first = kNone;  // row that says which rank of how many it is
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    if (ranks.world_size[r] > 0) {
      first = std::min(first, r);
      if (ranks.world_size[first] != ranks.world_size[r])
        return fmt::format("{} is from a job of {} ranks, {} from one of {}", file_name(profile, first),
                           ranks.world_size[first], file_name(profile, r), ranks.world_size[r]);
      const auto [found, is_new] = seen.try_emplace(ranks.rank[r], r);
      if (!is_new)
        return fmt::format("{} and {} are both rank {}", file_name(profile, found->second), file_name(profile, r),
                           ranks.rank[r]);
    }
    const int64_t apart_ns = windows_apart_ns(profile, 0, r);
    if (!job.clocks[r].sure && has_wall_clock(profile, 0) && has_wall_clock(profile, r) && apart_ns > kClocksOfOneJobNs)
      return fmt::format("{} was recorded {} {} {}, and their collectives do not fit", file_name(profile, r),
                         long_time(apart_ns), ranks.window_start_ns[r] > ranks.window_start_ns[0] ? "after" : "before",
                         file_name(profile, 0));
  }
  return std::nullopt;
}

}  // namespace warplens::job
