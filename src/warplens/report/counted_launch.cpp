#include "warplens/report/counted_launch.h"

#include <algorithm>

#include "warplens/base/timing.h"
#include "warplens/report/ptx_watch.h"

namespace warplens::report {
namespace {

/// Of a launch whose machine code was counted.
void add_totals(const KernelReport& report, simt::LaunchCounts* counts) {
  counts->warp_instructions = report.warp_instructions;
  counts->thread_instructions = report.thread_instructions;
}

/// Of one that ran as machine code alone.
simt::LaunchResult result_of(const KernelReport& report, int64_t begin_ns) {
  simt::LaunchResult result;
  add_totals(report, &result.counts);
  result.serialised = report.serialised;
  result.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  return result;
}

}  // namespace

Result<CountedLaunch> launch_counted(LaunchToCount request, simt::ptx_machine::LaunchConfig config) {
  request.config = &config;
  request.results = config.checks == 0 && config.schedule.kind == simt::Schedule::Kind::kInOrder;
  if (config.timeout_s > 0)
    request.timeout_s = request.timeout_s > 0 ? std::min(config.timeout_s, request.timeout_s) : config.timeout_s;
  const int64_t begin_ns = monotonic_ns();
  WL_ASSIGN(KernelReport report, count_machine_code(request));
  if (report.has_results) {
    simt::LaunchResult result = result_of(report, begin_ns);
    return CountedLaunch{std::move(result), std::move(report)};
  }
  config.count = !report.from_machine_code;
  PtxWatch watch(config.grid);
  if (request.watch.line && !report.from_machine_code) config.observer = &watch;
  WL_ASSIGN(simt::LaunchResult result, simt::ptx_machine::launch(*request.module, request.kernel, config));
  if (report.from_machine_code) {
    add_totals(report, &result.counts);
  } else {
    // Machine code may have run where the emulator does not know an instruction of the PTX.
    if (result.fault) return CountedLaunch{std::move(result), std::nullopt};
    count_ptx(request, result.counts, watch.samples(), &report);
  }
  return CountedLaunch{std::move(result), std::move(report)};
}

}  // namespace warplens::report
