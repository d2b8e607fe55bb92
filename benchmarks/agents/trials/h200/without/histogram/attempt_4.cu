#include <cuda_runtime.h>
#define T 1024
#define COPIES 8
// per bin: high 32 bits = blocks that have added, low 32 = count. The last adder of a bin writes y and puts 0 back.
__device__ unsigned long long g_bins[64];
__device__ __forceinline__ void put(int* h, float v) {
  if (v >= -1.f && v <= 1.f) atomicAdd(&h[min(63, (int)((v + 1) * 32))], 1);
}
__global__ void __launch_bounds__(T) k(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ int h[COPIES * 64];
  int t = threadIdx.x, nv = n >> 2, stride = gridDim.x * T;
  const float4* x4 = (const float4*)x;
  int i = blockIdx.x * T + t;
  float4 a = make_float4(2, 2, 2, 2), b = a;
  if (i < nv) a = x4[i];
  if (i + stride < nv) b = x4[i + stride];
  if (t < COPIES * 64) h[t] = 0;
  __syncthreads();
  int* mine = h + ((t >> 5) & (COPIES - 1)) * 64;
  put(mine, a.x); put(mine, a.y); put(mine, a.z); put(mine, a.w);
  put(mine, b.x); put(mine, b.y); put(mine, b.z); put(mine, b.w);
  for (i += 2 * stride; i < nv; i += stride) {
    a = x4[i];
    put(mine, a.x); put(mine, a.y); put(mine, a.z); put(mine, a.w);
  }
  if (blockIdx.x == gridDim.x - 1 && t < (n & 3)) put(mine, x[nv * 4 + t]);
  __syncthreads();
  if (t < 64) {
    unsigned s = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) s += h[c * 64 + t];
    unsigned long long add = (1ull << 32) + s;
    unsigned long long old = atomicAdd(&g_bins[t], add) ;
    if ((unsigned)(old >> 32) == gridDim.x - 1) {
      y[t] = (float)((unsigned)old + s);
      atomicExch(&g_bins[t], 0ull);
    }
  }
}
extern "C" void solve(const float* x, float* y, int n) {
  int need = ((n >> 2) + T - 1) / T;
  if (need < 1) need = 1;
  k<<<need < 132 ? need : 132, T>>>(x, y, n);
}
