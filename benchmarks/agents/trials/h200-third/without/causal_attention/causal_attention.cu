#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
#define STAGES 4
#define BLOCKS 132
#define MERGE (2 * 16384 + 2 * STAGES * 16384)
#define SMEM (MERGE + 72 * 128 * 4)
__device__ __forceinline__ void cp16(uint32_t to, const void* from, bool ok) {
  int n = ok ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
}
__device__ __forceinline__ void ldm(uint32_t* r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void ldmt(uint32_t* r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void mma(float* c, const uint32_t* a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ float ex2(float x) {
  float y;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ uint32_t pack(float a, float b) {
  __half2 h = __floats2half2_rn(a, b);
  return *(uint32_t*)&h;
}
// 128 rows a block. Warps 0-3 take the even blocks of 64 keys, warps 4-7 the odd ones, 32 rows a warp; merged at the end.
__global__ void __launch_bounds__(256, 1) k(const __half* __restrict__ q, const __half* __restrict__ keys, const __half* __restrict__ values, __half* __restrict__ y, int heads, int length, int tiles) {
  extern __shared__ __align__(1024) unsigned char smem[];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, group = warp >> 2, t = tid & 127;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(smem), kv = base + 2 * 16384 + group * STAGES * 16384;
  const int items = tiles * heads;
  auto item = [&](int round) { return round * (int)gridDim.x + (int)(round & 1 ? gridDim.x - 1 - blockIdx.x : blockIdx.x); };  // heavy ones first, to and fro
  int tile, n;
  size_t head;
  auto load = [&](int i) {
    if (i < n) {
      uint32_t to = kv + (i % STAGES) * 16384 + (t >> 3) * 128 + (((t & 7) ^ ((t >> 3) & 7)) << 4);
      int row = (2 * i + group) * 64 + (t >> 3);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        bool ok = row + 16 * j < length;
        size_t at = head + (size_t)(ok ? row + 16 * j : 0) * 64 + (t & 7) * 8;
        cp16(to + j * 2048, keys + at, ok);
        cp16(to + 8192 + j * 2048, values + at, ok);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  auto begin = [&](int round) {
    int at = item(round);
    tile = tiles - 1 - at / heads;
    head = (size_t)(at % heads) * length * 64;
    n = (min((length + 63) / 64, 2 * (tile + 1)) - group + 1) / 2;
    int c = tid & 7;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int r = (tid >> 3) + 32 * i;
      bool ok = tile * 128 + r < length;
      cp16(base + (round & 1) * 16384 + r * 128 + ((c ^ (r & 7)) << 4), q + head + (size_t)(ok ? tile * 128 + r : 0) * 64 + c * 8, ok);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int i = 0; i < STAGES - 1; ++i) load(i);
  };
  begin(0);
#pragma unroll 1
  for (int round = 0; item(round) < items; ++round) {
  const int w0 = tile * 128 + 32 * (warp & 3);
  const size_t now = head;
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");  // q and the first keys and values
  __syncthreads();
  uint32_t qf[2][4][4];
#pragma unroll
  for (int m = 0; m < 2; ++m)
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      int r = 32 * (warp & 3) + 16 * m + (lane & 15), c = kk * 2 + (lane >> 4);
      ldm(qf[m][kk], base + (round & 1) * 16384 + r * 128 + ((c ^ (r & 7)) << 4));
    }
  float o[2][8][4], high[2][2], sum[2][2];
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) o[m][j][e] = 0;
    high[m][0] = high[m][1] = -1e30f;
    sum[m][0] = sum[m][1] = 0;
  }
  const float scale = 0.125f * 1.4426950408889634f;
  const int krow = (lane & 7) + ((lane >> 4) << 3), kc = (lane >> 3) & 1;
  const int vrow = lane & 15, vc = lane >> 4;
  // Half blocks of 32 keys: the scores of the next one are computed between the exponentials of this one.
  float sa[2][4][4], sb[2][4][4];
  auto scores = [&](float (&s)[2][4][4], uint32_t at, int u) {  // an eighth: 16 of 64 dimensions, 16 of 32 keys
    const int kk = u >> 1, j = u & 1;
    uint32_t b[4];
    ldm(b, at + (j * 16 + krow) * 128 + (((kk * 2 + kc) ^ (krow & 7)) << 4));
    mma(s[0][2 * j], qf[0][kk], b[0], b[1]);
    mma(s[1][2 * j], qf[1][kk], b[0], b[1]);
    mma(s[0][2 * j + 1], qf[0][kk], b[2], b[3]);
    mma(s[1][2 * j + 1], qf[1][kk], b[2], b[3]);
  };
  auto zero = [&](float (&s)[2][4][4]) {
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) s[m][j][e] = 0;
  };
  auto half = [&](float (&s)[2][4][4], float (&s2)[2][4][4], uint32_t next, uint32_t v, int j0) {
    if (j0 > w0 + 31) return;
    if (j0 + 31 > w0) {
#pragma unroll
      for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            if (j0 + j * 8 + (lane & 3) * 2 + (e & 1) > w0 + m * 16 + (lane >> 2) + (e >> 1) * 8) s[m][j][e] = -INFINITY;
    }
    float top[2][2];
    bool more = false;
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float x = fmaxf(s[m][0][2 * h], s[m][0][2 * h + 1]);
#pragma unroll
        for (int j = 1; j < 4; ++j) x = fmaxf(x, fmaxf(s[m][j][2 * h], s[m][j][2 * h + 1]));
        top[m][h] = x * scale;
        more |= top[m][h] > high[m][h] + 8;
      }
    if (__any_sync(~0u, more)) {  // rescale only when a row's maximum has grown by more than 2^8
#pragma unroll
      for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          float x = top[m][h];
          x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
          x = fmaxf(x, __shfl_xor_sync(~0u, x, 2));
          x = fmaxf(x, high[m][h]);
          float f = ex2(high[m][h] - x);
          high[m][h] = x;
          sum[m][h] *= f;
#pragma unroll
          for (int j = 0; j < 8; ++j) o[m][j][2 * h] *= f, o[m][j][2 * h + 1] *= f;
        }
    }
    uint32_t p[2][2][4];
    zero(s2);
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      scores(s2, next, u);
      const int kk = u >> 2, m = u >> 1 & 1, w = u & 1;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float a = ex2(fmaf(s[m][2 * kk + w][2 * h], scale, -high[m][h]));
        float b = ex2(fmaf(s[m][2 * kk + w][2 * h + 1], scale, -high[m][h]));
        sum[m][h] += a + b;
        p[kk][m][2 * w + h] = pack(a, b);
      }
    }
