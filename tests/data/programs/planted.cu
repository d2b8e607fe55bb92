// Kernels with planted defects, twenty of each kind, each beside the same kernel mended. Run under --check: every bad_...
// is found, no good_... is.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kThreads = 64;

// Accesses outside memory: data holds n values.
template <typename T, int kWhat, bool kGood>
__device__ void memory(T* data, int n) {
  const int i = threadIdx.x;
  if (kWhat == 0) data[i] = data[kGood ? n - 1 - i : n - 1 - i + 1] + T(1);
  if (kWhat == 1 && i == 0) data[kGood ? n - 1 : n] = T(2);
  if (kWhat == 2 && i == 0) data[kGood ? 0 : -1] = T(3);
  if (kWhat == 3 && i == 5) data[kGood ? 5 : n + 5] = T(4);
  if (kWhat == 4 && i == 0)
    for (int k = 0; kGood ? k < n : k <= n; ++k) data[k] = T(k);
}

// Conflicting accesses without order.
template <typename T, int kWhat, bool kGood>
__device__ void race(T* data, int n) {
  __shared__ T shared[kThreads];
  const int i = threadIdx.x;
  shared[i] = T(i);
  if (kWhat == 0) {
    if (kGood) __syncthreads();
    data[i] = shared[(i + 33) % kThreads];
  }
  if (kWhat == 1 && (!kGood || blockIdx.x == 0)) data[i] = T(blockIdx.x);
  if (kWhat == 2) {
    __syncthreads();
    for (int step = kThreads / 2; step > 0; step /= 2) {
      if (i < step) shared[i] = shared[i] + shared[i + step];
      if (kGood || step < kThreads / 2) __syncthreads();
      if (!kGood && step == kThreads / 2 && i == 0) shared[0] = shared[0] + shared[kThreads / 2 - 1];
    }
    if (blockIdx.x == 0 && i == 0) data[0] = shared[0];
  }
  if (kWhat == 3 && blockIdx.x == 0) {
    const T next = data[(i + 32) % kThreads];
    if (kGood) __syncthreads();
    data[i] = next;
  }
  if (kWhat == 4 && blockIdx.x == 0) {
    if (!kGood) data[n - 1] = T(i / 32);
    else if (i == 0) data[n - 1] = T(0);
  }
}

// Reads of what nothing wrote: the first half of data is written, of the second nothing.
template <typename T, int kWhat, bool kGood>
__device__ void init(T* data, int n) {
  __shared__ T shared[kThreads];
  const int i = threadIdx.x;
  T seen = T(0);
  if (kWhat == 0) seen = data[kGood ? i : n / 2 + i];
  if (kWhat == 1) {
    if (kGood) shared[i] = T(1);
    seen = shared[i];
  }
  if (kWhat == 2) {
    if (kGood || i < 40) shared[i] = T(i);
    __syncthreads();
    seen = shared[kThreads - 1 - i];
  }
  if (kWhat == 3 && i == 0)
    for (int k = 0; k < (kGood ? n / 2 : n / 2 + 1); ++k) seen = seen + data[k];
  if (kWhat == 4) {
    if (kGood) data[n / 2 + i] = T(2);
    seen = data[n / 2 + i];
  }
  if (seen == T(77)) data[0] = seen;
}

// Threads that miss each other.
template <int kFew, int kWhat, bool kGood>
__device__ void sync(float* data, int) {
  const int i = threadIdx.x;
  if (kWhat == 0) {
    if (kGood) __syncthreads();
    else if (i < kFew) __syncthreads();
  }
  if (kWhat == 1) {
    const unsigned mask = kGood ? 0xffffffffu : (1u << kFew) - 1;
    float value = i;
    if (kGood || i % 32 < kFew + 1) value += __shfl_sync(mask, value, 0);
    data[i] = value;
  }
  if (kWhat == 2) {
    const unsigned mask = kGood ? 0xffffffffu : ~(1u << kFew);
    data[i] = __any_sync(mask, i == 40);
  }
  if (kWhat == 3) {
    if (kGood) data[i] = __syncthreads_count(i < kFew);
    else if (i != kFew) data[i] = __syncthreads_count(1);
  }
}

template <typename T, int kWhat> __global__ void bad_memory(T* data, int n) { memory<T, kWhat, false>(data, n); }
template <typename T, int kWhat> __global__ void good_memory(T* data, int n) { memory<T, kWhat, true>(data, n); }
template <typename T, int kWhat> __global__ void bad_race(T* data, int n) { race<T, kWhat, false>(data, n); }
template <typename T, int kWhat> __global__ void good_race(T* data, int n) { race<T, kWhat, true>(data, n); }
template <typename T, int kWhat> __global__ void bad_init(T* data, int n) { init<T, kWhat, false>(data, n); }
template <typename T, int kWhat> __global__ void good_init(T* data, int n) { init<T, kWhat, true>(data, n); }
template <int kFew, int kWhat> __global__ void bad_sync(float* data, int n) { sync<kFew, kWhat, false>(data, n); }
template <int kFew, int kWhat> __global__ void good_sync(float* data, int n) { sync<kFew, kWhat, true>(data, n); }

enum Filled { kHalf, kWhole };
template <typename T>
void run(void (*kernel)(T*, int), int blocks, Filled filled) {
  constexpr int kCount = 2 * kThreads;
  T* data = nullptr;
  cudaMalloc(&data, kCount * sizeof(T));
  cudaMemset(data, 0, (filled == kWhole ? kCount : kCount / 2) * sizeof(T));
  kernel<<<blocks, kThreads>>>(data, kCount);
  if (const cudaError_t error = cudaDeviceSynchronize()) std::printf("%s\n", cudaGetErrorName(error));
  cudaFree(data);
}

template <typename T, int kWhat>
void run_all() {
  run(bad_memory<T, kWhat>, 1, kWhole);
  run(good_memory<T, kWhat>, 1, kWhole);
  run(bad_race<T, kWhat>, 2, kWhole);
  run(good_race<T, kWhat>, 2, kWhole);
  run(bad_init<T, kWhat>, 1, kHalf);
  run(good_init<T, kWhat>, 1, kHalf);
}

template <typename T>
void run_type() {
  run_all<T, 0>();
  run_all<T, 1>();
  run_all<T, 2>();
  run_all<T, 3>();
  run_all<T, 4>();
}

template <int kFew>
void run_sync() {
  run(bad_sync<kFew, 0>, 1, kWhole);
  run(good_sync<kFew, 0>, 1, kWhole);
  run(bad_sync<kFew, 1>, 1, kWhole);
  run(good_sync<kFew, 1>, 1, kWhole);
  run(bad_sync<kFew, 2>, 1, kWhole);
  run(good_sync<kFew, 2>, 1, kWhole);
  run(bad_sync<kFew, 3>, 1, kWhole);
  run(good_sync<kFew, 3>, 1, kWhole);
}

int main() {
  run_type<char>();
  run_type<short>();
  run_type<float>();
  run_type<double>();
  run_sync<1>();
  run_sync<7>();
  run_sync<13>();
  run_sync<20>();
  run_sync<31>();
  for (int i = 0; i < 20; ++i) {
    void *kept = nullptr, *given_back = nullptr;
    cudaMalloc(&kept, 1000 + i);
    cudaMalloc(&given_back, 1000 + i);
    cudaFree(given_back);
  }
  std::printf("done\n");
  return 0;
}
