#include "warplens/trace/profile/job/fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "warplens/base/middle.h"

namespace warplens::job {
namespace {

constexpr int64_t kLooseNs = 400'000;  // ends of a grouped send and receive may differ by this
constexpr int64_t kTightNs = 20'000;
constexpr int64_t kDenseNs = 5'000;  // finds the shift of collectives that follow each other within kLooseNs
constexpr size_t kMostDifferences = size_t{1} << 18;  // a sample of the first list beyond: it shows the same peaks
constexpr size_t kPeaks = 8;
constexpr size_t kFewest = 3;        // fewer agreeing ends prove nothing
constexpr double kLeastShare = 0.3;  // of what both recorded; sampled traces lack most of it
constexpr double kChance = -4;       // log10 of the probability that unrelated ends agree as well
constexpr double kFarShare = 0.9;    // of what both recorded, for clocks that are further apart than any job's
constexpr size_t kFarFewest = 8;

struct Differences {
  std::vector<int64_t> sorted;  // of the ends of each two that may be one, where no greater than the limit
  size_t stride = 1;            // every how many of the first list were looked at
};

Differences differences(const Meetings& a, const Meetings& b, int64_t limit_ns) {
  Differences out{{}, 1 + a.size() * b.size() / kMostDifferences};
  for (size_t i = 0; i < a.size(); i += out.stride) {
    for (const Meeting& other : b) {
      if (std::llabs(a[i].end_ns - other.end_ns) <= limit_ns && may_be_one(a[i], other))
        out.sorted.push_back(a[i].end_ns - other.end_ns);
    }
  }
  std::sort(out.sorted.begin(), out.sorted.end());
  return out;
}

/// The middles of the stretches of twice `reach_ns` in which the most differences lie, none within another.
std::vector<int64_t> peaks(const std::vector<int64_t>& sorted, int64_t reach_ns) {
  std::vector<std::tuple<size_t, size_t>> stretches;  // how many, from which on
  stretches.reserve(sorted.size());
  for (size_t from = 0, to = 0; from < sorted.size(); ++from) {
    while (to < sorted.size() && sorted[to] - sorted[from] <= 2 * reach_ns) ++to;
    stretches.push_back({to - from, from});
  }
  std::make_heap(stretches.begin(), stretches.end());  // a few of the largest are looked at, of very many
  std::vector<int64_t> middles;
  while (!stretches.empty()) {
    std::pop_heap(stretches.begin(), stretches.end());
    const auto [count, from] = stretches.back();
    stretches.pop_back();
    const int64_t middle = sorted[from + count / 2];
    const bool is_new =
        std::none_of(middles.begin(), middles.end(), [&](int64_t m) { return std::llabs(m - middle) <= reach_ns; });
    if (is_new) middles.push_back(middle);
    if (middles.size() == kPeaks) break;
  }
  return middles;
}

/// Collectives of the rank that has fewer, in the time that both recorded.
size_t possible_pairs(const Meetings& a, const Meetings& b, int64_t shift_ns) {
  const int64_t begin = std::max(a.front().end_ns, b.front().end_ns + shift_ns) - kLooseNs,
                end = std::min(a.back().end_ns, b.back().end_ns + shift_ns) + kLooseNs;
  const auto within = [&](const Meetings& list, int64_t shift) {
    return std::count_if(list.begin(), list.end(),
                         [&](const Meeting& m) { return m.end_ns + shift >= begin && m.end_ns + shift <= end; });
  };
  return static_cast<size_t>(std::min(within(a, 0), within(b, shift_ns)));
}

Fit fit_at(const Meetings& a, const Meetings& b, int64_t shift_ns) {
  Fit fit{.shift_ns = shift_ns};
  for (int64_t tolerance = kLooseNs, round = 0; round < 2; ++round) {
    fit.pairs = pair_meetings(a, b, fit.shift_ns, tolerance);
    std::vector<int64_t> apart;
    for (const auto& [i, j] : fit.pairs) apart.push_back(a[i].end_ns - b[j].end_ns);
    if (apart.empty()) return fit;
    fit.shift_ns = middle_of(apart);
    for (int64_t& difference : apart) difference = std::llabs(difference - fit.shift_ns);
    fit.spread_ns = middle_of(std::move(apart));
    tolerance = tolerance_ns(fit.spread_ns);
  }
  fit.possible = std::max(fit.pairs.size(), possible_pairs(a, b, fit.shift_ns));
  return fit;
}

bool better(const Fit& a, const Fit& b, bool common_clock) {
  const auto fewer = static_cast<double>(std::min(a.pairs.size(), b.pairs.size()));
  const auto more = static_cast<double>(std::max(a.pairs.size(), b.pairs.size()));
  if (fewer < 0.8 * more) return a.pairs.size() > b.pairs.size();
  const int64_t spread_a = std::max<int64_t>(a.spread_ns, 1000), spread_b = std::max<int64_t>(b.spread_ns, 1000);
  if (a.pairs.size() > b.pairs.size() && 2 * spread_a <= spread_b) return true;
  if (b.pairs.size() > a.pairs.size() && 2 * spread_b <= spread_a) return false;
  if (!common_clock || std::max(spread_a, spread_b) > 4 * std::min(spread_a, spread_b)) return spread_a < spread_b;
  return std::llabs(a.shift_ns) < std::llabs(b.shift_ns);
}

/// log10 of the probability that as many ends of unrelated ranks agree, at any shift that was as likely beforehand.
double chance(const Fit& fit, const Meetings& a, const Meetings& b, const Differences& all, bool common_clock) {
  const int64_t recorded_ns = a.back().end_ns - a.front().end_ns + b.back().end_ns - b.front().end_ns;
  const auto range = static_cast<double>(std::max(recorded_ns, all.sorted.back() - all.sorted.front()) + 1);
  const double width = 2.0 * static_cast<double>(std::max<int64_t>(4 * fit.spread_ns, 1000));
  const double expected = static_cast<double>(all.sorted.size() * all.stride) * width / range;
  const auto count = static_cast<double>(fit.pairs.size());
  if (count <= expected) return 0;
  const double shifts = common_clock ? 1 + 2.0 * static_cast<double>(std::llabs(fit.shift_ns)) / width : range / width;
  int sign = 0;  // std::lgamma would keep it in a variable that all threads share
  return (count * std::log(expected) - expected - ::lgamma_r(count + 1, &sign) + std::log(std::max(1.0, shifts))) /
         std::log(10.0);
}

Fit best_fit(const Meetings& a, const Meetings& b, bool common_clock, int64_t limit_ns) {
  Fit best;
  const Differences all = differences(a, b, limit_ns);
  for (const int64_t reach : {kLooseNs, kDenseNs}) {
    for (const int64_t peak : peaks(all.sorted, reach)) {
      if (Fit fit = fit_at(a, b, peak); best.pairs.empty() || better(fit, best, common_clock)) best = std::move(fit);
    }
  }
  best.sure = best.pairs.size() >= kFewest &&
              static_cast<double>(best.pairs.size()) >= kLeastShare * static_cast<double>(best.possible) &&
              chance(best, a, b, all, common_clock) < kChance;
  return best;
}

}  // namespace

int64_t tolerance_ns(int64_t spread_ns) { return std::clamp(8 * spread_ns, kTightNs, kLooseNs); }

std::vector<std::pair<uint32_t, uint32_t>> pair_meetings(const Meetings& a, const Meetings& b, int64_t shift_ns,
                                                         int64_t tolerance) {
  std::vector<std::tuple<int64_t, uint32_t, uint32_t>> candidates;
  const auto too_early = [&](const Meeting& m, int64_t from) { return m.end_ns + shift_ns < from; };
  for (uint32_t i = 0; i < a.size(); ++i) {
    const auto first = std::lower_bound(b.begin(), b.end(), a[i].end_ns - tolerance, too_early);
    for (auto other = first; other != b.end() && other->end_ns + shift_ns <= a[i].end_ns + tolerance; ++other) {
      if (may_be_one(a[i], *other))
        candidates.push_back(
            {std::llabs(other->end_ns + shift_ns - a[i].end_ns), i, static_cast<uint32_t>(other - b.begin())});
    }
  }
  using Identity = std::tuple<StringId, StringId, Function, int64_t>;
  const auto identity = [](const Meeting& m) { return Identity(m.group_name, m.group_ranks, m.function, m.sequence); };
  std::map<Identity, uint32_t> by_sequence;
  for (uint32_t j = 0; j < b.size(); ++j) {
    if (b[j].sequence >= 0) by_sequence.emplace(identity(b[j]), j);
  }
  for (uint32_t i = 0; i < a.size(); ++i) {
    if (const auto found = by_sequence.find(identity(a[i])); a[i].sequence >= 0 && found != by_sequence.end())
      candidates.push_back({INT64_MAX, i, found->second});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::vector<bool> a_taken(a.size()), b_taken(b.size());
  for (const auto& [apart, i, j] : candidates) {
    if (a_taken[i] || b_taken[j]) continue;
    a_taken[i] = b_taken[j] = true;
    pairs.push_back({i, j});
  }
  return pairs;
}

Fit fit_meetings(const Meetings& a, const Meetings& b, bool common_clock) {
  if (a.empty() || b.empty()) return {};
  if (!common_clock) return best_fit(a, b, false, INT64_MAX);
  Fit near = best_fit(a, b, true, kClocksOfOneJobNs);
  if (near.sure) return near;
  Fit far = best_fit(a, b, false, INT64_MAX);
  far.sure = far.sure && far.pairs.size() >= kFarFewest && far.spread_ns <= kTightNs &&
             static_cast<double>(far.pairs.size()) >= kFarShare * static_cast<double>(far.possible);
  return far.sure ? far : near;
}

}  // namespace warplens::job
