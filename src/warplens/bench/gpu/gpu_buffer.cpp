#include "warplens/bench/gpu/gpu_buffer.h"

#include <algorithm>
#include <memory>

#include "warplens/base/threads.h"

namespace warplens::bench {

using launch::DType;

Result<GpuBuffer> GpuBuffer::allocate(const GpuTimer& timer, DType dtype, uint64_t count) {
  WL_ASSIGN(cuda::Memory memory, cuda::Memory::allocate(timer.device(), count * launch::info(dtype).size_bytes));
  return GpuBuffer(std::move(memory), dtype, count);
}

Status GpuBuffer::fill(const GpuTimer& timer, uint64_t seed) const {
  return launch::info(dtype_).is_float ? fill(timer, seed, -1, 1) : fill(timer, seed, 0, 100);
}

Status GpuBuffer::fill(const GpuTimer& timer, uint64_t seed, double low, double high) const {
  return noise(timer, seed, low, high, false);
}

Status GpuBuffer::fill_normal(const GpuTimer& timer, uint64_t seed, double mean, double deviation) const {
  return noise(timer, seed, mean, deviation, true);
}

Status GpuBuffer::noise(const GpuTimer& timer, uint64_t seed, double a, double b, bool normal) const {
  const int type = dtype_ == DType::kF32    ? 0
                   : dtype_ == DType::kF64  ? 1
                   : dtype_ == DType::kF16  ? 2
                   : dtype_ == DType::kBf16 ? 3
                                            : 4;
  return timer.helpers().noise(timer.handle(), pointer(), count_, type,
                               static_cast<int>(launch::info(dtype_).size_bytes), a, b, normal, seed);
}

Result<std::vector<double>> GpuBuffer::read(const GpuTimer& timer, uint64_t begin, uint64_t count) const {
  const uint64_t size = launch::info(dtype_).size_bytes;
  const std::unique_ptr<uint8_t[]> bytes(new uint8_t[count * size]);  // not filled with zeros first
  const cuda::Driver& driver = timer.device().driver();
  WL_TRY(driver.check(driver.copy_out_async(bytes.get(), pointer() + begin * size, count * size, timer.handle()),
                      "cannot copy from the GPU"));
  WL_TRY(driver.check(driver.stream_synchronize(timer.handle()), "the GPU reports"));
  std::vector<double> out(count);
  constexpr uint64_t kAtOnce = 1 << 18;
  parallel_for((count + kAtOnce - 1) / kAtOnce, default_threads(), [&](size_t part) {
    for (uint64_t i = part * kAtOnce; i < std::min(count, (part + 1) * kAtOnce); ++i)
      out[i] = launch::load(dtype_, &bytes[i * size]);
  });
  return out;
}

}  // namespace warplens::bench
