// A kernel case on a GPU.
#pragma once
#include <memory>

#include "warplens/bench/gpu/gpu_timer.h"
#include "warplens/bench/suite/kernel_case.h"

namespace warplens::bench {

/// Holds the module and buffers of one case; work() is valid for as long as the case exists.
class GpuCase {
 public:
  static Result<std::unique_ptr<GpuCase>> load(const KernelCase& kernel_case, GpuTimer& timer);
  virtual ~GpuCase() = default;
  virtual Work work() = 0;
};

}  // namespace warplens::bench
