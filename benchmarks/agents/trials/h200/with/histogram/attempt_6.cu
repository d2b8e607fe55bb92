#include <cuda_runtime.h>
// As attempt 2, but count and ticket of a bin are one 64-bit atomic: whoever adds last writes the bin. No fence, no second round trip.
__device__ unsigned long long g_bin[64];
__device__ __forceinline__ void put(unsigned int* s, float v, int lane) {
  // exact bin: 32*x is exact, so floor has no rounding
  if (fabsf(v) <= 1.f) {
    int b = min(31, __float2int_rd(v * 32.f));
    atomicAdd(&s[b * 32 + (32 * 32 + lane)], 1u);
  }
}
__global__ void __launch_bounds__(1024) k(const float* __restrict__ x, float* __restrict__ y, int n, int vec) {
  __shared__ unsigned int s[64 * 32];
  __shared__ unsigned int total[64];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  int i = blockIdx.x * 1024 + tid, step = gridDim.x * 1024;
  int n4 = vec ? n >> 2 : 0;
  const float4* x4 = (const float4*)x;
  const float out = 2.f;
  float4 a = make_float4(out, out, out, out), b = a;
  float t = out;
  if (i < n4) a = __ldg(&x4[i]);
  if (i + step < n4) b = __ldg(&x4[i + step]);
  if (n4 * 4 + i < n) t = x[n4 * 4 + i];
  s[tid] = 0; s[tid + 1024] = 0;
  __syncthreads();
  put(s, a.x, lane); put(s, a.y, lane); put(s, a.z, lane); put(s, a.w, lane);
  put(s, b.x, lane); put(s, b.y, lane); put(s, b.z, lane); put(s, b.w, lane);
  put(s, t, lane);
#pragma unroll 1
  for (int j = i + 2 * step; j < n4; j += step) {
    float4 c = x4[j];
    put(s, c.x, lane); put(s, c.y, lane); put(s, c.z, lane); put(s, c.w, lane);
  }
#pragma unroll 1
  for (int j = n4 * 4 + i + step; j < n; j += step) put(s, x[j], lane);
  __syncthreads();
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    int bin = warp + 32 * h;
    unsigned int t = __reduce_add_sync(~0u, s[bin * 32 + lane]);
    if (lane == 0) total[bin] = t;
  }
  __syncthreads();
  if (tid < 64) {
    unsigned int mine = total[tid];
    unsigned long long old = atomicAdd(&g_bin[tid], (1ull << 32) | mine);
    if ((unsigned int)(old >> 32) == gridDim.x - 1) {
      y[tid] = (float)((unsigned int)old + mine);
      atomicExch(&g_bin[tid], 0ull);
    }
  }
}
extern "C" void solve(const float* x, float* y, int n) {
  int blocks = (n / 8 + 1023) / 1024;
  if (blocks > 132) blocks = 132;
  if (blocks < 1) blocks = 1;
  k<<<blocks, 1024>>>(x, y, n, ((size_t)x & 15) == 0);
}
