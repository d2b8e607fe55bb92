// warplens timeline: busy, exposed and idle time of each device and step, and why it was idle.
#include <algorithm>
#include <map>

#include "warplens/analysis/critical_path/path.h"
#include "warplens/analysis/timeline/lanes.h"
#include "warplens/analysis/timeline/timeline.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/readers/read.h"

namespace warplens::cli {
namespace {

using namespace analysis;

Table steps_table(const Profile& p, const Timeline& timeline) {
  Table table{{{"rank", "rank", Kind::kCount}, {"device", "GPU", Kind::kCount}, {"step", "step"}, {"span_ns", "span", Kind::kTimeNs}, {"busy_ns", "busy", Kind::kTimeNs},
               {"computation_ns", "compute", Kind::kTimeNs}, {"communication_ns", "comm", Kind::kTimeNs}, {"copies_ns", "copies", Kind::kTimeNs},
               {"exposed_communication_ns", "exposed comm", Kind::kTimeNs}, {"exposed_copies_ns", "exposed copies", Kind::kTimeNs}, {"idle_ns", "idle", Kind::kTimeNs}}, {}};
  for (const DeviceStep& row : timeline.rows) {
    const Cell step = row.step == kWholeTrace ? Cell{std::string("all")} : Cell{std::to_string(row.step)};
    table.rows.push_back({int64_t{p.ranks.rank[p.devices.rank[row.device]]}, int64_t{p.devices.ordinal[row.device]}, step, row.end_ns - row.start_ns, row.busy_ns, row.computation_ns,
                          row.communication_ns, row.copies_ns, row.exposed_communication_ns, row.exposed_copies_ns, row.idle_ns});
  }
  return table;
}

Table launches_table(const Profile& p, const Timeline& timeline) {
  Table table{{{"rank", "rank", Kind::kCount}, {"device", "GPU", Kind::kCount}, {"kernels", "kernels", Kind::kCount}, {"latency_min_ns", "launch to start, least", Kind::kTimeNs},
               {"latency_median_ns", "median", Kind::kTimeNs}, {"latency_p99_ns", "p99", Kind::kTimeNs}, {"shorter_than_launch", "shorter than launch", Kind::kCount},
               {"queue_mean", "queue, mean", Kind::kNumber}, {"queue_max", "most", Kind::kCount}, {"queue_empty_ns", "empty for", Kind::kTimeNs},
               {"streams_mean", "streams at once", Kind::kNumber}, {"several_streams_ns", "two or more", Kind::kTimeNs}}, {}};
  for (const DeviceStep& row : timeline.rows) {
    if (row.step != kWholeTrace) continue;
    const LaunchStatistics& s = row.launches;
    table.rows.push_back({int64_t{p.ranks.rank[p.devices.rank[row.device]]}, int64_t{p.devices.ordinal[row.device]}, s.kernels, s.latency_min_ns, s.latency_median_ns, s.latency_p99_ns,
                          s.shorter_than_launch, s.queue_mean, s.queue_max, s.queue_empty_ns, s.streams_mean, s.several_streams_ns});
  }
  return table;
}

/// Gaps of all devices by cause and by what the host was in, the costliest first.
Table gaps_table(const Profile& p, const Timeline& timeline, size_t limit) {
  struct Sum {
    int64_t count = 0, total_ns = 0, longest_ns = 0;
  };
  std::map<std::pair<GapCause, std::string>, Sum> sums;
  for (const std::vector<Gap>& gaps : timeline.gaps)
    for (const Gap& gap : gaps) {
      Sum& sum = sums[{gap.cause, std::string(gap.host == kNone ? "" : p.text(p.operators.name[gap.host]))}];
      const int64_t length = gap.end_ns - gap.start_ns;
      ++sum.count, sum.total_ns += length, sum.longest_ns = std::max(sum.longest_ns, length);
    }
  Table table{{{"cause", "idle because of"}, {"host", "host in"}, {"gaps", "gaps", Kind::kCount}, {"total_ns", "total", Kind::kTimeNs}, {"longest_ns", "longest", Kind::kTimeNs}}, {}};
  for (const auto& [key, sum] : sums) table.rows.push_back({std::string(gap_cause_name(key.first)), key.second, sum.count, sum.total_ns, sum.longest_ns});
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) { return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]); });
  if (limit && table.rows.size() > limit) table.rows.resize(limit);
  return table;
}

