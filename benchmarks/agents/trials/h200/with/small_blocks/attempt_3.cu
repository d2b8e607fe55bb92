#include <cuda_runtime.h>

__device__ __forceinline__ float f(float x) {
  return x * x + 1;
}
__global__ void __launch_bounds__(256) k(const float* __restrict__ x, float* __restrict__ y, int n, int n4) {
  int i = blockIdx.x * 256 + threadIdx.x, t = n4 * 4 + i;
  float e = 0;
  if (t < n) e = x[t];
  if (i < n4) {
    float4 v = __ldg((const float4*)x + i);
    ((float4*)y)[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
  }
  if (t < n) y[t] = f(e);
}
extern "C" void solve(const float* x, float* y, int n) {
  int n4 = (((size_t)x | (size_t)y) & 15) ? 0 : n >> 2, threads = n4 > n - 4 * n4 ? n4 : n - 4 * n4;
  k<<<(threads + 255) / 256, 256>>>(x, y, n, n4);
}
