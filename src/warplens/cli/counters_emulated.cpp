#include "warplens/cli/counters_emulated.h"

#include <cstdio>

#include "warplens/base/text.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/device_table.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/collect/counters/settings.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

struct Counted {
  int exit_code = 0;
  counters::ProgramReport report;
};

Result<Counted> count(const Invocation& invocation) {
  WL_ASSIGN(const size_t skip, invocation.count("--skip"));
  WL_ASSIGN(const size_t most, invocation.count("--count"));
  WL_ASSIGN(const EmulatedRun run,
            run_emulated(invocation, {{collect::kReportsVariable, invocation.has("--page") ? "code" : "1"},
                                      {collect::kCountKernelVariable, invocation.text("--kernel")},
                                      {collect::kCountSkipVariable, fmt::format("{}", skip)},
                                      {collect::kCountCountVariable, fmt::format("{}", most)}}));
  Counted out{run.exit_code, {}};
  out.report.emulated = true;
  for (const report::ProgramLog& process : run.processes) {
    counters::ProgramReport one = counters::program_report(process);
    std::move(one.launches.begin(), one.launches.end(), std::back_inserter(out.report.launches));
    out.report.ptx.merge(one.ptx);
    std::move(one.notes.begin(), one.notes.end(), std::back_inserter(out.report.notes));
  }
  if (run.processes.empty()) tell("warplens counters: nothing was counted: the program did not use CUDA\n");
  else if (!out.report.any() && out.report.notes.empty())
    tell("warplens counters: nothing was counted: the program {}\n",
         invocation.has("--kernel") ? fmt::format("launched no kernel that fits -k '{}'", invocation.text("--kernel"))
                                    : "launched no kernel that could run, or --skip left none");
  return out;
}

void add(const counters::ProgramReport& report, size_t device, DeviceTable* table) {
  for (const counters::ProgramReport::Launch& launch : report.launches) {
    if (launch.report) table->add(launch.report->kernel, device, counters::launch_ns(*launch.report));
  }
}

/// The program runs once on each GPU: what it launches may depend on it.
Result<int> compare_devices(const Invocation& invocation) {
  WL_ASSIGN(const std::vector<std::string> devices, devices_to_compare(invocation));
  DeviceTable table(devices);
  int exit_code = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    WL_ASSIGN(const Counted counted, count(on_device(invocation, devices[i])));
    add(counted.report, i, &table);
    exit_code = exit_code != 0 ? exit_code : counted.exit_code;
  }
  WL_TRY(invocation.emit(table.made()));
  return exit_code;
}

}  // namespace

Result<counters::ProgramReport> emulated_program_report(const Invocation& invocation) {
  WL_ASSIGN(Counted counted, count(invocation));
  return std::move(counted.report);
}

Result<int> count_emulated_program(const Invocation& invocation) {
  if (invocation.has("--devices-compare")) return compare_devices(invocation);
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(const Counted counted, count(invocation));
  if (!counted.report.any() && counted.report.notes.empty())
    return counted.exit_code == kExitOk ? kExitFailed : counted.exit_code;
  WL_ASSIGN(const bool crossed, show_program_report(invocation, plan, counted.report));
  return counted.exit_code == 0 && crossed ? kExitThreshold : counted.exit_code;
}

}  // namespace warplens::cli
