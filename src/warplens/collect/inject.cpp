// What CUDA and NVTX look for in a library that is injected into a program, and what Python calls.
#include <string>

#include "warplens/collect/counters/counter.h"
#include "warplens/collect/host_sampler.h"
#include "warplens/collect/nvtx.h"
#include "warplens/collect/python_modules.h"
#include "warplens/collect/recorder.h"
#include "warplens/collect/torch_observer.h"

namespace {
thread_local std::string problem;
}  // namespace

#define WL_EXPORT extern "C" __attribute__((visibility("default")))

/// Called by the driver during cuInit when CUDA_INJECTION64_PATH names this library. 1: go on.
WL_EXPORT int InitializeInjection() {
  warplens::collect::counting_is_asked() ? warplens::collect::attach_counter() : warplens::collect::attach_cuda();
  return 1;
}

/// Called by NVTX before a program's first range when NVTX_INJECTION64_PATH names this library.
WL_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(unsigned)) {
  if (!warplens::collect::counting_is_asked()) warplens::collect::start_recorder();
  return warplens::collect::attach_nvtx(get_export_table);
}

WL_EXPORT void warplens_start() { warplens::collect::start_recorder(); }

WL_EXPORT void warplens_record_step() { warplens::collect::record_step(warplens::collect::StepWord::kProgram); }
/// From within a call of the program's optimizer `number`, which tells it from others of its class.
WL_EXPORT void warplens_optimizer_step(int number) {
  const std::string which = "{\"optimizer\": " + std::to_string(number) + "}";
  warplens::collect::record_host_event(warplens::collect::HostEvent::kArguments, 0, 0, which);
  if (number == 0) warplens::collect::record_step(warplens::collect::StepWord::kOptimizer);
}

/// Python calls the first when torch is there, then runs a few operators that autograd follows, then calls the second.
WL_EXPORT int warplens_torch_begin(int shapes) {
  warplens::collect::start_recorder();
  return warplens::collect::begin_torch(shapes != 0);
}
WL_EXPORT int warplens_torch_finish() { return warplens::collect::finish_torch(); }
/// A new reference, or null. Python calls it with its lock.
WL_EXPORT void* warplens_module_call(void* call, void* name_of) {
  return warplens::collect::marked_module_call(call, name_of);
}
/// Python measures by these what recording adds to an operator and to a call of a module.
WL_EXPORT void warplens_rehearse(int begins) { warplens::collect::rehearse(begins != 0); }
WL_EXPORT void warplens_tell_cost(const char* key, uint64_t cost_ns) { warplens::collect::tell_cost(key, cost_ns); }
WL_EXPORT void warplens_torch_end() { warplens::collect::end_torch(); }

/// Python's sampler, which calls the first without the GIL, so that states are those of a program that does not wait
/// for it.
WL_EXPORT int warplens_sample_wait(const uint32_t* threads, uint8_t* states, int count, uint32_t period_us) {
  return warplens::collect::sample_threads(threads, states, count, period_us);
}
WL_EXPORT void warplens_sample(uint32_t thread, uint8_t state, const char* stack) {
  warplens::collect::record_python_sample(thread, state, stack);
}

/// warplens.profile(): 0 when all is well; else the reason lies in warplens_problem().
WL_EXPORT const char* warplens_problem() { return problem.c_str(); }
WL_EXPORT int warplens_cycle_begin(const char* path) {
  problem = warplens::collect::begin_cycle(path);
  return problem.empty() ? 0 : 1;
}
WL_EXPORT int warplens_cycle_end() {
  problem = warplens::collect::end_cycle();
  return problem.empty() ? 0 : 1;
}
WL_EXPORT void warplens_mark_step(int64_t number) { warplens::collect::mark_step(number); }

/// For processes that end without their exit handlers (os._exit).
WL_EXPORT void warplens_record_stop() {
  warplens::collect::stop_recorder();
  warplens::collect::stop_counter();
}

/// Python's way to count a part of a running program: as the environment says, into the file that it names. 0: refused.
WL_EXPORT int warplens_count_begin() { return warplens::collect::begin_counting() ? 1 : 0; }
WL_EXPORT void warplens_count_end() { warplens::collect::end_counting(); }
