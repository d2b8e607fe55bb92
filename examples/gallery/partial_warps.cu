// Sums by parts of warps: blocks whose last warp is half empty, tiles of 8 lanes, and lanes that happen to be together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" {

__global__ void block_sums(const float* x, float* sums) {  // any number of threads; x has one for each
  __shared__ float of_warp[32];
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, there = min(32, blockDim.x - warp * 32);
  unsigned mask = 0xffffffffu >> (32 - there);
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_down_sync(mask, sum, offset);
    if (lane + offset < there) sum += other;
  }
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < (blockDim.x + 31) / 32; ++w) sum += of_warp[w];
  sums[blockIdx.x] = sum;
}

__global__ void row_maxima(const int* x, int* maxima) {  // rows of 8
  cg::thread_block_tile<8> row = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int most = cg::reduce(row, x[i], cg::greater<int>());
  if (row.thread_rank() == 0) maxima[i / 8] = most;
}

__global__ void keep_odd(const int* x, int* kept, int* count) {  // one atomic a warp hands out places
  int value = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (value % 2 == 0) return;
  cg::coalesced_group together = cg::coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0) first = atomicAdd(count, (int)together.num_threads());
  kept[together.shfl(first, 0) + together.thread_rank()] = value;
}
}  // extern "C"
