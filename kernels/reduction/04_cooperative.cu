// A grid that is resident as a whole (launched cooperatively): each thread adds up elements a grid apart, every block leaves its sum,
// and after a barrier of the grid the first block adds those up, always in the same order.
#include <cooperative_groups.h>

__device__ float block_sum(float sum) {
  __shared__ float part[8];
  const int lane = threadIdx.x % 32;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  __syncthreads();
  if (lane == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = lane < 8 ? part[lane] : 0;
  for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  return sum;
}

extern "C" __global__ void __launch_bounds__(256) sum_cooperative(const float* x, float* sums, float* total, int n) {
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x > 0) return;
  sum = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 256) sum += sums[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *total = sum;
}
