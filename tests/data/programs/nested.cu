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

__global__ void too_wide(int* x) {
  add<<<1, 2048>>>(x, 1, Pair{1, 1});
  x[220] = cudaPeekAtLastError();
  x[221] = cudaGetLastError();
  x[222] = cudaGetLastError();
}

__global__ void asks(int* x) {
  int device = -1, count = 0, version = 0, warp = 0;
  cudaGetDevice(&device), cudaGetDeviceCount(&count), cudaRuntimeGetVersion(&version);
  x[230] = device, x[231] = count, x[232] = version / 1000;
  x[233] = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  x[234] = warp;
  x[235] = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 7);
}

__global__ void copies(int* x) {  // in order, with a launch between them
  cudaMemcpyAsync(x + 250, x + 240, 16, cudaMemcpyDeviceToDevice, 0);
  add<<<1, 4, 64>>>(x + 250, 1, Pair{0, 0});
  cudaMemcpyAsync(x + 260, x + 250, 16, cudaMemcpyDeviceToDevice, 0);
  cudaMemsetAsync(x + 240, 1, 16, 0);
}

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
  asks<<<1, 1>>>(x);
  for (int i = 0; i < 4; ++i) x[240 + i] = i;
  cudaDeviceSynchronize();
  copies<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  const int answers[] = {0, 1, 13, 0, 32, cudaErrorInvalidDevice};
  for (int i = 0; i < 6; ++i) wrong += x[230 + i] != answers[i];
  for (int i = 0; i < 4; ++i) wrong += x[240 + i] != 0x01010101 || x[250 + i] != i + 1 || x[260 + i] != i + 1;
  too_wide<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  wrong += x[220] != cudaErrorInvalidConfiguration || x[221] != x[220] || x[222] != cudaSuccess;
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
}
