#include <cuda_runtime.h>
// A block takes rows b and n - 1 - b: every block reads n + 1 elements.
constexpr int THREADS = 256, LONG = 8, SHORT = 4;
__device__ __forceinline__ float square(float4 v) { return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
__device__ __forceinline__ float plain(const float* p, int from, int r) {
  float s = 0;
  for (int c = from + threadIdx.x; c <= r; c += THREADS) s += p[c] * p[c];
  return s;
}
__global__ void __launch_bounds__(THREADS) k(const float* __restrict__ a, float* __restrict__ y, int n) {
  __shared__ float2 part[THREADS / 32];
  int r = blockIdx.x, other = n - 1 - r;
  const float *p = a + (size_t)r * n, *q = a + (size_t)other * n;
  float2 s = make_float2(0, 0);
  int full = 0, fullq = 0;
  if (n % 4 == 0) {
    full = (r + 1) / 4, fullq = (other + 1) / 4;
    const float4 *p4 = (const float4*)p, *q4 = (const float4*)q, zero = make_float4(0, 0, 0, 0);
    for (int c = threadIdx.x, d = c; c < fullq || d < full; c += LONG * THREADS, d += SHORT * THREADS) {
      float4 v[LONG], w[SHORT];
#pragma unroll
      for (int u = 0; u < LONG; ++u) v[u] = c + u * THREADS < fullq ? __ldcs(q4 + c + u * THREADS) : zero;
#pragma unroll
      for (int u = 0; u < SHORT; ++u) w[u] = d + u * THREADS < full ? __ldcs(p4 + d + u * THREADS) : zero;
#pragma unroll
      for (int u = 0; u < LONG; ++u) s.y += square(v[u]);
#pragma unroll
      for (int u = 0; u < SHORT; ++u) s.x += square(w[u]);
    }
  }
  s.x += plain(p, full * 4, r);
  s.y += plain(q, fullq * 4, other);
#pragma unroll
  for (int o = 16; o > 0; o /= 2) {
    s.x += __shfl_xor_sync(~0u, s.x, o);
    s.y += __shfl_xor_sync(~0u, s.y, o);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    float2 t = part[0];
    for (int w = 1; w < THREADS / 32; ++w) t.x += part[w].x, t.y += part[w].y;
    y[other] = t.y;
    if (r < other) y[r] = t.x;
  }
}
extern "C" void solve(const float* a, float* y, int n) {
  k<<<(n + 1) / 2, THREADS>>>(a, y, n);
}
