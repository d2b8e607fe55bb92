#include <cuda_runtime.h>
__device__ __forceinline__ void add3(float& a, float& b, float& c, float v) {   // a >= b >= c: the lane's three largest
  c = fmaxf(c, fminf(b, v));
  b = fmaxf(b, fminf(a, v));
  a = fmaxf(a, v);
}
__device__ __forceinline__ int key(float f) { int b = __float_as_int(f); return b ^ ((b >> 31) & 0x7fffffff); }
__device__ __forceinline__ float unkey(int b) { return __int_as_float(b ^ ((b >> 31) & 0x7fffffff)); }

// One warp per row.
__global__ void __launch_bounds__(128, 16) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  int lane = threadIdx.x & 31, r = blockIdx.x * 4 + (threadIdx.x >> 5);
  if (r >= rows) return;
  const float* p = x + (size_t)r * columns;
  int full = columns / 512 * 512, c = full + lane;
  float a = -INFINITY, b = -INFINITY, d = -INFINITY;
  float rest = c < columns ? __ldg(p + c) : -INFINITY;
#pragma unroll 1
  for (int s = 0; s < full; s += 512) {
    float v[16];
#pragma unroll
    for (int j = 0; j < 16; ++j) v[j] = __ldg(p + s + j * 32 + lane);
#pragma unroll
    for (int j = 0; j < 16; ++j) add3(a, b, d, v[j]);
  }
  add3(a, b, d, rest);
#pragma unroll 1
  for (c += 32; c < columns; c += 32) add3(a, b, d, __ldg(p + c));
  float sum = 0;
  int cur = key(a), next = key(b), third = key(d), popped = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int top = __reduce_max_sync(~0u, cur);
    sum += unkey(top);
    unsigned who = __ballot_sync(~0u, cur == top);
    if (lane == __ffs(who) - 1) {
      cur = next; next = third; third = 0x80000000;
      popped += i < 7;
    }
  }
  unsigned out = __ballot_sync(~0u, popped >= 3);
  if (out) {                                       // rare: a lane's fourth may be among the eight
    float best[8] = {a, b, d, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    if (popped >= 3) best[0] = best[1] = best[2] = -INFINITY;
#pragma unroll 1
    for (; out; out &= out - 1)                    // its elements are dealt out to all lanes
#pragma unroll 1
      for (int q = __ffs(out) - 1 + 32 * lane; q < columns; q += 1024) {
        float v = __ldg(p + q);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          float high = fmaxf(best[j], v);
          v = fminf(best[j], v);
          best[j] = high;
        }
      }
    sum = 0;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      int top = __reduce_max_sync(~0u, key(best[0]));
      sum += unkey(top);
      unsigned who = __ballot_sync(~0u, key(best[0]) == top);
      if (lane == __ffs(who) - 1) {
#pragma unroll
        for (int j = 0; j < 7; ++j) best[j] = best[j + 1];
        best[7] = -INFINITY;
      }
    }
  }
  if (lane == 0) y[r] = sum * 0.125f;
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  k<<<(rows + 3) / 4, 128>>>(x, y, rows, columns);
}
