#include <cuda_runtime.h>
#define T 1024
#define G 132
// A block's partial sum with a flag above it (1 << 32); the last block takes each and leaves 0, so the scratch is clean for the next call.
__device__ unsigned long long g_part[G];
__device__ __forceinline__ float block_sum(float s, float* w) {
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) w[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = w[lane];
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  }
  return s;  // in warp 0
}
__global__ void __launch_bounds__(T) k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  __shared__ float w[32], w2[32];
  int t = threadIdx.x, nv = n >> 2, stride = gridDim.x * T, i = blockIdx.x * T + t;
  const float4 *a4 = (const float4*)a, *b4 = (const float4*)b;
  float4 z = make_float4(0, 0, 0, 0), p = z, q = z, u = z, v = z;
  if (i < nv) { p = a4[i]; q = b4[i]; }
  if (i + stride < nv) { u = a4[i + stride]; v = b4[i + stride]; }
  float s = (p.x * q.x + p.y * q.y) + (p.z * q.z + p.w * q.w);
  s += (u.x * v.x + u.y * v.y) + (u.z * v.z + u.w * v.w);
  for (i += 2 * stride; i < nv; i += stride) {
    p = a4[i]; q = b4[i];
    s += (p.x * q.x + p.y * q.y) + (p.z * q.z + p.w * q.w);
  }
  int last = gridDim.x - 1;
  if (blockIdx.x == last && t < (n & 3)) s += a[nv * 4 + t] * b[nv * 4 + t];
  s = block_sum(s, w);
  if (blockIdx.x != last) {
    if (t == 0) atomicExch(&g_part[blockIdx.x], (1ull << 32) | __float_as_uint(s));
    return;
  }
  float o = t == 0 ? s : 0.f;
  if (t < last) {
    unsigned long long got;
    while (!((got = atomicExch(&g_part[t], 0ull)) >> 32)) {}
    o += __uint_as_float((unsigned)got);
  }
  o = block_sum(o, w2);
  if (t == 0) y[0] = o;
}
extern "C" void solve(const float* a, const float* b, float* y, int n) {
  int need = ((n >> 2) + T - 1) / T;
  if (need < 1) need = 1;
  k<<<need < G ? need : G, T>>>(a, b, y, n);
}
