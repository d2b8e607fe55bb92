#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <stdint.h>
constexpr int BM = 192, BN = 176, BK = 64, ST = 4;
constexpr int ABYTES = BM * 128, BBYTES = 3 * 8192, SB = ABYTES + BBYTES;
__device__ __forceinline__ uint64_t desc(uint32_t addr, uint32_t lbo, uint32_t sbo) {
  return (uint64_t)((addr & 0x3FFFF) >> 4) | ((uint64_t)(lbo >> 4) << 16) | ((uint64_t)(sbo >> 4) << 32) | (1ull << 62);
}
__device__ __forceinline__ void mma(float (&d)[88], uint64_t da, uint64_t db) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87}, %88, %89, 1, 1, 1, 0, 1;"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]) : "l"(da), "l"(db));
}
__device__ __forceinline__ void cp8(uint32_t dst, const void* src, bool ok) {
  int size = ok ? 8 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(dst), "l"(src), "r"(size) : "memory");
}
__global__ void __launch_bounds__(384, 1) k(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, const float* __restrict__ bias, __nv_bfloat16* __restrict__ y, int m, int n, int depth) {
  extern __shared__ __align__(1024) unsigned char raw[];
  uint32_t base = ((uint32_t)__cvta_generic_to_shared(raw) + 1023) & ~1023u;
  const int t = threadIdx.x, wg = t >> 7;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int c = t & 15, r0 = t >> 4;
  const uint32_t soff = r0 * 128 + (((c >> 1) ^ (r0 & 7)) << 4) + (c & 1) * 8;
  float d[88];
#pragma unroll
  for (int i = 0; i < 88; ++i) d[i] = 0;
  const int steps = (depth + BK - 1) / BK;
  uint32_t oa[8], ob[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int r = r0 + 24 * i;
    oa[i] = (uint32_t)min(m0 + r, m - 1) * depth + c * 4;
    ob[i] = (uint32_t)(r & 63) * n + min(n0 + (r >> 6) * 64 + c * 4, n - 4);
  }
  auto load = [&](int s) {
    if (s < steps) {
      const uint32_t sa = base + (s & (ST - 1)) * SB + soff, sb = sa + ABYTES;
      const int k0 = s * BK;
      const __nv_bfloat16 *pa = a + k0, *pb = b + (size_t)k0 * n;
      if (k0 + BK <= depth) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(sa + i * 3072), "l"(pa + oa[i]) : "memory");
          asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(sb + i * 3072), "l"(pb + ob[i]) : "memory");
        }
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          bool ok = k0 + c * 4 < depth;
          cp8(sa + i * 3072, ok ? pa + oa[i] : a, ok);
          ok = k0 + ((r0 + 24 * i) & 63) < depth;
          cp8(sb + i * 3072, ok ? pb + ob[i] : b, ok);
        }
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  load(0); load(1);
  for (int s = 0; s < steps; ++s) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint32_t sa = base + (s & (ST - 1)) * SB + wg * 64 * 128, sb = base + (s & (ST - 1)) * SB + ABYTES;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int q = 0; q < 4; ++q) mma(d, desc(sa + q * 32, 16, 1024), desc(sb + q * 2048, 8192, 1024));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    load(s + 2);
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 88; ++i) asm volatile("" : "+f"(d[i]) :: "memory");
  int row = m0 + wg * 64 + ((t & 127) >> 5) * 16 + ((t & 31) >> 2);
#pragma unroll
  for (int j = 0; j < 176 / 8; ++j) {
    int col = n0 + j * 8 + (t & 3) * 2;
    if (col < n) {
      float2 bb = *(const float2*)(bias + col);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        if (row + 8 * h < m) {
          float s = d[j * 4 + h * 2] + bb.x, u = d[j * 4 + h * 2 + 1] + bb.y;
          s = __fdividef(s, 1 + __expf(-1.5957691216f * (s + 0.044715f * s * s * s)));
          u = __fdividef(u, 1 + __expf(-1.5957691216f * (u + 0.044715f * u * u * u)));
          *(__nv_bfloat162*)(y + (size_t)(row + 8 * h) * n + col) = __floats2bfloat162_rn(s, u);
        }
      }
    }
  }
}
extern "C" void solve(const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias, __nv_bfloat16* y, int m, int n, int depth) {
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, ST * SB + 1024);
  k<<<dim3((n + BN - 1) / BN, (m + BM - 1) / BM), 384, ST * SB + 1024>>>(a, b, bias, y, m, n, depth);
}
