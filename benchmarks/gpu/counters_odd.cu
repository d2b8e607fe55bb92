// Launches that need care: graphs, capture, cooperative, clusters, several streams and threads, a failing one.
#include <cooperative_groups.h>

#include <cstdio>
#include <thread>
#include <vector>
namespace cg = cooperative_groups;
__global__ void add_one(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
__global__ void in_place(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2 + 1;
}
__global__ void grid_sync(float* x, int n) {
  cg::this_grid().sync();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 3;
}
__global__ void __cluster_dims__(2, 1, 1) clustered(float* x, int n) {
  cg::this_cluster().sync();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 5;
}
__global__ void accumulate(double* s, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(s, (double)x[i]);
}
int main() {
  const int n = 1 << 20;
  float *x, *y;
  double* s;
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4), cudaMalloc(&s, 8);
  cudaMemset(x, 0, n * 4), cudaMemset(y, 0, n * 4), cudaMemset(s, 0, 8);
  for (int k = 0; k < 5; ++k) in_place<<<n / 256, 256>>>(x, n);
  void* args[] = {&x, (void*)&n};
  printf("coop %d\n", cudaLaunchCooperativeKernel((void*)grid_sync, dim3(132), dim3(256), args, 0, nullptr));
  clustered<<<n / 256, 256>>>(x, n);
  cudaStream_t st;
  cudaStreamCreate(&st);
  cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal);
  add_one<<<n / 256, 256, 0, st>>>(y, n);
  in_place<<<n / 256, 256, 0, st>>>(y, n);
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamEndCapture(st, &g);
  cudaGraphInstantiate(&e, g, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(e, st);
  cudaStreamSynchronize(st);
  add_one<<<1, 2048>>>(x, n);
  printf("failing %d\n", cudaGetLastError());
  std::vector<std::thread> t;
  for (int k = 0; k < 3; ++k)
    t.emplace_back([=] {
      cudaStream_t q;
      cudaStreamCreate(&q);
      for (int j = 0; j < 4; ++j) add_one<<<64, 256, 0, q>>>(x + k * 16384, 16384);
      cudaStreamSynchronize(q);
    });
  for (auto& th : t) th.join();
  accumulate<<<n / 256, 256>>>(s, x, n);
  double h;
  cudaMemcpy(&h, s, 8, cudaMemcpyDeviceToHost);
  std::vector<float> hy(n);
  cudaMemcpy(hy.data(), y, n * 4, cudaMemcpyDeviceToHost);
  double sy = 0;
  for (float v : hy) sy += v;
  printf("sum %.1f y %.1f err %d\n", h, sy, cudaGetLastError());
}