/// The critical path by kind and name, the costliest first.
Table path_table(const Profile& p, const CriticalPath& path, size_t limit) {
  std::map<std::pair<PathKind, std::string>, std::pair<int64_t, int64_t>> sums;
  for (const PathSegment& segment : path.segments) {
    const bool on_device = segment.kind == PathKind::kKernel || segment.kind == PathKind::kCopy || segment.kind == PathKind::kCommunication;
    auto& sum = sums[{segment.kind, on_device ? std::string(p.text(p.device_events.name[segment.row])) : ""}];
    ++sum.first, sum.second += segment.duration_ns;
  }
  Table table{{{"kind", "critical path"}, {"name", "name"}, {"segments", "segments", Kind::kCount}, {"total_ns", "total", Kind::kTimeNs}, {"share", "share", Kind::kShare}}, {}};
  for (const auto& [key, sum] : sums) {
    table.rows.push_back({std::string(path_kind_name(key.first)), key.second, sum.first, sum.second, static_cast<double>(sum.second) / static_cast<double>(std::max<int64_t>(path.total_ns, 1))});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) { return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]); });
  if (limit && table.rows.size() > limit) table.rows.resize(limit);
  return table;
}

std::string idle_json(const DeviceStep& row) {
  json::Writer w;
  w.begin_object();
  for (size_t cause = 0; cause < kGapCauses; ++cause) w.member(std::string(gap_cause_name(static_cast<GapCause>(cause))) + "_ns", row.idle_by_cause[cause]);
  return w.end_object().take();
}

std::string as_json(const Profile& p, const Timeline& timeline, const CriticalPath& path) {
  json::Writer w(true);
  w.begin_object().member("schema_version", 1).key("steps");
  write_rows(w, steps_table(p, timeline));
  w.key("idle_by_cause").begin_array();
  for (const DeviceStep& row : timeline.rows) w.raw(idle_json(row));
  w.end_array().key("launches");
  write_rows(w, launches_table(p, timeline));
  w.key("gaps");
  write_rows(w, gaps_table(p, timeline, 0));
  w.key("critical_path");
  write_rows(w, path_table(p, path, 0));
  return w.member("critical_path_ns", path.total_ns).end_object().take() + "\n";
}

/// "START-END" in milliseconds from the trace's first device event.
Result<Span> range(const Invocation& invocation, const Timeline& timeline) {
  const Span whole{timeline.rows.front().start_ns, timeline.rows.front().end_ns};
  const std::string text = invocation.text("--range");
  if (text.empty()) return whole;
  const std::vector<std::string_view> ends = split(text, '-');
  const auto from = ends.size() == 2 ? parse_double(ends[0]) : std::nullopt, to = ends.size() == 2 ? parse_double(ends[1]) : std::nullopt;
  if (!from || !to || *to <= *from || *from < 0) return usage_error(fmt::format("--range {}: write START-END in milliseconds, for example 12.5-14", text));
  return Span{whole.start_ns + static_cast<int64_t>(*from * 1e6), whole.start_ns + static_cast<int64_t>(*to * 1e6)};
}

Result<int> run_timeline(const Invocation& invocation) {
  WL_ASSIGN(const Profile p, read_profile(invocation.operands));
  WL_ASSIGN(const int64_t limit, invocation.integer("--limit"));
  const Causes causes(p);
  const std::vector<analysis::Step> steps = find_steps(p);
  const Timeline timeline = device_timeline(p, causes, steps);
  if (timeline.rows.empty()) return invalid_input("no device activity in this profile: record with ProfilerActivity.CUDA");
  WL_ASSIGN(const Span drawn, range(invocation, timeline));
  const CriticalPath path = critical_path(p, build_program(p, causes.operators, causes.links, steps, p.devices.rank[timeline.rows.front().device]));
  const auto shown = static_cast<size_t>(std::max<int64_t>(limit, 0));
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(as_json(p, timeline, path)));
  } else if (invocation.format() == Format::kTable) {
    const size_t width = terminal_width();
    std::string out = warplens::to_terminal(steps_table(p, timeline), width) + "\n" + warplens::to_terminal(gaps_table(p, timeline, shown), width) + "\n";
    out += warplens::to_terminal(launches_table(p, timeline), width) + "\n" + warplens::to_terminal(path_table(p, path, shown), width) + "\n";
    WL_TRY(invocation.emit(out + draw_lanes(p, drawn.start_ns, drawn.end_ns, (width ? std::min<size_t>(width, 160) : 120) - 20)));
  } else {
    WL_TRY(invocation.emit(steps_table(p, timeline)));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kTimeline;
const Verb kTimeline = {
    "timeline", "busy, exposed and idle time of each device and step, why it was idle, and what bounds the step", "PROFILE...",
    "Computation, communication and copies are unions over a device's streams; exposed is what none of the former hides. Each gap has the cause that "
    "explains most of it. The critical path is that of one run of the recorded steps with the profiler's own cost taken out.",
    {{"--limit", "N", "lines of the gap and path tables; 0: all", "10"},
     {"--range", "START-END", "draw only this stretch, in milliseconds from the first device activity"}},
    {{"warplens timeline trace.json.gz", "where the device's time goes, step by step"}, {"warplens timeline trace.json.gz --range 10-12", "draw two milliseconds as lanes"}},
    run_timeline};

}  // namespace warplens::cli
