#include "warplens/program/analysis/intervals.h"

#include <algorithm>

namespace warplens::analysis {

TimeSet unite(std::vector<Span> spans) {
  const auto earlier = [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; };
  if (!std::is_sorted(spans.begin(), spans.end(), earlier)) std::sort(spans.begin(), spans.end(), earlier);
  size_t kept = 0;
  for (const Span span : spans) {
    if (span.end_ns <= span.start_ns) continue;
    if (kept != 0 && span.start_ns <= spans[kept - 1].end_ns)
      spans[kept - 1].end_ns = std::max(spans[kept - 1].end_ns, span.end_ns);
    else spans[kept++] = span;
  }
  spans.resize(kept);
  return spans;
}

TimeSet intersect(const TimeSet& a, const TimeSet& b) {
  TimeSet out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Span common{std::max(a[i].start_ns, b[j].start_ns), std::min(a[i].end_ns, b[j].end_ns)};
    if (common.start_ns < common.end_ns) out.push_back(common);
    if (a[i].end_ns < b[j].end_ns) ++i;
    else ++j;
  }
  return out;
}

TimeSet subtract(const TimeSet& a, const TimeSet& b) {
  TimeSet out;
  size_t j = 0;
  for (const Span& span : a) {
    int64_t from = span.start_ns;
    while (j < b.size() && b[j].end_ns <= from) ++j;
    for (size_t k = j; k < b.size() && b[k].start_ns < span.end_ns; ++k) {
      if (b[k].start_ns > from) out.push_back({from, b[k].start_ns});
      from = std::max(from, b[k].end_ns);
    }
    if (from < span.end_ns) out.push_back({from, span.end_ns});
  }
  return out;
}

int64_t length_ns(const TimeSet& set) {
  int64_t total = 0;
  for (const Span& span : set) total += span.end_ns - span.start_ns;
  return total;
}

TimeSet clip(const TimeSet& set, int64_t start_ns, int64_t end_ns) { return intersect(set, {{start_ns, end_ns}}); }

int64_t overlap_ns(const TimeSet& set, int64_t start_ns, int64_t end_ns) {
  auto at = std::lower_bound(set.begin(), set.end(), start_ns,
                             [](const Span& span, int64_t time) { return span.end_ns <= time; });
  int64_t total = 0;
  for (; at != set.end() && at->start_ns < end_ns; ++at)
    total += std::min(at->end_ns, end_ns) - std::max(at->start_ns, start_ns);
  return total;
}

}  // namespace warplens::analysis
