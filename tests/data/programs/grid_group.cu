// A grid as a group by the calls of libcudadevrt, as Numba makes them: each thread adds to the value that its neighbour
// had a round before. Built with -rdc=true -lcudadevrt; -DMISSING leaves a barrier out. Argument: 0 launches plainly.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Seen {
  unsigned threads, grids, rank, grid;
  int errors;
};

__global__ void rounds(int* x, int* y, Seen* seen, int count) {
  const unsigned long long group = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  Seen mine{};
  mine.errors += cudaCGGetSize(&mine.threads, &mine.grids, group) != cudaSuccess;
  mine.errors += cudaCGGetRank(&mine.rank, &mine.grid, group) != cudaSuccess;
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  seen[i] = mine;
  for (int round = 0; round < count; ++round) {
    y[i] = x[(i + 1) % (gridDim.x * gridDim.y * blockDim.x)] + 1;
    mine.errors += cudaCGSynchronize(group, 0) != cudaSuccess;
    x[i] = y[i];
#ifndef MISSING
    if (round % 2 == 0) mine.errors += cudaCGSynchronizeGrid(group, 0) != cudaSuccess;
    else cudaCGSynchronize(group, 0);
#endif
  }
  seen[i].errors += mine.errors;
}

int main(int, char** arguments) {
  constexpr int kThreads = 4 * 3 * 80;
  int *x, *y, count = 5;
  Seen* seen;
  cudaMallocManaged(&x, kThreads * sizeof(int));
  cudaMallocManaged(&y, kThreads * sizeof(int));
  cudaMallocManaged(&seen, kThreads * sizeof(Seen));
  for (int i = 0; i < kThreads; ++i) x[i] = i;
  void* given[] = {&x, &y, &seen, &count};
  const void* kernel = reinterpret_cast<const void*>(rounds);
  const dim3 grid(4, 3);
  cudaError_t error = atoi(arguments[1]) ? cudaLaunchCooperativeKernel(kernel, grid, dim3(80), given, 0, nullptr)
                                         : cudaLaunchKernel(kernel, grid, dim3(80), given, 0, nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  int wrong = 0;
  for (unsigned i = 0; i < kThreads && error == cudaSuccess; ++i) {
    wrong += x[i] != static_cast<int>((i + count) % kThreads) + count;
    wrong += seen[i].threads != kThreads || seen[i].grids != 1 || seen[i].rank != i || seen[i].grid != 1 || seen[i].errors != 0;
  }
  printf("%d wrong, %s\n", wrong, cudaGetErrorName(error));
}
