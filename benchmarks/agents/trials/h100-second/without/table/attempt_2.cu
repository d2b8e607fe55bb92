#include <cuda_runtime.h>
__device__ __forceinline__ float look(float x, const float2* s) {
  float at = fminf(fabsf(x) * 1023, 1023.f);
  float m = __fadd_rd(at, 8388608.f);                      // floor, in the mantissa's bits
  float2 e = s[__float_as_uint(m) & 1023];
  return fmaf(at - (m - 8388608.f), e.y, e.x);
}
__device__ __forceinline__ float4 look4(float4 v, const float2* s) {
  return make_float4(look(v.x, s), look(v.y, s), look(v.z, s), look(v.w, s));
}
__global__ void __launch_bounds__(512, 4) k(const float* __restrict__ x, const float* __restrict__ table, float* __restrict__ y, int n, int n4) {
  __shared__ float2 s[1024];
  int t = threadIdx.x, step = gridDim.x * 512, i = blockIdx.x * 512 + t;
  const float4* x4 = (const float4*)x;
  float4* y4 = (float4*)y;
  float4 a, b, c, d;
  bool two = i + step < n4;
  if (i < n4) a = __ldcs(x4 + i);
  if (two) b = __ldcs(x4 + i + step);
  for (int j = t; j < 1024; j += 512) {
    float v = table[j];
    s[j] = make_float2(v, j < 1023 ? table[j + 1] - v : 0.f);
  }
  __syncthreads();
  for (int q = 4 * n4 + i; q < n; q += step) y[q] = look(x[q], s);
  while (i < n4) {
    int j = i + 2 * step;
    bool more = j + step < n4;
    if (j < n4) c = __ldcs(x4 + j);
    if (more) d = __ldcs(x4 + j + step);
    __stcs(y4 + i, look4(a, s));
    if (two) __stcs(y4 + i + step, look4(b, s));
    a = c; b = d; i = j; two = more;
  }
}
static int multiprocessors() {
  int dev = 0, sms = 132;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  return sms;
}
extern "C" void solve(const float* x, const float* table, float* y, int n) {
  static const int sms = multiprocessors();
  int n4 = ((size_t)x | (size_t)y) % 16 ? 0 : n / 4;
  k<<<4 * sms, 512>>>(x, table, y, n, n4);
}
