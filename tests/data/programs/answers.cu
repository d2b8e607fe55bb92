// What calls answer about captured graphs and about kernels: the H200's answers, one a line.
#include <cstdio>

__global__ void add(int* a, int v) { atomicAdd(a, v); }
__global__ void share(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
}

void captured(int* data) {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed);
  add<<<1, 1, 0, first>>>(data, 1);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork, 0);
  add<<<1, 1, 0, second>>>(data, 2);
  add<<<1, 1, 0, second>>>(data, 3);
  add<<<1, 1, 0, first>>>(data, 4);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join, 0);
  cudaStreamCaptureStatus status;
  size_t waits_for = 0, nodes = 0, edges = 0, roots = 0;
  cudaStreamGetCaptureInfo(first, &status, nullptr, nullptr, nullptr, nullptr, &waits_for);
  add<<<1, 1, 0, first>>>(data, 5);
  cudaGraph_t graph;
  cudaStreamEndCapture(first, &graph);
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  std::printf("captured: %zu nodes, %zu edges, %zu root, the last one waits for %zu\n", nodes, edges, roots, waits_for);
}

void occupancy() {
  int blocks = -1;
  size_t bytes = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, share, 128, 60000);
  std::printf("60,000 bytes without consent: %d blocks\n", blocks);
  cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, share, 128, 100000);
  cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, share, 2, 256);
  std::printf("100,000 bytes with it: %d blocks, %zu bytes for two\n", blocks, bytes);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(16, 1);
  config.blockDim = 256;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = cluster.val.clusterDim.y = 2;
  cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  const cudaError_t largest = cudaOccupancyMaxPotentialClusterSize(&blocks, share, &config);
  std::printf("clusters that the grid does not consist of: %s, %s\n", cudaGetErrorName(largest),
              cudaGetErrorName(cudaOccupancyMaxActiveClusters(&blocks, share, &config)));
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, sizeof(int));
  captured(data);
  occupancy();
}
