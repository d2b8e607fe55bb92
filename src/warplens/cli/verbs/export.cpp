// warplens export: a profile, or a part of it, for other programs.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/program/analysis/operators/torch_table.h"
#include "warplens/program/analysis/timeline/counters.h"
#include "warplens/writers/chrome/chrome.h"
#include "warplens/writers/flamegraph/flamegraph.h"
#include "warplens/writers/gzip.h"

namespace warplens::cli {
namespace {

bool on_device(const Profile& profile, const std::string& metric) {
  return metric.empty() ? profile.device_events.size() != 0 : metric != "self_cpu_time_total";
}

using writers::ByteSink;

Status as_chrome(const Invocation&, const Profile& profile, const ByteSink& to) {
  return writers::chrome_trace(profile, to);
}

Status as_stacks(const Invocation& invocation, const Profile& profile, const ByteSink& to) {
  WL_ASSIGN(const std::string stacks,
            analysis::torch_stacks(profile, on_device(profile, invocation.text("--metric")) ? "self_cuda_time_total"
                                                                                            : "self_cpu_time_total"));
  return to(stacks);
}

Status as_flamegraph(const Invocation& invocation, const Profile& profile, const ByteSink& to) {
  const bool device = on_device(profile, invocation.text("--metric"));
  WL_ASSIGN(const std::string svg, writers::flame_graph(profile, device ? writers::FlameMetric::kDeviceTime
                                                                        : writers::FlameMetric::kHostTime));
  return to(svg);
}

struct ExportType {
  const char* name;
  Status (*write)(const Invocation&, const Profile&, const ByteSink&);
};

constexpr ExportType kTypes[] = {{"chrome", as_chrome}, {"stacks", as_stacks}, {"flamegraph", as_flamegraph}};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const ExportType& type : kTypes) names.emplace_back(type.name);
  return names;
}

/// The type that was asked for, else the one that the output's name says.
Result<std::string> chosen_type(const Invocation& invocation) {
  const std::string type = invocation.text("--type"), output = invocation.text("--output");
  const bool picture = output.ends_with(".svg"), asked = !invocation.assumed.contains("--type");
  if (picture && !asked) return std::string("flamegraph");
  if (picture && type != "flamegraph")
    return usage_error(fmt::format("-o {}: only --type flamegraph is an SVG", output));
  for (const char* other : {".png", ".pdf", ".html", ".json", ".json.gz"}) {
    if (type == "flamegraph" && output.ends_with(other))
      return usage_error(fmt::format("-o {}: a flame graph is an SVG, which browsers show: name it .svg", output));
  }
  return type;
}

bool is_chrome(const Invocation& invocation) {
  const Result<std::string> type = chosen_type(invocation);
  return type.ok() && *type == "chrome";
}

Result<int> run_export(const Invocation& invocation) {
  WL_ASSIGN(const std::string wanted, chosen_type(invocation));
  const ExportType& type =
      *std::find_if(std::begin(kTypes), std::end(kTypes), [&](const ExportType& t) { return wanted == t.name; });
  WL_ASSIGN(Profile profile, read_cut(invocation, invocation.operands));
  if (invocation.has("--counters")) analysis::add_counters(profile);
  WL_ASSIGN(FileWriter file, invocation.output_file());
  const ByteSink to_file = [&](std::string_view bytes) { return file.write(bytes); };
  if (invocation.text("--output").ends_with(".gz")) {
    WL_ASSIGN(writers::GzipWriter packed, writers::GzipWriter::start(to_file));
    WL_TRY(type.write(invocation, profile, [&](std::string_view bytes) { return packed.write(bytes); }));
    WL_TRY(packed.finish());
  } else {
    WL_TRY(type.write(invocation, profile, to_file));
  }
  WL_TRY(file.commit());
  ProfileReport(invocation, profile).warn();
  return kExitOk;
}

}  // namespace

extern const Verb kExport;
const Verb kExport = {
    "export",
    "write Chrome or Perfetto traces, flame graphs, stacks",
    "PROFILE...",
    "Cuts make a trace small enough for a browser. Device work belongs to the step or annotation that launched it. An "
    "output name that ends with .gz is compressed.",
    with_cut_flags(
        {{"-t,--type", "TYPE",
          "chrome: JSON for chrome://tracing, ui.perfetto.dev and warplens; stacks: torch's export_stacks; flamegraph: "
          "an SVG that can be searched and zoomed, taken for -o NAME.svg",
          "chrome", type_names()},
         {"--min-duration", "TIME", "leave shorter events out"},
         {"--counters", "", "of chrome: draw each GPU's launch queue, copy bandwidth and allocated memory over time"},
         {"--metric",
          "METRIC",
          "of stacks and flame graphs [device time where there is any]",
          "",
          {"self_cuda_time_total", "self_cpu_time_total"}}}),
    {{"warplens export trace.json.gz --step 12 -o step12.json.gz", "one step, for a browser"},
     {"warplens export trace.json.gz --counters -o with_counters.json.gz",
      "queue, bandwidth and memory above the events"},
     {"warplens export trace.json.gz -t flamegraph -o flames.svg", "GPU time by Python code, operator and kernel"},
     {"warplens export trace.json.gz --metric self_cpu_time_total -o host.svg", "the host's time"},
     {"warplens export trace.json.gz -t stacks --metric self_cuda_time_total -o stacks.txt",
      "for flamegraph.pl or speedscope"}},
    run_export,
    {{"-t chrome", is_chrome, "--type --counters --min-duration " + cut_flag_names()},
     {"-t stacks or flamegraph", [](const Invocation&) { return true; },
      "--type --min-duration --metric " + cut_flag_names()}},
    Prints::kFile};

}  // namespace warplens::cli
