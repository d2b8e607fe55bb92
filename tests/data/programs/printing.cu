// What kernels ask of the system: printf, malloc and free, assert.
#include <cassert>
#include <cstdio>
#include <cstdlib>

__global__ void hello(double d) {
  const int arguments =
      printf("block %d thread %d: %5.2f %s %lld %%\n", blockIdx.x, threadIdx.x, d * threadIdx.x, "text", 5000000000ll);
  if (threadIdx.x == 1) printf("%d arguments\n", arguments);
}

__global__ void make(int** lists, int n) {
  int* list = static_cast<int*>(malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) list[i] = threadIdx.x + i;
  lists[threadIdx.x] = list;
}
__global__ void sum(int** lists, int n, int* sums) {
  sums[threadIdx.x] = 0;
  for (int i = 0; i < n; ++i) sums[threadIdx.x] += lists[threadIdx.x][i];
  free(lists[threadIdx.x]);
}

__global__ void check(int limit) { assert(threadIdx.x < limit); }

int main(int arguments, char**) {
  hello<<<2, 2>>>(1.5);
  if (arguments > 1) return 0;  // without a wait, what it prints is lost
  printf("before the kernel's output\n");
  cudaDeviceSynchronize();
  int** lists;
  int* sums;
  cudaMalloc(&lists, 64 * sizeof(int*));
  cudaMallocManaged(&sums, 64 * sizeof(int));
  make<<<1, 64>>>(lists, 10);
  sum<<<1, 64>>>(lists, 10, sums);
  cudaDeviceSynchronize();
  printf("sums %d to %d\n", sums[0], sums[63]);
  check<<<1, 64>>>(64);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  check<<<1, 64>>>(62);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
