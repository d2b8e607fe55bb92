// What can only be done when all of a file is read.
#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/readers/kineto/rank_builder.h"

namespace warplens::kineto {
void RankBuilder::finish() {
  join_spans();
  name_threads();
  describe_launches();
  adopt_foreign_spans();
  describe_numbered_otherwise();
  set_window();
  align_to_profile();
  split_ranks();
  const TimedScope timed("check integrity");
  check_rank(profile_, {.rank = rank_,
                        .operators = first_rows_["operators"],
                        .calls = first_rows_["calls"],
                        .device_events = first_rows_["device_events"],
                        .synchronizations = first_rows_["synchronizations"],
                        .python_frames = first_rows_["python_frames"]});
}

void RankBuilder::join_spans() {
  // Writers may put a thread's marks out of order; those of one moment stay as they stand.
  std::stable_sort(spans_.begin(), spans_.end(), [](const SpanMark& a, const SpanMark& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.time_ns < b.time_ns;
  });
  std::vector<const SpanMark*> open;
  int64_t unopened = 0, unclosed = 0;
  for (const SpanMark& mark : spans_) {
    if (!open.empty() && open.back()->thread != mark.thread) {
      unclosed += static_cast<int64_t>(open.size());
      open.clear();
    }
    if (!mark.is_end) {
      open.push_back(&mark);
    } else if (open.empty()) {
      ++unopened;
    } else {
      const SpanMark& begin = *open.back();
      span_columns(profile_, begin.table).durations.at(begin.row) = mark.time_ns - begin.time_ns;
      open.pop_back();
    }
  }
  unclosed += static_cast<int64_t>(open.size());
  if (unopened + unclosed > 0)
    profile_.integrity.add("unmatched-spans", Severity::kWarning, unopened + unclosed,
                           fmt::format("{}: {} spans begin and never end (they count as 0 ns), {} end and never began",
                                       name_, unclosed, unopened),
                           "the trace begins or ends inside these spans; record with a wider window");
}

void RankBuilder::name_threads() {
  for (const NameMark& mark : names_) {
    if (mark.of_process) continue;
    const auto found = threads_.find(mark.thread);
    if (found != threads_.end()) profile_.threads.name.at(found->second) = mark.name;
  }
}

void RankBuilder::describe_launches() {
  std::unordered_map<int64_t, const LaunchMark*> by_correlation;
  for (const LaunchMark& mark : launches_) by_correlation[mark.correlation] = &mark;
  if (by_correlation.empty()) return;
  device_events_table& events = profile_.device_events;
  for (size_t i = first_rows_["device_events"]; i < events.size(); ++i) {
    const auto found = by_correlation.find(events.correlation[i]);
    if (found == by_correlation.end()) continue;
    const bool is_kernel = events.kind[i] == DeviceEventKind::kKernel;
    if (is_kernel && events.launch_config[i] == kNone) events.launch_config.at(i) = found->second->launch_config;
    if (!is_kernel && events.bytes[i] == 0) events.bytes.at(i) = found->second->bytes;
  }
}

void RankBuilder::set_window() {
  int64_t first = INT64_MAX, last = INT64_MIN;
  const auto take = [&](int64_t start_ns, int64_t duration_ns) {
    first = std::min(first, start_ns);
    last = std::max(last, start_ns + duration_ns);
  };
  const other_events_table& others = profile_.other_events;
  for (size_t i = first_rows_["other_events"]; i < others.size(); ++i) {
    if (profile_.text(others.category[i]) == "Trace") take(others.start_ns[i], others.duration_ns[i]);
  }
  if (first == INT64_MAX) {
    for (const SpanTable table : kSpanTables) {
      const auto [name, starts, durations] = span_columns(profile_, table);
      for (size_t i = first_rows_[name]; i < starts.size(); ++i) take(starts[i], durations[i]);
    }
  }
  if (first == INT64_MAX) first = last = 0;
  profile_.ranks.window_start_ns.at(rank_) = first;
  profile_.ranks.window_end_ns.at(rank_) = last;
}

void RankBuilder::align_to_profile() {
  if (rank_ == 0) profile_.base_ns = base_ns_;
  const int64_t shift_ns = base_ns_ - profile_.base_ns;
  if (shift_ns == 0) return;
  for_each_table(profile_, [&](std::string_view table_name, auto& table, const char*) {
    for_each_column(table, [&](std::string_view name, auto& column, const char*) {
      if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Column<int64_t>>) {
        if (name == "start_ns" || name == "time_ns" || name == "window_start_ns" || name == "window_end_ns") {
          for (size_t i = first_rows_[table_name]; i < column.size(); ++i) column.at(i) += shift_ns;
        }
      }
    });
  });
}

}  // namespace warplens::kineto
