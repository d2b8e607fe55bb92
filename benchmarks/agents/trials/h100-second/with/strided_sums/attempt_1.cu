#include <cuda_runtime.h>
// A thread loads all 16 elements i + s * n / 16 (two neighbours of each), and gives the 16 sums that they make.
__global__ void __launch_bounds__(256) k(const float2* __restrict__ x, float2* __restrict__ y, int m) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= m) return;
  float2 v[16];
#pragma unroll
  for (int s = 0; s < 16; ++s) v[s] = __ldcs(x + i + (size_t)s * m);
#pragma unroll
  for (int s = 0; s < 16; ++s) {
    float2 a = v[s];
#pragma unroll
    for (int t = 1; t < 16; ++t) {
      float w = 1.f / (t + 1);
      a.x += v[(s + t) % 16].x * w;
      a.y += v[(s + t) % 16].y * w;
    }
    __stcs(y + i + (size_t)s * m, a);
  }
}
__global__ void any(const float* x, float* y, int n) {
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
  if (n % 32 == 0) k<<<(n / 32 + 255) / 256, 256>>>((const float2*)x, (float2*)y, n / 32);
  else any<<<(n + 255) / 256, 256>>>(x, y, n);
}
