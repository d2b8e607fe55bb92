// What CUDA and NVTX look for in a library that is injected into a program, and what Python calls.
#include "warplens/collect/counters/counter.h"
#include "warplens/collect/nvtx.h"
#include "warplens/collect/recorder.h"
#include "warplens/collect/torch_observer.h"

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

WL_EXPORT void warplens_record_step() { warplens::collect::record_step(); }

/// Python calls the first when torch is there, then runs a few operators that autograd follows, then calls the second.
WL_EXPORT int warplens_torch_begin(int shapes) {
  warplens::collect::start_recorder();
  return warplens::collect::begin_torch(shapes != 0);
}
WL_EXPORT int warplens_torch_finish() { return warplens::collect::finish_torch(); }

/// For processes that end without their exit handlers (os._exit).
WL_EXPORT void warplens_record_stop() {
  warplens::collect::stop_recorder();
  warplens::collect::stop_counter();
}
