#include "warplens/session/run.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/session/machine_run.h"
#include "warplens/session/ptx_watch.h"

namespace warplens::session {
namespace {

using simt::sass_machine::MachineCounts, simt::sass_machine::Program;

constexpr uint64_t kMostTogether = 4096;  // blocks of a cooperative grid that are kept in memory at once

/// Of a launch whose machine code was counted.
void add_totals(const report::KernelReport& report, simt::LaunchCounts* counts) {
  counts->warp_instructions = report.warp_instructions;
  counts->thread_instructions = report.thread_instructions;
}

/// Of two limits in seconds, of which 0 is none.
double sooner(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

double seconds_since(int64_t begin_ns) { return static_cast<double>(monotonic_ns() - begin_ns) * 1e-9; }

std::string why_not_machine_code(MachineCode& code, const simt::Launch& launch) {
  if (code.cubin().empty()) return code.why_none().empty() ? "there is no machine code" : code.why_none();
  const uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (launch.cooperative && blocks > kMostTogether) return fmt::format("its {} blocks wait for each other", blocks);
  return "";
}

/// Counts the machine code of a kernel that has PTX, whose results stay where `keep_results` asks for them and they are
/// the hardware's. The report says in `why_adjusted` where it could not be run. Errors: what the GPU refuses.
Result<report::KernelReport> count_machine_code(Module& module, const std::string& kernel, const simt::Launch& launch,
                                                const CountOptions& options, bool keep_results) {
  const TimedScope timed("count");
  report::KernelReport report = report::begin_report(options, launch);
  report.why_adjusted = why_not_machine_code(module.code, launch);
  if (module.code.cubin().empty() || !module.ptx->kernel(kernel).ok()) return report;
  Result<Program> program = load_machine_code(module, kernel);
  if (!program.ok()) {
    report.why_adjusted = program.status().message();
    return report;
  }
  report::fill_resources(*program, launch.dynamic_shared_bytes, &report);
  if (!report.why_adjusted.empty()) return report;
  Result<MachineRun> ready = set_up(module, kernel, std::move(*program), launch, *options.device, options.watch);
  if (!ready.ok() && ready.status().code() == ErrorCode::kUsage) return ready.status();
  if (!ready.ok()) {
    report.why_adjusted = ready.status().message();
    return report;
  }
  ready->launch.checks = 0;  // these follow the PTX
  ready->launch.timeout_s = sooner(launch.timeout_s, options.timeout_s);
  ready->launch.restore = true;
  ready->launch.keep_results = keep_results;
  const Result<MachineCounts> counts = simt::sass_machine::run_machine(ready->program, ready->launch);
  if (!counts.ok()) report.why_adjusted = counts.status().message();
  else if (counts->stop.kind != simt::FaultKind::kNone) report.why_adjusted = counts->stop.reason;
  else report::count_machine_code(ready->program, *counts, *ready->code, options, launch.cooperative, &report);
  return report;
}

Result<CountedLaunch> run_counted(Module& module, const std::string& kernel, simt::Launch launch,
                                  const CountOptions& options) {
  const bool keep_results = launch.checks == 0 && launch.schedule.kind == simt::Schedule::Kind::kInOrder;
  const int64_t begin_ns = monotonic_ns();
  WL_ASSIGN(report::KernelReport report, count_machine_code(module, kernel, launch, options, keep_results));
  if (report.has_results) {
    simt::LaunchResult result;
    add_totals(report, &result.counts);
    result.serialised = report.serialised;
    result.seconds = seconds_since(begin_ns);
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

/// What the checks found, and what the kernel printed.
void take_findings(const std::string& kernel, const simt::Launch& launch, MachineCounts* counts,
                   simt::LaunchResult* result) {
  if (launch.print && !counts->output.empty()) launch.print(counts->output);
  else result->output = counts->output;
  for (simt::Report& found : counts->reports) {
    found.place.kernel = kernel;
    if (found.other) found.other->kernel = kernel;
  }
  result->reports = std::move(counts->reports);
  result->reports_dropped = counts->reports_dropped;
}

/// Of a module that is machine code alone.
Result<CountedLaunch> run_code(Module& module, const std::string& kernel, const simt::Launch& launch,
                               const CountOptions* counting) {
  const int64_t begin_ns = monotonic_ns();
  if (launch.schedule.kind != simt::Schedule::Kind::kInOrder)
    return unsupported("machine code runs its blocks in order: give the .cu or .ptx file for another");
  WL_ASSIGN(Program program, load_machine_code(module, kernel));
  const gpu::Device& device = simt::device_of(launch, program.architecture);
  const bool counted = counting != nullptr && launch.checks == 0;
  WL_ASSIGN(MachineRun ready, set_up(module, kernel, std::move(program), launch, device,
                                     counting != nullptr ? counting->watch : report::LineChoice()));
  ready.launch.counted = counted;
  WL_ASSIGN(MachineCounts counts, simt::sass_machine::run_machine(ready.program, ready.launch));
  CountedLaunch out;
  take_findings(kernel, launch, &counts, &out.result);
  out.result.seconds = seconds_since(begin_ns);
  if (counts.stop.kind != simt::FaultKind::kNone) out.result.fault = fault_of(counts.stop, kernel, *ready.code);
  if (!counted || out.result.fault) return out;
  report::KernelReport report = report::begin_report(*counting, launch);
  report::fill_resources(ready.program, launch.dynamic_shared_bytes, &report);
  report::count_machine_code(ready.program, counts, *ready.code, *counting, launch.cooperative, &report);
  report.has_results = true;  // memory was left as the machine code leaves it
  add_totals(report, &out.result.counts);
  out.report = std::move(report);
  return out;
}

}  // namespace

Result<CountedLaunch> run(Module& module, const std::string& kernel, simt::Launch launch,
                          const CountOptions* counting) {
  if (counting != nullptr) launch.device = counting->device;
  if (module.alone) return run_code(module, kernel, launch, counting);
  if (counting != nullptr) return run_counted(module, kernel, std::move(launch), *counting);
  WL_ASSIGN(simt::LaunchResult result, simt::ptx_machine::launch(*module.ptx, kernel, launch));
  return CountedLaunch{std::move(result), std::nullopt};
}

}  // namespace warplens::session
