// Matrix products and attention on tensor cores, for what counting costs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" {
__device__ void mma_bf16(float* c, const unsigned* a, const unsigned* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma_f16acc(unsigned* c, const unsigned* a, const unsigned* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma_s8(int* c, const unsigned* a, const unsigned* b) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma_tf32(float* c, const unsigned* a, const unsigned* b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void ldsm4(unsigned* r, const void* p) {
  unsigned s = (unsigned)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(s));
}
__device__ void ldsm2t(unsigned* r, const void* p) {
  unsigned s = (unsigned)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(s));
}
// 64x64 tile a block of 4 warps, k by 32, a by rows, b by rows
__global__ void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n) {
  __shared__ __nv_bfloat16 sa[64][40], sb[32][72];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[8][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int e = t; e < 64 * 4; e += 128)
      *(uint4*)&sa[e / 4][e % 4 * 8] = *(const uint4*)&a[(row0 + e / 4) * n + k + e % 4 * 8];
    for (int e = t; e < 32 * 8; e += 128)
      *(uint4*)&sb[e / 8][e % 8 * 8] = *(const uint4*)&b[(k + e / 8) * n + col0 + e % 8 * 8];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[4];
      ldsm4(fa, &sa[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 8; ++j) {
        unsigned fb[2];
        ldsm2t(fb, &sb[kk + lane % 16][j * 8]);
        mma_bf16(acc[j], fa, fb);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h)
      *(float2*)&c[(row0 + warp * 16 + lane / 4 + 8 * h) * n + col0 + j * 8 + lane % 4 * 2] =
          make_float2(acc[j][2 * h], acc[j][2 * h + 1]);
}
__global__ void gemm_f16acc(const __half* a, const __half* b, __half* c, int n) {
  __shared__ __half sa[64][40], sb[32][72];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  unsigned acc[8][2] = {};
  for (int k = 0; k < n; k += 32) {
    for (int e = t; e < 64 * 4; e += 128)
      *(uint4*)&sa[e / 4][e % 4 * 8] = *(const uint4*)&a[(row0 + e / 4) * n + k + e % 4 * 8];
    for (int e = t; e < 32 * 8; e += 128)
      *(uint4*)&sb[e / 8][e % 8 * 8] = *(const uint4*)&b[(k + e / 8) * n + col0 + e % 8 * 8];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[4];
      ldsm4(fa, &sa[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 8; ++j) {
        unsigned fb[2];
        ldsm2t(fb, &sb[kk + lane % 16][j * 8]);
        mma_f16acc(acc[j], fa, fb);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h)
      *(unsigned*)&c[(row0 + warp * 16 + lane / 4 + 8 * h) * n + col0 + j * 8 + lane % 4 * 2] = acc[j][h];
}
// int8: a by rows, b by columns
__global__ void gemm_s8(const char* a, const char* b, int* c, int n) {
  __shared__ char sa[64][48], sb[64][48];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  int acc[8][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int e = t; e < 64 * 2; e += 128) {
      *(uint4*)&sa[e / 2][e % 2 * 16] = *(const uint4*)&a[(row0 + e / 2) * n + k + e % 2 * 16];
      *(uint4*)&sb[e / 2][e % 2 * 16] = *(const uint4*)&b[(col0 + e / 2) * n + k + e % 2 * 16];
    }
    __syncthreads();
    unsigned fa[4], fb[2];
    int g = lane / 4, q = lane % 4 * 4;
    fa[0] = *(unsigned*)&sa[warp * 16 + g][q];
    fa[1] = *(unsigned*)&sa[warp * 16 + g + 8][q];
    fa[2] = *(unsigned*)&sa[warp * 16 + g][q + 16];
    fa[3] = *(unsigned*)&sa[warp * 16 + g + 8][q + 16];
    for (int j = 0; j < 8; ++j) {
      fb[0] = *(unsigned*)&sb[j * 8 + g][q];
      fb[1] = *(unsigned*)&sb[j * 8 + g][q + 16];
      mma_s8(acc[j], fa, fb);
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h)
      *(int2*)&c[(row0 + warp * 16 + lane / 4 + 8 * h) * n + col0 + j * 8 + lane % 4 * 2] =
          make_int2(acc[j][2 * h], acc[j][2 * h + 1]);
}
__global__ void gemm_tf32(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[64][20], sb[16][72];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, g = lane / 4,
      q = lane % 4;
  float acc[8][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int e = t; e < 64 * 4; e += 128)
      *(float4*)&sa[e / 4][e % 4 * 4] = *(const float4*)&a[(row0 + e / 4) * n + k + e % 4 * 4];
    for (int e = t; e < 16 * 16; e += 128)
      *(float4*)&sb[e / 16][e % 16 * 4] = *(const float4*)&b[(k + e / 16) * n + col0 + e % 16 * 4];
    __syncthreads();
    for (int kk = 0; kk < 16; kk += 8) {
      unsigned fa[4];
      for (int h = 0; h < 4; ++h) fa[h] = __float_as_uint(sa[warp * 16 + g + 8 * (h & 1)][kk + q + 4 * (h >> 1)]);
      for (int j = 0; j < 8; ++j) {
        unsigned fb[2] = {__float_as_uint(sb[kk + q][j * 8 + g]), __float_as_uint(sb[kk + q + 4][j * 8 + g])};
        mma_tf32(acc[j], fa, fb);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h)
      *(float2*)&c[(row0 + warp * 16 + g + 8 * h) * n + col0 + j * 8 + q * 2] =
          make_float2(acc[j][2 * h], acc[j][2 * h + 1]);
}
// flash attention, d = 64, 64 queries a block of 4 warps, keys by 32
__global__ void flash_mma(const __nv_bfloat16* Q, const __nv_bfloat16* K, const __nv_bfloat16* V, float* O, int n) {
  __shared__ __nv_bfloat16 sk[32][72], sv[32][72];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, g = lane / 4, q = lane % 4, row0 = blockIdx.x * 64 + warp * 16;
  unsigned fq[4][4];
  for (int d = 0; d < 4; ++d)
    for (int h = 0; h < 4; ++h)
      fq[d][h] = *(const unsigned*)&Q[(row0 + g + 8 * (h & 1)) * 64 + d * 16 + q * 2 + 8 * (h >> 1)];
  float o[8][4] = {}, m[2] = {-1e30f, -1e30f}, l[2] = {};
  for (int k = 0; k < n; k += 32) {
    for (int e = t; e < 32 * 8; e += 128) {
      *(uint4*)&sk[e / 8][e % 8 * 8] = *(const uint4*)&K[(k + e / 8) * 64 + e % 8 * 8];
      *(uint4*)&sv[e / 8][e % 8 * 8] = *(const uint4*)&V[(k + e / 8) * 64 + e % 8 * 8];
    }
    __syncthreads();
    float s[4][4] = {};
    for (int j = 0; j < 4; ++j)
      for (int d = 0; d < 4; ++d) {
        unsigned fk[2] = {*(unsigned*)&sk[j * 8 + g][d * 16 + q * 2], *(unsigned*)&sk[j * 8 + g][d * 16 + q * 2 + 8]};
        mma_bf16(s[j], fq[d], fk);
      }
    for (int h = 0; h < 2; ++h) {
      float best = m[h];
      for (int j = 0; j < 4; ++j) best = fmaxf(best, fmaxf(s[j][2 * h], s[j][2 * h + 1]));
      best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
      best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
      float scale = __expf(m[h] - best);
      m[h] = best;
      l[h] *= scale;
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 2; ++e) {
          float p = __expf(s[j][2 * h + e] - best);
          s[j][2 * h + e] = p;
          l[h] += p;
        }
      for (int j = 0; j < 8; ++j) o[j][2 * h] *= scale, o[j][2 * h + 1] *= scale;
    }
    for (int kk = 0; kk < 2; ++kk) {
      unsigned fp[4];
      for (int h = 0; h < 4; ++h) {
        __nv_bfloat162 p =
            __floats2bfloat162_rn(s[2 * kk + (h >> 1)][2 * (h & 1)], s[2 * kk + (h >> 1)][2 * (h & 1) + 1]);
        fp[h] = *(unsigned*)&p;
      }
      for (int j = 0; j < 8; ++j) {
        unsigned fv[2];
        ldsm2t(fv, &sv[kk * 16 + lane % 16][j * 8]);
        mma_bf16(o[j], fp, fv);
      }
    }
    __syncthreads();
  }
  for (int h = 0; h < 2; ++h) {
    l[h] += __shfl_xor_sync(~0u, l[h], 1);
    l[h] += __shfl_xor_sync(~0u, l[h], 2);
    for (int j = 0; j < 8; ++j)
      *(float2*)&O[(row0 + g + 8 * h) * 64 + j * 8 + q * 2] = make_float2(o[j][2 * h] / l[h], o[j][2 * h + 1] / l[h]);
  }
}
}
