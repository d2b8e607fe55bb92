#include "warplens/cli/counters_program.h"

#include <algorithm>
#include <cstdio>

#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/counters_emulated.h"
#include "warplens/cli/kernel_counters.h"
#include "warplens/cli/kernel_page.h"
#include "warplens/cli/kernel_verify.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/collect/counters/settings.h"
#include "warplens/collect/settings/settings.h"
#include "warplens/counters/counted_lines.h"
#include "warplens/counters/merge_runs.h"
#include "warplens/counters/metric_sets.h"
#include "warplens/counters/ncu/ncu.h"
#include "warplens/counters/over_time.h"
#include "warplens/counters/plan.h"
#include "warplens/counters/program_report.h"
#include "warplens/counters/sampled_lines.h"
#include "warplens/launch/read_input.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Flags for what is counted in place of metrics, and the library's name for it.
constexpr std::pair<const char*, const char*> kInPlaceOfMetrics[] = {
    {"--lines", "samples"}, {"--instructions", "instructions"}, {"--over-time", "time"}};

bool counts_metrics(const Invocation& invocation) {
  return std::ranges::none_of(kInPlaceOfMetrics, [&](const auto& other) { return invocation.has(other.first); });
}

Result<std::vector<std::string>> wanted_metrics(const Invocation& invocation) {
  std::vector<std::string> out;
  if (invocation.has("--set") || !invocation.has("--metric")) {
    WL_ASSIGN(out, counters::metrics_of_set(invocation.has("--set") ? invocation.text("--set") : "report"));
  }
  for (const std::string& metric : invocation.list("--metric")) {
    if (metric.find(',') != std::string::npos || metric.find('.') == std::string::npos)
      return usage_error(
          fmt::format("--metric {}: give one name in full, as smsp__inst_executed.sum; --list-metrics CHIP "
                      "lists them",
                      metric));
    out.push_back(metric);
  }
  return out;
}

/// Of --replay range, whose kernels all count.
Status check_ranges(const Invocation& invocation) {
  if (invocation.text("--replay") != "range") return {};
  if (!counts_metrics(invocation))
    return usage_error("--replay range counts metrics: leave out what counts something else");
  if (!invocation.has("--nvtx")) return usage_error("--replay range needs --nvtx RANGE: which range is counted");
  if (invocation.has("--kernel"))
    return usage_error("--replay range counts all kernels of a range together: leave out -k, or --replay range");
  if (invocation.has("--cache-control"))
    return usage_error(
        "--replay range runs nothing again, so that caches are as the program leaves them: leave out --cache-control");
  return {};
}

Status check_kernel_pattern(const std::string& pattern) {
  try {
    collect::kernel_regex(pattern);
  } catch (const std::regex_error& error) {
    return usage_error(fmt::format("-k {}: no regular expression: {}", pattern, error.what()));
  }
  return {};
}

Result<Variables> variables_for(const Invocation& invocation, const std::string& output,
                                const std::vector<std::string>& metrics) {
  WL_ASSIGN(const std::string library, find_injected_library());
  WL_ASSIGN(const size_t skip, invocation.count("--skip"));
  WL_ASSIGN(const size_t count, invocation.count("--count"));
  Variables out = {{"CUDA_INJECTION64_PATH", library},
                   {collect::kCountOutputVariable, output},
                   {collect::kCountMetricsVariable, join(metrics, ",")},
                   {collect::kCountKernelVariable, invocation.text("--kernel")},
                   {collect::kCountRangeVariable, invocation.text("--nvtx")},
                   {collect::kCountSkipVariable, fmt::format("{}", skip)},
                   {collect::kCountCountVariable, fmt::format("{}", count)},
                   {collect::kCountReplayVariable, invocation.text("--replay")},
                   {collect::kCountCachesVariable, invocation.text("--cache-control")},
                   {collect::kCuptiVariable, compile::toolkit().cupti}};
  for (const auto& [flag, what] : kInPlaceOfMetrics) {
    if (invocation.has(flag)) out.emplace_back(collect::kCountWhatVariable, what);
  }
  WL_ASSIGN(const int64_t interval_ns, invocation.time_ns("--interval"));
  if (interval_ns < 1000) return usage_error("--interval takes 1us and more");
  out.emplace_back(collect::kCountIntervalVariable, fmt::format("{}", interval_ns));
  if (invocation.has("--nvtx")) out.emplace_back("NVTX_INJECTION64_PATH", library);
  return out;
}

