#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
// 128 query rows a tile (2 warpgroups of 64 rows), key tiles of 128, wgmma. A block does tiles t and last-t: equal work.
// Iteration j: tensor cores do Q*K[j+1] and P[j-1]*V[j-1] while the softmax of S[j] runs.
static const int SMEM = 1024 + 16384 * 9;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
__device__ __forceinline__ uint64_t desc(uint32_t a) {
  return (uint64_t)((a & 0x3FFFF) >> 4) | ((uint64_t)64 << 16) | ((uint64_t)64 << 32) | ((uint64_t)1 << 62);
}
__device__ __forceinline__ void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wg_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void mma_qk(float (&s)[64], uint64_t a, uint64_t b, int add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}\n"
    : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7]), "+f"(s[8]), "+f"(s[9]), "+f"(s[10]), "+f"(s[11]), "+f"(s[12]), "+f"(s[13]), "+f"(s[14]), "+f"(s[15]), "+f"(s[16]), "+f"(s[17]), "+f"(s[18]), "+f"(s[19]), "+f"(s[20]), "+f"(s[21]), "+f"(s[22]), "+f"(s[23]), "+f"(s[24]), "+f"(s[25]), "+f"(s[26]), "+f"(s[27]), "+f"(s[28]), "+f"(s[29]), "+f"(s[30]), "+f"(s[31]), "+f"(s[32]), "+f"(s[33]), "+f"(s[34]), "+f"(s[35]), "+f"(s[36]), "+f"(s[37]), "+f"(s[38]), "+f"(s[39]), "+f"(s[40]), "+f"(s[41]), "+f"(s[42]), "+f"(s[43]), "+f"(s[44]), "+f"(s[45]), "+f"(s[46]), "+f"(s[47]), "+f"(s[48]), "+f"(s[49]), "+f"(s[50]), "+f"(s[51]), "+f"(s[52]), "+f"(s[53]), "+f"(s[54]), "+f"(s[55]), "+f"(s[56]), "+f"(s[57]), "+f"(s[58]), "+f"(s[59]), "+f"(s[60]), "+f"(s[61]), "+f"(s[62]), "+f"(s[63]) : "l"(a), "l"(b), "r"(add));
}
__device__ __forceinline__ void mma_pv(float (&o)[32], const uint32_t* p, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;\n"
    : "+f"(o[0]), "+f"(o[1]), "+f"(o[2]), "+f"(o[3]), "+f"(o[4]), "+f"(o[5]), "+f"(o[6]), "+f"(o[7]), "+f"(o[8]), "+f"(o[9]), "+f"(o[10]), "+f"(o[11]), "+f"(o[12]), "+f"(o[13]), "+f"(o[14]), "+f"(o[15]), "+f"(o[16]), "+f"(o[17]), "+f"(o[18]), "+f"(o[19]), "+f"(o[20]), "+f"(o[21]), "+f"(o[22]), "+f"(o[23]), "+f"(o[24]), "+f"(o[25]), "+f"(o[26]), "+f"(o[27]), "+f"(o[28]), "+f"(o[29]), "+f"(o[30]), "+f"(o[31]) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b));
}
__device__ __forceinline__ void load_tile(uint32_t dst, const __half* src, int first, int length) {
  int c = threadIdx.x & 7;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int r = (threadIdx.x >> 3) + 32 * i;
    int row = first + r, ok = row < length ? 16 : 0;
    if (!ok) row = length - 1;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst + r * 128 + ((c ^ (r & 7)) << 4)), "l"(src + (size_t)row * 64 + c * 8), "r"(ok));
  }
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ float ex2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
__device__ __forceinline__ uint32_t pack(float a, float b) { __half2 h = __floats2half2_rn(a, b); return *(uint32_t*)&h; }

