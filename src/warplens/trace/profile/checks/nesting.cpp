// Spans of one thread that overlap without one holding the other.
#include <algorithm>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/trace/profile/checks/checks.h"

namespace warplens::checks {
namespace {

struct Span {
  int64_t start_ns, end_ns;
};

void add_spans(std::vector<std::vector<Span>>& by_thread, const Column<uint32_t>& threads,
               const Column<int64_t>& starts, const Column<int64_t>& durations, size_t first) {
  for (size_t i = first; i < starts.size(); ++i) {
    if (durations[i] > 0) by_thread[threads[i]].push_back({starts[i], starts[i] + durations[i]});
  }
}

int64_t count_partial(std::vector<Span>& spans) {
  const auto outer_first = [](const Span& a, const Span& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  };
  if (!std::is_sorted(spans.begin(), spans.end(), outer_first)) std::sort(spans.begin(), spans.end(), outer_first);
  std::vector<int64_t> open_ends;
  int64_t partial = 0;
  for (const Span& span : spans) {
    while (!open_ends.empty() && open_ends.back() <= span.start_ns) open_ends.pop_back();
    partial += !open_ends.empty() && span.end_ns > open_ends.back();
    open_ends.push_back(span.end_ns);
  }
  return partial;
}

}  // namespace

void check_nesting(const Profile& profile, const RankRows& rows, Integrity& out) {
  const operators_table& operators = profile.operators;
  const python_frames_table& frames = profile.python_frames;
  std::vector<std::vector<Span>> by_thread(profile.threads.size());
  add_spans(by_thread, operators.thread, operators.start_ns, operators.duration_ns, rows.operators);
  add_spans(by_thread, frames.thread, frames.start_ns, frames.duration_ns, rows.python_frames);
  int64_t partial = 0;
  for (std::vector<Span>& spans : by_thread) partial += count_partial(spans);
  if (partial > 0)
    out.add("partly-overlapping-spans", Severity::kInfo, partial,
            fmt::format("{}: {} operators or Python frames begin inside another of their thread and end outside it",
                        rank_name(profile, rows.rank), partial),
            "they have no parent, so their time is not subtracted from the self time of the operator around them");
}

}  // namespace warplens::checks