Result<std::vector<counters::Counts>> read_files(const std::vector<std::string>& paths) {
  std::vector<counters::Counts> out;
  for (const std::string& path : paths) {
    WL_ASSIGN(const std::string text, launch::read_input(path));
    Result<counters::Counts> counts =
        counters::ncu::is_ncu(text) ? counters::ncu::read(text) : counters::read_counts(text);
    if (!counts.ok()) return counts.status().in(path);
    out.push_back(std::move(*counts));
  }
  return out;
}

/// Files of Nsight Compute may not say which GPU it was: then --device does.
Status name_gpus(const Invocation& invocation, const char* gpu_flag, std::vector<counters::Counts>* processes) {
  for (counters::Counts& counts : *processes) {
    for (counters::CountedDevice& device : counts.devices) {
      if (!device.name.empty() || device.compute != 0) continue;
      if (!invocation.has("--device"))
        return usage_error(fmt::format("the file does not say which GPU it was: give {} GPU", gpu_flag));
      WL_ASSIGN(const gpu::Device* const known, gpu::find_device(invocation.text("--device")));
      device.name = known->name;
      device.compute = known->architecture().cc();
    }
  }
  return {};
}

Result<counters::ProgramReport> report_of(const std::vector<counters::Counts>& processes) {
  counters::ProgramReport all;
  for (const counters::Counts& counts : processes) {
    WL_ASSIGN(counters::ProgramReport one, counters::program_report(counts, measured_peaks));
    std::move(one.launches.begin(), one.launches.end(), std::back_inserter(all.launches));
    std::move(one.ranges.begin(), one.ranges.end(), std::back_inserter(all.ranges));
    std::move(one.samplings.begin(), one.samplings.end(), std::back_inserter(all.samplings));
    std::move(one.instructions.begin(), one.instructions.end(), std::back_inserter(all.instructions));
    std::move(one.over_time.begin(), one.over_time.end(), std::back_inserter(all.over_time));
    all.code.merge(one.code);
    std::move(one.notes.begin(), one.notes.end(), std::back_inserter(all.notes));
  }
  return all;
}

/// For CSV and Markdown: what was counted in place of metrics; none where metrics were.
std::optional<Table> table_of_other(const counters::ProgramReport& report) {
  if (!report.ranges.empty()) return counters::ranges_table(report.ranges);
  if (!report.over_time.empty()) return counters::over_time_table(report.over_time);
  std::vector<counters::CountedLine> counted;
  for (const counters::Instructions& instructions : report.instructions)
    std::ranges::move(counters::counted_lines(instructions), std::back_inserter(counted));
  if (!report.instructions.empty()) return counters::counted_lines_table(counted);
  std::vector<counters::SampledLine> sampled;
  for (const counters::Sampling& sampling : report.samplings)
    std::ranges::move(counters::sampled_lines(sampling), std::back_inserter(sampled));
  if (report.samplings.empty()) return {};
  return counters::sampled_table(sampled);
}

void tell_refusals(const RecordedProgram& program) {
  for (const std::string& refusal : program.refusals) tell("warplens counters: no counters: {}\n", refusal);
  if (program.files.empty() && program.refusals.empty())
    tell("warplens counters: nothing was counted: the program {}\n", without_cuda(program));
}

/// A run of the program: its exit code, and what each of its processes counted.
struct CountedRun {
  int exit_code = 0;
  std::vector<counters::Counts> processes;
};

Result<CountedRun> count_run(const Invocation& invocation, const std::string& pattern,
                             const std::vector<std::string>& metrics) {
  WL_ASSIGN(const Variables variables, variables_for(invocation, pattern, metrics));
  WL_ASSIGN(const RecordedProgram program, run_recorded(invocation, variables));
  tell_refusals(program);
  CountedRun run{.exit_code = program.exit_code};
  WL_ASSIGN(run.processes, read_files(program.files));
  return run;
}

