// A grid as a group by the calls of libcudadevrt, as Numba makes them: each thread adds to the value that its neighbour
// had a round before. Built with -rdc=true -lcudadevrt; -DMISSING leaves a barrier out. Argument: 0 launches plainly.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void rounds(int* x, int* y, int* errors, int count) {
  const unsigned long long group = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  for (int round = 0; round < count; ++round) {
    y[i] = x[(i + 1) % (gridDim.x * gridDim.y * blockDim.x)] + 1;
    errors[i] += cudaCGSynchronize(group, 0) != cudaSuccess;
    x[i] = y[i];
#ifndef MISSING
    errors[i] += cudaCGSynchronize(group, 0) != cudaSuccess;
#endif
  }
}

int main(int, char** arguments) {
  constexpr int kThreads = 4 * 3 * 80;
  int *x, *y, *errors, count = 5;
  cudaMallocManaged(&x, kThreads * sizeof(int));
  cudaMallocManaged(&y, kThreads * sizeof(int));
  cudaMallocManaged(&errors, kThreads * sizeof(int));
  for (int i = 0; i < kThreads; ++i) x[i] = i, errors[i] = 0;
  void* given[] = {&x, &y, &errors, &count};
  const void* kernel = reinterpret_cast<const void*>(rounds);
  const dim3 grid(4, 3);
  cudaError_t error = atoi(arguments[1]) ? cudaLaunchCooperativeKernel(kernel, grid, dim3(80), given, 0, nullptr)
                                         : cudaLaunchKernel(kernel, grid, dim3(80), given, 0, nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  int wrong = 0;
  for (unsigned i = 0; i < kThreads && error == cudaSuccess; ++i) {
    wrong += x[i] != static_cast<int>((i + count) % kThreads) + count;
    wrong += errors[i] != 0;
  }
  printf("%d wrong, %s\n", wrong, cudaGetErrorName(error));
}