#pragma unroll
    for (int kk = 0; kk < 2; ++kk)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t b[4];
        ldmt(b, v + (kk * 16 + vrow) * 128 + (((j * 2 + vc) ^ (vrow & 7)) << 4));
        mma(o[0][2 * j], p[kk][0], b[0], b[1]);
        mma(o[1][2 * j], p[kk][1], b[0], b[1]);
        mma(o[0][2 * j + 1], p[kk][0], b[2], b[3]);
        mma(o[1][2 * j + 1], p[kk][1], b[2], b[3]);
      }
  };
  if (n > 0) {
    zero(sa);
#pragma unroll
    for (int u = 0; u < 8; ++u) scores(sa, kv, u);
  }
  for (int i = 0; i < n; ++i) {
    const int j0 = (2 * (i) + group) * 64;
    const uint32_t at = kv + (i % STAGES) * 16384;
    half(sa, sb, at + 4096, at + 8192, j0);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");  // the next block is there,
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");         // and the last one is done with
    load(i + STAGES - 1);
    half(sb, sa, kv + (min(i + 1, n - 1) % STAGES) * 16384, at + 8192 + 4096, j0 + 32);
  }
#pragma unroll
  for (int m = 0; m < 2; ++m)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      sum[m][h] += __shfl_xor_sync(~0u, sum[m][h], 1);
      sum[m][h] += __shfl_xor_sync(~0u, sum[m][h], 2);
    }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
  if (item(round + 1) < items) begin(round + 1);  // arrives during the merge
  float* merge = (float*)(smem + MERGE) + t;
  if (group == 1) {
#pragma unroll
    for (int m = 0; m < 2; ++m) {
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) merge[(m * 32 + j * 4 + e) * 128] = o[m][j][e];
#pragma unroll
      for (int h = 0; h < 2; ++h) merge[(64 + m * 2 + h) * 128] = high[m][h], merge[(68 + m * 2 + h) * 128] = sum[m][h];
    }
  }
  __syncthreads();
  if (group == 0) {
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float other = merge[(64 + m * 2 + h) * 128], x = fmaxf(other, high[m][h]);
        float a = ex2(high[m][h] - x), b = ex2(other - x);
        float inv = 1 / (sum[m][h] * a + merge[(68 + m * 2 + h) * 128] * b);
        a *= inv, b *= inv;
        int row = w0 + m * 16 + h * 8 + (lane >> 2);
        if (row < length) {
          __half2* to = (__half2*)(y + now + (size_t)row * 64 + (lane & 3) * 2);
#pragma unroll
          for (int j = 0; j < 8; ++j)
            to[j * 4] = __floats2half2_rn(o[m][j][2 * h] * a + merge[(m * 32 + j * 4 + 2 * h) * 128] * b, o[m][j][2 * h + 1] * a + merge[(m * 32 + j * 4 + 2 * h + 1) * 128] * b);
        }
      }
  }
  }
}
extern "C" void solve(const __half* q, const __half* keys, const __half* values, __half* y, int heads, int length) {
  int tiles = (length + 127) / 128;
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
  k<<<tiles * heads < BLOCKS ? tiles * heads : BLOCKS, 256, SMEM>>>(q, keys, values, y, heads, length, tiles);
}
