#include "warplens/session/run.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/session/machine_run.h"
#include "warplens/session/ptx_watch.h"

namespace warplens::session {
namespace {

using simt::sass_machine::MachineCounts, simt::sass_machine::MachineLaunch;

constexpr uint64_t kMostTogether = 4096;  // blocks of a cooperative grid that are kept in memory at once

/// Of a launch whose machine code was counted.
void add_totals(const report::KernelReport& report, simt::LaunchCounts* counts) {
  counts->warp_instructions = report.warp_instructions;
  counts->thread_instructions = report.thread_instructions;
}

/// Of two limits in seconds, of which 0 is none.
double sooner(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

double seconds_since(int64_t begin_ns) { return static_cast<double>(monotonic_ns() - begin_ns) * 1e-9; }

std::string why_not_machine_code(Module& module, const simt::Launch& launch) {
  if (module.cubin().empty()) return module.why_no_cubin().empty() ? "there is no machine code" : module.why_no_cubin();
  const uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (launch.cooperative && blocks > kMostTogether) return fmt::format("its {} blocks wait for each other", blocks);
  return "";
}

/// Counts the machine code of a kernel that has PTX, whose results stay where `keep_results` asks for them and they are
/// the hardware's. The report says in `why_adjusted` where it could not be run. Errors: what the GPU refuses.
Result<report::KernelReport> count_machine_code(Module& module, const std::string& name, const simt::Launch& launch,
                                                const Wanted& wanted, bool keep_results) {
  const TimedScope timed("count");
  const CountOptions& options = *wanted.counts;
  report::KernelReport report = report::begin_report(options, launch);
  report.why_adjusted = why_not_machine_code(module, launch);
  if (module.cubin().empty() || !module.ptx->kernel(name).ok()) return report;
  const Result<Kernel*> kernel = module.kernel(name);
  if (!kernel.ok()) {
    report.why_adjusted = kernel.status().message();
    return report;
  }
  report::fill_resources((*kernel)->program, launch.dynamic_shared_bytes, &report);
  if (!report.why_adjusted.empty()) return report;
  Result<MachineLaunch> ready = set_up(**kernel, launch, *options.device, wanted);
  if (!ready.ok() && ready.status().code() == ErrorCode::kUsage) return ready.status();
  if (!ready.ok()) {
    report.why_adjusted = ready.status().message();
    return report;
  }
  ready->checks = 0;  // these follow the PTX
  ready->timeout_s = sooner(launch.timeout_s, options.timeout_s);
  ready->restore = true;
  ready->keep_results = keep_results;
  const Result<MachineCounts> counts = simt::sass_machine::run_machine((*kernel)->program, *ready);
  if (!counts.ok()) report.why_adjusted = counts.status().message();
  else if (counts->stop.kind != simt::FaultKind::kNone) report.why_adjusted = counts->stop.reason;
  else add_counts(**kernel, *counts, options, launch.cooperative, &report);
  return report;
}

Result<Outcome> run_counted(Module& module, const std::string& kernel, simt::Launch launch, const Wanted& wanted) {
  const bool keep_results = launch.checks == 0 && launch.schedule.kind == simt::Schedule::Kind::kInOrder;
  const int64_t begin_ns = monotonic_ns();
  Outcome out;
  WL_ASSIGN(report::KernelReport report, count_machine_code(module, kernel, launch, wanted, keep_results));
  if (report.has_results) {
    add_totals(report, &out.result.counts);
    out.by_machine_code = true;
    out.result.serialised = report.serialised;
    out.result.seconds = seconds_since(begin_ns);
    out.report = std::move(report);
    return out;
  }
  launch.count = !report.from_machine_code;
  PtxWatch watch(launch.grid);
  if (wanted.counts->watch.any() && !report.from_machine_code) launch.observer = &watch;
  WL_ASSIGN(out.result, simt::ptx_machine::launch(*module.ptx, kernel, launch));
  if (report.from_machine_code) {
    add_totals(report, &out.result.counts);
  } else {
    // Machine code may have run where the emulator does not know an instruction of the PTX.
    if (out.result.fault) return out;
    report::count_ptx(module.ptx->ptx(), out.result.counts, watch.samples(), *wanted.counts, &report);
  }
  out.report = std::move(report);
  return out;
}

/// A program's checks where they can follow the PTX.
Result<Outcome> check_ptx(Kernel& kernel, simt::Launch launch) {
  launch.parameters = ptx_parameters(kernel, launch.parameters);
  launch.count = false;
  Outcome out;
  WL_ASSIGN(out.result, simt::ptx_machine::launch(*kernel.module->ptx, kernel.name, launch));
  return out;
}

}  // namespace

Result<Outcome> run(Kernel& kernel, simt::Launch launch, const Wanted& wanted) {
  if (wanted.counts != nullptr) launch.device = wanted.counts->device;
  if (launch.schedule.kind != simt::Schedule::Kind::kInOrder)
    return unsupported("machine code runs its blocks in order: for another order, give the .cu or .ptx file");
  const bool follows_ptx = launch.checks != 0 && kernel.ptx != nullptr && !launches_kernels(kernel);
  return follows_ptx ? check_ptx(kernel, std::move(launch)) : run_machine_code(kernel, launch, wanted);
}

Result<Outcome> run(Module& module, const std::string& name, simt::Launch launch, const Wanted& wanted) {
  if (module.is_code()) {
    WL_ASSIGN(Kernel* const kernel, module.kernel(name));
    return run(*kernel, std::move(launch), wanted);
  }
  if (wanted.counts != nullptr) launch.device = wanted.counts->device;
  if (wanted.counts != nullptr) return run_counted(module, name, std::move(launch), wanted);
  Outcome out;
  WL_ASSIGN(out.result, simt::ptx_machine::launch(*module.ptx, name, launch));
  return out;
}

}  // namespace warplens::session
