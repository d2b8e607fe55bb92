// warplens export: a profile, or a part of it, for other programs.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/program/analysis/operators/torch_table.h"
#include "warplens/trace/readers/read.h"
#include "warplens/writers/chrome/chrome.h"
#include "warplens/writers/flamegraph/flamegraph.h"
#include "warplens/writers/gzip.h"
#include "warplens/writers/selection.h"

namespace warplens::cli {
namespace {

/// "12.5ms", "300us", "2s", "1500" (ns) in nanoseconds.
Result<int64_t> time_flag(const Invocation& invocation, const char* flag) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  static constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const std::string text = invocation.text(flag);
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    if (const auto number = parse_double(trim(std::string_view(text).substr(0, text.size() - unit.name.size())))) {
      return static_cast<int64_t>(*number * unit.ns);
    }
  }
  if (const auto ns = parse_int(text)) return *ns;
  return usage_error(fmt::format("{} {}: give a time as 12.5ms, 300us, 2s or nanoseconds", flag, text));
}

Result<std::pair<int64_t, int64_t>> step_flag(const std::string& text) {
  const size_t dash = text.find('-', 1);
  const auto first = parse_int(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_int(text.substr(dash + 1));
  if (!first || !last || *first > *last)
    return usage_error(fmt::format("--step {}: give a step's number, or first-last", text));
  return std::pair{*first, *last};
}

Result<writers::Cut> cut_of(const Invocation& invocation) {
  writers::Cut cut;
  if (invocation.has("--step")) {
    WL_ASSIGN(cut.steps, step_flag(invocation.text("--step")));
  }
  if (invocation.has("--from")) {
    WL_ASSIGN(cut.from_ns, time_flag(invocation, "--from"));
  }
  if (invocation.has("--to")) {
    WL_ASSIGN(cut.to_ns, time_flag(invocation, "--to"));
  }
  if (invocation.has("--rank")) {
    WL_ASSIGN(const int64_t rank, invocation.integer("--rank"));
    cut.rank = static_cast<int32_t>(rank);
  }
  if (invocation.has("--stream")) {
    WL_ASSIGN(cut.stream, invocation.integer("--stream"));
  }
  if (invocation.has("--min-duration")) {
    WL_ASSIGN(cut.shortest_ns, time_flag(invocation, "--min-duration"));
  }
  cut.annotation = invocation.text("--annotation");
  return cut;
}

bool on_device(const Profile& profile, const std::string& metric) {
  return metric.empty() ? profile.device_events.size() != 0 : metric != "self_cpu_time_total";
}

using writers::ByteSink;

Status as_chrome(const Invocation&, const Profile& profile, const writers::Selection& selection, const ByteSink& to) {
  return writers::chrome_trace(profile, selection, to);
}

Status as_stacks(const Invocation& invocation, const Profile& profile, const writers::Selection&, const ByteSink& to) {
  WL_ASSIGN(const std::string stacks,
            analysis::torch_stacks(profile, on_device(profile, invocation.text("--metric")) ? "self_cuda_time_total"
                                                                                            : "self_cpu_time_total"));
  return to(stacks);
}

Status as_flamegraph(const Invocation& invocation, const Profile& profile, const writers::Selection& selection,
                     const ByteSink& to) {
  const bool device = on_device(profile, invocation.text("--metric"));
  WL_ASSIGN(const std::string svg,
            writers::flame_graph(profile, selection,
                                 device ? writers::FlameMetric::kDeviceTime : writers::FlameMetric::kHostTime));
  return to(svg);
}

struct ExportType {
  const char* name;
  bool takes_cuts;
  Status (*write)(const Invocation&, const Profile&, const writers::Selection&, const ByteSink&);
};

constexpr ExportType kTypes[] = {
    {"chrome", true, as_chrome}, {"stacks", false, as_stacks}, {"flamegraph", true, as_flamegraph}};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const ExportType& type : kTypes) names.emplace_back(type.name);
  return names;
}

const char* const kCutFlags[] = {"--step", "--from", "--to", "--rank", "--stream", "--annotation", "--min-duration"};

Result<int> run_export(const Invocation& invocation) {
  if (invocation.operands.empty()) return usage_error("give a trace");
  const std::string wanted = invocation.text("--type");
  const ExportType& type =
      *std::find_if(std::begin(kTypes), std::end(kTypes), [&](const ExportType& t) { return wanted == t.name; });
  for (const char* flag : kCutFlags)
    if (!type.takes_cuts && invocation.has(flag))
      return usage_error(fmt::format("-t {} takes no cuts: leave {} out", type.name, flag));
  WL_ASSIGN(const writers::Cut cut, cut_of(invocation));
  WL_ASSIGN(const Profile profile, read_profile(invocation.operands));
  WL_ASSIGN(const writers::Selection selection, writers::Selection::make(profile, cut));
  WL_ASSIGN(FileWriter file, invocation.output_file());
  const ByteSink to_file = [&](std::string_view bytes) { return file.write(bytes); };
  if (invocation.text("--output").ends_with(".gz")) {
    WL_ASSIGN(writers::GzipWriter packed, writers::GzipWriter::start(to_file));
    WL_TRY(type.write(invocation, profile, selection, [&](std::string_view bytes) { return packed.write(bytes); }));
    WL_TRY(packed.finish());
  } else {
    WL_TRY(type.write(invocation, profile, selection, to_file));
  }
  WL_TRY(file.commit());
  return kExitOk;
}

}  // namespace

extern const Verb kExport;
const Verb kExport = {
    "export",
    "a profile, or a part of it, for other programs: Chrome and Perfetto, flame graphs, stacks",
    "PROFILE...",
    "Cuts make a trace small enough for a browser. Device work belongs to the step or annotation that launched it. An "
    "output name that "
    "ends with .gz is compressed.",
    {{"-t,--type", "TYPE",
      "chrome: JSON for chrome://tracing, ui.perfetto.dev and warplens; stacks: torch's export_stacks; flamegraph: an "
      "SVG "
      "that can be searched and zoomed",
      "chrome", type_names()},
     {"--step", "N", "only step N, or steps N-M"},
     {"--annotation", "GLOB", "only what happened in ranges of this name, as 'forward*'"},
     {"--from", "TIME", "only from this time on, since the start of the trace: 12.5ms, 300us, 2s, or nanoseconds"},
     {"--to", "TIME", "only before this time"},
     {"--rank", "N", "only this rank"},
     {"--stream", "N", "of device work only this stream"},
     {"--min-duration", "TIME", "leave shorter events out"},
     {"--metric",
      "METRIC",
      "of stacks and flame graphs [device time where there is any]",
      "",
      {"self_cuda_time_total", "self_cpu_time_total"}}},
    {{"warplens export trace.json.gz --step 12 -o step12.json.gz", "one step, for a browser"},
     {"warplens export trace.json.gz -t flamegraph -o flames.svg", "GPU time by Python code, operator and kernel"},
     {"warplens export trace.json.gz -t stacks --metric self_cuda_time_total -o stacks.txt",
      "for flamegraph.pl or speedscope"}},
    run_export};

}  // namespace warplens::cli
