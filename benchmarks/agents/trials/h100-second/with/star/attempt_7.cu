// The same as attempt 5: attempt 6 was not better.
#include <cuda_runtime.h>
// A block covers 128 columns (4 a thread) and 4 * ROWS rows... of a chunk of planes, and walks through the planes. A thread keeps its
// values of 7 planes in registers; rows above and below come from a tile of the middle plane in shared memory.
constexpr int WARPS = 8, ROWS = 2, R = WARPS * ROWS, CHUNK = 35;
__device__ __forceinline__ float4 add4(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ __forceinline__ float4 fma4(float w, float4 a, float4 b) {
  return make_float4(fmaf(w, a.x, b.x), fmaf(w, a.y, b.y), fmaf(w, a.z, b.z), fmaf(w, a.w, b.w));
}
constexpr int PLANE = (R + 6) * 34, STAGES = 8, SHARED = STAGES * PLANE * 16;
__device__ __forceinline__ void copy(unsigned to, const float* from, bool ok) {  // 16 bytes, zeros if not ok
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(ok ? 16 : 0) : "memory");
}
// Tiles of 8 planes are in shared memory: asynchronous copies bring plane p + 7 while plane p is worked on.
__global__ void __launch_bounds__(32 * WARPS, 2) k(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float4 ring[];
  int lane = threadIdx.x, warp = threadIdx.y, c = blockIdx.x * 128 + lane * 4, r0 = blockIdx.y * R, row = warp * ROWS;
  int first = blockIdx.z * CHUNK, last = min(n, first + CHUNK), plane = n * n;
  bool ok[ROWS];
#pragma unroll
  for (int j = 0; j < ROWS; ++j) ok[j] = c < n && r0 + row + j < n;
  int off = (r0 + row) * n + c, mine = (3 + row) * 34 + 1 + lane;
  // Warps 0 to 5 copy a row of the halo each; warps 6 and 7 the columns left and right of the tile.
  int hr = warp < 6 ? r0 + (warp < 3 ? warp - 3 : R + warp - 3) : r0 + lane;
  int hc = warp < 6 ? c : blockIdx.x * 128 + (warp == 6 ? -4 : 128);
  bool hok = (unsigned)hr < (unsigned)n && (unsigned)hc < (unsigned)n, hput = warp < 6 || lane < R;
  int hoff = hok ? hr * n + hc : 0, hs = warp < 6 ? (warp < 3 ? warp : R + warp) * 34 + 1 + lane : (3 + lane) * 34 + (warp == 6 ? 0 : 33);
  unsigned base = (unsigned)__cvta_generic_to_shared(ring);
  auto fetch = [&](int p, int slot) {
    bool in = p < n;
    const float* from = x + (in ? p : 0) * plane;
    unsigned to = base + slot * PLANE * 16;
    if (p < last + 3) {
#pragma unroll
      for (int j = 0; j < ROWS; ++j) copy(to + (mine + j * 34) * 16, ok[j] ? from + off + j * n : x, in && ok[j]);
      if (hput && p < last) copy(to + hs * 16, from + hoff, in && hok);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll
  for (int f = 0; f < 7; ++f) fetch(first + f, f);
  float4 q[ROWS][8];
#pragma unroll
  for (int j = 0; j < ROWS; ++j)
#pragma unroll
    for (int f = 0; f < 3; ++f)
      q[j][f] = first - 3 + f >= 0 && ok[j] ? __ldg((const float4*)(x + off + j * n + (first - 3 + f) * plane)) : make_float4(0, 0, 0, 0);
  asm volatile("cp.async.wait_group 4;" ::: "memory");
#pragma unroll
  for (int j = 0; j < ROWS; ++j)
#pragma unroll
    for (int f = 0; f < 3; ++f) q[j][f + 3] = ring[f * PLANE + mine + j * 34];
  for (int start = first; start < last; start += 8) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      int p = start + u;
      if (p >= last) break;
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      __syncthreads();
      fetch(p + 7, (u + 7) % 8);
      const float4* s = ring + u * PLANE + mine;
      float4 v[ROWS + 6];
#pragma unroll
      for (int j = 0; j < 3; ++j) v[j] = s[(j - 3) * 34], v[ROWS + 3 + j] = s[(ROWS + j) * 34];
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
        v[3 + j] = q[j][(u + 3) % 8];
        q[j][(u + 6) % 8] = ring[(u + 3) % 8 * PLANE + mine + j * 34];
      }
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
        float4 l = s[j * 34 - 1], m = v[3 + j], h = s[j * 34 + 1];
        float4 a1 = add4(add4(q[j][(u + 2) % 8], q[j][(u + 4) % 8]), add4(v[j + 2], v[j + 4]));
        float4 a2 = add4(add4(q[j][(u + 1) % 8], q[j][(u + 5) % 8]), add4(v[j + 1], v[j + 5]));
        float4 a3 = add4(add4(q[j][u % 8], q[j][(u + 6) % 8]), add4(v[j], v[j + 6]));
        a1 = add4(a1, make_float4(l.w + m.y, m.x + m.z, m.y + m.w, m.z + h.x));
        a2 = add4(a2, make_float4(l.z + m.z, l.w + m.w, m.x + h.x, m.y + h.y));
        a3 = add4(a3, make_float4(l.y + m.w, l.z + h.x, l.w + h.y, m.x + h.z));
        float4 o = fma4(1.f / 6, a3, fma4(0.25f, a2, fma4(0.5f, a1, make_float4(-6 * m.x, -6 * m.y, -6 * m.z, -6 * m.w))));
        if (ok[j]) __stcs((float4*)(y + off + j * n + p * plane), o);
      }
    }
  }
}
__global__ void any(const float* x, float* y, int n) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z;
  if (c >= n || r >= n || p >= n) return;
  auto at = [&](int i, int j, int l) { return i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n ? x[((size_t)i * n + j) * n + l] : 0.f; };
  float s = -6 * at(p, r, c);
  for (int f = 1; f <= 3; ++f)
    s += (at(p - f, r, c) + at(p + f, r, c) + at(p, r - f, c) + at(p, r + f, c) + at(p, r, c - f) + at(p, r, c + f)) / (2 * f);
  y[((size_t)p * n + r) * n + c] = s;
}
extern "C" void solve(const float* x, float* y, int n) {
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  if (n % 4 == 0 && n <= 1024) k<<<dim3((n + 127) / 128, (n + R - 1) / R, (n + CHUNK - 1) / CHUNK), dim3(32, WARPS), SHARED>>>(x, y, n);
  else any<<<dim3((n + 31) / 32, (n + 7) / 8, n), dim3(32, 8)>>>(x, y, n);
}
