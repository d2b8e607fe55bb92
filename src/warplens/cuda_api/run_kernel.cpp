#include "warplens/cuda_api/run_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/launch.h"
#include "warplens/cuda_api/sample/sample.h"
#include "warplens/model/constants.h"
#include "warplens/model/time_model.h"

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
    case Kind::kNoSuchBlock:
    case Kind::kTrap:
    case Kind::kCancelled:
    case Kind::kStackOverflow: return cudaErrorLaunchFailure;
    case Kind::kInvalid: return cudaErrorIllegalInstruction;
    case Kind::kInvalidPc: return cudaErrorInvalidPc;
  }
  return cudaErrorUnknown;
}

namespace {

using simt::sass_machine::ChildCopy, simt::sass_machine::ChildLaunch, simt::sass_machine::ChildLaunches,
    simt::sass_machine::HostAnswers;

/// The launch takes this long.
void take_time(Runtime& runtime, const Kernel& kernel, const simt::Launch& launch, double ns) {
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2],
                 blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const gpu::BlockNeeds needs = session::needs_of(kernel, static_cast<int>(threads), launch.dynamic_shared_bytes);
  const int resident = std::max(gpu::occupancy(runtime.device->architecture(), needs).blocks, 1);
  const double room = static_cast<double>(resident) * runtime.device->sms;
  const Span span = spend_on_sms(runtime, ns, std::min(1.0, static_cast<double>(blocks) / room));
  if (!runtime.recording && !runtime.activities.on()) return;
  const auto shared_bytes = kernel.program.own_shared_bytes() + launch.dynamic_shared_bytes;
  const LaunchedKernel launched{kernel.name, launch.grid, launch.block, kernel.program.registers, shared_bytes};
  if (runtime.recording) runtime.recording->kernel(launched, span, runtime.working);
  runtime.activities.kernel(launched, span.end_ns - span.begin_ns, runtime.working);
}

/// Of the module that holds the kernel.
std::vector<report::PtxLine> ptx_of(const Runtime& runtime, const Kernel& kernel) {
  const auto module = std::ranges::find_if(runtime.modules, [&](const auto& each) { return each->holds(kernel); });
  return module == runtime.modules.end() ? std::vector<report::PtxLine>() : (*module)->ptx_of(kernel.name);
}

void write_down(Runtime& runtime, const Kernel& kernel, const simt::Launch& launch, const report::KernelReport& made) {
  LaunchWatch& watch = runtime.launch_watch;
  if (watch.chosen) watch.write(kernel.name, launch, made, [&] { return ptx_of(runtime, kernel); });
}

/// What the launch shares counts with; nullptr: it is counted itself, or nobody asks for its time.
AlikeLaunches* alike_of(Runtime& runtime, const Kernel& kernel, const simt::Launch& launch, bool samples) {
  LaunchWatch& watch = runtime.launch_watch;
  if (samples)
    return runtime.recording != nullptr ? &watch.sampled(kernel.name, launch) : &watch.like(kernel.name, launch);
  if (watch.checks != 0 || watch.sample || watch.chosen) return nullptr;
  if (runtime.recording != nullptr) return &watch.repeats(kernel.name, launch);
  return runtime.timed ? &watch.sampled(kernel.name, launch) : nullptr;
}

/// What one more launch takes that asks for the same as those that were counted: from what lies in L2 now. A sample
/// leaves L2 as it is, because the host must not wait for its model. None was counted where all failed for want of
/// what the sample left out.
double again_ns(Runtime& runtime, const AlikeLaunches& alike) {
  if (alike.ran == 0) return model::kShortKernelNs;
  if (runtime.launch_watch.sample || !alike.work) return alike.recorded_ns;
  model::Work work = *alike.work;
  work.warm_sectors = static_cast<double>(runtime.l2().pass(alike.touched));
  return model::estimate_time(work, *runtime.device).recorded_ns;
}

/// A launch that is not counted: its report is that of one like it.
void take_again(Runtime& runtime, const Kernel& kernel, const simt::Launch& launch, const AlikeLaunches& alike) {
  if (alike.last) write_down(runtime, kernel, launch, *alike.last);
  take_time(runtime, kernel, launch, again_ns(runtime, alike));
}

