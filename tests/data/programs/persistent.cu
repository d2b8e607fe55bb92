// Blocks that wait for all others at a barrier of the program's own, in a plain launch of as many blocks as the argument says.
#include <cstdio>
#include <cstdlib>

__device__ volatile unsigned arrived;

__global__ void steps(int* x, int n, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += round;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(const_cast<unsigned*>(&arrived), 1u);
      while (arrived < (round + 1) * gridDim.x) {
      }
    }
    __syncthreads();
  }
}

/// Lanes of a branch name all lanes in a mask, as code from before Volta does.
__global__ void neighbours(int* x, int n) {
  const int thread = threadIdx.x;
  int value = 0;
  if (thread % 32 >= n) {
    for (int i = 0; i < thread % 3 + 1; ++i) value += x[64 + thread];  // not all together
    value = __shfl_xor_sync(0xffffffff, value, 1);
    x[thread] = value / value * thread;
  }
  x[thread] += value;
}

int main(int, char** arguments) {
  constexpr int kCount = 1024, kRounds = 4;
  int* x;
  cudaMallocManaged(&x, kCount * sizeof(int));
  for (int i = 0; i < kCount; ++i) x[i] = 0;
  for (int i = 64; i < 128; ++i) x[i] = 1;
  neighbours<<<1, 64>>>(x, 8);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += x[i] != (i % 32 >= 8 ? i + (i ^ 1) % 3 + 1 : 0);
  for (int i = 0; i < kCount; ++i) x[i] = 0;
  steps<<<std::atoi(arguments[1]), 64>>>(x, kCount, kRounds);
  const cudaError_t error = cudaDeviceSynchronize();
  for (int i = 0; error == cudaSuccess && i < kCount; ++i) wrong += x[i] != 6;
  std::printf("%s, %d wrong\n", cudaGetErrorName(error), wrong);
}
