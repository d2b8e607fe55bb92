// Device arrays of a dtype: filled with noise on the device, read back as doubles.
#pragma once
#include <vector>

#include "warplens/bench/gpu/gpu_timer.h"
#include "warplens/launch/dtype.h"

namespace warplens::bench {

class GpuBuffer {
 public:
  static Result<GpuBuffer> allocate(const GpuTimer& timer, launch::DType dtype, uint64_t count);
  cuda::DevicePointer pointer() const { return memory_.pointer(); }
  launch::DType dtype() const { return dtype_; }
  uint64_t count() const { return count_; }
  uint64_t size_bytes() const { return count_ * launch::info(dtype_).size_bytes; }

  /// Uniform noise on the timer's stream; `low` and `high` may be any. Without them [-1, 1), integers [0, 100).
  Status fill(const GpuTimer& timer, uint64_t seed) const;
  Status fill(const GpuTimer& timer, uint64_t seed, double low, double high) const;
  Status fill_normal(const GpuTimer& timer, uint64_t seed, double mean, double deviation) const;
  /// `count` elements from `begin` on, as the timer's stream has left them.
  Result<std::vector<double>> read(const GpuTimer& timer, uint64_t begin, uint64_t count) const;

 private:
  Status noise(const GpuTimer& timer, uint64_t seed, double a, double b, bool normal) const;
  GpuBuffer(cuda::Memory memory, launch::DType dtype, uint64_t count)
      : memory_(std::move(memory)), dtype_(dtype), count_(count) {}
  cuda::Memory memory_;
  launch::DType dtype_;
  uint64_t count_;
};

}  // namespace warplens::bench
