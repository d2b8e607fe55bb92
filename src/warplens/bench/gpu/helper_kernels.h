// The small kernels that a benchmark needs around the one it times.
#pragma once
#include "warplens/build/driver/stream.h"
#include "warplens/build/inline/module.h"

namespace warplens::bench {

class HelperKernels {
 public:
  static Result<HelperKernels> load(const cuda::Device& device);

  /// Does nothing, on one thread.
  Status empty(cuda::StreamHandle stream) const;
  /// Keeps one thread busy for `ns`.
  Status spin(cuda::StreamHandle stream, uint64_t ns) const;
  /// Reads `read_bytes` after the first `write_bytes` of `buffer`, then writes those. This evicts old lines,
  /// persisting ones too, and fills the cache with dirty lines, as an earlier kernel would leave it. After a
  /// flush that only reads, a kernel that writes looks up to 5 % faster, because its own last lines stay in the
  /// cache.
  Status flush(cuda::StreamHandle stream, cuda::DevicePointer buffer, uint64_t read_bytes, uint64_t write_bytes) const;
  /// For each SM that a block lands on: its cycle counter and the global timer in ns, two 64-bit numbers at 16 * SM.
  Status probe(cuda::StreamHandle stream, cuda::DevicePointer clocks) const;
  /// Noise, uniform in [low, high), or normal with mean `low` and deviation `high`.
  /// `type`: 0 f32, 1 f64, 2 f16, 3 bf16, 4 integers of `size` bytes.
  Status noise(cuda::StreamHandle stream, cuda::DevicePointer at, uint64_t count, int type, int size, double low,
               double high, bool normal, uint64_t seed) const;
  int sms() const { return sms_; }

 private:
  HelperKernels(const cuda::Device& device, cuda::Module module) : device_(&device), module_(std::move(module)) {}
  Status launch(cuda::FunctionHandle function, cuda::StreamHandle stream, uint32_t blocks, uint32_t threads,
                const cuda::Parameters& parameters) const;
  const cuda::Device* device_;
  cuda::Module module_;
  cuda::FunctionHandle empty_ = nullptr, spin_ = nullptr, write_ = nullptr, read_ = nullptr, probe_ = nullptr,
                       noise_ = nullptr;
  int sms_ = 1;
};

}  // namespace warplens::bench
