#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
// Pixels are numbered with one column and one row of padding an image, so that each tap is a constant shift. A chunk is 256 pixels (4 warpgroups of 64);
// its window stays in shared memory, pixels go to registers by ldmatrix, weights are B of wgmma.
static const int WEIGHTS = 9 * 8192, STAGE = 16 * 2048;
__device__ __forceinline__ uint64_t desc(uint32_t a) {
  return (uint64_t)((a & 0x3FFFF) >> 4) | ((uint64_t)1 << 16) | ((uint64_t)64 << 32) | ((uint64_t)1 << 62);
}
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
__device__ __forceinline__ void mma(float (&o)[32], const uint32_t* p, uint64_t b, int add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, p, 1, 1, 0;\n}\n"
    : "+f"(o[0]), "+f"(o[1]), "+f"(o[2]), "+f"(o[3]), "+f"(o[4]), "+f"(o[5]), "+f"(o[6]), "+f"(o[7]), "+f"(o[8]), "+f"(o[9]), "+f"(o[10]), "+f"(o[11]), "+f"(o[12]), "+f"(o[13]), "+f"(o[14]), "+f"(o[15]), "+f"(o[16]), "+f"(o[17]), "+f"(o[18]), "+f"(o[19]), "+f"(o[20]), "+f"(o[21]), "+f"(o[22]), "+f"(o[23]), "+f"(o[24]), "+f"(o[25]), "+f"(o[26]), "+f"(o[27]), "+f"(o[28]), "+f"(o[29]), "+f"(o[30]), "+f"(o[31]) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b), "r"(add));
}
#endif
__device__ __forceinline__ void copy(uint32_t dst, const __half* src, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ uint32_t pack(float a, float b) { __half2 h = __floats2half2_rn(a, b); return *(uint32_t*)&h; }
struct Shape { int images, side, wide, image, total; unsigned by_wide, by_image; };
// The pixel's number without padding, or -1. The products with the reciprocals are exact for f * image < 2^32.
__device__ __forceinline__ int pixel(const Shape& s, int f) {
  if (f < 0 || f >= s.total) return -1;
  int n = s.by_image ? __umulhi(f, s.by_image) : f / s.image, rest = f - n * s.image, r = s.by_image ? __umulhi(rest, s.by_wide) : rest / s.wide, c = rest - r * s.wide;
  return r < s.side && c < s.side ? (n * s.side + r) * s.side + c : -1;
}
__device__ __forceinline__ void load_window(uint32_t dst, const __half* x, const Shape& s, int first, int count) {
  int c = threadIdx.x & 7;
  for (int i = threadIdx.x >> 3; i < count; i += 64) {
    int p = pixel(s, first + i);
    copy(dst + i * 128 + ((c ^ (i & 7)) << 4), x + (size_t)max(p, 0) * 64 + c * 8, p < 0 ? 0 : 16);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}
__device__ __forceinline__ void fragments(uint32_t (&a)[16], uint32_t base, int p, int half) {
#pragma unroll
  for (int k = 0; k < 4; ++k)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[4 * k]), "=r"(a[4 * k + 1]), "=r"(a[4 * k + 2]), "=r"(a[4 * k + 3]) : "r"(base + p * 128 + (((2 * k + half) ^ (p & 7)) << 4)) : "memory");
}
__global__ void __launch_bounds__(512, 1) k(const __half* x, const __half* w, __half* y, Shape s, int chunks) {
#if !defined(__CUDA_ARCH_FEAT_SM90_ALL)  // only for builds without sm_90a
  for (int f = blockIdx.x * 512 + threadIdx.x; f < s.images * s.side * s.side * 64; f += gridDim.x * 512) {
    int o = f & 63, p = f >> 6, i = p % s.side, j = p / s.side % s.side;
    float t = 0;
    for (int dj = -1; dj <= 1; ++dj)
      for (int di = -1; di <= 1; ++di)
        if (i + di >= 0 && i + di < s.side && j + dj >= 0 && j + dj < s.side)
          for (int c = 0; c < 64; ++c) t += __half2float(x[((size_t)p + dj * s.side + di) * 64 + c]) * __half2float(w[((o * 3 + dj + 1) * 3 + di + 1) * 64 + c]);
    y[f] = __float2half(t);
  }
#else
  extern __shared__ char raw[];
  uint32_t wb = ((uint32_t)__cvta_generic_to_shared(raw) + 1023) & ~1023u;
  int count = 256 + 2 * s.wide + 2, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t stage = wb + WEIGHTS + warp * 2048, window = wb + WEIGHTS + STAGE, bytes = count * 128;
  for (int i = threadIdx.x; i < 64 * 72; i += 512) {
    int o = i / 72, c = i % 72;
    copy(wb + (c >> 3) * 8192 + o * 128 + (((c ^ o) & 7) << 4), w + i * 8, 16);
  }
  load_window(window, x, s, blockIdx.x * 256 - s.wide - 1, count);
  int own = warp * 16 + (lane & 15), half = lane >> 4, turn = 0;
  for (int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, turn ^= 1) {
    uint32_t base = window + turn * bytes;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint32_t a[2][16];
    float o[32];
    fragments(a[0], base, own, half);
    if (chunk + (int)gridDim.x < chunks) load_window(window + (turn ^ 1) * bytes, x, s, (chunk + gridDim.x) * 256 - s.wide - 1, count);
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      uint64_t b = desc(wb + tap * 8192);
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) mma(o, a[tap & 1] + 4 * kk, b + 2 * kk, tap + kk);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (tap < 8) {
        if (tap) asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        fragments(a[(tap + 1) & 1], base, own + (tap + 1) / 3 * s.wide + (tap + 1) % 3, half);
      }
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      uint32_t d = stage + g * 128 + ((i ^ g) << 4) + t * 4;
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(d), "r"(pack(o[4 * i], o[4 * i + 1])) : "memory");
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(d + 1024), "r"(pack(o[4 * i + 2], o[4 * i + 3])) : "memory");
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int r = (lane >> 3) + 4 * i, c = lane & 7, p = pixel(s, chunk * 256 + warp * 16 + r);
      uint4 v;
      asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(stage + r * 128 + ((c ^ (r & 7)) << 4)) : "memory");
      if (p >= 0) *(uint4*)(y + (size_t)p * 64 + c * 8) = v;
    }
    __syncwarp();
  }
#endif
}
extern "C" void solve(const __half* x, const __half* w, __half* y, int images, int side) {
  Shape s;
  s.images = images; s.side = side; s.wide = side + 1; s.image = s.wide * s.wide; s.total = images * s.image;
  bool exact = (unsigned long long)(s.total + 1024) * s.image < (1ull << 32);
  s.by_wide = (unsigned)(((1ull << 32) + s.wide - 1) / s.wide);
  s.by_image = exact ? (unsigned)(((1ull << 32) + s.image - 1) / s.image) : 0;
  int chunks = (s.total + 255) / 256, smem = 1024 + WEIGHTS + STAGE + 2 * 128 * (256 + 2 * s.wide + 2);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  k<<<chunks < 132 ? chunks : 132, 512, smem>>>(x, w, y, s, chunks);
}
