#include <cuda_runtime.h>
#define KC 8
#define S 4
#define PA 12                       // pitch of A's rows in shared memory: LDS.128 of 8 rows without conflict
#define STAGE (64 * PA + KC * 32)   // floats of one warp's stage
__device__ __forceinline__ void cp16(float* s, const float* g) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(g) : "memory");
}
// 64x32 outputs a block. Each of the 8 warps computes the whole tile (8x8 a lane) over its own eighth of k, through its own
// pipeline of shared stages (no block barrier in the loop); the 8 partial tiles are added at the end.
__global__ void __launch_bounds__(256, 1) k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  extern __shared__ float sm[];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  int ty = (lane >> 1) & 7, tx = (lane & 1) | ((lane >> 4) << 1);
  int r0 = blockIdx.y * 64, c0 = blockIdx.x * 32, ks = n >> 3, chunks = ks / KC;
  float* mine = sm + w * (S * STAGE);
  const float* ga = a + (long)(r0 + (lane >> 1)) * n + w * ks + (lane & 1) * 4;
  const float* gb = b + (long)(w * ks + (lane >> 3)) * n + c0 + (lane & 7) * 4;
  int sa = (lane >> 1) * PA + (lane & 1) * 4, sb = 64 * PA + (lane >> 3) * 32 + (lane & 7) * 4;
  auto fetch = [&](int c) {
    if (c < chunks) {
      float* st = mine + (c % S) * STAGE;
#pragma unroll
      for (int i = 0; i < 4; ++i) cp16(st + sa + i * 16 * PA, ga + (long)i * 16 * n + c * KC);
#pragma unroll
      for (int i = 0; i < 2; ++i) cp16(st + sb + i * 128, gb + (long)(c * KC + i * 4) * n);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll
  for (int c = 0; c < S - 1; ++c) fetch(c);
  float acc[8][8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) acc[i][j] = 0;
  for (int c = 0; c < chunks; ++c) {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 2) : "memory");
    __syncwarp();
    fetch(c + S - 1);
    const float* A = mine + (c % S) * STAGE + ty * PA;
    const float* B = mine + (c % S) * STAGE + 64 * PA + tx * 4;
#pragma unroll
    for (int kk = 0; kk < KC; kk += 4) {
      float4 av[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) av[i] = *(const float4*)(A + i * 8 * PA + kk);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        float4 b0 = *(const float4*)(B + (kk + q) * 32), b1 = *(const float4*)(B + (kk + q) * 32 + 16);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          float v = q == 0 ? av[i].x : q == 1 ? av[i].y : q == 2 ? av[i].z : av[i].w;
          acc[i][0] += v * b0.x; acc[i][1] += v * b0.y; acc[i][2] += v * b0.z; acc[i][3] += v * b0.w;
          acc[i][4] += v * b1.x; acc[i][5] += v * b1.y; acc[i][6] += v * b1.z; acc[i][7] += v * b1.w;
        }
      }
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  float4* red = (float4*)sm;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    red[w * 512 + i * 64 + lane] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    red[w * 512 + i * 64 + 32 + lane] = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    int p = t + h * 256, f = p >> 5;
    float4 o = red[p];
#pragma unroll
    for (int v = 1; v < 8; ++v) {
      float4 e = red[v * 512 + p];
      o.x += e.x; o.y += e.y; o.z += e.z; o.w += e.w;
    }
    *(float4*)(y + (long)(r0 + ty + 8 * (f >> 1)) * n + c0 + tx * 4 + 16 * (f & 1)) = o;
  }
}
__global__ void any(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  __shared__ float A[16][17], B[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
  float s = 0;
  for (int i = 0; i < n; i += 16) {
    A[ty][tx] = r < n && i + tx < n ? a[(long)r * n + i + tx] : 0.f;
    B[ty][tx] = i + ty < n && c < n ? b[(long)(i + ty) * n + c] : 0.f;
    __syncthreads();
    for (int j = 0; j < 16; ++j) s += A[ty][j] * B[j][tx];
    __syncthreads();
  }
  if (r < n && c < n) y[(long)r * n + c] = s;
}
extern "C" void solve(const float* a, const float* b, float* y, int n) {
  if (n % 64 == 0) {
    int bytes = 8 * S * STAGE * 4;
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    k<<<dim3(n / 32, n / 64), 256, bytes>>>(a, b, y, n);
  } else {
    any<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, y, n);
  }
}
