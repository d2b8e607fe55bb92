#include "warplens/session/run.h"

#include <algorithm>

#include "warplens/base/timing.h"
#include "warplens/session/machine_run.h"
#include "warplens/session/ptx_watch.h"

namespace warplens::session {
namespace {

/// Of a launch whose machine code was counted.
void add_totals(const report::KernelReport& report, simt::LaunchCounts* counts) {
  counts->warp_instructions = report.warp_instructions;
  counts->thread_instructions = report.thread_instructions;
}

/// Of one that ran as machine code alone.
simt::LaunchResult result_of(const report::KernelReport& report, int64_t begin_ns) {
  simt::LaunchResult result;
  add_totals(report, &result.counts);
  result.serialised = report.serialised;
  result.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  return result;
}

/// Of two limits in seconds, of which 0 is none.
double sooner(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

}  // namespace

Result<CountedLaunch> run_counted(Module& module, const std::string& kernel, simt::Launch launch,
                                  const CountOptions& options) {
  const bool keep_results = launch.checks == 0 && launch.schedule.kind == simt::Schedule::Kind::kInOrder;
  const int64_t begin_ns = monotonic_ns();
  simt::Launch machine = launch;
  machine.checks = 0;  // these follow the PTX
  machine.timeout_s = sooner(launch.timeout_s, options.timeout_s);
  report::KernelReport report = run_machine_code(module, kernel, machine, options, keep_results);
  if (report.has_results) {
    simt::LaunchResult result = result_of(report, begin_ns);
    return CountedLaunch{std::move(result), std::move(report)};
  }
  launch.count = !report.from_machine_code;
  PtxWatch watch(launch.grid);
  if (options.watch.line && !report.from_machine_code) launch.observer = &watch;
  WL_ASSIGN(simt::LaunchResult result, simt::ptx_machine::launch(*module.ptx, kernel, launch));
  if (report.from_machine_code) {
    add_totals(report, &result.counts);
  } else {
    // Machine code may have run where the emulator does not know an instruction of the PTX.
    if (result.fault) return CountedLaunch{std::move(result), std::nullopt};
    report::count_ptx(module.ptx->ptx(), result.counts, watch.samples(), options, &report);
  }
  return CountedLaunch{std::move(result), std::move(report)};
}

}  // namespace warplens::session
