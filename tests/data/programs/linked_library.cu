// A library that may have a CUDA runtime of its own: it uses the GPU from a constructor and when it is asked to.
#include <cuda_runtime.h>

__constant__ int kStep = 3;
__device__ int last;

__global__ void steps(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i * kStep;
  if (i == n - 1) last = out[i];
}

static int* early = nullptr;  // of the constructor
static int count() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : -1;
}
struct Early {
  int devices = count();
  Early() { cudaMalloc(&early, 1000 * sizeof(int)); }
};
static Early at_load;

/// How many of 1,000 numbers are wrong; a thousand more for each call that failed.
extern "C" int wrong_steps() {
  int host[1000], of_last = 0, wrong = 0;
  steps<<<4, 256>>>(early, 1000);
  if (cudaMemcpy(host, early, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) wrong += 1000;
  if (cudaMemcpyFromSymbol(&of_last, last, sizeof of_last) != cudaSuccess) wrong += 1000;
  for (int i = 0; i < 1000; ++i) wrong += host[i] == 3 * i ? 0 : 1;
  return wrong + (of_last == 3 * 999 ? 0 : 1) + (at_load.devices == 1 ? 0 : 1000);
}