__device__ __forceinline__ void softmax(float (&s)[64], float* high, float* sum, float* old, bool diagonal, int row0) {
  const float c = 0.125f * 1.4426950408889634f;
  if (diagonal) {  // row0: this thread's first row, less the tile's first key, less this thread's first column
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (8 * i > row0) s[4 * i] = -INFINITY;
      if (8 * i + 1 > row0) s[4 * i + 1] = -INFINITY;
      if (8 * i > row0 + 8) s[4 * i + 2] = -INFINITY;
      if (8 * i + 1 > row0 + 8) s[4 * i + 3] = -INFINITY;
    }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float m0 = fmaxf(s[2 * h], s[2 * h + 1]), m1 = fmaxf(s[2 * h + 4], s[2 * h + 5]);
#pragma unroll
    for (int i = 2; i < 16; i += 2) {
      m0 = fmaxf(m0, fmaxf(s[4 * i + 2 * h], s[4 * i + 2 * h + 1]));
      m1 = fmaxf(m1, fmaxf(s[4 * i + 4 + 2 * h], s[4 * i + 5 + 2 * h]));
    }
    float m = fmaxf(m0, m1);
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
    m = fmaxf(high[h], m * c);
    old[h] = ex2(high[h] - m);
    high[h] = m;
    float t0 = 0, t1 = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float a = ex2(fmaf(s[4 * i + 2 * h], c, -m)), b = ex2(fmaf(s[4 * i + 2 * h + 1], c, -m));
      s[4 * i + 2 * h] = a;
      s[4 * i + 2 * h + 1] = b;
      t0 += a;
      t1 += b;
    }
    sum[h] = sum[h] * old[h] + (t0 + t1);
  }
}

struct State { float o[32]; uint32_t p[32]; float high[2], sum[2], old[2]; };

// s holds scores of tile j; next gets those of tile j + 1.
template <bool First, bool Last> __device__ __forceinline__ void step(int j, int n, float (&s)[64], float (&next)[64], State& t, uint32_t base, uint32_t qa, const __half* keys, const __half* values,
                                     int length, int row0) {
  uint32_t kb = base + 16384, vb = base + 81920;
  cp_wait<1>();
  __syncthreads();
  wg_fence();
  if (!Last) {
    uint64_t a = desc(qa), b = desc(kb + ((j + 1) & 3) * 16384);
#pragma unroll
    for (int k = 0; k < 4; ++k) mma_qk(next, a + 2 * k, b + 2 * k, k);
    wg_commit();
  }
  if (!First) {
    uint64_t b = desc(vb + ((j - 1) & 3) * 16384);
#pragma unroll
    for (int k = 0; k < 8; ++k) mma_pv(t.o, t.p + 4 * k, b + 128 * k);
    wg_commit();
  }
  if (!Last && j + 3 < n) load_tile(kb + ((j + 3) & 3) * 16384, keys, (j + 3) * 128, length);
  if (!Last) load_tile(vb + ((j + 1) & 3) * 16384, values, (j + 1) * 128, length);
  cp_commit();
  softmax(s, t.high, t.sum, t.old, Last, row0 - j * 128);
  wg_wait<0>();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    t.o[4 * i] *= t.old[0];
    t.o[4 * i + 1] *= t.old[0];
    t.o[4 * i + 2] *= t.old[1];
    t.o[4 * i + 3] *= t.old[1];
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) t.p[i] = pack(s[2 * i], s[2 * i + 1]);
}

