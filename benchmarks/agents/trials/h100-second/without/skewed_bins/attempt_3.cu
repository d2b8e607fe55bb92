#include <cuda_runtime.h>
// Each lane has its own column (= its own bank) of 16-bit counters: bins b and b+512 share a word.
// No atomic in a warp ever meets another lane's bank, however skewed the bins are.
__device__ unsigned g_bins[1024];
__device__ unsigned g_done;

__device__ __forceinline__ void count(unsigned* mine, float v) {
  unsigned b = __float_as_uint(__fadd_rd(fminf(fabsf(v) * 1024, 1023.f), 8388608.f));
  atomicAdd(mine + (b & 511) * 32, b & 512 ? 65536u : 1u);
}
__global__ void __launch_bounds__(1024, 1) k(const float* __restrict__ x, float* __restrict__ y, int n, int n4) {
  extern __shared__ __align__(16) unsigned h[];
  __shared__ bool last;
  int t = threadIdx.x, lane = t & 31, step = gridDim.x * 1024, i = blockIdx.x * 1024 + t;
  const float4* x4 = (const float4*)x;
  float4 a[4], b[4];
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (i + j * step < n4) a[j] = __ldcs(x4 + i + j * step);
#pragma unroll
  for (int j = 0; j < 4; ++j) ((uint4*)h)[t + j * 1024] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  unsigned* mine = h + lane;
  for (int q = 4 * n4 + i; q < n; q += step) count(mine, x[q]);
  for (; i < n4; i += 4 * step) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + (j + 4) * step < n4) b[j] = __ldcs(x4 + i + (j + 4) * step);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + j * step < n4) {
        count(mine, a[j].x); count(mine, a[j].y); count(mine, a[j].z); count(mine, a[j].w);
      }
#pragma unroll
    for (int j = 0; j < 4; ++j) a[j] = b[j];
  }
  __syncthreads();
  unsigned low = 0, high = 0;
  int first = t >> 5 << 4;
#pragma unroll
  for (int r = 0; r < 16; ++r) {
    unsigned w = h[(first + r) * 32 + lane];
    unsigned l = __reduce_add_sync(~0u, w & 65535), g = __reduce_add_sync(~0u, w >> 16);
    if (lane == r) { low = l; high = g; }
  }
  if (lane < 16) {
    atomicAdd(&g_bins[first + lane], low);
    atomicAdd(&g_bins[512 + first + lane], high);
  }
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicInc(&g_done, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    y[t] = (float)atomicExch(&g_bins[t], 0u);       // and ready for the next call
  }
}
static int setup() {
  int dev = 0, sms = 132;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  return sms;
}
extern "C" void solve(const float* x, float* y, int n) {
  static const int sms = setup();
  int blocks = max(sms, n / 1900000 + 1);        // a 16-bit counter meets fewer than 65536 elements
  int n4 = (size_t)x % 16 ? 0 : n / 4;
  k<<<blocks, 1024, 65536>>>(x, y, n, n4);
}
