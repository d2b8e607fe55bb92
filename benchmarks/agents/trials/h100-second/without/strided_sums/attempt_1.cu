#include <cuda_runtime.h>
__device__ __forceinline__ float part(float s, float v, int t) { return fmaf(v, 1.f / (t + 1), s); }
// Column j of x viewed as (16, n/16): 16 loads give all 16 outputs of the column.
__global__ void __launch_bounds__(128) k4(const float4* __restrict__ x, float4* __restrict__ y, int m) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= m) return;
  float4 v[16];
#pragma unroll
  for (int b = 0; b < 16; ++b) v[b] = __ldcs(x + i + b * m);
#pragma unroll
  for (int b = 0; b < 16; ++b) {
    float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int t = 0; t < 16; ++t) {
      float4 u = v[(b + t) % 16];
      s.x = part(s.x, u.x, t); s.y = part(s.y, u.y, t); s.z = part(s.z, u.z, t); s.w = part(s.w, u.w, t);
    }
    __stcs(y + i + b * m, s);
  }
}
__global__ void k1(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int t = 0; t < 16; ++t) {
    int j = i + t * (n / 16);
    if (j >= n) j -= n;
    s += x[j] / (t + 1);
  }
  y[i] = s;
}
extern "C" void solve(const float* x, float* y, int n) {
  if (n % 64 == 0 && ((size_t)x | (size_t)y) % 16 == 0) {
    int m = n / 64;
    k4<<<(m + 127) / 128, 128>>>((const float4*)x, (float4*)y, m);
  } else {
    k1<<<(n + 255) / 256, 256>>>(x, y, n);
  }
}
