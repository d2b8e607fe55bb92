#include "warplens/cli/kernel_program.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/kernel_counters.h"
#include "warplens/cli/kernel_emulated.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/collect/counters/settings.h"
#include "warplens/collect/settings.h"
#include "warplens/counters/metric_sets.h"
#include "warplens/counters/plan.h"
#include "warplens/counters/program_report.h"
#include "warplens/counters/sampled_lines.h"
#include "warplens/launch/read_input.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

namespace fs = std::filesystem;

using Variables = std::vector<std::pair<std::string, std::string>>;

Result<std::vector<std::string>> wanted_metrics(const Invocation& invocation) {
  std::vector<std::string> out;
  if (invocation.has("--set") || !invocation.has("--metric")) {
    WL_ASSIGN(out, counters::metrics_of_set(invocation.text("--set")));
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

Status check_kernel_pattern(const std::string& pattern) {
  try {
    collect::kernel_regex(pattern);
  } catch (const std::regex_error& error) {
    return usage_error(fmt::format("-k {}: no regular expression: {}", pattern, error.what()));
  }
  return {};
}

Result<Variables> variables_for(const Invocation& invocation, const std::string& output) {
  WL_ASSIGN(const std::string library, find_injected_library());
  WL_ASSIGN(const std::vector<std::string> metrics, wanted_metrics(invocation));
  WL_TRY(check_kernel_pattern(invocation.text("--kernel")));
  WL_ASSIGN(const size_t skip, invocation.count("--skip"));
  WL_ASSIGN(const size_t count, invocation.count("--count"));
  Variables out = {{"CUDA_INJECTION64_PATH", library},
                   {collect::kCountOutputVariable, output},
                   {collect::kCountMetricsVariable, join(metrics, ",")},
                   {collect::kCountKernelVariable, invocation.text("--kernel")},
                   {collect::kCountRangeVariable, invocation.text("--nvtx")},
                   {collect::kCountSkipVariable, fmt::format("{}", skip)},
                   {collect::kCountCountVariable, fmt::format("{}", count)},
                   {collect::kCuptiVariable, compile::toolkit().cupti}};
  if (invocation.has("--lines")) out.emplace_back(collect::kCountSamplesVariable, "1");
  if (invocation.has("--nvtx")) out.emplace_back("NVTX_INJECTION64_PATH", library);
  return out;
}

/// What --keep names; each process fills in its own.
Result<std::string> kept_pattern(const Invocation& invocation) {
  const std::string path = fs::absolute(invocation.text("--keep")).string();
  if (path.find('%') != std::string::npos) return path;
  WL_TRY(check_writable(path, invocation.has("--force")));
  ::unlink(path.c_str());  // what an earlier run kept is not this one's
  return path;
}

Status refuse_flags_of_files(const Invocation& invocation) {
  for (const char* flag : {"--grid", "--block", "--arg", "--shared", "--cluster", "--cooperative", "--symbol",
                           "--expect", "--gpu", "--instructions", "--line"}) {
    if (invocation.has(flag))
      return usage_error(fmt::format("{} is for a kernel in a file; a program launches its kernels itself", flag));
  }
  if (invocation.has("--check") && !invocation.has("--emulate"))
    return usage_error("--check needs --emulate: a GPU does not say what its kernels do wrong");
  if (!invocation.has("--emulate") && invocation.has("--lines") &&
      (invocation.has("--set") || invocation.has("--metric")))
    return usage_error("--lines samples program counters in place of counting: leave --set and --metric out");
  if (!invocation.operands.empty())
    return usage_error(
        fmt::format("'{}' stands before --, the program behind it: give one of them", invocation.operands[0]));
  return {};
}

Result<counters::ProgramReport> read_reports(const std::vector<std::string>& paths) {
  counters::ProgramReport all;
  for (const std::string& path : paths) {
    WL_ASSIGN(const std::string text, launch::read_input(path));
    const Result<counters::Counts> counts = counters::read_counts(text);
    if (!counts.ok()) return counts.status().in(path);
    WL_ASSIGN(counters::ProgramReport one, counters::program_report(*counts, measured_peaks));
    std::move(one.launches.begin(), one.launches.end(), std::back_inserter(all.launches));
    std::move(one.samplings.begin(), one.samplings.end(), std::back_inserter(all.samplings));
    std::move(one.notes.begin(), one.notes.end(), std::back_inserter(all.notes));
  }
  return all;
}

Table sampled_table(const counters::ProgramReport& report) {
  std::vector<counters::SampledLine> lines;
  for (const counters::Sampling& sampling : report.samplings) {
    for (counters::SampledLine& line : counters::sampled_lines(sampling)) lines.push_back(std::move(line));
  }
  return counters::sampled_table(lines);
}

Result<bool> show(const Invocation& invocation, const CountersPlan& plan, const std::vector<std::string>& paths) {
  WL_ASSIGN(const counters::ProgramReport report, read_reports(paths));
  return show_program_report(invocation, plan, report);
}

void tell(const RecordedProgram& program) {
  for (const std::string& refusal : program.refusals) fmt::print(stderr, "warplens kernel: no counters: {}\n", refusal);
  if (program.files.empty() && program.refusals.empty())
    fmt::print(stderr, "warplens kernel: nothing was counted: the program {}\n", without_cuda(program));
}

}  // namespace

Result<bool> show_program_report(const Invocation& invocation, const CountersPlan& plan,
                                 const counters::ProgramReport& report) {
  std::vector<const report::KernelReport*> reports;
  for (const auto& launch : report.launches) {
    if (launch.report) reports.push_back(&*launch.report);
  }
  const std::optional<Table> table = counters_table(invocation, reports);
  if (invocation.format() == Format::kJson) WL_TRY(invocation.emit(counters::to_json(report)));
  else if (invocation.format() == Format::kTable) WL_TRY(invocation.emit(counters::to_text(report, terminal_width())));
  else if (!report.samplings.empty()) WL_TRY(invocation.emit(sampled_table(report)));
  else WL_TRY(invocation.emit(table ? *table : counters::launch_table(report)));
  return counters_afterwards(invocation, plan, reports, [&] { return counters::to_json(report); });
}

Result<int> count_program(const Invocation& invocation) {
  WL_TRY(refuse_flags_of_files(invocation));
  if (invocation.has("--emulate")) return count_emulated_program(invocation);
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  std::string pattern = folder.path() + "/%p.counts";  // each process writes a file of its own
  if (invocation.has("--keep")) {
    WL_ASSIGN(pattern, kept_pattern(invocation));
  }
  WL_ASSIGN(const Variables variables, variables_for(invocation, pattern));
  WL_ASSIGN(const RecordedProgram program, run_recorded(invocation.command, variables));
  tell(program);
  if (program.files.empty()) return program.exit_code;
  const Result<bool> crossed = show(invocation, plan, program.files);
  if (!crossed.ok() && program.exit_code == 0) return crossed.status();
  if (!crossed.ok()) fmt::print(stderr, "warplens kernel: {}\n", crossed.status().message());
  return program.exit_code == 0 && *crossed ? kExitThreshold : program.exit_code;
}

Result<int> report_counts(const Invocation& invocation, const std::vector<std::string>& paths) {
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(const bool crossed, show(invocation, plan, paths));
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
  fmt::print(stderr, "{}: {} metrics in {} pass{} of each launch\n", plan.chip, plan.metrics.size(), plan.passes,
             plan.passes == 1 ? "" : "es");
  for (const std::string& missing : plan.missing) fmt::print(stderr, "{} does not have {}\n", plan.chip, missing);
  return kExitOk;
}

}  // namespace warplens::cli
