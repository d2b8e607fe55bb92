// cuBLAS's handle, and the shared part of its calls.
#pragma once
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/queue/blas_status.h"
#include "warplens/libraries/queue/objects.h"
#include "warplens/libraries/queue/queue.h"

namespace warplens::libraries {

using Blas = Objects<{.missing = kBlasNotInitialized, .invalid = kBlasInvalidValue, .no_memory = kBlasAllocFailed}>;

struct BlasHandle {
  void* stream = nullptr;
  int math_mode = 0, pointer_mode = 0, atomics_mode = 0, sm_count_target = 0;

  bool device_scalars() const { return pointer_mode != 0; }
  /// f32 products may round their factors to TF32.
  bool allows_tf32() const {
    constexpr int kTf32 = 3, kModes = 15;
    return (math_mode & kModes) == kTf32;
  }
  Scalar scalar(const void* pointer, Number number) const { return {pointer, number, device_scalars()}; }
};

/// The cuBLAS status of a cudaError_t.
inline int blas_status(int error) { return error == 0 ? kBlasSuccess : kBlasExecutionFailed; }

/// Queues work that reads and writes vectors and matrices once.
int queue_streaming(const BlasHandle& handle, std::string name, double flops, std::vector<TouchedMemory> touches,
                    std::function<Status()> run);

}  // namespace warplens::libraries
