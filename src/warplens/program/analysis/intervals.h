// Sets of time: unions, differences, intersections, lengths. Busy time is always the length of a union.
#pragma once
#include <cstdint>
#include <vector>

namespace warplens::analysis {

struct Span {
  int64_t start_ns, end_ns;
  bool operator==(const Span&) const = default;
};

/// Sorted, disjoint, non-empty spans.
using TimeSet = std::vector<Span>;

/// The union of any spans, in any order; empty and backward ones vanish.
TimeSet unite(std::vector<Span> spans);
TimeSet intersect(const TimeSet& a, const TimeSet& b);
TimeSet subtract(const TimeSet& a, const TimeSet& b);  // the part of a outside b
int64_t length_ns(const TimeSet& set);
/// The part of `set` within [start, end).
TimeSet clip(const TimeSet& set, int64_t start_ns, int64_t end_ns);

/// How much of [start, end) is in `set`, found by bisection.
int64_t overlap_ns(const TimeSet& set, int64_t start_ns, int64_t end_ns);

}  // namespace warplens::analysis
