// warplens timeline: busy, exposed and idle time of each device and step, and why it was idle.
#include "warplens/program/analysis/timeline/timeline.h"

#include <algorithm>

#include "warplens/base/quantity.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/class_flags.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/timeline_tables.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/critical_path/path.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/timeline/lanes.h"

namespace warplens::cli {
namespace {

using namespace analysis;

constexpr size_t kQueueSlots = 80;
constexpr size_t kPipedWidth = 160;  // of lines in a pipe or a file, where no terminal says how wide they may be

size_t shown_width() { return terminal_width() != 0 || whole_names() ? terminal_width() : kPipedWidth; }

std::string idle_json(const DeviceStep& row) {
  json::Writer w;
  w.begin_object();
  for (size_t cause = 0; cause < kGapCauses; ++cause)
    w.member(std::string(gap_cause_name(static_cast<GapCause>(cause))) + "_ns", row.idle_by_cause[cause]);
  return w.end_object().take();
}

struct Shown {
  const Profile& p;
  const Timeline& timeline;
  const CriticalPath& path;
  std::vector<DeviceQueue> queues;
  std::vector<MatrixWork> matrices;
  std::vector<CollectiveWork> collectives;
};

void write_members(json::Writer& w, const Shown& shown) {
  const auto& [p, timeline, path, queues, matrices, collectives] = shown;
  write_rows(w.key("steps"), steps_table(p, timeline));
  w.key("idle_by_cause").begin_array();
  for (const DeviceStep& row : timeline.rows) w.raw(idle_json(row));
  w.end_array().key("launches");
  write_rows(w, launches_table(p, timeline));
  w.key("queue");
  write_queues(w, p, queues);
  w.key("matrix_work");
  write_rows(w, matrix_table(p, matrices, 0));
  w.key("collectives");
  write_rows(w, collectives_table(p, collectives, 0));
  w.key("gaps");
  write_rows(w, gaps_table(p, timeline, 0));
  w.key("critical_path");
  write_rows(w, path_table(p, path, 0));
  w.member("critical_path_ns", path.total_ns);
}

/// Text cells of one column as `shorten` makes them: for people, who do not need every template argument.
template <typename Shorten>
Table shortened(Table table, std::string_view column, Shorten shorten) {
  if (whole_names()) return table;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    for (auto& row : table.rows) {
      if (table.columns[c].name == column) {
        if (auto* text = std::get_if<std::string>(&row[c])) *text = shorten(*text);
      }
    }
  }
  return table;
}

/// Without what is no tensor: "[[4096, 768], [768, 50257], [], []]" becomes "[4096, 768], [768, 50257]".
std::string tensors_only(std::string_view shapes) {
  std::string out;
  for (const std::string_view part : split(shapes, ']')) {
    const size_t open = part.rfind('[');
    if (open == std::string_view::npos || open + 1 == part.size()) continue;
    out += fmt::format("{}{}]", out.empty() ? "" : ", ", part.substr(open));
  }
  return out;
}

std::string as_text(const Shown& shown, size_t limit) {
  const auto& [p, timeline, path, queues, matrices, collectives] = shown;
  const size_t width = shown_width();
  std::string out = warplens::to_terminal(steps_table(p, timeline), width) + span_line(p, timeline) + "\n" +
                    warplens::to_terminal(gaps_table(p, timeline, limit), width) + "\n";
  out += warplens::to_terminal(launches_table(p, timeline), width) + draw_queues(p, queues) + "\n";
  if (!matrices.empty())
    out += warplens::to_terminal(shortened(matrix_table(p, matrices, limit), "shapes", tensors_only), width) +
           tensor_line(matrices) + "\n";
  if (!collectives.empty()) out += warplens::to_terminal(collectives_table(p, collectives, limit), width) + "\n";
  return out + warplens::to_terminal(shortened(path_table(p, path, limit), "name", short_kernel_name), width) + "\n";
}

/// The table that --table names.
Table chosen_table(const Shown& shown, std::string_view name, size_t limit) {
  if (name == "gaps") return gaps_table(shown.p, shown.timeline, limit);
  if (name == "launches") return launches_table(shown.p, shown.timeline);
  if (name == "matrix") return matrix_table(shown.p, shown.matrices, limit);
  if (name == "collectives") return collectives_table(shown.p, shown.collectives, limit);
  if (name == "path") return path_table(shown.p, shown.path, limit);
  return steps_table(shown.p, shown.timeline);
}

/// What --range names, since the start of the trace; else all device activity.
Result<Span> range(const Invocation& invocation, const Profile& p, const Timeline& timeline) {
  if (!invocation.has("--range")) return Span{timeline.rows.front().start_ns, timeline.rows.front().end_ns};
  const std::string text = invocation.text("--range");
  const auto times = parse_times_ns(text);
  if (!times.ok()) return times.status().in("--range " + text);
  const int64_t zero_ns = p.ranks.window_start_ns[0];
  return Span{zero_ns + times->first, zero_ns + times->second};
}

Result<int> run_timeline(const Invocation& invocation) {
  WL_ASSIGN(const Profile p, read_cut(invocation, invocation.operands));
  WL_ASSIGN(const size_t limit, invocation.count("--limit"));
  WL_ASSIGN(const ClassRules rules, chosen_rules(invocation));
  const Causes causes(p);
  const StepSet steps = step_set(p, causes.links.event_call);
  const Timeline timeline = device_timeline(p, causes, steps);
  if (timeline.rows.empty())
    return invalid_input("no device activity in this profile: record with ProfilerActivity.CUDA or nsys --trace=cuda");
  WL_ASSIGN(const Span drawn, range(invocation, p, timeline));
  const CriticalPath path = critical_path(p, build_program(p, causes.operators, causes.links, longest_run(steps).steps,
                                                           p.devices.rank[timeline.rows.front().device]));
  const size_t width = shown_width(), drawn_width = (width ? std::clamp<size_t>(width, 40, 160) : 120) - 20;
  const Shown shown{p,
                    timeline,
                    path,
                    device_queues(p, causes, timeline, std::min(drawn_width - 20, kQueueSlots)),
                    matrix_work(p, causes, rules),
                    collective_work(p, causes.operators, causes.links)};
  const ProfileReport report(invocation, p);
  if (invocation.format() == Format::kJson) {
    WL_TRY(report.json([&](json::Writer& writer) { write_members(writer, shown); }));
  } else if (invocation.format() == Format::kTable) {
    WL_TRY(report.text("\n" + as_text(shown, limit) +
                       draw_lanes(p, causes, rules, drawn.start_ns, drawn.end_ns, drawn_width)));
  } else {
    WL_TRY(report.table(chosen_table(shown, invocation.text("--table"), limit), ""));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kTimeline;
const Verb kTimeline = {
    "timeline",
    "show busy, exposed and idle time, and why the GPU was idle",
    "PROFILE...",
    "Computation, communication and copies are unions over a device's streams. Exposed time is communication or "
    "copies without computation at the same time. Each gap has the cause that explains most of it. Matrix work with "
    "recorded shapes is compared with the GPU's peak for its type and units. Collectives are compared with the usual "
    "bus bandwidth of their links. The critical path comes from a simulated run without the profiler's cost. On a "
    "colour terminal, lanes have the colours of kernel classes.",
    with_cut_flags({{"--limit", "N", "rows of the tables of gaps, matrix work, collectives and the path; 0: all", "10"},
                    {"--range", "TIME-TIME", "draw only this time range, since the start of the trace: 10ms-12.5ms"},
                    {"--table",
                     "NAME",
                     "the table that --format csv and md write",
                     "steps",
                     {"steps", "gaps", "launches", "matrix", "collectives", "path"}},
                    classes_flag()}),
    {{"warplens timeline trace.json.gz", "the device's time, step by step"},
     {"warplens timeline trace.json.gz --range 10ms-12ms", "draw two milliseconds as lanes"}},
    run_timeline,
    {{"the screen", [](const Invocation& i) { return i.format() == Format::kTable; },
      "--limit --range --classes " + cut_flag_names()},
     {"--format json", [](const Invocation& i) { return i.format() == Format::kJson; },
      "--classes " + cut_flag_names()},
     {"--format csv or md",
      [](const Invocation&) { return true; },
      "--limit --table --classes " + cut_flag_names(),
      {{"--limit", "--table"}}}}};

}  // namespace warplens::cli
