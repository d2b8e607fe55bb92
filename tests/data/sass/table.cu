// What each opcode of the table must be known as: fused products of halves, and atomics whose address may be anywhere.
#include <cuda_fp16.h>

extern "C" __global__ void half_chain(const __half2* x, __half2* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 a = x[i], b = a;
  for (int k = 0; k < 64; ++k) b = __hfma2(b, a, a);
  y[i] = b;
}

// Each value decides where the next one lies, so that an atomic waits for the one before it.
template <bool kGeneric, typename T, typename F>
__device__ void chase(T* global, int steps, int in_shared, F next) {
  __shared__ T shared[32];
  shared[threadIdx.x] = 0;
  T* p = kGeneric && in_shared ? shared : global;
  unsigned at = threadIdx.x;
  for (int k = 0; k < steps; ++k) at = (at + static_cast<unsigned>(next(p + at))) & 31;
  global[at] = 1;
}

extern "C" __global__ void swap_global(int* p, int steps, int in_shared) {
  chase<false>(p, steps, in_shared, [](int* q) { return atomicCAS(q, 7, 0); });
}
extern "C" __global__ void swap_generic(int* p, int steps, int in_shared) {
  chase<true>(p, steps, in_shared, [](int* q) { return atomicCAS(q, 7, 0); });
}
extern "C" __global__ void add_global(float* p, int steps, int in_shared) {
  chase<false>(p, steps, in_shared, [](float* q) { return atomicAdd(q, 0.0f); });
}
extern "C" __global__ void add_generic(float* p, int steps, int in_shared) {
  chase<true>(p, steps, in_shared, [](float* q) { return atomicAdd(q, 0.0f); });
}
