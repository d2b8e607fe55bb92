#include <cuda_runtime.h>
// 16 outputs a thread: the window of 63 is a suffix of block j-2, the blocks j-1, j, j+1 whole, and a prefix of block j+2 (blocks of 16).
const int T = 128, R = 16, TILE = T * R, BLOCKS = T + 4, VECS = BLOCKS * 4;
__device__ __forceinline__ float4* at(float4* s, int v) { return s + v + (v >> 2); }  // a float4 of padding every 16 elements: no bank conflicts
__device__ __forceinline__ float sum16(float4* s, int block) {
  float4 a = *at(s, block * 4), b = *at(s, block * 4 + 1), c = *at(s, block * 4 + 2), d = *at(s, block * 4 + 3);
  return ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w)) + (((c.x + c.y) + (c.z + c.w)) + ((d.x + d.y) + (d.z + d.w)));
}
__global__ void __launch_bounds__(T) k(const float* __restrict__ x, float* __restrict__ y, int n, int vec) {
  __shared__ float4 s[VECS + BLOCKS];
  __shared__ float sums[BLOCKS];
  int tid = threadIdx.x;
  long base = (long)blockIdx.x * TILE;
#pragma unroll
  for (int u = 0; u < (VECS + T - 1) / T; ++u) {
    int v = tid + u * T;
    if (v < VECS) {
      long e = base - 2 * R + v * 4;
      if (vec && e >= 0 && e + 4 <= n) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(at(s, v))), "l"(x + e));
      } else {
        float4 f = make_float4(0, 0, 0, 0);
        if (e >= 0 && e < n) f.x = x[e];
        if (e + 1 >= 0 && e + 1 < n) f.y = x[e + 1];
        if (e + 2 >= 0 && e + 2 < n) f.z = x[e + 2];
        if (e + 3 >= 0 && e + 3 < n) f.w = x[e + 3];
        *at(s, v) = f;
      }
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  sums[tid + 2] = sum16(s, tid + 2);
  if (tid < 2) { int b = tid ? BLOCKS - 2 : 1; sums[b] = sum16(s, b); }
  float a[16], b[16];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float4 f = *at(s, tid * 4 + i), g = *at(s, (tid + 4) * 4 + i);
    a[4 * i] = f.x; a[4 * i + 1] = f.y; a[4 * i + 2] = f.z; a[4 * i + 3] = f.w;
    b[4 * i] = g.x; b[4 * i + 1] = g.y; b[4 * i + 2] = g.z; b[4 * i + 3] = g.w;
  }
  __syncthreads();
  float core = sums[tid + 1] + sums[tid + 2] + sums[tid + 3];
#pragma unroll
  for (int i = 14; i >= 1; --i) a[i] += a[i + 1];
#pragma unroll
  for (int i = 1; i < 15; ++i) b[i] += b[i - 1];
  const float f = 1.f / 63;
  float o[16];
  o[0] = (a[1] + core) * f;
  o[15] = (core + b[14]) * f;
#pragma unroll
  for (int t = 1; t < 15; ++t) o[t] = (a[t + 1] + core + b[t - 1]) * f;
#pragma unroll
  for (int i = 0; i < 4; ++i) *at(s, tid * 4 + i) = make_float4(o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int v = tid + i * T;
    long e = base + v * 4;
    float4 g = *at(s, v);
    if (vec && e + 4 <= n) *(float4*)(y + e) = g;
    else {
      if (e < n) y[e] = g.x;
      if (e + 1 < n) y[e + 1] = g.y;
      if (e + 2 < n) y[e + 2] = g.z;
      if (e + 3 < n) y[e + 3] = g.w;
    }
  }
}
extern "C" void solve(const float* x, float* y, int n) {
  k<<<(n + TILE - 1) / TILE, T>>>(x, y, n, (((size_t)x | (size_t)y) & 15) == 0);
}
