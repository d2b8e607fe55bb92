// Ranks beside one another: whether their clocks agree, and collectives that only waited for another rank's recording.
#include <algorithm>
#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/profile/job/job.h"

namespace warplens {
namespace {

constexpr int64_t kNoticeableNs = 1'000'000;

/// Adds to every time what its rank is to be moved by.
void shift_ranks(Profile& profile, const std::vector<int64_t>& shifts_ns) {
  for_each_table(static_cast<Tables&>(profile), [&](const char*, auto& table, const char*) {
    const auto rank_of = [&](size_t i) -> uint32_t {
      if constexpr (requires { profile.threads.rank[table.thread[i]]; }) return profile.threads.rank[table.thread[i]];
      else if constexpr (requires { profile.devices.rank[table.device[i]]; })
        return profile.devices.rank[table.device[i]];
      else return kNone;
    };
    const auto shift = [&](Column<int64_t>& times) {
      for (size_t i = 0; i < times.size(); ++i) {
        const uint32_t rank = rank_of(i);
        if (rank != kNone && shifts_ns[rank] != 0) times.at(i) += shifts_ns[rank];
      }
    };
    if constexpr (requires { table.start_ns; }) shift(table.start_ns);
    if constexpr (requires { table.time_ns; }) shift(table.time_ns);
  });
  for (uint32_t rank = 0; rank < shifts_ns.size(); ++rank) {
    if (shifts_ns[rank] == 0) continue;
    profile.ranks.window_start_ns.at(rank) += shifts_ns[rank];
    profile.ranks.window_end_ns.at(rank) += shifts_ns[rank];
    profile.ranks.clock_shift_ns.at(rank) += shifts_ns[rank];
  }
}

void align_clocks(Profile& profile, const job::Job& job) {
  std::vector<int64_t> shifts_ns(profile.ranks.size());
  for (uint32_t rank = 1; rank < profile.ranks.size(); ++rank) {
    const job::RankClock& clock = job.clocks[rank];
    if (std::abs(clock.shift_ns) <= kNoticeableNs) continue;
    shifts_ns[rank] = clock.shift_ns;
    profile.integrity.add(
        "rank-clocks-apart", Severity::kInfo, 1,
        fmt::format("{}: its clock was {} {} that of the first rank, by the ends of {} of {} collectives; its "
                    "times were moved",
                    checks::rank_name(profile, rank), format_ns(static_cast<double>(std::abs(clock.shift_ns))),
                    clock.shift_ns > 0 ? "behind" : "ahead of", clock.matched, clock.possible),
        "times between ranks are only as accurate as the agreement of the ranks on a collective's end");
  }
  shift_ranks(profile, shifts_ns);
}

void check_windows(Profile& profile) {
  const ranks_table& ranks = profile.ranks;
  int64_t apart = 0;
  for (uint32_t rank = 1; rank < ranks.size(); ++rank)
    apart +=
        ranks.window_start_ns[rank] > ranks.window_end_ns[0] || ranks.window_end_ns[rank] < ranks.window_start_ns[0];
  if (apart > 0)
    profile.integrity.add(
        "ranks-without-common-clock", Severity::kWarning, apart,
        fmt::format("{} of {} ranks were recorded at another time than the first, or by another clock", apart,
                    ranks.size()),
        "give the traces of one recording; these do not show how long ranks wait for one another");
}

/// Collectives of one rank that began before the last rank was recorded, and lasted until it was.
void check_waits(Profile& profile) {
  int64_t last_start_ns = INT64_MIN, waiting = 0, waited_ns = 0;
  for (const int64_t start_ns : profile.ranks.window_start_ns) last_start_ns = std::max(last_start_ns, start_ns);
  const device_events_table& events = profile.device_events;
  for (size_t i = 0; i < events.size(); ++i) {
    const bool waits = events.collective[i] != kNone && events.start_ns[i] < last_start_ns &&
                       events.start_ns[i] + events.duration_ns[i] > last_start_ns;
    if (waits) {
      ++waiting;
      waited_ns = std::max(waited_ns, last_start_ns - events.start_ns[i]);
    }
  }
  if (waiting > 0)
    profile.integrity.add(
        "collectives-waiting-for-recording", Severity::kWarning, waiting,
        fmt::format("{} collectives began before the last rank's recording did and waited for it, up to {}", waiting,
                    format_ns(static_cast<double>(waited_ns))),
        "leave the first step out when ranks are compared");
}

}  // namespace

void check_ranks(Profile& profile) {
  if (profile.ranks.size() < 2) return;
  const job::Job job = job::align_ranks(profile);
  align_clocks(profile, job);
  if (const auto why = job::not_one_job(profile, job)) {
    profile.integrity.add("ranks-of-different-jobs", Severity::kWarning, 1, *why,
                          "give the traces of one recording; these do not show how long ranks wait for one another");
    return;
  }
  check_windows(profile);
  check_waits(profile);
}

}  // namespace warplens