#endif
__global__ void __launch_bounds__(256, 1) k(const __half* q, const __half* keys, const __half* values, __half* y, int length) {
#if !defined(__CUDA_ARCH_FEAT_SM90_ALL)  // only for builds without sm_90a
  size_t start = (size_t)blockIdx.y * length * 64;
  for (int row = blockIdx.x * 256 + threadIdx.x; row < length; row += gridDim.x * 256) {
    float total[64], high = -INFINITY, sum = 0;
    for (int d = 0; d < 64; ++d) total[d] = 0;
    for (int j = 0; j <= row; ++j) {
      float s = 0;
      for (int d = 0; d < 64; ++d) s += __half2float(q[start + row * 64 + d]) * __half2float(keys[start + j * 64 + d]);
      s /= 8;
      float next = fmaxf(high, s), old = expf(high - next), p = expf(s - next);
      for (int d = 0; d < 64; ++d) total[d] = total[d] * old + p * __half2float(values[start + j * 64 + d]);
      sum = sum * old + p;
      high = next;
    }
    for (int d = 0; d < 64; ++d) y[start + row * 64 + d] = __float2half(total[d] / sum);
  }
#else
  extern __shared__ char raw[];
  uint32_t base = ((uint32_t)__cvta_generic_to_shared(raw) + 1023) & ~1023u;
  size_t head = (size_t)blockIdx.y * length * 64;
  q += head; keys += head; values += head; y += head;
  int tiles = (length + 127) / 128, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t qa = base + (threadIdx.x >> 7) * 8192;
  for (int part = 0; part < 2; ++part) {
    int tile = part ? (int)blockIdx.x : tiles - 1 - (int)blockIdx.x;
    if (part && tile == tiles - 1 - (int)blockIdx.x) break;
    int n = tile + 1;
    int row = tile * 128 + warp * 16 + (lane >> 2), row0 = row - 2 * (lane & 3);
    __syncthreads();
    load_tile(base, q, tile * 128, length);
    load_tile(base + 16384, keys, 0, length);
    cp_commit();
    if (n > 1) load_tile(base + 32768, keys, 128, length);
    cp_commit();
    if (n > 2) load_tile(base + 49152, keys, 256, length);
    load_tile(base + 81920, values, 0, length);
    cp_commit();
    float s0[64], s1[64];
    State t;
#pragma unroll
    for (int i = 0; i < 32; ++i) t.o[i] = 0;
    t.high[0] = t.high[1] = -INFINITY;
    t.sum[0] = t.sum[1] = 0;
    cp_wait<2>();
    __syncthreads();
    {
      uint64_t a = desc(qa), b = desc(base + 16384);
      wg_fence();
#pragma unroll
      for (int k = 0; k < 4; ++k) mma_qk(s0, a + 2 * k, b + 2 * k, k);
      wg_commit();
      wg_wait<0>();
    }
    if (n == 1) {
      step<true, true>(0, n, s0, s1, t, base, qa, keys, values, length, row0);
    } else {
      step<true, false>(0, n, s0, s1, t, base, qa, keys, values, length, row0);
      for (int j = 1;;) {
        if (j == n - 1) { step<false, true>(j, n, s1, s0, t, base, qa, keys, values, length, row0); break; }
        step<false, false>(j++, n, s1, s0, t, base, qa, keys, values, length, row0);
        if (j == n - 1) { step<false, true>(j, n, s0, s1, t, base, qa, keys, values, length, row0); break; }
        step<false, false>(j++, n, s0, s1, t, base, qa, keys, values, length, row0);
      }
    }
    cp_wait<0>();
    __syncthreads();
    wg_fence();
    uint64_t b = desc(base + 81920 + ((n - 1) & 3) * 16384);
#pragma unroll
    for (int k = 0; k < 8; ++k) mma_pv(t.o, t.p + 4 * k, b + 128 * k);
    wg_commit();
    wg_wait<0>();
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float sum = t.sum[h];
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      float f = 1 / sum;
      int r = row + 8 * h;
      if (r < length) {
#pragma unroll
        for (int i = 0; i < 8; ++i)
          *(uint32_t*)(y + (size_t)r * 64 + 8 * i + 2 * (lane & 3)) = pack(t.o[4 * i + 2 * h] * f, t.o[4 * i + 2 * h + 1] * f);
      }
    }
  }
#endif
}
extern "C" void solve(const __half* q, const __half* keys, const __half* values, __half* y, int heads, int length) {
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
  int tiles = (length + 127) / 128;
  k<<<dim3((tiles + 1) / 2, heads), 256, SMEM>>>(q, keys, values, y, length);
}
