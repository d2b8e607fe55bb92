#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
constexpr int W = 8, RING = 4;
__device__ __forceinline__ uint4 ldw(const signed char* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
__device__ __forceinline__ void mma(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t sub(uint32_t v) {
  uint32_t r;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(0x64806480u));  // 1024 + 128
  return r;
}
__global__ void __launch_bounds__(256, 2) k(const __half* __restrict__ x, const signed char* __restrict__ weights, const float* __restrict__ scales, __half* __restrict__ y, int n, int depth) {
  __shared__ float red[W][16][34];
  const int t = threadIdx.x, w = t >> 5, lane = t & 31, g = lane >> 2, q = lane & 3;
  const int n0 = blockIdx.x * 32;
  const signed char* pw = weights + (size_t)(n0 + g) * depth + q * 16;
  const __half* px = x + (size_t)g * depth + q * 16;
  const size_t w8 = (size_t)8 * depth;
  float acc[4][4] = {};
  uint4 wb[RING][4], xb[2][4];
  auto place = [&](int s) { return ((s >> 1) * (2 * W) + w * 2 + (s & 1)) * 64; };
  auto loadw = [&](int s, uint4 (&b)[4]) {
    int k0 = place(s);
    bool ok = k0 + q * 16 < depth;
#pragma unroll
    for (int i = 0; i < 4; ++i) b[i] = ok ? ldw(pw + i * w8 + k0) : make_uint4(0, 0, 0, 0);
  };
  auto loadx = [&](int s, uint4 (&b)[4]) {
    int k0 = place(s);
    bool ok = k0 + q * 16 < depth;
    uint4 z = make_uint4(0, 0, 0, 0);
    b[0] = ok ? __ldg((const uint4*)(px + k0)) : z;
    b[1] = ok ? __ldg((const uint4*)(px + k0 + 8)) : z;
    b[2] = ok ? __ldg((const uint4*)(px + w8 + k0)) : z;
    b[3] = ok ? __ldg((const uint4*)(px + w8 + k0 + 8)) : z;
  };
#pragma unroll
  for (int s = 0; s < RING - 1; ++s) loadw(s, wb[s]);
  loadx(0, xb[0]);
  for (int s0 = 0; place(s0) < depth; s0 += RING) {
#pragma unroll
    for (int j = 0; j < RING; ++j) {
      loadw(s0 + j + RING - 1, wb[(j + RING - 1) % RING]);
      loadx(s0 + j + 1, xb[(j + 1) & 1]);
      const uint32_t* lo = (const uint32_t*)&xb[j & 1][0];
      const uint32_t* hi = (const uint32_t*)&xb[j & 1][2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const uint32_t* v = (const uint32_t*)&wb[j][i];
#pragma unroll
        for (int p = 0; p < 4; ++p) {
          uint32_t u = v[p] ^ 0x80808080u;
          mma(acc[i], lo[2 * p], hi[2 * p], lo[2 * p + 1], hi[2 * p + 1], sub(__byte_perm(u, 0x64646464u, 0x4140)), sub(__byte_perm(u, 0x64646464u, 0x4342)));
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    *(float2*)&red[w][g][i * 8 + q * 2] = make_float2(acc[i][0], acc[i][1]);
    *(float2*)&red[w][g + 8][i * 8 + q * 2] = make_float2(acc[i][2], acc[i][3]);
  }
  __syncthreads();
  int r = t >> 4, c = (t & 15) * 2;
  float s = 0, u = 0;
#pragma unroll
  for (int i = 0; i < W; ++i) { float2 v = *(float2*)&red[i][r][c]; s += v.x; u += v.y; }
  float2 f = *(const float2*)(scales + n0 + c);
  *(__half2*)(y + (size_t)r * n + n0 + c) = __floats2half2_rn(s * f.x, u * f.y);
}
extern "C" void solve(const __half* x, const signed char* weights, const float* scales, __half* y, int n, int depth) {
  k<<<n / 32, 256>>>(x, weights, scales, y, n, depth);
}
