#include <cuda_runtime.h>
// a warp a row in registers; the maximum first, then the least index that holds it
const int V = 9;
__device__ __forceinline__ float top(float a, float b) { float m; asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b)); return m; }
__global__ void __launch_bounds__(128) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  int r = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (r >= rows) return;
  const float* p = x + (long)r * columns;
  int head = min((int)((8 - (((size_t)p >> 2) & 7)) & 7), columns);
  int nv = (columns - head) >> 2, t = head + nv * 4 + lane;
  const float low = -INFINITY;
  float4 v[V];
#pragma unroll
  for (int i = 0; i < V; ++i) v[i] = lane + i * 32 < nv ? __ldg((const float4*)(p + head) + lane + i * 32) : make_float4(low, low, low, low);
  float h = lane < head ? p[lane] : low, e = t < columns ? p[t] : low;
  float m = top(h, e);
#pragma unroll
  for (int i = 0; i < V; ++i) m = top(m, top(top(v[i].x, v[i].y), top(v[i].z, v[i].w)));
#pragma unroll
  for (int o = 16; o; o >>= 1) m = top(m, __shfl_xor_sync(~0u, m, o));
  int best = 0x7fffffff, body = -1;
  if (m == m) {
    if (e == m && t < columns) best = t;
#pragma unroll
    for (int i = V - 1; i >= 0; --i) {
      if (v[i].w == m) body = i * 128 + 3;
      if (v[i].z == m) body = i * 128 + 2;
      if (v[i].y == m) body = i * 128 + 1;
      if (v[i].x == m) body = i * 128;
    }
    if (body >= 0) best = min(best, head + lane * 4 + body);
    if (h == m && lane < head) best = lane;
    if (m == low) best = 0;
  } else {
    for (int c = columns - 1 - lane; c >= 0; c -= 32) if (p[c] != p[c]) best = c;
  }
  best = (int)__reduce_min_sync(~0u, (unsigned)best);
  if (lane == 0) y[r] = (float)best;
}
// any size: a block a row
__global__ void __launch_bounds__(256) any(const float* __restrict__ x, float* __restrict__ y, int columns) {
  __shared__ float sm[8];
  __shared__ unsigned si[8];
  const float* p = x + (long)blockIdx.x * columns;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += 256) m = top(m, p[c]);
  for (int o = 16; o; o >>= 1) m = top(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x % 32 == 0) sm[threadIdx.x / 32] = m;
  __syncthreads();
  for (int i = 0; i < 8; ++i) m = top(m, sm[i]);
  unsigned b = ~0u;
  for (int c = threadIdx.x; c < columns; c += 256)
    if (p[c] == m || (m != m && p[c] != p[c])) { b = c; break; }
  b = __reduce_min_sync(~0u, b);
  if (threadIdx.x % 32 == 0) si[threadIdx.x / 32] = b;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 8; ++i) b = min(b, si[i]);
    y[blockIdx.x] = (float)b;
  }
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  if (columns <= V * 128) k<<<(rows + 3) / 4, 128>>>(x, y, rows, columns);
  else any<<<rows, 256>>>(x, y, columns);
}