/// Its time, and its report where one is wanted. `alike`: what it is a sample of; nullptr: no sampling.
void account(Runtime& runtime, const Kernel& kernel, const simt::Launch& launch, session::Outcome&& ran,
             AlikeLaunches* alike) {
  std::optional<report::KernelReport>& made = ran.report;
  if (!made) {
    if (alike != nullptr) take_again(runtime, kernel, launch, *alike);
    return;
  }
  write_down(runtime, kernel, launch, *made);
  take_time(runtime, kernel, launch, made->time.recorded_ns);
  if (alike == nullptr) return;
  alike->add(made->time.ns);
  alike->recorded_ns = made->time.recorded_ns;
  alike->work = made->work;
  alike->touched = std::move(ran.touched);
  if (runtime.launch_watch.sample) alike->last = std::move(made);
}

/// A launch returns before its kernel faults, unless the program asks for launches that wait.
bool launches_wait() {
  static const bool wait = [] {
    const char* const chosen = std::getenv("CUDA_LAUNCH_BLOCKING");
    return chosen != nullptr && std::string_view(chosen) == "1";
  }();
  return wait;
}

/// What stopped it becomes the runtime's sticky error, and is told.
void take_fault(Runtime& runtime, const simt::Fault& fault) {
  const bool in_time = fault.kind != simt::FaultKind::kTimeout;
  runtime.flush_printed();
  runtime.lose(error_of(fault.kind));
  if (fault.kind == simt::FaultKind::kAssert) std::fprintf(stderr, "%s\n", fault.message.c_str());  // as CUDA does
  else
    (void)runtime.tell(runtime.sticky, in_time ? fault.text()
                                               : fmt::format("{}: {}; --launch-budget gives it longer",
                                                             demangled(fault.place.kernel), fault.message));
}

/// Runs it. `alike`: as of account.
Error run_once(Runtime& runtime, Kernel& kernel, const simt::Launch& launch, const session::Wanted& wanted,
               AlikeLaunches* alike) {
  std::optional<simt::sass_machine::WrittenWatch> written;
  if (alike != nullptr && runtime.launch_watch.sample) written.emplace();
  Result<session::Outcome> ran = session::run(kernel, launch, wanted);
  if (!ran.ok()) {
    runtime.launch_watch.refused(kernel.name, ran.status().message(), false);
    return runtime.tell(cudaErrorLaunchFailure, demangled(kernel.name) + ": " + ran.status().message());
  }
  if (written && ran->report) Sample::of(runtime.memory).keep(alike, launch.parameters, written->runs);
  const std::optional<simt::Fault>& fault = ran->result.fault;
  runtime.printed += ran->result.output;
  if (launch.checks != 0) keep_checked(runtime, kernel, *ran);
  if (ran->let_pass && runtime.told.insert("let pass in " + kernel.name).second)
    (void)runtime.tell(cudaSuccess, ran->let_pass->text() + "; a GPU ignores that, and so does the emulator");
  const std::optional<simt::Fault> stopped = fault;
  if (!fault || ran->report || alike != nullptr) account(runtime, kernel, launch, std::move(*ran), alike);
  if (!stopped) return cudaSuccess;
  if (runtime.launch_watch.sample && Sample::of(runtime.memory).any()) ++runtime.launch_watch.failed;
  else take_fault(runtime, *stopped);
  return launches_wait() ? runtime.sticky : cudaSuccess;
}

Error run_found(Runtime& runtime, Kernel& kernel, simt::Launch launch);

/// A kernel that a kernel launched, ready to run. Errors: there is no such kernel; CUDA refuses the launch. Both are
/// told.
Error prepare_child(Runtime& runtime, const Kernel& parent, const ChildLaunch& child, Kernel** kernel,
                    simt::Launch* launch) {
  const auto& [gx, gy, gz] = child.grid;
  const auto& [bx, by, bz] = child.block;
  const LaunchRequest request{
      .grid = {gx, gy, gz}, .block = {bx, by, bz}, .dynamic_shared_bytes = child.dynamic_shared_bytes};
  const Result<Kernel*> found = parent.module->kernel(child.kernel);
  std::string why = "there is no such kernel";
  const Error error = found.ok() ? prepare(runtime, request, **found, launch, &why) : cudaErrorInvalidDeviceFunction;
  if (error != cudaSuccess)
    return runtime.tell(
        error, fmt::format("{} launched {} in a way that CUDA refuses: error {}, grid ({},{},{}), block "
                           "({},{},{}), {} bytes of shared memory{}{}",
                           demangled(parent.name), demangled(child.kernel), static_cast<int>(error), gx, gy, gz, bx, by,
                           bz, child.dynamic_shared_bytes, why.empty() ? "" : ": ", why));
  *kernel = *found;
  launch->parameters = child.parameters;
  launch->parameters.resize((*kernel)->program.parameter_bytes);
  return cudaSuccess;
}

