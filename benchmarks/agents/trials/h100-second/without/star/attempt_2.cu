#include <cuda_runtime.h>
// 2.5D: a block owns a tile of 16 rows x 128 columns and marches through 35 planes.  A ring of eight
// planes (with halo) in shared memory is filled by cp.async; the seven values along the march are in
// registers (two rows x four columns a thread).  Neighbouring chunks of planes march in opposite
// directions, so that both read the planes they share at about the same time.
#define RY 16
#define ROWS (RY + 6)
#define PITCH 34                       // float4s a row: 1 + 32 + 1
#define STAGE (ROWS * PITCH)
#define P 35

__device__ __forceinline__ void cp16(unsigned dst, const float* src, bool ok) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(ok ? 16 : 0) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ float4 plus(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ __forceinline__ float4 axpy(float w, float4 a, float4 s) {
  return make_float4(fmaf(w, a.x, s.x), fmaf(w, a.y, s.y), fmaf(w, a.z, s.z), fmaf(w, a.w, s.w));
}
__device__ __forceinline__ float4 point(const float4* z, float4 l, float4 r, float4 u1, float4 d1, float4 u2, float4 d2, float4 u3, float4 d3) {
  float4 c = z[3];
  float4 f1 = plus(plus(plus(z[2], z[4]), plus(u1, d1)), make_float4(l.w + c.y, c.x + c.z, c.y + c.w, c.z + r.x));
  float4 f2 = plus(plus(plus(z[1], z[5]), plus(u2, d2)), make_float4(l.z + c.z, l.w + c.w, c.x + r.x, c.y + r.y));
  float4 f3 = plus(plus(plus(z[0], z[6]), plus(u3, d3)), make_float4(l.y + c.w, l.z + r.x, l.w + r.y, c.x + r.z));
  float4 s = make_float4(-6 * c.x, -6 * c.y, -6 * c.z, -6 * c.w);
  return axpy(1.f / 6, f3, axpy(0.25f, f2, axpy(0.5f, f1, s)));
}
__global__ void __launch_bounds__(256, 2) k(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float4 ring[];
  int t = threadIdx.x, tx = t & 31, ty = t >> 5;
  int c0 = blockIdx.x * 128, r0 = blockIdx.y * RY;
  int p0 = blockIdx.z * P, count = min(P, n - p0), dir = 1;
  if (blockIdx.z & 1) { dir = -1; p0 += count - 1; }
  unsigned base = (unsigned)__cvta_generic_to_shared(ring);
  int off[3];
  bool in[3];
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    int i = t + j * 256, rr = r0 - 3 + i / PITCH, cc = c0 - 4 + i % PITCH * 4;
    in[j] = i < STAGE && rr >= 0 && rr < n && cc >= 0 && cc < n;
    off[j] = in[j] ? rr * n + cc : 0;
  }
  auto load = [&](int l) {             // plane l of the march, into slot (l+3)%8
    int p = p0 + dir * l;
    bool ok = p >= 0 && p < n && l < count + 3;
    const float* plane = x + (ok ? (size_t)p * n * n : 0);
    unsigned dst = base + ((l + 3) & 7) * (STAGE * 16) + t * 16;
#pragma unroll
    for (int j = 0; j < 3; ++j)
      if (j < 2 || t + 512 < STAGE) cp16(dst + j * 4096, plane + off[j], ok && in[j]);
    commit();
  };
  for (int l = -3; l < 5; ++l) load(l);
  wait<2>();
  __syncthreads();
  float4 z[2][7];
  int at = (2 * ty + 3) * PITCH + 1 + tx;      // this thread's upper row in a stage
#pragma unroll
  for (int l = 0; l < 6; ++l) {
    z[0][l] = ring[l * STAGE + at];
    z[1][l] = ring[l * STAGE + at + PITCH];
  }
  __syncthreads();
  load(5);
  load(6);
  int c = c0 + tx * 4, r = r0 + 2 * ty;
  bool st0 = c < n && r < n, st1 = c < n && r + 1 < n;
  float* out = y + ((size_t)p0 * n + r) * n + c;
  ptrdiff_t next = (ptrdiff_t)dir * n * n;
  for (int b = 0; b < count; b += 7) {
#pragma unroll
    for (int u = 0; u < 7; ++u) {
      int q = b + u;
      wait<3>();
      __syncthreads();
      load(q + 7);
      const float4* ahead = ring + ((q + 6) & 7) * STAGE + at;
      z[0][6] = ahead[0];
      z[1][6] = ahead[PITCH];
      const float4* s = ring + ((q + 3) & 7) * STAGE + at;
      float4 m3 = s[-3 * PITCH], m2 = s[-2 * PITCH], m1 = s[-PITCH], d2 = s[2 * PITCH], d3 = s[3 * PITCH], d4 = s[4 * PITCH];
      float4 va = point(z[0], s[-1], s[1], m1, z[1][3], m2, d2, m3, d3);
      float4 vb = point(z[1], s[PITCH - 1], s[PITCH + 1], z[0][3], d2, m1, d3, m2, d4);
      if (q < count) {
        if (st0) __stcs((float4*)out, va);
        if (st1) __stcs((float4*)(out + n), vb);
      }
      out += next;
#pragma unroll
      for (int l = 0; l < 6; ++l) { z[0][l] = z[0][l + 1]; z[1][l] = z[1][l + 1]; }
    }
  }
  wait<0>();
}
__global__ void plain(const float* x, float* y, int n) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z;
  if (c >= n || r >= n || p >= n) return;
  auto at = [&](int i, int j, int l) { return i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n ? x[((size_t)i * n + j) * n + l] : 0.f; };
  float s = -6 * at(p, r, c);
  for (int f = 1; f <= 3; ++f)
    s += (at(p - f, r, c) + at(p + f, r, c) + at(p, r - f, c) + at(p, r + f, c) + at(p, r, c - f) + at(p, r, c + f)) / (2 * f);
  y[((size_t)p * n + r) * n + c] = s;
}
extern "C" void solve(const float* x, float* y, int n) {
  if (n % 4 || ((size_t)x | (size_t)y) % 16) {
    plain<<<dim3((n + 31) / 32, (n + 7) / 8, n), dim3(32, 8)>>>(x, y, n);
    return;
  }
  static const cudaError_t once = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 8 * STAGE * 16);
  (void)once;
  k<<<dim3((n + 127) / 128, (n + RY - 1) / RY, (n + P - 1) / P), 256, 8 * STAGE * 16>>>(x, y, n);
}
