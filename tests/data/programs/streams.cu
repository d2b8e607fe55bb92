// Two streams, events, copies and fills, twenty rounds of them: what a recording holds is known.
#include <cstdio>
#include <vector>
__global__ void scale(float* x, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
__global__ void tiny(float* x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1 << 20;
  std::vector<float> h(n, 1.0f);
  float *x, *y;
  cudaMalloc(&x, 4 * n);
  cudaMalloc(&y, 4 * n);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaEvent_t e;
  cudaEventCreate(&e);
  for (int i = 0; i < 20; ++i) {
    cudaMemcpy(x, h.data(), 4 * n, cudaMemcpyHostToDevice);
    scale<<<n / 256, 256>>>(x, n, 2.0f);
    for (int k = 0; k < 5; ++k) tiny<<<1, 256, 0, s>>>(y);
    cudaEventRecord(e, s);
    cudaEventSynchronize(e);
    cudaMemsetAsync(y, 0, 4 * n);
    cudaDeviceSynchronize();
    cudaMemcpy(h.data(), x, 4, cudaMemcpyDeviceToHost);
  }
  printf("%g %s\n", h[0], cudaGetErrorName(cudaGetLastError()));
  cudaFree(x);
}
