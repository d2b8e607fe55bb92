#include <cuda_runtime.h>
__device__ __forceinline__ void pair(float& a, float& b) {
  float s = a + b, d = a - b;
  a = s; b = d;
}
// One warp per row of 1024: element = j*128 + lane*4 + q; everything in registers and shuffles.
__global__ void __launch_bounds__(128) k(const float4* __restrict__ x, float4* __restrict__ y, int rows) {
  int lane = threadIdx.x & 31, row = blockIdx.x * 4 + (threadIdx.x >> 5);
  if (row >= rows) return;
  const float4* p = x + (size_t)row * 256 + lane;
  float v[8][4];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    float4 f = __ldcs(p + j * 32);
    v[j][0] = f.x; v[j][1] = f.y; v[j][2] = f.z; v[j][3] = f.w;
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    pair(v[j][0], v[j][1]); pair(v[j][2], v[j][3]);
    pair(v[j][0], v[j][2]); pair(v[j][1], v[j][3]);
  }
#pragma unroll
  for (int m = 1; m < 32; m *= 2) {
    float sign = lane & m ? -1.f : 1.f;
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int q = 0; q < 4; ++q) v[j][q] = fmaf(v[j][q], sign, __shfl_xor_sync(~0u, v[j][q], m));
  }
#pragma unroll
  for (int m = 1; m < 8; m *= 2)
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (!(j & m))
#pragma unroll
        for (int q = 0; q < 4; ++q) pair(v[j][q], v[j | m][q]);
  float4* o = y + (size_t)row * 256 + lane;
#pragma unroll
  for (int j = 0; j < 8; ++j) __stcs(o + j * 32, make_float4(v[j][0], v[j][1], v[j][2], v[j][3]));
}
extern "C" void solve(const float* x, float* y, int n) {
  int rows = n / 1024;
  k<<<(rows + 3) / 4, 128>>>((const float4*)x, (float4*)y, rows);
}