/// Errors: memory that is none, as a copy of the host's.
Error run_copy(Runtime& runtime, const ChildCopy& c) {
  const Rows target{reinterpret_cast<void*>(c.target), c.pitch_bytes};
  if (c.source == 0) return fill_rows(runtime, target, static_cast<int>(c.value), c.size_bytes, c.rows);
  return copy(runtime, target.first, reinterpret_cast<void*>(c.source), c.size_bytes, kDeviceToDevice);
}

/// What a kernel launched, each with what it launches itself, one after another; its copies and fills among them.
void run_children(Runtime& runtime, const Kernel& parent, ChildLaunches& children) {
  for (const ChildLaunch& child : children.take()) {
    if (runtime.sticky != cudaSuccess) return;
    if (child.copy) {
      if (const Error error = run_copy(runtime, *child.copy); error != cudaSuccess)
        (void)runtime.tell(error, fmt::format("{} copies or fills {} bytes at {:#x}, which are not all device memory",
                                              demangled(parent.name), child.copy->size_bytes, child.copy->target));
      continue;
    }
    Kernel* kernel = nullptr;
    simt::Launch launch;
    if (prepare_child(runtime, parent, child, &kernel, &launch) != cudaSuccess) continue;
    if (const Error error = run_found(runtime, *kernel, std::move(launch)); error != cudaSuccess)
      (void)runtime.tell(error, fmt::format("{}, which {} launched, does not run: error {}", demangled(child.kernel),
                                            demangled(parent.name), static_cast<int>(error)));
  }
}

/// What kernels may ask while they run, when nobody else changes the runtime.
HostAnswers answers_of(Runtime& runtime, const Kernel& parent) {
  HostAnswers host;
  host.refusal = [&runtime, &parent](const ChildLaunch& child) {
    Kernel* kernel = nullptr;
    simt::Launch launch;
    return static_cast<uint32_t>(prepare_child(runtime, parent, child, &kernel, &launch));
  };
  host.attribute = [&runtime](int* value, int attribute, int device) {
    return static_cast<uint32_t>(device_attribute(runtime, value, attribute, device));
  };
  host.device = current_device();
  host.devices = runtime.devices;
  host.version = kRuntimeVersion;
  return host;
}

Error run_found(Runtime& runtime, Kernel& kernel, simt::Launch launch) {
  LaunchWatch& watch = runtime.launch_watch;
  launch.timeout_s = watch.budget_s;
  launch.checks = watch.checks;
  runtime.flush_printed();
  const bool launches = session::launches_kernels(kernel), checked = watch.checks != 0;
  watch.chosen = !checked && watch.reports && watch.choice->take(kernel.name, true);
  const bool samples = !checked && watch.sample && !launches;
  AlikeLaunches* alike = alike_of(runtime, kernel, launch, samples);
  const bool counted = !checked && (alike != nullptr ? alike->next_runs() : watch.sample || watch.chosen);
  if (samples && !alike->next_runs()) {
    take_again(runtime, kernel, launch, *alike);
    ++alike->launches;
    if (!Sample::of(runtime.memory).leave_out(alike, launch.parameters)) ++watch.missing;
    return cudaSuccess;
  }
  if (watch.sample) Sample::of(runtime.memory).pending().settle_all();
  ChildLaunches children(answers_of(runtime, kernel));
  session::CountOptions options;
  options.name = short_name(kernel.name);
  options.device = runtime.device;
  options.instructions = options.watch.every = watch.code && watch.chosen;
  const Error error = run_once(runtime, kernel, launch,
                               {.counts = counted ? &options : nullptr,
                                .of_program = true,
                                .textures = &runtime.textures,
                                .l2 = &runtime.l2(),
                                .children = &children},
                               alike);
  if (alike != nullptr) ++alike->launches;
  run_children(runtime, kernel, children);
  return error;
}

}  // namespace

Error run_kernel(Runtime& runtime, const void* function, int device, simt::Launch launch) {
  Kernel* kernel = nullptr;
  const Error error = find_kernel(runtime, function, &kernel, device);
  return error == cudaSuccess ? run_found(runtime, *kernel, std::move(launch)) : error;
}

}  // namespace warplens::cuda_api
