#include <cuda_runtime.h>
// 0.5 x (1 + tanh u) = x / (1 + exp(-2u)), in float32
__device__ __forceinline__ float f(float x) {
  float u = x * fmaf(x * x, -2 * 0.7978845608028654f * 0.044715f, -2 * 0.7978845608028654f);
  return __fdividef(x, 1.f + __expf(u));
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
