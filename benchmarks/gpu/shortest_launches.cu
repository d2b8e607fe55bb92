// Launches that do next to nothing, for a profiler that tells durations: no access, a store, a load and a store; of one block, of one on each
// SM, of eight.   nvcc -arch=sm_90 -o shortest shortest_launches.cu
// ncu --clock-control none --csv --metrics gpu__time_duration.sum ./shortest
#include <cstdio>

__global__ void nothing(const float*, float*) {}
__global__ void stores(const float*, float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void copies(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id];
}
__global__ void two_loads(const float* x, float* y) {  // one after the other
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[(1 << 20) + id + static_cast<int>(x[id])];
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 8 << 20);
  cudaMalloc(&y, 8 << 20);
  cudaMemset(x, 0, 8 << 20);
  for (int again = 0; again < 3; ++again)
    for (void (*kernel)(const float*, float*) : {nothing, stores, copies, two_loads})
      for (const int blocks : {1, 132, 1056})
        for (const int threads : {32, 256}) kernel<<<blocks, threads>>>(x, y);
  const cudaError_t error = cudaDeviceSynchronize();
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
