#include <cuda_runtime.h>
// One block an SM; a copy of the bins for each lane, so a warp's atomics never meet.
constexpr int THREADS = 1024, UNROLL = 8;
__device__ __forceinline__ void add(int* bins, float f, int lane) {
  atomicAdd(&bins[(int)fminf(fabsf(f) * 1024, 1023.f) * 32 + lane], 1);
}
__global__ void __launch_bounds__(THREADS, 1) k(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ int bins[];
  int t = threadIdx.x, lane = t % 32;
  const float4* x4 = (const float4*)x;
  int n4 = n / 4, stride = gridDim.x * THREADS, i = blockIdx.x * THREADS + t;
  float4 v[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) if (i + u * stride < n4) v[u] = __ldcs(x4 + i + u * stride);
  for (int b = t; b < 8192; b += THREADS) ((int4*)bins)[b] = make_int4(0, 0, 0, 0);
  __syncthreads();
  for (; i < n4; i += UNROLL * stride) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      float4 w = v[u];
      int j = i + u * stride, next = j + UNROLL * stride;
      if (next < n4) v[u] = __ldcs(x4 + next);
      if (j < n4) {
        add(bins, w.x, lane);
        add(bins, w.y, lane);
        add(bins, w.z, lane);
        add(bins, w.w, lane);
      }
    }
  }
  if (blockIdx.x == gridDim.x - 1 && t < n % 4) add(bins, x[n4 * 4 + t], lane);
  __syncthreads();
  int s = 0;
#pragma unroll
  for (int j = 0; j < 32; ++j) s += bins[(t * 32 + lane) ^ j];
  cudaGridDependencySynchronize();  // y is zero now
  if (s) atomicAdd(&y[t], (float)s);
}
__global__ void zero(float* y) {
  cudaTriggerProgrammaticLaunchCompletion();
  y[threadIdx.x] = 0;
}
extern "C" void solve(const float* x, float* y, int n) {
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072);
  zero<<<1, 1024>>>(y);
  cudaLaunchConfig_t config = {};
  config.gridDim = 132;
  config.blockDim = THREADS;
  config.dynamicSmemBytes = 131072;
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, k, x, y, n);
}
