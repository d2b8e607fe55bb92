#include <cuda_runtime.h>
#define KC 8
#define S 4
#define PA 12                       // pitch of A's rows in shared memory: LDS.128 of 8 rows without conflict
#define STAGE (96 * PA)             // floats of one warp's stage
__device__ __forceinline__ void cp16(float* s, const float* g) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(g) : "memory");
}
// |a - b|^2 = |a|^2 + |b|^2 - 2ab, so that the inner loop is one FMA. 64x32 outputs a block; each of the 8 warps computes the whole
// tile (8x8 a lane) over its own eighth of k through its own pipeline of shared stages; the 8 partial tiles are added at the end.
__global__ void __launch_bounds__(256, 1) k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  extern __shared__ float sm[];
  __shared__ float part[8][96], norm[96];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  int ty = (lane >> 1) & 7, tx = (lane & 1) | ((lane >> 4) << 1);
  int r0 = blockIdx.y * 64, c0 = blockIdx.x * 32, ks = n >> 3, chunks = ks / KC;
  float* mine = sm + w * (S * STAGE);
  const float* ga = a + (long)(r0 + (lane >> 1)) * n + w * ks + (lane & 1) * 4;
  const float* gb = b + (long)(c0 + (lane >> 1)) * n + w * ks + (lane & 1) * 4;
  int sa = (lane >> 1) * PA + (lane & 1) * 4;
  auto fetch = [&](int c) {
    if (c < chunks) {
      float* st = mine + (c % S) * STAGE + sa;
#pragma unroll
      for (int i = 0; i < 4; ++i) cp16(st + i * 16 * PA, ga + (long)i * 16 * n + c * KC);
#pragma unroll
      for (int i = 0; i < 2; ++i) cp16(st + (64 + i * 16) * PA, gb + (long)i * 16 * n + c * KC);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll
  for (int c = 0; c < S - 1; ++c) fetch(c);
  float acc[8][8], sq[3] = {0, 0, 0};
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) acc[i][j] = 0;
  for (int c = 0; c < chunks; ++c) {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 2) : "memory");
    __syncwarp();
    fetch(c + S - 1);
    const float* st = mine + (c % S) * STAGE;
    const float *A = st + ty * PA, *B = st + (64 + tx * 2) * PA, *N = st + lane * PA;
#pragma unroll
    for (int kk = 0; kk < KC; kk += 4) {
      float4 av[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) av[i] = *(const float4*)(A + i * 8 * PA + kk);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        float4 bv = *(const float4*)(B + ((j & 1) + 8 * (j >> 1)) * PA + kk);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          acc[i][j] += av[i].x * bv.x; 
          acc[i][j] += av[i].y * bv.y;
          acc[i][j] += av[i].z * bv.z;
          acc[i][j] += av[i].w * bv.w;
        }
      }
#pragma unroll
      for (int m = 0; m < 3; ++m) {
        float4 e = *(const float4*)(N + m * 32 * PA + kk);
        sq[m] += e.x * e.x; sq[m] += e.y * e.y; sq[m] += e.z * e.z; sq[m] += e.w * e.w;
      }
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
  for (int m = 0; m < 3; ++m) part[w][m * 32 + lane] = sq[m];
  __syncthreads();
  float2* red = (float2*)sm;
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) red[w * 1024 + (i * 4 + j) * 32 + lane] = make_float2(acc[i][2 * j], acc[i][2 * j + 1]);
  if (t < 96) {
    float s = 0;
#pragma unroll
    for (int v = 0; v < 8; ++v) s += part[v][t];
    norm[t] = s;
  }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < 4; ++h) {
    int p = t + h * 256, f = p >> 5, row = ty + 8 * (f >> 2), col = tx * 2 + 8 * (f & 3);
    float2 o = red[p];
#pragma unroll
    for (int v = 1; v < 8; ++v) {
      float2 e = red[v * 1024 + p];
      o.x += e.x; o.y += e.y;
    }
    float na = norm[row];
    o.x = fmaxf(0.f, na + norm[64 + col] - 2 * o.x);
    o.y = fmaxf(0.f, na + norm[65 + col] - 2 * o.y);
    *(float2*)(y + (long)(r0 + row) * n + c0 + col) = o;
  }
}
__global__ void any(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y, int n) {
  __shared__ float A[16][17], B[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty, rb = blockIdx.x * 16 + ty;
  float s = 0;
  for (int i = 0; i < n; i += 16) {
    A[ty][tx] = r < n && i + tx < n ? a[(long)r * n + i + tx] : 0.f;
    B[ty][tx] = rb < n && i + tx < n ? b[(long)rb * n + i + tx] : 0.f;
    __syncthreads();
    for (int j = 0; j < 16; ++j) { float d = A[ty][j] - B[tx][j]; s += d * d; }
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
