#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
// A block: 64 outputs; its 8 warps split the depth. Each lane copies with cp.async just what it reads itself, so there are no barriers.
constexpr int WARPS = 8, STAGES = 2, HALF = 12 * 512, STAGE = 2 * HALF;  // a stage: 128 bytes of a row of weights, a whole line
__device__ __forceinline__ void cp16(uint32_t dst, const void* src, int size) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(dst), "l"(src), "r"(size) : "memory");
}
__device__ __forceinline__ uint4 lds(uint32_t p) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(p) : "memory");
  return v;
}
__device__ __forceinline__ uint32_t halves(uint32_t u, uint32_t sel) {  // two bytes (already ^ 0x80) as exact halves
  uint32_t h = __byte_perm(u, 0x64646464u, sel), r;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(h), "r"(0x64806480u));
  return r;
}
__global__ void __launch_bounds__(256, 1) k(const __half* __restrict__ x, const signed char* __restrict__ w, const float* __restrict__ scales,
                                            __half* __restrict__ y, int n, int depth) {
  extern __shared__ __align__(128) char smem[];
  const int t = threadIdx.x, warp = t >> 5, lane = t & 31, g = lane >> 2, q = lane & 3, n0 = blockIdx.x * 64;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(smem) + warp * STAGES * STAGE + lane * 16;
  const int blocks = (depth + 127) / 128, lo = blocks * warp / WARPS, hi = blocks * (warp + 1) / WARPS;
  int row[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) row[i] = min(n0 + i * 8 + g, n - 1);
  auto load = [&](int b) {
    if (b < hi) {
      const uint32_t s = base + (b & 1) * STAGE;
      const int kk = b * 128 + q * 16;
      const int size0 = kk < depth ? 16 : 0, at0 = size0 ? kk : 0, size1 = kk + 64 < depth ? 16 : 0, at1 = size1 ? kk + 64 : 0;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const signed char* p = w + (size_t)row[i] * depth;
        cp16(s + i * 512, p + at0, size0);
        cp16(s + HALF + i * 512, p + at1, size1);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const __half* p = x + (size_t)(g + 8 * i) * depth;
        cp16(s + (8 + 2 * i) * 512, p + at0, size0);
        cp16(s + (9 + 2 * i) * 512, p + at0 + 8, size0);
        cp16(s + HALF + (8 + 2 * i) * 512, p + at1, size1);
        cp16(s + HALF + (9 + 2 * i) * 512, p + at1 + 8, size1);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[8][4];
#pragma unroll
  for (int i = 0; i < 8; ++i) d[i][0] = d[i][1] = d[i][2] = d[i][3] = 0;
  load(lo);
  load(lo + 1);
  for (int b = lo; b < hi; ++b) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#pragma unroll
    for (int half = 0; half < 2; ++half) {
    const uint32_t s = base + (b & 1) * STAGE + half * HALF;
    uint32_t top[8], low[8];
    *(uint4*)top = lds(s + 8 * 512), *(uint4*)(top + 4) = lds(s + 9 * 512);
    *(uint4*)low = lds(s + 10 * 512), *(uint4*)(low + 4) = lds(s + 11 * 512);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      uint32_t v[4];
      *(uint4*)v = lds(s + i * 512);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint32_t u = v[j] ^ 0x80808080u;
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
                     : "r"(top[2 * j]), "r"(low[2 * j]), "r"(top[2 * j + 1]), "r"(low[2 * j + 1]), "r"(halves(u, 0x4140)), "r"(halves(u, 0x4342)));
      }
    }
    }
    load(b + 2);
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  float* sum = (float*)smem;  // warp, row, output
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* p = sum + warp * 1024 + g * 64 + i * 8 + q * 2;
    *(float2*)p = make_float2(d[i][0], d[i][1]);
    *(float2*)(p + 512) = make_float2(d[i][2], d[i][3]);
  }
  __syncthreads();
  for (int e = t; e < 512; e += 256) {
    const int r = e >> 5, c = (e & 31) * 2;
    if (n0 + c >= n) continue;
    float2 v = make_float2(0, 0);
#pragma unroll
    for (int i = 0; i < WARPS; ++i) {
      const float2 o = *(const float2*)(sum + i * 1024 + r * 64 + c);
      v.x += o.x, v.y += o.y;
    }
    const float2 f = *(const float2*)(scales + n0 + c);
    *(__half2*)(y + (size_t)r * n + n0 + c) = __floats2half2_rn(v.x * f.x, v.y * f.y);
  }
}
extern "C" void solve(const __half* x, const signed char* weights, const float* scales, __half* y, int n, int depth) {
  const int smem = WARPS * STAGES * STAGE;
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  k<<<(n + 63) / 64, 256, smem>>>(x, weights, scales, y, n, depth);
}
