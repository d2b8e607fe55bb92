// 16 bytes a thread and round, four sums of their own; the last block to finish adds up the blocks' sums, always in the same order.
// `done` is 0 before and after.
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

extern "C" __global__ void __launch_bounds__(256) sum_vector(const float4* x, float* sums, unsigned* done, float* total, int n4) {
  __shared__ bool last;
  const int stride = gridDim.x * 256;
  float4 sum = {0, 0, 0, 0};
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += stride) {
    const float4 v = x[i];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  float all = (sum.x + sum.y) + (sum.z + sum.w);
  all = block_sum(all);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = all;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  all = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 256) all += __ldcg(&sums[i]);
  all = block_sum(all);
  if (threadIdx.x == 0) *total = all, atomicExch(done, 0);
}
