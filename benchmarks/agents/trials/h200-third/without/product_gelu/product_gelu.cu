#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <stdint.h>
// One wave of 192 x 192 tiles; 8 warps of 96 x 48; cp.async of 8 bytes (rows are only 8-byte aligned) into swizzled shared memory.
constexpr int STAGES = 4, HALF = 24576, STAGE = 2 * HALF;
__device__ __forceinline__ void cp8(uint32_t dst, const void* src, int size) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(dst), "l"(src), "r"(size) : "memory");
}
__device__ __forceinline__ void ldm(uint32_t* r, uint32_t p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory");
}
__device__ __forceinline__ void ldmt(uint32_t* r, uint32_t p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory");
}
__device__ __forceinline__ float gelu(float s) {
  float u = 0.7978845608f * (s + 0.044715f * s * s * s);
  return s - __fdividef(s, 1.f + __expf(fminf(2.f * u, 80.f)));
}
__global__ void __launch_bounds__(256, 1) k(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, const float* __restrict__ bias,
                                            __nv_bfloat16* __restrict__ y, int m, int n, int depth) {
  extern __shared__ __align__(128) char raw[];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(raw);
  const int t = threadIdx.x, r0 = blockIdx.y * 192, c0 = blockIdx.x * 192;
  const int lane = t & 31, warp = t >> 5, wm = warp & 1, wn = warp >> 1;
  const int ch = t & 15, lr = t >> 4;
  const uint32_t dst = lr * 128 + ((((ch >> 1) ^ (lr & 7)) << 4) | ((ch & 1) << 3));
  const int tiles = (depth + 63) / 64;
  const __nv_bfloat16* arow = a + (size_t)(r0 + lr) * depth + ch * 4;
  // One of three parts of the copies of a tile.
  auto load = [&](int tile, int part) {
    if (tile < tiles) {
      const uint32_t s = base + (tile & 3) * STAGE + dst;
      const int k0 = tile * 64;
      const bool in = k0 + ch * 4 < depth;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int i = part * 4 + j;
        const bool ok = in && r0 + lr + 16 * i < m;
        cp8(s + i * 2048, ok ? arow + k0 + 16 * i * depth : a, ok ? 8 : 0);
      }
      const int col = min(c0 + part * 64 + ch * 4, n - 4);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int kr = k0 + lr + 16 * i;
        cp8(s + HALF + part * 8192 + i * 2048, kr < depth ? b + kr * n + col : b, kr < depth ? 8 : 0);
      }
    }
  };
  const uint32_t x7 = lane & 7, hi = lane >> 4;
  const uint32_t abase = base + (wm * 96 + (lane & 15)) * 128;
  const uint32_t bbase = base + HALF + (lane & 15) * 128;
  uint32_t af[2][6][4], bf[2][3][4];
  auto frags = [&](int tile, int q, int f) {
    const uint32_t s = (tile & 3) * STAGE;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const int c = wn * 6 + i * 2;  // column / 8
      ldmt(bf[f][i], bbase + s + (c >> 3) * 8192 + q * 2048 + ((((c & 7) + hi) ^ x7) << 4));
    }
#pragma unroll
    for (int i = 0; i < 6; ++i) ldm(af[f][i], abase + s + i * 2048 + (((q * 2 + hi) ^ x7) << 4));
  };
  float d[6][6][4];
#pragma unroll
  for (int i = 0; i < 6; ++i)
#pragma unroll
    for (int j = 0; j < 6; ++j) d[i][j][0] = d[i][j][1] = d[i][j][2] = d[i][j][3] = 0;
  for (int i = 0; i < 3; ++i) {
    for (int p = 0; p < 3; ++p) load(i, p);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 2;" ::: "memory");
  __syncthreads();
  frags(0, 0, 0);
  for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int f = q & 1;
      if (q < 3) {
        frags(tile, q + 1, f ^ 1);
        load(tile + 3, q);
        if (q == 2) asm volatile("cp.async.commit_group;" ::: "memory");
      } else {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (tile + 1 < tiles) frags(tile + 1, 0, f ^ 1);
      }
#pragma unroll
      for (int i = 0; i < 6; ++i)
#pragma unroll
        for (int j = 0; j < 6; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
              : "r"(af[f][i][0]), "r"(af[f][i][1]), "r"(af[f][i][2]), "r"(af[f][i][3]), "r"(bf[f][j >> 1][(j & 1) * 2]), "r"(bf[f][j >> 1][(j & 1) * 2 + 1]));
    }
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    const int c = c0 + wn * 48 + j * 8 + (lane & 3) * 2;
    if (c < n) {
      const float2 v = *(const float2*)(bias + c);
#pragma unroll
      for (int i = 0; i < 6; ++i) {
        const int row = r0 + wm * 96 + i * 16 + (lane >> 2);
        if (row < m) *(__nv_bfloat162*)(y + (size_t)row * n + c) = __floats2bfloat162_rn(gelu(d[i][j][0] + v.x), gelu(d[i][j][1] + v.y));
        if (row + 8 < m) *(__nv_bfloat162*)(y + (size_t)(row + 8) * n + c) = __floats2bfloat162_rn(gelu(d[i][j][2] + v.x), gelu(d[i][j][3] + v.y));
      }
    }
  }
}
extern "C" void solve(const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias, __nv_bfloat16* y, int m, int n, int depth) {
  const int smem = STAGES * STAGE;
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  k<<<dim3((n + 191) / 192, (m + 191) / 192), 256, smem>>>(a, b, bias, y, m, n, depth);
}
