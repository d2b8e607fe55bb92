#include "warplens/cli/kernel_verify.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/cli/kernel_emulated.h"
#include "warplens/cli/kernel_program.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"
#include "warplens/report/verify.h"

namespace warplens::cli {
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

/// Prints the counters that both have. True where one that should be equal is not.
Result<bool> show_both(const Invocation& invocation, const counters::ProgramReport& counted,
                       const std::vector<const report::KernelReport*>& emulated) {
  if (!counted.any())
    return unsupported("--verify needs hardware counters: " +
                       (counted.notes.empty() ? "`warplens doctor` says what is missing" : counted.notes[0]));
  WL_ASSIGN(const json::Value hardware, json::parse(counters::to_json(counted)));
  WL_ASSIGN(const std::vector<report::VerifiedMetric> rows, report::verify(hardware, emulated));
  if (invocation.format() == Format::kTable)
    fmt::print("\n{}\n{}", to_terminal(report::verify_table(rows), terminal_width()),
               fitted(report::verify_summary(rows), terminal_width()));
  else fmt::print(stderr, "{}", report::verify_summary(rows));
  return std::ranges::any_of(
      rows, [](const report::VerifiedMetric& row) { return std::string_view(row.reason()) == "unexplained"; });
}

}  // namespace

Result<bool> verify_on_hardware(const Invocation& invocation,
                                const std::vector<const report::KernelReport*>& emulated) {
  Invocation counting = invocation;
  counting.values.erase("--kernel");  // the command knows its kernels
  WL_ASSIGN(const counters::ProgramReport counted, count_command(counting, gpu_command(invocation)));
  return show_both(invocation, counted, emulated);
}

Result<int> verify_program(const Invocation& invocation) {
  WL_ASSIGN(const counters::ProgramReport counted, count_command(invocation, invocation.command));
  WL_ASSIGN(const counters::ProgramReport emulated, emulated_program_report(invocation));
  std::vector<const report::KernelReport*> reports;
  for (const counters::ProgramReport::Launch& launch : emulated.launches) {
    if (launch.report) reports.push_back(&*launch.report);
  }
  WL_ASSIGN(const bool differs, show_both(invocation, counted, reports));
  return differs ? kExitFailed : kExitOk;
}

}  // namespace warplens::cli
