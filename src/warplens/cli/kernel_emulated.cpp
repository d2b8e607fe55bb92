#include "warplens/cli/kernel_emulated.h"

#include <cstdio>
#include <map>

#include "warplens/base/text.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/kernel_program.h"
#include "warplens/cli/program_checks.h"
#include "warplens/collect/counters/settings.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/gpu/device.h"

namespace warplens::cli {
namespace {

/// Flags that only mean something where hardware counts.
Status refuse_flags_of_hardware(const Invocation& invocation) {
  for (const char* flag : {"--metric", "--nvtx", "--keep"}) {
    if (invocation.has(flag))
      return usage_error(fmt::format("{} is for a program on a GPU; emulated launches are counted in full", flag));
  }
  return {};
}

struct Counted {
  int exit_code = 0;
  counters::ProgramReport report;
};

Result<Counted> count(const Invocation& invocation) {
  WL_ASSIGN(const size_t skip, invocation.count("--skip"));
  WL_ASSIGN(const size_t most, invocation.count("--count"));
  WL_ASSIGN(const EmulatedRun run,
            run_emulated(invocation, {{collect::kReportsVariable, "1"},
                                      {collect::kCountKernelVariable, invocation.text("--kernel")},
                                      {collect::kCountSkipVariable, fmt::format("{}", skip)},
                                      {collect::kCountCountVariable, fmt::format("{}", most)}}));
  Counted out{run.exit_code, {}};
  out.report.emulated = true;
  for (const report::ProgramLog& process : run.processes) {
    counters::ProgramReport one = counters::program_report(process);
    std::move(one.launches.begin(), one.launches.end(), std::back_inserter(out.report.launches));
    std::move(one.notes.begin(), one.notes.end(), std::back_inserter(out.report.notes));
  }
  if (run.processes.empty()) fmt::print(stderr, "warplens kernel: nothing was counted: the program did not use CUDA\n");
  return out;
}

/// One row a kernel and size: how often it ran and how long all of that takes, in ns, by GPU.
struct Compared {
  uint64_t launches = 0;
  std::vector<double> ns;
};

void add(const counters::ProgramReport& report, size_t device, size_t devices, std::map<std::string, Compared>* rows) {
  for (const counters::ProgramReport::Launch& launch : report.launches) {
    if (!launch.report) continue;
    Compared& row = (*rows)[launch.report->kernel];
    row.ns.resize(devices);
    row.ns[device] += counters::launch_ns(*launch.report);
    if (device == 0) ++row.launches;
  }
}

Table side_by_side(const std::map<std::string, Compared>& rows, const std::vector<std::string>& devices) {
  Table table{{{"kernel", "kernel"}, {"launches", "launches", Kind::kCount}}, {}};
  for (const std::string& device : devices) table.columns.push_back({device + "_ns", device, Kind::kTimeNs});
  std::vector<double> sums(devices.size());
  uint64_t launches = 0;
  const auto add_row = [&](const std::string& name, uint64_t count, const std::vector<double>& ns) {
    std::vector<Cell> row = {name, static_cast<int64_t>(count)};
    for (const double time : ns) row.emplace_back(static_cast<int64_t>(time));
    table.rows.push_back(std::move(row));
  };
  for (const auto& [kernel, row] : rows) {
    add_row(kernel, row.launches, row.ns);
    launches += row.launches;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += row.ns[i];
  }
  add_row("all", launches, sums);
  return table;
}

/// The program runs once on each GPU: what it launches may depend on it.
Result<int> compare_devices(const Invocation& invocation) {
  const std::string list = invocation.text("--devices-compare");
  std::vector<std::string> devices;
  for (const std::string_view name : split(list, ',')) {
    WL_ASSIGN(const gpu::Device* const device, gpu::find_device(name));
    devices.emplace_back(device->key);
  }
  std::map<std::string, Compared> rows;
  int exit_code = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    Invocation one = invocation;
    one.values["--device"] = {devices[i]};
    WL_ASSIGN(const Counted counted, count(one));
    add(counted.report, i, devices.size(), &rows);
    exit_code = exit_code != 0 ? exit_code : counted.exit_code;
  }
  WL_TRY(invocation.emit(side_by_side(rows, devices)));
  return exit_code;
}

}  // namespace

Result<counters::ProgramReport> emulated_program_report(const Invocation& invocation) {
  WL_ASSIGN(Counted counted, count(invocation));
  return std::move(counted.report);
}

Result<int> count_emulated_program(const Invocation& invocation) {
  WL_TRY(refuse_flags_of_hardware(invocation));
  if (invocation.has("--check")) return check_program(invocation);
  if (invocation.has("--devices-compare")) return compare_devices(invocation);
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, true));
  WL_ASSIGN(const Counted counted, count(invocation));
  if (!counted.report.any() && counted.report.notes.empty()) return counted.exit_code;
  WL_ASSIGN(const bool crossed, show_program_report(invocation, plan, counted.report));
  return counted.exit_code == 0 && crossed ? kExitThreshold : counted.exit_code;
}

}  // namespace warplens::cli