/// --replay application: one run for what a single pass counts, and one for each group of the other metrics.
Result<CountedRun> count_runs(const Invocation& invocation, const std::string& folder) {
  WL_ASSIGN(const std::vector<std::string> wanted, wanted_metrics(invocation));
  WL_ASSIGN(const std::vector<std::string> timing, counters::metrics_of_set("timing"));
  WL_ASSIGN(CountedRun all, count_run(invocation, folder + "/0.%p.counts", timing));
  if (all.processes.empty() || all.processes[0].devices.empty()) return all;
  std::vector<std::string> more, left_out;
  std::ranges::copy_if(wanted, std::back_inserter(more),
                       [&](const std::string& metric) { return std::ranges::find(timing, metric) == timing.end(); });
  WL_ASSIGN(const counters::Cupti cupti, counters::Cupti::load(compile::toolkit().cupti));
  WL_ASSIGN(const auto groups, counters::single_pass_groups(cupti, all.processes[0].devices[0].chip, more, &left_out));
  size_t alone = 0;
  for (size_t k = 0; k < groups.size(); ++k) {
    tell("warplens counters: run {} of {}\n", k + 2, groups.size() + 1);
    WL_ASSIGN(const CountedRun run, count_run(invocation, fmt::format("{}/{}.%p.counts", folder, k + 1), groups[k]));
    if (run.exit_code != all.exit_code)
      tell("warplens counters: this run ended with {}, the first with {}\n", run.exit_code, all.exit_code);
    for (size_t p = 0; p < std::min(all.processes.size(), run.processes.size()); ++p)
      alone += counters::merge_run(&all.processes[p], run.processes[p]);
  }
  if (alone > 0)
    tell("warplens counters: {} launches of the first run were missing in another run, and lack its counters\n", alone);
  if (!left_out.empty())
    tell("warplens counters: left out, since one run of a launch cannot count it: {}\n", join(left_out, ", "));
  return all;
}

Result<CountedRun> count_as_asked(const Invocation& invocation, const std::string& folder) {
  if (invocation.text("--replay") == "application" && counts_metrics(invocation)) {
    if (invocation.has("--keep"))
      return usage_error("--keep keeps one run, --replay application makes several: use --save, or --json -o FILE");
    return count_runs(invocation, folder);
  }
  WL_ASSIGN(const std::vector<std::string> metrics, wanted_metrics(invocation));
  std::string pattern = folder + "/%p.counts";  // each process writes a file of its own
  if (invocation.has("--keep")) {
    WL_ASSIGN(pattern, output_for_program(invocation.text("--keep"), invocation.has("--force")));
  }
  return count_run(invocation, pattern, metrics);
}

}  // namespace

Result<bool> show_program_report(const Invocation& invocation, const CountersPlan& plan,
                                 const counters::ProgramReport& report) {
  std::vector<const report::KernelReport*> reports;
  for (const auto& launch : report.launches) {
    if (launch.report) reports.push_back(&*launch.report);
  }
  const std::optional<Table> table = counters_table(invocation, reports);
  if (invocation.format() == Format::kJson)
    WL_TRY(invocation.emit(with_comparison(plan.baseline, counters::to_json(report), reports)));
  else if (invocation.format() == Format::kTable)
    WL_TRY(invocation.emit_for_people(counters::to_text(report, terminal_width())));
  else if (const std::optional<Table> other = table_of_other(report)) WL_TRY(invocation.emit(*other));
  else WL_TRY(invocation.emit(table ? *table : counters::launch_table(report)));
  WL_TRY(write_kernel_page(invocation, report));
  return counters_afterwards(invocation, plan, reports, [&] { return counters::to_json(report); });
}

Result<int> count_program(const Invocation& invocation) {
  if (!invocation.operands.empty())
    return usage_error(
        fmt::format("'{}' is before --, and the program after it: give only one", invocation.operands[0]));
  if (invocation.has("--verify")) return verify_program(invocation);
  if (invocation.has("--emulate")) return count_emulated_program(invocation);
  WL_TRY(check_ranges(invocation));
  WL_TRY(check_kernel_pattern(invocation.text("--kernel")));
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  WL_ASSIGN(const CountedRun run, count_as_asked(invocation, folder.path()));
  if (run.processes.empty()) return run.exit_code == kExitOk ? kExitFailed : run.exit_code;
  WL_ASSIGN(const counters::ProgramReport report, report_of(run.processes));
  const Result<bool> crossed = show_program_report(invocation, plan, report);
  if (!crossed.ok() && run.exit_code == 0) return crossed.status();
  if (!crossed.ok()) tell("warplens counters: {}\n", crossed.status().message());
  return run.exit_code == 0 && *crossed ? kExitThreshold : run.exit_code;
}

