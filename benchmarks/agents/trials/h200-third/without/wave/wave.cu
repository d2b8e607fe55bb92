#include <cuda_runtime.h>
// Marches along the planes with the column in registers (float4 along the row); neighbours in the plane come from L1.
// Successive steps march in opposite directions, so that a step starts with what the last one left in L2.
__device__ __forceinline__ float4 zero() { return make_float4(0, 0, 0, 0); }
__device__ __forceinline__ void fma4(float4& s, float f, const float4& v) { s.x += f * v.x, s.y += f * v.y, s.z += f * v.z, s.w += f * v.w; }
__device__ __forceinline__ void pair4(float4& s, float f, const float4& v, const float4& w) {
  s.x += f * (v.x + w.x), s.y += f * (v.y + w.y), s.z += f * (v.z + w.z), s.w += f * (v.w + w.w);
}
__device__ __forceinline__ float4 stream(const float* p) {
  float4 v;
  asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p) : "memory");
  return v;
}
constexpr float F0 = -205 / 24.f, F1 = 8 / 5.f, F2 = -1 / 5.f, F3 = 8 / 315.f, F4 = -1 / 560.f;
template <bool FIRST, bool BACK>
__global__ void __launch_bounds__(256, 3) k(const float* now, const float* before, float* next, int n, int chunk) {
  const int c = (blockIdx.x * 16 + threadIdx.x) * 4, r = blockIdx.y * 16 + threadIdx.y;
  if (c >= n || r >= n) return;
  // Chunks side by side march towards and away from each other, so that the planes they share are in L2 for both.
  const int p0 = blockIdx.z * chunk, p1 = min(p0 + chunk, n), count = p1 - p0;
  if (count <= 0) return;
  const bool back = ((blockIdx.z & 1) != 0) != BACK;
  const int plane = n * n, at = r * n + c, start = back ? p1 - 1 : p0, dir = back ? -1 : 1;
  auto off = [&](int i) { return (start + dir * i) * plane + at; };
  auto load = [&](int i) { return (unsigned)(start + dir * i) < (unsigned)n ? *(const float4*)(now + off(i)) : zero(); };
  float4 v[9];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i + 1] = load(i - 4);
  const bool left = c > 0, right = c + 4 < n;
  for (int p = 0; p < count; ++p) {
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = v[i + 1];
    v[8] = load(p + 4);
    const int o = off(p);
    const float* q = now + o;
    float4 b;
    if (!FIRST) b = stream(before + o);
    const float4 l = left ? *(const float4*)(q - 4) : zero(), h = right ? *(const float4*)(q + 4) : zero();
    const float4 m = v[4];
    float4 s = make_float4(F0 * m.x, F0 * m.y, F0 * m.z, F0 * m.w);
    const float F[4] = {F1, F2, F3, F4};
#pragma unroll
    for (int f = 1; f <= 4; ++f) {
      const float4 u = r >= f ? *(const float4*)(q - f * n) : zero();
      const float4 d = r + f < n ? *(const float4*)(q + f * n) : zero();
      pair4(s, F[f - 1], u, d);
    }
    const float e[12] = {l.x, l.y, l.z, l.w, m.x, m.y, m.z, m.w, h.x, h.y, h.z, h.w};
#pragma unroll
    for (int f = 1; f <= 4; ++f) {
      s.x += F[f - 1] * (e[4 - f] + e[4 + f]);
      s.y += F[f - 1] * (e[5 - f] + e[5 + f]);
      s.z += F[f - 1] * (e[6 - f] + e[6 + f]);
      s.w += F[f - 1] * (e[7 - f] + e[7 + f]);
    }
#pragma unroll
    for (int f = 1; f <= 4; ++f) pair4(s, F[f - 1], v[4 - f], v[4 + f]);
    float4 o4;
    if (FIRST) o4 = m;
    else o4 = make_float4(2 * m.x - b.x, 2 * m.y - b.y, 2 * m.z - b.z, 2 * m.w - b.w);
    fma4(o4, 0.1f, s);
    *(float4*)(next + o) = o4;
  }
}
// Any n that is not a multiple of 4.
__global__ void slow(const float* now, const float* before, float* next, int n) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z;
  if (c >= n || r >= n) return;
  auto at = [&](int i, int j, int l) { return i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n ? now[(i * n + j) * n + l] : 0.f; };
  const float factor[5] = {0, F1, F2, F3, F4};
  float s = F0 * at(p, r, c);
  for (int f = 1; f <= 4; ++f)
    s += factor[f] * (at(p - f, r, c) + at(p + f, r, c) + at(p, r - f, c) + at(p, r + f, c) + at(p, r, c - f) + at(p, r, c + f));
  int i = (p * n + r) * n + c;
  next[i] = 2 * now[i] - before[i] + 0.1f * s;
}
extern "C" void solve(const float* x, float* y, int n) {
  float* z = y + (size_t)n * n * n;
  if (n % 4) {
    dim3 grid((n + 31) / 32, (n + 7) / 8, n), block(32, 8);
    slow<<<grid, block>>>(x, x, y, n);
    slow<<<grid, block>>>(y, x, z, n);
    slow<<<grid, block>>>(z, y, y, n);
    slow<<<grid, block>>>(y, z, z, n);
    return;
  }
  const int parts = 6, chunk = (n + parts - 1) / parts;
  dim3 grid((n + 63) / 64, (n + 15) / 16, parts), block(16, 16);
  k<true, false><<<grid, block>>>(x, x, y, n, chunk);
  k<false, true><<<grid, block>>>(y, x, z, n, chunk);
  k<false, false><<<grid, block>>>(z, y, y, n, chunk);
  k<false, true><<<grid, block>>>(y, z, z, n, chunk);
}
