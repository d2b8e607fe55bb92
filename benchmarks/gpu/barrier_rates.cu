// What barriers take where several blocks share an SM, as CSV, in cycles of an SM for a turn of a loop: barriers alone, with a store to and
// a load from shared memory beside them; loads of other blocks' shared memory in a cluster, for each that a warp makes.
// nvcc -arch=sm_90 -o barrier_rates barrier_rates.cu; ./barrier_rates > barrier_rates.csv
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <vector>

void check(cudaError_t e, const char* call) {
  if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(e));
}
#define CHECK(call) check(call, #call)
constexpr int kTurns = 2048, kSms = 132;
long long* cycles;

__global__ void barriers(long long* out, float*) {
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns; ++k) __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}
__global__ void hand_over(long long* out, float* result) {
  __shared__ float s[1024];
  float sum = threadIdx.x;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns; ++k) {
    s[threadIdx.x] = sum;
    __syncthreads();
    sum += s[(threadIdx.x + 32) % blockDim.x];
    __syncthreads();
  }
  const long long end = clock64();
  if (sum == 1.5f) *result = sum;
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}
__global__ void tree(long long* out, float* result) {  // steps of a sum, of which ever fewer warps take part
  __shared__ float s[1024];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns / 8; ++k)
#pragma unroll 1
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
      __syncthreads();
    }
  const long long end = clock64();
  if (s[0] == 1.5f) *result = s[0];
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}
template <int kTogether>
__global__ void __cluster_dims__(2, 1, 1) remote(long long* out, float* result) {
  __shared__ float4 s[1024];
  namespace cg = cooperative_groups;
  cg::cluster_group cluster = cg::this_cluster();
  s[threadIdx.x] = make_float4(0, 0, 0, 0);
  cluster.sync();
  float4* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  float sum = 0;
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns; k += kTogether) {
    float got[kTogether];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) got[j] = reinterpret_cast<volatile float*>(other)[(threadIdx.x + 32 * j + k) % 4096];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) sum += got[j];
  }
  const long long end = clock64();
  if (sum == 1.5f) *result = sum;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}
template <int kTogether>
__global__ void __cluster_dims__(2, 1, 1) remote_wide(long long* out, float* result) {
  __shared__ float4 s[1024];
  namespace cg = cooperative_groups;
  cg::cluster_group cluster = cg::this_cluster();
  s[threadIdx.x] = make_float4(0, 0, 0, 0);
  cluster.sync();
  float4* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  float sum = 0;
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < kTurns; k += kTogether) {
    float4 got[kTogether];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) got[j] = other[(threadIdx.x + 32 * j + k) % 1024];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) sum += got[j].x + got[j].y + got[j].z + got[j].w;
  }
  const long long end = clock64();
  if (sum == 1.5f) *result = sum;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
}

void report(const char* what, int blocks_an_sm, int warps, double turns) {
  CHECK(cudaDeviceSynchronize());
  std::vector<long long> all(cycles, cycles + kSms * blocks_an_sm);
  std::sort(all.begin(), all.end());
  std::printf("%s,%d,%d,%.2f\n", what, blocks_an_sm, warps, static_cast<double>(all[all.size() / 2]) / turns);
}

int main() {
  float* result;
  CHECK(cudaMallocManaged(&cycles, sizeof(long long) * kSms * 64));
  CHECK(cudaMalloc(&result, 4));
  std::printf("what,blocks_an_sm,warps,cycles_a_turn\n");
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    for (const int blocks : {1, 2, 4, 8, 16, 32}) {
      if (warps * blocks > 64) continue;
      for (int again = 0; again < 2; ++again) barriers<<<kSms * blocks, 32 * warps>>>(cycles, result), CHECK(cudaDeviceSynchronize());
      report("barrier", blocks, warps, kTurns);
      for (int again = 0; again < 2; ++again) hand_over<<<kSms * blocks, 32 * warps>>>(cycles, result), CHECK(cudaDeviceSynchronize());
      report("two barriers a store a load", blocks, warps, kTurns);
      int steps = 0;
      for (int half = 16 * warps; half > 0; half /= 2) ++steps;
      for (int again = 0; again < 2; ++again) tree<<<kSms * blocks, 32 * warps>>>(cycles, result), CHECK(cudaDeviceSynchronize());
      report("a step of a tree", blocks, warps, kTurns / 8.0 * steps);
    }
    for (const int blocks : {1, 2, 4}) {
      if (warps * blocks > 64) continue;
      remote<1><<<kSms * blocks, 32 * warps>>>(cycles, result), report("remote word", blocks, warps, kTurns);
      remote<8><<<kSms * blocks, 32 * warps>>>(cycles, result), report("remote word of 8", blocks, warps, kTurns);
      remote_wide<8><<<kSms * blocks, 32 * warps>>>(cycles, result), report("remote 16 bytes of 8", blocks, warps, kTurns);
    }
  }
  return 0;
}
