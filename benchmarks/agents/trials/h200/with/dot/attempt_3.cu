#include <cuda_runtime.h>
// one kernel: partial sums with a flag in one 64-bit word, block 0 collects them in a fixed order
__device__ unsigned long long g_slot[1024];
__device__ __forceinline__ float warp_sum(float s) {
#pragma unroll
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  return s;
}
__global__ void __launch_bounds__(1024) k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n, int vec) {
  __shared__ float w[32];
  int tid = threadIdx.x, i = blockIdx.x * 1024 + tid, step = gridDim.x * 1024;
  int n4 = vec ? n >> 2 : 0;
  const float4 *a4 = (const float4*)a, *b4 = (const float4*)b, z = make_float4(0, 0, 0, 0);
  float4 p = z, q = z, r = z, t = z;
  if (i < n4) { p = __ldg(a4 + i); q = __ldg(b4 + i); }
  if (i + step < n4) { r = __ldg(a4 + i + step); t = __ldg(b4 + i + step); }
  float s = 0;
  for (int j = n4 * 4 + i; j < n; j += step) s += a[j] * b[j];
  s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  s += r.x * t.x + r.y * t.y + r.z * t.z + r.w * t.w;
#pragma unroll 1
  for (int j = i + 2 * step; j < n4; j += step) {
    p = __ldg(a4 + j); q = __ldg(b4 + j);
    s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  s = warp_sum(s);
  if ((tid & 31) == 0) w[tid >> 5] = s;
  __syncthreads();
  if (tid < 32) s = warp_sum(w[tid]);
  if (blockIdx.x) {
    if (tid == 0) atomicExch(&g_slot[blockIdx.x], (1ull << 32) | __float_as_uint(s));
    return;
  }
  // block 0 takes the others' sums and empties their slots; the others never wait
  if (tid) {
    s = 0;
    if (tid < gridDim.x) {
      unsigned long long v;
      while (!((v = *(volatile unsigned long long*)&g_slot[tid]) >> 32)) { }
      atomicExch(&g_slot[tid], 0ull);
      s = __uint_as_float((unsigned int)v);
    }
  }
  __syncwarp();
  s = warp_sum(s);
  __syncthreads();
  if ((tid & 31) == 0) w[tid >> 5] = s;
  __syncthreads();
  if (tid < 32) {
    s = warp_sum(w[tid]);
    if (tid == 0) y[0] = s;
  }
}
extern "C" void solve(const float* a, const float* b, float* y, int n) {
  int blocks = (n / 8 + 1023) / 1024;
  if (blocks > 132) blocks = 132;
  if (blocks < 1) blocks = 1;
  k<<<blocks, 1024>>>(a, b, y, n, (((size_t)a | (size_t)b) & 15) == 0);
}
