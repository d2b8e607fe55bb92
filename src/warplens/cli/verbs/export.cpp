// warplens export: a profile, or a part of it, for other programs.
#include <algorithm>

#include "warplens/cli/cut_flags.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/cli/written_types.h"
#include "warplens/program/analysis/timeline/counters.h"

namespace warplens::cli {
namespace {

bool has_type(const Invocation& invocation, std::initializer_list<std::string_view> names) {
  const Result<const WrittenType*> type = chosen_type(invocation, false);
  const std::string_view name = type.ok() && *type != nullptr ? (*type)->name : "chrome";
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_timeline(const Invocation& invocation) { return has_type(invocation, {"chrome", "perfetto", "sqlite"}); }
bool is_spans(const Invocation& invocation) { return has_type(invocation, {"speedscope"}); }

Result<int> run_export(const Invocation& invocation) {
  WL_ASSIGN(const WrittenType* const named, chosen_type(invocation, false));
  const WrittenType& type = named != nullptr ? *named : *std::ranges::find_if(written_types(), [](const auto& each) {
    return each.name == std::string_view("chrome");
  });
  WL_ASSIGN(Profile profile, read_cut(invocation, invocation.operands));
  if (invocation.has("--counters")) analysis::add_counters(profile);
  WL_TRY(write_as(type, invocation, profile));
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
          "chrome: JSON for chrome://tracing, ui.perfetto.dev and warplens; perfetto: Perfetto's own format "
          "(.pftrace); speedscope: the spans of each thread (.speedscope.json); sqlite: a database (.sqlite); stacks: "
          "torch's "
          "export_stacks; flamegraph: a searchable SVG (.svg). The output's name also chooses",
          "chrome", written_type_names(false)},
         {"--min-duration", "TIME", "leave shorter events out"},
         any_size_flag(),
         {"--counters", "",
          "for chrome, perfetto and sqlite: add each GPU's launch queue, copy bandwidth and allocated memory over "
          "time"},
         {"--metric",
          "METRIC",
          "the time that stacks and flame graphs show [device time if there is any]",
          "",
          {"self_cuda_time_total", "self_cpu_time_total"}}}),
    {{"warplens export trace.json.gz --step 12 -o step12.json.gz", "one step, for a browser"},
     {"warplens export trace.json.gz --counters -o with_counters.json.gz",
      "with queue, bandwidth and memory above the events"},
     {"warplens export trace.json.gz -t flamegraph -o flames.svg", "GPU time by Python code, operator and kernel"},
     {"warplens export trace.json.gz -o trace.pftrace", "for ui.perfetto.dev and its trace_processor"},
     {"warplens export trace.json.gz --metric self_cpu_time_total -o host.svg", "the host's time"},
     {"warplens export trace.json.gz -t stacks --metric self_cuda_time_total -o stacks.txt",
      "for flamegraph.pl or speedscope"}},
    run_export,
    {{"-t chrome, perfetto or sqlite", is_timeline, "--type --any-size --counters --min-duration " + cut_flag_names()},
     {"-t speedscope", is_spans, "--type --any-size --min-duration " + cut_flag_names()},
     {"-t stacks or flamegraph", [](const Invocation&) { return true; },
      "--type --any-size --min-duration --metric " + cut_flag_names()}},
    Prints::kFile};

}  // namespace warplens::cli
