#include "warplens/program/analysis/ranks/matching.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis {
namespace {

constexpr size_t kAnchors = 64;         // collectives that a candidate shift is tried on first
constexpr size_t kFinalists = 8;        // candidates tried on all of them
constexpr double kSizeMismatches =
    0.05;  // share of pairs whose sizes may disagree (collectives without metadata aside)
constexpr int64_t kClockNoiseNs = 100'000;

using Rows = std::vector<uint32_t>;

/// Rows of collective kernels by process group and rank, in order of start. Kernels without metadata (their launch was
/// not recorded) go to the group that shares their stream.
using Groups = std::map<StringId, std::vector<Rows>>;

StringId group_of(const Profile& profile, uint32_t event) {
  const uint32_t collective = profile.device_events.collective[event];
  return collective == kNone ? StringId::kEmpty : profile.collectives.group_name[collective];
}

Groups group_collectives(const Profile& profile) {
  const auto& events = profile.device_events;
  Rows rows;
  std::map<std::pair<uint32_t, int64_t>, StringId> stream_group;
  for (uint32_t e = 0; e < events.size(); ++e) {
    if (!is_collective(profile, e)) continue;
    rows.push_back(e);
    if (const StringId group = group_of(profile, e); group != StringId::kEmpty)
      stream_group.try_emplace({events.device[e], events.stream[e]}, group);
  }
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return events.start_ns[a] < events.start_ns[b]; });
  Groups groups;
  for (const uint32_t e : rows) {
    StringId group = group_of(profile, e);
    if (group == StringId::kEmpty)
      if (const auto known = stream_group.find({events.device[e], events.stream[e]}); known != stream_group.end())
        group = known->second;
    auto& by_rank = groups[group];
    by_rank.resize(profile.ranks.size());
    by_rank[rank_of_event(profile, e)].push_back(e);
  }
  return groups;
}

int64_t end_ns(const Profile& profile, uint32_t event) {
  return profile.device_events.start_ns[event] + profile.device_events.duration_ns[event];
}

int64_t elements(const Profile& profile, uint32_t event) {
  const uint32_t collective = profile.device_events.collective[event];
  return collective == kNone ? -1 : profile.collectives.in_elements[collective];
}

int64_t sequence(const Profile& profile, uint32_t event) {
  const uint32_t collective = profile.device_events.collective[event];
  return collective == kNone ? -1 : profile.collectives.sequence[collective];
}

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t median_deviation(std::vector<int64_t> values) {
  const int64_t center = median(values);
  for (int64_t& value : values) value = std::llabs(value - center);
  return median(std::move(values));
}

/// How well b[i + shift] answers to a[i], over every `stride`-th i: the spread of the ends' differences, or no value
/// when too few pairs are left or sizes disagree.
std::optional<int64_t> spread_at(const Profile& profile, const Rows& a, const Rows& b, ptrdiff_t shift, size_t stride) {
  std::vector<int64_t> differences;
  size_t known = 0, wrong = 0, tried = 0;
  for (size_t i = 0; i < a.size(); i += stride) {
    ++tried;
    const ptrdiff_t j = static_cast<ptrdiff_t>(i) + shift;
    if (j < 0 || j >= static_cast<ptrdiff_t>(b.size())) continue;
    const uint32_t other = b[static_cast<size_t>(j)];
    differences.push_back(end_ns(profile, other) - end_ns(profile, a[i]));
    const int64_t na = elements(profile, a[i]), nb = elements(profile, other);
    known += na >= 0 && nb >= 0;
    wrong += na >= 0 && nb >= 0 && na != nb;
  }
  const size_t shorter = std::min(tried, b.size() / stride + 1);
  if (differences.empty() || differences.size() * 2 < shorter ||
      static_cast<double>(wrong) > kSizeMismatches * static_cast<double>(known))
    return std::nullopt;
  return median_deviation(std::move(differences));
}

/// The shift from positions in `a` to positions in `b`.
std::optional<ptrdiff_t> align(const Profile& profile, const Rows& a, const Rows& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  std::vector<std::pair<int64_t, ptrdiff_t>> candidates;
  const size_t stride = std::max<size_t>(1, a.size() / kAnchors);
  for (ptrdiff_t shift = 1 - static_cast<ptrdiff_t>(a.size()); shift < static_cast<ptrdiff_t>(b.size()); ++shift)
    if (const auto spread = spread_at(profile, a, b, shift, stride)) candidates.push_back({*spread, shift});
  const size_t finalists = std::min(kFinalists, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(finalists), candidates.end());
  std::optional<std::pair<int64_t, ptrdiff_t>> best;
  for (size_t c = 0; c < finalists; ++c)
    if (const auto spread = spread_at(profile, a, b, candidates[c].second, 1))
      if (!best || std::pair(*spread, candidates[c].second) < *best) best = {*spread, candidates[c].second};
  return best ? std::optional(best->second) : std::nullopt;
}

