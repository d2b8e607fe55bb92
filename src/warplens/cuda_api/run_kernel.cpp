#include "warplens/cuda_api/run_kernel.h"

#include <algorithm>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/launch.h"
#include "warplens/run/sass/control/child_launches.h"
#include "warplens/run/sass/control/device_runtime.h"

namespace warplens::cuda_api {

Error error_of(simt::FaultKind kind) {
  using Kind = simt::FaultKind;
  switch (kind) {
    case Kind::kNone: return cudaSuccess;
    case Kind::kUnsupported: return cudaErrorNotSupported;
    case Kind::kIllegalAddress: return cudaErrorIllegalAddress;
    case Kind::kMisaligned: return cudaErrorMisalignedAddress;
    case Kind::kAssert: return cudaErrorAssert;
    case Kind::kDeadlock:
    case Kind::kInstructionLimit:
    case Kind::kTimeout: return cudaErrorLaunchTimeout;
    case Kind::kTrap:
    case Kind::kCancelled:
    case Kind::kStackOverflow:
    case Kind::kInvalid: return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

namespace {

using simt::sass_machine::ChildLaunch, simt::sass_machine::ChildLaunches;
using simt::sass_machine::MachineCounts, simt::sass_machine::MachineLaunch, simt::sass_machine::Stop;

/// What stopped a kernel and where, in words.
std::string told(Kernel& kernel, const Stop& stop) {
  std::string out = fmt::format("{}: {}", demangled(kernel.name), stop.reason);
  if (!stop.placed) return out;
  const auto &b = stop.block, &t = stop.thread;
  out += fmt::format(", by block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
  const std::vector<cubin::SourceLine>& lines = kernel.module->text_of(kernel).lines;
  if (stop.pc < lines.size() && lines[stop.pc].line > 0)
    out += fmt::format(" at {}:{}", lines[stop.pc].file, lines[stop.pc].line);
  return out;
}

/// The launch takes this long.
void take_time(Runtime& runtime, const Kernel& kernel, const MachineLaunch& launch, double ns) {
  const uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const uint64_t room = std::max<uint64_t>(uint64_t{launch.blocks_per_sm} * launch.sms, 1);
  const double share = std::min(1.0, static_cast<double>(blocks) / static_cast<double>(room));
  const Span span = spend_on_sms(runtime, ns, share);
  if (!runtime.recording && !runtime.activities.on()) return;
  const auto shared_bytes = kernel.program.own_shared_bytes() + launch.dynamic_shared_bytes;
  const LaunchedKernel launched{kernel.name, launch.grid, launch.block, kernel.program.registers, shared_bytes};
  if (runtime.recording) runtime.recording->kernel(launched, span, runtime.working);
  runtime.activities.kernel(launched, span.end_ns - span.begin_ns, runtime.working);
}

void write_down(LaunchWatch& watch, const Kernel& kernel, const MachineLaunch& launch,
                const report::KernelReport& made) {
  if (watch.chosen) watch.log->launch(kernel.name, launch, made);
}

/// Whether this launch is counted whatever others were. Where events alone ask for times, launches alike share them.
bool is_wanted(const Runtime& runtime) {
  const LaunchWatch& watch = runtime.launch_watch;
  return watch.sample || watch.chosen || runtime.recording != nullptr;
}

/// Its time, and its report where one is wanted. `alike`: what it is a sample of; nullptr: no sampling.
void account(Runtime& runtime, Kernel& kernel, const MachineLaunch& launch, const MachineCounts& counts,
             AlikeLaunches* alike) {
  LaunchWatch& watch = runtime.launch_watch;
  if (!launch.counted) {
    if (alike != nullptr) take_time(runtime, kernel, launch, alike->mean_ns());
    return;
  }
  report::KernelReport made = launch_report(runtime, kernel, launch, counts);
  if (counts.stop.kind != Stop::Kind::kNone) made.why_adjusted = "it was stopped: " + counts.stop.reason;
  write_down(watch, kernel, launch, made);
  take_time(runtime, kernel, launch, made.time.recorded_ns);
  if (alike == nullptr) return;
  alike->add(made.time.recorded_ns);
  alike->last = std::move(made);
}

/// A launch that --sample leaves out.
void leave_out(Runtime& runtime, const Kernel& kernel, const MachineLaunch& launch, const AlikeLaunches& alike) {
  if (alike.last) write_down(runtime.launch_watch, kernel, launch, *alike.last);
  take_time(runtime, kernel, launch, alike.mean_ns());
}

Error run_machine_code(Runtime& runtime, Kernel& kernel, const MachineLaunch& launch, AlikeLaunches* alike) {
  Result<MachineCounts> ran = simt::sass_machine::run_machine(kernel.program, launch);
  if (!ran.ok()) return runtime.tell(cudaErrorLaunchFailure, ran.status().message());
  runtime.printed += ran->output;
  if (launch.checks != 0) {
    const bool stopped = ran->stop.kind != Stop::Kind::kNone;
    keep_machine_reports(runtime, kernel, &*ran, stopped ? told(kernel, ran->stop) : std::string());
  }
  if (ran->let_pass.kind != Stop::Kind::kNone && runtime.told.insert("let pass in " + kernel.name).second) {
    (void)runtime.tell(cudaSuccess, told(kernel, ran->let_pass) + "; a GPU lets that pass, and so does this");
  }
  const Stop::Kind stop = ran->stop.kind;
  if (stop == Stop::Kind::kTimeout) {
    ran->stop.reason +=
        fmt::format(", when {} of its {} blocks had; --launch-budget gives it longer", ran->ended_blocks, ran->blocks);
  }
  if (stop == Stop::Kind::kNone || stop == Stop::Kind::kTimeout) account(runtime, kernel, launch, *ran, alike);
  if (stop == Stop::Kind::kNone) return cudaSuccess;
  runtime.flush_printed();
  runtime.lose(error_of(stop));
  if (stop == Stop::Kind::kAssert) std::fprintf(stderr, "%s\n", ran->stop.reason.c_str());  // as CUDA does
  else (void)runtime.tell(runtime.sticky, told(kernel, ran->stop));
  return cudaSuccess;
}

/// Whether it launches kernels itself.
bool launches_kernels(const Kernel& kernel) {
  const std::vector<std::string>& calls = kernel.program.system_calls;
  return std::ranges::find(calls, simt::sass_machine::kGetParameterBuffer) != calls.end();
}

Error run_found(Runtime& runtime, Kernel& kernel, MachineLaunch launch);

/// What a kernel launched, each with what it launches itself, one after another.
void run_children(Runtime& runtime, const Kernel& parent, ChildLaunches& children) {
  for (ChildLaunch& child : children.take()) {
    if (runtime.sticky != cudaSuccess) return;
    const auto& [gx, gy, gz] = child.grid;
    const auto& [bx, by, bz] = child.block;
    const LaunchRequest request{
        .grid = {gx, gy, gz}, .block = {bx, by, bz}, .dynamic_shared_bytes = child.dynamic_shared_bytes};
    const Result<Kernel*> kernel = parent.module->kernel(child.kernel);
    MachineLaunch launch;
    std::string why = "there is no such kernel";
    Error error = kernel.ok() ? prepare(runtime, request, **kernel, &launch, &why) : cudaErrorInvalidDeviceFunction;
    if (error == cudaSuccess) {
      launch.parameters = std::move(child.parameters);
      launch.parameters.resize((*kernel)->program.parameter_bytes);
      error = run_found(runtime, **kernel, std::move(launch));
    }
    if (error != cudaSuccess)
      (void)runtime.tell(
          error, fmt::format("{} launched {} in a way that CUDA refuses: error {}, grid ({},{},{}), block "
                             "({},{},{}), {} bytes of shared memory{}{}",
                             demangled(parent.name), demangled(child.kernel), static_cast<int>(error), gx, gy, gz, bx,
                             by, bz, child.dynamic_shared_bytes, why.empty() ? "" : ": ", why));
  }
}

Error run_found(Runtime& runtime, Kernel& kernel, MachineLaunch launch) {
  LaunchWatch& watch = runtime.launch_watch;
  launch.memory = &runtime.memory;
  launch.textures = &runtime.textures;
  launch.code = &kernel.code;
  launch.lets_padding = true;
  launch.timeout_s = watch.budget_s;
  runtime.flush_printed();
  const bool launches = launches_kernels(kernel);
  if (watch.checks != 0) {
    if (kernel.ptx != nullptr && !launches) return run_checked(runtime, kernel, launch);
    const std::string& why = kernel.module->why_no_ptx();
    const std::string reason = launches ? "it launches kernels" : why.empty() ? "it uses textures or surfaces" : why;
    check_machine_code(runtime, kernel, reason, &launch);
  }
  watch.chosen = watch.reports && watch.choice->take(kernel.name, true);
  const bool wanted = is_wanted(runtime), samples = watch.sample && !launches;
  AlikeLaunches* alike = samples || (runtime.timed && !wanted) ? &watch.like(kernel.name, launch) : nullptr;
  launch.counted = wanted || (alike != nullptr && alike->next_runs());
  if (samples && !alike->next_runs()) {
    leave_out(runtime, kernel, launch, *alike);
    ++alike->launches;
    return cudaSuccess;
  }
  ChildLaunches children;
  launch.children = &children;
  const Error error = run_machine_code(runtime, kernel, launch, alike);
  if (alike != nullptr) ++alike->launches;
  run_children(runtime, kernel, children);
  return error;
}

}  // namespace

Error run_kernel(Runtime& runtime, const void* function, MachineLaunch launch) {
  Kernel* kernel = nullptr;
  const Error error = find_kernel(runtime, function, &kernel);
  return error == cudaSuccess ? run_found(runtime, *kernel, std::move(launch)) : error;
}

}  // namespace warplens::cuda_api
