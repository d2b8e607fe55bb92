#include "warplens/cli/kernel_verify.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/cli/counters_emulated.h"
#include "warplens/cli/counters_program.h"
#include "warplens/counters/joined_report.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"
#include "warplens/report/verify.h"

namespace warplens::cli {

extern const Verb kCounters;

namespace {

/// Flags that say which launch it is; the others say what to tell of it.
constexpr const char* kOfTheLaunch[] = {"--kernel", "--arch",   "--grid",     "--block", "--cluster", "--shared",
                                        "--option", "--symbol", "--compiler", "--arg",   "--axis"};

std::vector<std::string> gpu_command(const Invocation& invocation) {
  std::error_code ignored;
  std::vector<std::string> out = {std::filesystem::read_symlink("/proc/self/exe", ignored).string(), "kernel"};
  out.insert(out.end(), invocation.operands.begin(), invocation.operands.end());
  for (const char* flag : kOfTheLaunch) {
    for (const std::string& value : invocation.list(flag)) out.push_back(fmt::format("{}={}", flag, value));
  }
  if (invocation.has("--cooperative")) out.emplace_back("--cooperative");
  out.insert(out.end(), {"--gpu", "--runs=1", "--output=/dev/null", "--force"});
  return out;
}

template <typename Report>
auto reports_of(Report& program) {
  std::vector<decltype(&*program.launches[0].report)> out;
  for (auto& launch : program.launches) {
    if (launch.report) out.push_back(&*launch.report);
  }
  return out;
}

/// What both counted; then the one is joined to the other.
Result<std::vector<report::VerifiedMetric>> compare_and_join(const counters::ProgramReport& counted,
                                                             const std::vector<report::KernelReport*>& emulated) {
  if (!counted.any())
    return unsupported("--verify needs hardware counters: " +
                       (counted.notes.empty() ? "`warplens doctor` shows the missing parts" : counted.notes[0]));
  WL_ASSIGN(const json::Value hardware, json::parse(counters::to_json(counted)));
  WL_ASSIGN(std::vector<report::VerifiedMetric> rows,
            report::verify(hardware, std::vector<const report::KernelReport*>(emulated.begin(), emulated.end())));
  counters::join_hardware(emulated, reports_of(counted));
  return rows;
}

}  // namespace

Result<std::vector<report::VerifiedMetric>> verify_on_hardware(const Invocation& invocation,
                                                               const std::vector<report::KernelReport*>& emulated) {
  std::vector<std::string> words;
  for (const char* flag : {"--set", "--metric"}) {
    for (const std::string& value : invocation.list(flag)) words.push_back(fmt::format("{}={}", flag, value));
  }
  words.emplace_back("--");
  for (std::string& word : gpu_command(invocation)) words.push_back(std::move(word));
  WL_ASSIGN(const Invocation counting, parse(kCounters, words));
  WL_ASSIGN(const counters::ProgramReport counted, count_command(counting, counting.command));
  return compare_and_join(counted, emulated);
}

bool show_verified(const Invocation& invocation, const std::vector<report::VerifiedMetric>& rows) {
  if (invocation.format() == Format::kTable)
    warplens::show(stdout, fmt::format("\n{}\n{}", to_terminal(report::verify_table(rows), terminal_width()),
                                       fitted(report::verify_summary(rows), terminal_width())));
  else tell("{}", report::verify_summary(rows));
  return std::ranges::any_of(
      rows, [](const report::VerifiedMetric& row) { return std::string_view(row.reason()) == "unexplained"; });
}

Result<int> verify_program(const Invocation& invocation) {
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(const counters::ProgramReport counted, count_command(invocation, invocation.command));
  Result<counters::ProgramReport> emulated = emulated_program_report(invocation);
  if (!emulated.ok()) {  // what the hardware says is there all the same
    WL_TRY(show_program_report(invocation, plan, counted).status());
    return emulated.status();
  }
  WL_ASSIGN(const auto rows, compare_and_join(counted, reports_of(*emulated)));
  WL_ASSIGN(const bool crossed, show_program_report(invocation, plan, *emulated));
  return show_verified(invocation, rows) ? kExitFailed : crossed ? kExitThreshold : kExitOk;
}

Status join_kept(const Invocation& invocation, const std::vector<report::KernelReport*>& emulated) {
  const std::string path = invocation.text("--hardware");
  WL_ASSIGN(const counters::ProgramReport kept, read_kept_counts(invocation, {path}));
  if (counters::join_hardware(emulated, reports_of(kept)) == 0)
    return invalid_input(path + ": none of these kernels was counted there");
  return {};
}

}  // namespace warplens::cli