Result<counters::ProgramReport> count_command(const Invocation& invocation, const std::vector<std::string>& command) {
  Invocation counting = invocation;
  counting.command = command;
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  WL_ASSIGN(const std::vector<std::string> metrics, wanted_metrics(counting));
  WL_ASSIGN(const CountedRun run, count_run(counting, folder.path() + "/%p.counts", metrics));
  if (run.exit_code != 0) return io_error(fmt::format("{} ended with {}", join(command, " "), run.exit_code));
  return report_of(run.processes);
}

Result<counters::ProgramReport> read_kept_counts(const Invocation& invocation, const std::vector<std::string>& paths,
                                                 const char* gpu_flag) {
  WL_ASSIGN(std::vector<counters::Counts> processes, read_files(paths));
  WL_TRY(name_gpus(invocation, gpu_flag, &processes));
  return report_of(processes);
}

bool is_counts_file(const std::string& path) {
  const std::string start = launch::read_start(path);
  return counters::is_counts(start) || counters::ncu::is_ncu(start);
}

/// A report of Nsight Compute has metrics and places; what is counted here has one of them.
void keep_asked_places(const Invocation& invocation, counters::ProgramReport* report) {
  const auto drop = [&](auto& places, const char* flag, const char* what) {
    if (places.empty() || invocation.has(flag) || invocation.has("--page")) return;
    places.clear();
    report->notes.push_back(fmt::format("{} are in the file too: {}", what, flag));
  };
  drop(report->samplings, "--lines", "samples of source lines");
  drop(report->instructions, "--instructions", "counts of source lines");
}

Result<int> report_counts(const Invocation& invocation, const std::vector<std::string>& paths) {
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(counters::ProgramReport report, read_kept_counts(invocation, paths));
  if (report.any()) keep_asked_places(invocation, &report);
  WL_ASSIGN(const bool crossed, show_program_report(invocation, plan, report));
  return crossed ? kExitThreshold : kExitOk;
}

Result<int> list_chip_metrics(const Invocation& invocation) {
  WL_ASSIGN(const counters::Cupti cupti, counters::Cupti::load(compile::toolkit().cupti));
  WL_ASSIGN(const std::string chip, cupti.chip(invocation.text("--list-metrics")));
  WL_ASSIGN(const std::vector<cupti::MetricInfo> metrics, counters::list_metrics(cupti, chip));
  constexpr const char* kTypes[] = {"counter", "ratio", "throughput"};
  Table table{{{"metric", "metric"}, {"type", "type"}, {"unit", "unit"}, {"description", "what it counts"}}, {}};
  for (const cupti::MetricInfo& metric : metrics)
    table.rows.push_back(
        {metric.name, std::string(kTypes[static_cast<size_t>(metric.type)]), metric.unit, metric.description});
  WL_TRY(invocation.emit(table));
  return kExitOk;
}

Result<int> plan_counting(const Invocation& invocation) {
  WL_ASSIGN(const counters::Cupti cupti, counters::Cupti::load(compile::toolkit().cupti));
  WL_ASSIGN(const std::string chip, cupti.chip(invocation.text("--plan")));
  WL_ASSIGN(const std::vector<std::string> metrics, wanted_metrics(invocation));
  WL_ASSIGN(const counters::Plan plan, counters::plan_passes(cupti, chip, metrics));
  Table table{{{"metric", "metric"}, {"unit", "unit"}}, {}};
  for (size_t k = 0; k < plan.metrics.size(); ++k) table.rows.push_back({plan.metrics[k], plan.units[k]});
  WL_TRY(invocation.emit(table));
  tell("{}: {} metrics in {} pass{} of each launch\n", plan.chip, plan.metrics.size(), plan.passes,
       plan.passes == 1 ? "" : "es");
  for (const std::string& missing : plan.missing) tell("{} does not have {}\n", plan.chip, missing);
  return kExitOk;
}

}  // namespace warplens::cli
