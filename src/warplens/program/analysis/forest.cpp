#include "warplens/program/analysis/forest.h"

#include <algorithm>
#include <numeric>

namespace warplens::analysis {
namespace {

struct Interval {
  int64_t start_ns, end_ns;
  uint32_t row;
};

bool opens_before(const Interval& a, const Interval& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
  return a.row < b.row;
}

/// Fills order, parent, depth and subtree_end for the intervals of one thread, whose positions start at `first`.
void nest(Forest& forest, const std::vector<Interval>& sorted, uint32_t first) {
  std::vector<uint32_t> open;  // indices into `sorted`, outermost first
  const auto close_last = [&](uint32_t end) {
    forest.subtree_end[sorted[open.back()].row] = first + end;
    open.pop_back();
  };
  for (uint32_t i = 0; i < sorted.size(); ++i) {
    const Interval& interval = sorted[i];
    while (!open.empty()) {
      const Interval& outer = sorted[open.back()];
      if (interval.start_ns < outer.end_ns && interval.end_ns <= outer.end_ns) break;
      close_last(i);
    }
    forest.order[first + i] = interval.row;
    forest.position[interval.row] = first + i;
    forest.parent[interval.row] = open.empty() ? kNone : sorted[open.back()].row;
    forest.depth[interval.row] = static_cast<uint32_t>(open.size());
    open.push_back(i);
  }
  while (!open.empty()) close_last(static_cast<uint32_t>(sorted.size()));
}

}  // namespace

Forest build_forest(std::span<const int64_t> starts_ns, std::span<const int64_t> durations_ns,
                    std::span<const uint32_t> threads, size_t thread_count) {
  const size_t n = starts_ns.size();
  Forest forest;
  for (auto* column : {&forest.order, &forest.position, &forest.subtree_end, &forest.parent, &forest.depth})
    column->resize(n);
  forest.thread_begin.assign(thread_count + 1, 0);
  for (const uint32_t thread : threads) ++forest.thread_begin[thread + 1];
  std::partial_sum(forest.thread_begin.begin(), forest.thread_begin.end(), forest.thread_begin.begin());

  // `order` first holds the rows bucketed by thread, in row order.
  std::vector<uint32_t> next(forest.thread_begin.begin(), forest.thread_begin.end() - 1);
  for (uint32_t row = 0; row < n; ++row) forest.order[next[threads[row]]++] = row;
  std::vector<Interval> intervals;
  for (size_t thread = 0; thread < thread_count; ++thread) {
    intervals.clear();
    for (uint32_t at = forest.thread_begin[thread]; at < forest.thread_begin[thread + 1]; ++at) {
      const uint32_t row = forest.order[at];
      intervals.push_back({starts_ns[row], starts_ns[row] + std::max<int64_t>(durations_ns[row], 0), row});
    }
    if (!std::is_sorted(intervals.begin(), intervals.end(), opens_before)) {
      std::sort(intervals.begin(), intervals.end(), opens_before);
    }
    nest(forest, intervals, forest.thread_begin[thread]);
  }
  return forest;
}

Forest operator_forest(const Profile& profile) {
  const auto& t = profile.operators;
  return build_forest(t.start_ns.values(), t.duration_ns.values(), t.thread.values(), profile.threads.size());
}

Forest frame_forest(const Profile& profile) {
  const auto& t = profile.python_frames;
  return build_forest(t.start_ns.values(), t.duration_ns.values(), t.thread.values(), profile.threads.size());
}

uint32_t innermost_at(const Forest& forest, std::span<const int64_t> starts_ns, std::span<const int64_t> durations_ns,
                      uint32_t thread, int64_t time_ns) {
  const auto begin = forest.order.begin() + forest.thread_begin[thread];
  const auto end = forest.order.begin() + forest.thread_begin[thread + 1];
  const auto after = std::upper_bound(begin, end, time_ns, [&](int64_t t, uint32_t row) { return t < starts_ns[row]; });
  if (after == begin) return kNone;
  uint32_t row = *(after - 1);
  while (row != kNone && starts_ns[row] + durations_ns[row] <= time_ns) row = forest.parent[row];
  return row;
}

}  // namespace warplens::analysis
