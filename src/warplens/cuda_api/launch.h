// Running a kernel of the program.
#pragma once
#include "warplens/cuda_api/runtime.h"
#include "warplens/gpu/occupancy.h"
#include "warplens/session/run.h"

namespace warplens::cuda_api {

struct LaunchRequest {
  const void* function = nullptr;                        // the host's
  Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};  // cluster {0,0,0}: the kernel's own
  void** arguments = nullptr;                            // each points at its value
  size_t dynamic_shared_bytes = 0;
  void* stream = nullptr;
  bool cooperative = false;
};

/// The cluster and cooperation attributes of a launch; the others only affect speed. Errors: an invalid attribute, a
/// cluster of no blocks.
Error take_attributes(const LaunchAttribute* attributes, uint32_t count, LaunchRequest* request);

/// The address of each argument in the one buffer of `extra`: a list of 1 (the buffer) and 2 (its size) that ends in 0.
/// Error: a buffer too short.
Error arguments_in(const Kernel& kernel, void** extra, std::vector<void*>* arguments);

/// Everything about a launch but its parameters. Errors: as the hardware refuses it; `why` says so in words.
Error prepare(const Runtime& runtime, const LaunchRequest& request, const Kernel& kernel, simt::Launch* prepared,
              std::string* why);
/// The work of a launch, its arguments copied. Errors: of the request, as the hardware refuses it.
Error make_work(Runtime& runtime, const LaunchRequest& request, Work* work);
/// The launch, its arguments copied, as a node of a graph keeps it. Errors: no such kernel, no arguments.
Error keep_launch(Runtime& runtime, const LaunchRequest& request, Made* out);
/// Runs it to its end, or captures it. A fault of the kernel becomes the runtime's sticky error and is reported on
/// standard error.
Error launch(Runtime& runtime, const LaunchRequest& request);

/// The kernel behind a host function, as `device` has it. Errors, with a message: no such function, no image for the
/// GPU.
Error find_kernel(Runtime& runtime, const void* function, Kernel** kernel, int device = current_device());

}  // namespace warplens::cuda_api
