// Kernels that launch kernels: with arguments, three levels deep, in streams, behind everything (tail), in a way that is
// refused. Built with -rdc=true -lcudadevrt. Prints how many results are wrong.
#include <cstdio>
#include <cuda_runtime.h>

struct Pair {
  short small;
  double large;
};

__global__ void add(int* x, int a, Pair pair) {
  extern __shared__ int room[];
  const int i = threadIdx.y * blockDim.x + threadIdx.x + blockIdx.x * blockDim.x * blockDim.y;
  room[threadIdx.x] = a + static_cast<int>(pair.large) * pair.small;
  atomicAdd(&x[i], room[threadIdx.x]);
}

__global__ void halves(int* x, int n) {  // each level writes its size to the middle of its part
  if (threadIdx.x != 0 || n == 0) return;
  x[n / 2] = n;
  halves<<<1, 32>>>(x, n / 2);
  if (n > 1) halves<<<1, 32>>>(x + n / 2 + 1, n - n / 2 - 1);
}

__global__ void append(int* log, int what) { log[atomicAdd(log, 1) + 1] = what; }

__global__ void parent(int* x, int* log) {
  if (threadIdx.x != 0) return;
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 3);
  add<<<3, dim3(4, 2), 64>>>(x, blockIdx.x + 1, Pair{2, 2.5});
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  append<<<1, 1, 0, stream>>>(log, 1);
  append<<<1, 1, 0, stream>>>(log, 2);
  cudaStreamDestroy(stream);
}

__global__ void talk(int* x) {  // texts of its own, and memory: the runtime that is linked to it has texts too
  int* own = nullptr;
  if (cudaMalloc(&own, 64) == cudaSuccess) own[3] = 4;
  printf("%s %d\n", "talks", own[3]);
  x[200] = own[3];
  cudaFree(own);
}

__global__ void too_wide(int* x) { add<<<1, 2048>>>(x, 1, Pair{1, 1}); }

int main() {
  int *x, *log, wrong = 0;
  cudaMallocManaged(&x, 4096);
  cudaMallocManaged(&log, 4096);
  parent<<<2, 32>>>(x, log);
  cudaDeviceSynchronize();
  for (int i = 0; i < 24; ++i) wrong += x[i] != 11;  // 1 + 2 * 2 and 2 + 2 * 2
  const int order[] = {6, 1, 2, 1, 2, 3, 3};
  for (int i = 0; i < 7; ++i) wrong += log[i] != order[i];
  halves<<<1, 32>>>(x + 100, 15);
  cudaDeviceSynchronize();
  const int sizes[] = {1, 3, 1, 7, 1, 3, 1, 15, 1, 3, 1, 7, 1, 3, 1};
  for (int i = 0; i < 15; ++i) wrong += x[100 + i] != sizes[i];
  talk<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  wrong += x[200] != 4;
  too_wide<<<1, 1>>>(x);
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
}
