// CUB's device-wide algorithms behind a C interface, as peers of the suite (warplens.suite compiles this with nvcc).
#include <cub/cub.cuh>

namespace {
// Temporary storage, grown on demand and kept, so that it is not in the time.
void* storage = nullptr;
size_t held = 0;

template <typename Call>
int run(Call call) {
  size_t needed = 0;
  if (cudaError_t error = call(nullptr, needed)) return error;
  if (needed > held) {
    cudaFree(storage);
    if (cudaError_t error = cudaMalloc(&storage, needed)) return error;
    held = needed;
  }
  return call(storage, needed);
}
}  // namespace

extern "C" int cub_sum(const float* x, float* total, int n, cudaStream_t stream) {
  return run([&](void* space, size_t& bytes) { return cub::DeviceReduce::Sum(space, bytes, x, total, n, stream); });
}
extern "C" int cub_scan(const float* x, float* y, int n, cudaStream_t stream) {
  return run([&](void* space, size_t& bytes) { return cub::DeviceScan::InclusiveSum(space, bytes, x, y, n, stream); });
}
extern "C" int cub_histogram(const unsigned char* values, int* bins, int n, cudaStream_t stream) {
  return run([&](void* space, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(space, bytes, values, bins, 257, 0, 256, n, stream);
  });
}
