// What other blocks' shared memory takes by the size of the cluster, as CSV, in cycles of an SM for a request of a warp: loads of whole
// lines, of words at any place, of one word, stores and atomics; of words and stores at any place too, and of lanes that go to all blocks; from the next block of the cluster, from any other, or by the cluster's
// addresses from the block itself. Also a cluster's barrier.
// nvcc -arch=sm_90 -o cluster_rates cluster_rates.cu; ./cluster_rates > cluster_rates.csv
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)
constexpr int kTurns = 512, kTogether = 8;
enum Pattern { kLines, kAnywhere, kOneWord, kStores, kAtomics, kSpread, kStoresAnywhere, kPatterns };
const char* const kNames[] = {"lines", "words anywhere", "one word", "stores of lines", "atomics anywhere", "words of all blocks", "stores anywhere"};
enum From { kNext, kAny, kItself };
long long* cycles;
float* result;

template <int kPattern, From kFrom>
__global__ void remote(long long* out, float* result) {
  __shared__ float s[2048];
  cg::cluster_group cluster = cg::this_cluster();
  for (int j = threadIdx.x; j < 2048; j += blockDim.x) s[j] = j;
  cluster.sync();
  const unsigned ranks = cluster.num_blocks(), rank = cluster.block_rank();
  float sum = 0;
  unsigned random = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns; k += kTogether) {
    float got[kTogether];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) {
      if (kPattern == kAnywhere || kPattern == kAtomics || kPattern == kSpread || kPattern == kStoresAnywhere) random = random * 1664525u + 1013904223u;
      const unsigned other = kPattern == kSpread ? (rank + 1 + (random >> 8) % (ranks - 1)) % ranks : kFrom == kAny ? (rank + 1 + (threadIdx.x / 32 + k + j) % (ranks - 1)) % ranks : (rank + 1) % ranks;
      const float* from = cluster.map_shared_rank(s, kFrom == kItself ? rank : other);
      unsigned at = (threadIdx.x + 32 * j + k) & 2047;
      if (kPattern == kAnywhere || kPattern == kAtomics || kPattern == kSpread || kPattern == kStoresAnywhere) at = random >> 21;
      if (kPattern == kOneWord) at = (k + j) & 2047;
      float* there = const_cast<float*>(from) + at;
      if (kPattern == kStores || kPattern == kStoresAnywhere) *reinterpret_cast<volatile float*>(there) = sum, got[j] = 0;
      else if (kPattern == kAtomics) atomicAdd(reinterpret_cast<unsigned*>(there), 1u), got[j] = 0;
      else got[j] = *reinterpret_cast<volatile float*>(there);
    }
#pragma unroll
    for (int j = 0; j < kTogether; ++j) sum += got[j];
  }
  const long long end = clock64();
  if (sum == 1.5f) *result = sum;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}
__global__ void barriers(long long* out, float*) {
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns; ++k) cluster.sync();
  const long long end = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}

using Kernel = void (*)(long long*, float*);
void run(const char* what, const char* from, Kernel kernel, int cluster, int blocks_an_sm, int warps, double per_sm) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(128 * blocks_an_sm / 16 * 16);
  config.blockDim = dim3(32 * warps);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  for (int again = 0; again < 2; ++again) CHECK(cudaLaunchKernelEx(&config, kernel, cycles, result));
  CHECK(cudaDeviceSynchronize());
  std::vector<long long> all(cycles, cycles + config.gridDim.x);
  std::sort(all.begin(), all.end());
  std::printf("%s,%s,%d,%d,%d,%.2f\n", what, from, cluster, blocks_an_sm, warps, all[all.size() / 2] / per_sm);
}
template <int kPattern>
void patterns(int cluster, int blocks, int warps) {
  const double per_sm = static_cast<double>(kTurns) * warps * blocks;
  run(kNames[kPattern], "the next", remote<kPattern, kNext>, cluster, blocks, warps, per_sm);
  if (cluster > 2) run(kNames[kPattern], "any other", remote<kPattern, kAny>, cluster, blocks, warps, per_sm);
  run(kNames[kPattern], "itself", remote<kPattern, kItself>, cluster, blocks, warps, per_sm);
  if constexpr (kPattern + 1 < kPatterns) patterns<kPattern + 1>(cluster, blocks, warps);
}

int main() {
  CHECK(cudaMallocManaged(&cycles, sizeof(long long) * 4096));
  CHECK(cudaMalloc(&result, 4));
  std::printf("what,from,cluster,blocks_an_sm,warps,cycles\n");
  for (const int cluster : {2, 4, 8})
    for (const int blocks : {1, 2, 4})
      for (const int warps : {2, 8, 16}) {
        patterns<0>(cluster, blocks, warps);
        run("barrier of the cluster", "", barriers, cluster, blocks, warps, kTurns);
      }
  return 0;
}
