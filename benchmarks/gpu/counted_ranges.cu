// Ranges whose counters are known by their launches: each of a few stretches, in NVTX ranges of these names, comes REPEATS times.
//   kernels: three kernels; moves: the same beside a copy and a set of memory; graph: the same three from a CUDA graph.
//   nvcc -O2 -arch=native -o counted_ranges counted_ranges.cu && ./counted_ranges REPEATS
// The whole stands between cudaProfilerStart and Stop. Prints a sum of what was computed.
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 0.5f + 1.0f;
}

__global__ void gather(const float* from, float* to, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[(static_cast<long>(i) * stride) % n];
}

__global__ void reduce(const float* from, float* to, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += from[i];
  sums[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}

constexpr int kFloats = 1 << 20, kBlocks = 264;

struct Work {
  float *x = nullptr, *y = nullptr, *sums = nullptr;
  cudaStream_t stream = nullptr;

  void kernels() {
    scale<<<kFloats / 256, 256, 0, stream>>>(x, kFloats);
    gather<<<kFloats / 256, 256, 0, stream>>>(x, y, kFloats, 33);
    reduce<<<kBlocks, 256, 0, stream>>>(y, sums, kFloats);
  }
  void moves() {
    cudaMemsetAsync(y, 0, sizeof(float) * kFloats, stream);
    kernels();
    cudaMemcpyAsync(y, x, sizeof(float) * kFloats, cudaMemcpyDeviceToDevice, stream);
  }
};

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 10;
  Work work;
  if (cudaStreamCreate(&work.stream) != cudaSuccess) return std::puts("no device"), 1;
  cudaMalloc(&work.x, sizeof(float) * kFloats);
  cudaMalloc(&work.y, sizeof(float) * kFloats);
  cudaMalloc(&work.sums, sizeof(float) * kBlocks);
  cudaMemsetAsync(work.x, 0, sizeof(float) * kFloats, work.stream);
  cudaGraph_t graph;
  cudaGraphExec_t replayed;
  cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeGlobal);
  work.kernels();
  cudaStreamEndCapture(work.stream, &graph);
  cudaGraphInstantiate(&replayed, graph, 0);
  cudaProfilerStart();
  for (int i = 0; i < repeats; ++i) {
    nvtxRangePushA("kernels");
    work.kernels();
    nvtxRangePop();
    nvtxRangePushA("moves");
    work.moves();
    nvtxRangePop();
    nvtxRangePushA("graph");
    cudaGraphLaunch(replayed, work.stream);
    nvtxRangePop();
    cudaStreamSynchronize(work.stream);
  }
  cudaProfilerStop();
  scale<<<1, 256, 0, work.stream>>>(work.sums, kBlocks);  // outside of all of them
  std::vector<float> sums(kBlocks);
  cudaMemcpy(sums.data(), work.sums, sizeof(float) * kBlocks, cudaMemcpyDeviceToHost);
  double total = 0;
  for (const float sum : sums) total += sum;
  std::printf("ranges %d sum %.6f\n", repeats, total);
}
