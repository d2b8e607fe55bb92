// The same as attempt 5: attempt 6 was not better.
#include <cuda_runtime.h>
constexpr int WARPS = 4;
__device__ __forceinline__ unsigned ordered(float f) {  // unsigned order equals float order
  unsigned u = __float_as_uint(f);
  return u ^ ((unsigned)((int)u >> 31) | 0x80000000u);
}
__device__ __forceinline__ float unordered(unsigned u) {
  return __uint_as_float(u ^ ((u >> 31) ? 0x80000000u : ~0u));
}
// One warp a row, V values a lane in registers. The least of the maxima of 8 groups of 4 lanes bounds the eighth value from below; the
// few values that are not below it are candidates.
// A warp takes two rows, and asks for both at once: the second goes to shared memory.
template <int V>
__global__ void __launch_bounds__(32 * WARPS, 8) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  __shared__ __align__(16) float candidates[WARPS][64];
  __shared__ float second[WARPS][V * 32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = (blockIdx.x * WARPS + warp) * 2;
  if (row >= rows) return;
  const float* p = x + (size_t)row * columns + lane;
  bool last = 32 * (V - 1) + lane < columns;
  float v[V];
#pragma unroll
  for (int j = 0; j < V - 1; ++j) v[j] = __ldcs(p + 32 * j);
  v[V - 1] = last ? __ldcs(p + 32 * (V - 1)) : -INFINITY;
  if (row + 1 < rows) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&second[warp][lane]);
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (j < V - 1 || last) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to + 128 * j), "l"(p + columns + 32 * j) : "memory");
  }
#pragma unroll 1
  for (int h = 0; h < 2 && row + h < rows; ++h) {
  if (h) {
    asm volatile("cp.async.wait_all;" ::: "memory");  // a lane reads only what it copied
#pragma unroll
    for (int j = 0; j < V - 1; ++j) v[j] = second[warp][32 * j + lane];
    v[V - 1] = last ? second[warp][32 * (V - 1) + lane] : -INFINITY;
  }
  candidates[warp][lane] = candidates[warp][lane + 32] = -INFINITY;
  float highs[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
#pragma unroll
  for (int j = 0; j < V; ++j) highs[j % 4] = fmaxf(highs[j % 4], v[j]);
  float low = fmaxf(fmaxf(highs[0], highs[1]), fmaxf(highs[2], highs[3]));
  low = fmaxf(low, __shfl_xor_sync(~0u, low, 1));
  low = fmaxf(low, __shfl_xor_sync(~0u, low, 2));
  low = fminf(low, __shfl_xor_sync(~0u, low, 4));
  low = fminf(low, __shfl_xor_sync(~0u, low, 8));
  low = fminf(low, __shfl_xor_sync(~0u, low, 16));
  int count = 0, more = 0;
#pragma unroll
  for (int j = 0; j < V; j += 2) {
    count += v[j] >= low;
    if (j + 1 < V) more += v[j + 1] >= low;
  }
  count += more;
  int end = count;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    int other = __shfl_up_sync(~0u, end, o);
    if (lane >= o) end += other;
  }
  int total = __shfl_sync(~0u, end, 31);
  float s = 0;
  if (total <= 64) {
    float* to = candidates[warp] + end - count;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (v[j] >= low) *to++ = v[j];
    __syncwarp();
    bool done = false;
    if (total <= 32) {  // the rank of each candidate
      float mine = candidates[warp][lane];
      int above = 0, above2 = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        float4 c = ((float4*)candidates[warp])[j];
        above += (c.x > mine) + (c.y > mine);
        above2 += (c.z > mine) + (c.w > mine);
      }
      bool in = above + above2 < 8;
      done = __popc(__ballot_sync(~0u, in)) == 8;  // otherwise candidates are equal
      s = in ? mine : 0;
      for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    }
    if (!done) {
      s = 0;
      unsigned a = ordered(candidates[warp][lane]), b = ordered(candidates[warp][lane + 32]);
      if (a < b) { unsigned c = a; a = b; b = c; }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        unsigned top = __reduce_max_sync(~0u, a);
        s += unordered(top);
        if (lane == __ffs(__ballot_sync(~0u, a == top)) - 1) a = b, b = 0;
      }
    }
  } else {
    for (int i = 0; i < 8; ++i) {
      float m = v[0];
#pragma unroll
      for (int j = 1; j < V; ++j) m = fmaxf(m, v[j]);
      unsigned mine = ordered(m), top = __reduce_max_sync(~0u, mine);
      s += unordered(top);
      bool out = lane == __ffs(__ballot_sync(~0u, mine == top)) - 1;
#pragma unroll
      for (int j = 0; j < V; ++j)
        if (out && v[j] == m) v[j] = -INFINITY, out = false;
    }
  }
  if (lane == 0) y[row + h] = s / 8;
  __syncwarp();
  }
}
// Rows of any length: one warp a row, each lane keeps its best eight.
__global__ void any(const float* x, float* y, int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;
  float best[8];
  for (int j = 0; j < 8; ++j) best[j] = -INFINITY;
  for (int c = lane; c < columns; c += 32) {
    float v = x[(size_t)row * columns + c];
    for (int j = 0; j < 8; ++j) {
      float high = fmaxf(best[j], v);
      v = fminf(best[j], v);
      best[j] = high;
    }
  }
  float s = 0;
  for (int i = 0; i < 8; ++i) {
    unsigned mine = ordered(best[0]), top = __reduce_max_sync(~0u, mine);
    s += unordered(top);
    if (lane == __ffs(__ballot_sync(~0u, mine == top)) - 1) {
      for (int j = 0; j < 7; ++j) best[j] = best[j + 1];
      best[7] = -INFINITY;
    }
  }
  if (lane == 0) y[row] = s / 8;
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  int blocks = (rows + WARPS - 1) / WARPS, threads = 32 * WARPS, each = (columns + 31) / 32;
  if (each == 3) k<3><<<(blocks + 1) / 2, threads>>>(x, y, rows, columns);
  else if (each == 5) k<5><<<(blocks + 1) / 2, threads>>>(x, y, rows, columns);
  else if (each == 9) k<9><<<(blocks + 1) / 2, threads>>>(x, y, rows, columns);
  else if (each == 17) k<17><<<(blocks + 1) / 2, threads>>>(x, y, rows, columns);
  else if (each == 33) k<33><<<(blocks + 1) / 2, threads>>>(x, y, rows, columns);
  else any<<<blocks, threads>>>(x, y, rows, columns);
}
