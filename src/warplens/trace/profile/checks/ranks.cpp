// Ranks beside one another: whether their clocks agree, and collectives that only waited for another rank's recording.
#include <algorithm>
#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/trace/profile/checks/checks.h"

namespace warplens {
namespace {

constexpr int64_t kNoticeableNs = 1'000'000;

struct Collective {
  StringId name;
  int64_t elements, start_ns, end_ns;
};

/// Each rank's collectives in the order of their start.
std::vector<std::vector<Collective>> collectives_by_rank(const Profile& profile) {
  std::vector<std::vector<Collective>> out(profile.ranks.size());
  const device_events_table& events = profile.device_events;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.collective[i] == kNone) continue;
    const uint32_t row = events.collective[i];
    out[profile.devices.rank[events.device[i]]].push_back({profile.collectives.name[row],
                                                           profile.collectives.in_elements[row], events.start_ns[i],
                                                           events.start_ns[i] + events.duration_ns[i]});
  }
  for (auto& list : out)
    std::stable_sort(list.begin(), list.end(),
                     [](const Collective& a, const Collective& b) { return a.start_ns < b.start_ns; });
  return out;
}

/// What to add to times of `other` to put them on the clock of `first`: a collective ends everywhere at once. 0 when
/// the two do not match one to one from the end backwards.
int64_t clock_difference_ns(const std::vector<Collective>& first, const std::vector<Collective>& other) {
  const size_t n = std::min(first.size(), other.size());
  if (n < 3) return 0;
  std::vector<int64_t> differences;
  for (size_t back = 1; back <= n; ++back) {
    const Collective& a = first[first.size() - back];
    const Collective& b = other[other.size() - back];
    if (a.name == b.name && a.elements == b.elements) differences.push_back(a.end_ns - b.end_ns);
  }
  if (differences.size() * 10 < n * 9) return 0;
  std::sort(differences.begin(), differences.end());
  const int64_t spread = differences[differences.size() * 3 / 4] - differences[differences.size() / 4];
  const int64_t middle = differences[differences.size() / 2];
  return spread * 4 < std::abs(middle) ? middle : 0;
}

/// Adds `shift_ns` to every time of one rank.
void shift_rank(Profile& profile, uint32_t rank, int64_t shift_ns) {
  for_each_table(static_cast<Tables&>(profile), [&](const char*, auto& table, const char*) {
    const auto rank_of = [&](size_t i) -> uint32_t {
      if constexpr (requires { profile.threads.rank[table.thread[i]]; }) return profile.threads.rank[table.thread[i]];
      else if constexpr (requires { profile.devices.rank[table.device[i]]; })
        return profile.devices.rank[table.device[i]];
      else return kNone;
    };
    const auto shift = [&](Column<int64_t>& times) {
      for (size_t i = 0; i < times.size(); ++i)
        if (rank_of(i) == rank) times.at(i) += shift_ns;
    };
    if constexpr (requires { table.start_ns; }) shift(table.start_ns);
    if constexpr (requires { table.time_ns; }) shift(table.time_ns);
  });
  profile.ranks.window_start_ns.at(rank) += shift_ns;
  profile.ranks.window_end_ns.at(rank) += shift_ns;
  profile.ranks.clock_shift_ns.at(rank) += shift_ns;
}

void align_clocks(Profile& profile, const std::vector<std::vector<Collective>>& collectives) {
  for (uint32_t rank = 1; rank < profile.ranks.size(); ++rank) {
    const int64_t shift_ns = clock_difference_ns(collectives[0], collectives[rank]);
    if (std::abs(shift_ns) <= kNoticeableNs) continue;
    shift_rank(profile, rank, shift_ns);
    profile.integrity.add(
        "rank-clocks-apart", Severity::kInfo, 1,
        fmt::format("{}: its clock was {} {} that of the first rank, by the ends of their collectives; its "
                    "times were moved",
                    checks::rank_name(profile, rank), format_ns(static_cast<double>(std::abs(shift_ns))),
                    shift_ns > 0 ? "behind" : "ahead of"),
        "times between ranks hold to within what a collective's ends differ by");
  }
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
        "give the traces of one recording; what ranks wait for one another cannot be told from these");
}

void check_waits(Profile& profile, const std::vector<std::vector<Collective>>& collectives) {
  int64_t last_start_ns = INT64_MIN, waiting = 0, waited_ns = 0;
  for (const int64_t start_ns : profile.ranks.window_start_ns) last_start_ns = std::max(last_start_ns, start_ns);
  for (const auto& list : collectives)
    for (const Collective& collective : list)
      if (collective.start_ns < last_start_ns && collective.end_ns > last_start_ns)
        ++waiting, waited_ns = std::max(waited_ns, last_start_ns - collective.start_ns);
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
  const auto before = collectives_by_rank(profile);
  align_clocks(profile, before);
  check_windows(profile);
  check_waits(profile, collectives_by_rank(profile));
}

}  // namespace warplens