/// Position in `b` of each of `a`, or -1.
std::vector<ptrdiff_t> partners(const Profile& profile, const Rows& a, const Rows& b) {
  std::vector<ptrdiff_t> found(a.size(), -1);
  std::map<int64_t, ptrdiff_t> by_sequence;
  for (size_t j = 0; j < b.size(); ++j)
    if (const int64_t s = sequence(profile, b[j]); s >= 0) by_sequence.emplace(s, static_cast<ptrdiff_t>(j));
  bool any = false;
  for (size_t i = 0; i < a.size(); ++i)
    if (const auto it = by_sequence.find(sequence(profile, a[i])); it != by_sequence.end())
      found[i] = it->second, any = true;
  if (any) return found;
  if (const auto shift = align(profile, a, b))
    for (size_t i = 0; i < a.size(); ++i)
      if (const ptrdiff_t j = static_cast<ptrdiff_t>(i) + *shift; j >= 0 && j < static_cast<ptrdiff_t>(b.size()))
        found[i] = j;
  return found;
}

void match_group(const Profile& profile, const std::vector<Rows>& by_rank, RankMatching& matching,
                 std::vector<std::vector<int64_t>>& end_differences) {
  const auto longest = std::max_element(by_rank.begin(), by_rank.end(),
                                        [](const Rows& a, const Rows& b) { return a.size() < b.size(); });
  const auto reference = static_cast<size_t>(longest - by_rank.begin());
  const Rows& base = by_rank[reference];
  std::vector<MatchedCollective> matched(base.size());
  for (size_t i = 0; i < base.size(); ++i) {
    matched[i].events.assign(by_rank.size(), kNone);
    matched[i].events[reference] = base[i];
  }
  for (size_t r = 0; r < by_rank.size(); ++r) {
    if (r == reference) continue;
    const std::vector<ptrdiff_t> found = partners(profile, base, by_rank[r]);
    size_t hits = 0;
    for (size_t i = 0; i < base.size(); ++i)
      if (found[i] >= 0) matched[i].events[r] = by_rank[r][static_cast<size_t>(found[i])], ++hits;
    matching.unmatched += static_cast<int64_t>(by_rank[r].size() - hits);
  }
  for (MatchedCollective& collective : matched) {
    const auto present =
        std::count_if(collective.events.begin(), collective.events.end(), [](uint32_t e) { return e != kNone; });
    if (present < 2) {
      ++matching.unmatched;
      continue;
    }
    if (collective.events[0] != kNone)
      for (size_t r = 1; r < collective.events.size(); ++r)
        if (collective.events[r] != kNone)
          end_differences[r].push_back(end_ns(profile, collective.events[0]) - end_ns(profile, collective.events[r]));
    matching.collectives.push_back(std::move(collective));
  }
}

}  // namespace

bool is_collective(const Profile& profile, size_t event) {
  if (profile.device_events.kind[event] != DeviceEventKind::kKernel) return false;
  if (profile.device_events.collective[event] != kNone) return true;
  return names_collective(profile.text(profile.device_events.name[event]));
}

RankMatching match_collectives(const Profile& profile) {
  const TimedScope timed("match collectives across ranks");
  RankMatching matching;
  std::vector<std::vector<int64_t>> end_differences(profile.ranks.size());
  for (const auto& [group, by_rank] : group_collectives(profile))
    match_group(profile, by_rank, matching, end_differences);
  matching.clocks.resize(profile.ranks.size());
  for (size_t r = 1; r < matching.clocks.size(); ++r) {
    RankClock& clock = matching.clocks[r];
    clock.spread_ns = median_deviation(end_differences[r]);
    clock.measured_ns = median(end_differences[r]);
    if (std::llabs(clock.measured_ns) > kClockNoiseNs + 4 * clock.spread_ns) clock.shift_ns = clock.measured_ns;
  }
  return matching;
}

}  // namespace warplens::analysis
