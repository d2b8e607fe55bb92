#include <cuda_runtime.h>
// One warp a row of 1024: bits 0, 1 and 7 to 9 of the index are registers, bits 2 to 6 are lanes.
template <int H>
__device__ __forceinline__ void inside(float* v) {
#pragma unroll
  for (int i = 0; i < 32; ++i)
    if (!(i & H)) {
      float a = v[i], b = v[i + H];
      v[i] = a + b;
      v[i + H] = a - b;
    }
}
template <int L>
__device__ __forceinline__ void across(float* v, int lane) {
  float sign = lane & L ? -1.f : 1.f;
#pragma unroll
  for (int i = 0; i < 32; ++i) v[i] = fmaf(v[i], sign, __shfl_xor_sync(~0u, v[i], L));
}
__global__ void __launch_bounds__(128) k(const float4* __restrict__ x, float4* __restrict__ y, int rows) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v[32];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    float4 q = __ldcs(x + (size_t)row * 256 + j * 32 + lane);
    v[4 * j] = q.x, v[4 * j + 1] = q.y, v[4 * j + 2] = q.z, v[4 * j + 3] = q.w;
  }
  inside<1>(v);
  inside<2>(v);
  across<1>(v, lane);
  across<2>(v, lane);
  across<4>(v, lane);
  across<8>(v, lane);
  across<16>(v, lane);
  inside<4>(v);
  inside<8>(v);
  inside<16>(v);
#pragma unroll
  for (int j = 0; j < 8; ++j)
    __stcs(y + (size_t)row * 256 + j * 32 + lane, make_float4(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]));
}
extern "C" void solve(const float* x, float* y, int n) {
  int rows = n / 1024;
  k<<<(rows + 3) / 4, 128>>>((const float4*)x, (float4*)y, rows);
}
