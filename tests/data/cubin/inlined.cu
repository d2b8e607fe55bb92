#include <cuda_fp16.h>
__device__ __forceinline__ float square(float v) { return v * v; }
extern "C" __global__ void inlined(const __half* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = square(__half2float(__hadd(x[i], __ldg(x + i))));
}
