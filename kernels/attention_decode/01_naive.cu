// One block a head of a sequence: scores of all its keys in shared memory, their softmax, the sum of values. Heads of a group read the
// same keys again, and a sequence's keys are walked over by one block.
// q, o: batch x heads x SIZE; k, v: pages x page_size x heads / group x SIZE, bf16; table: batch x table_width page numbers;
// lengths: keys of each sequence. Grid: heads, batch; blocks of 128 threads.
#include <cuda_bf16.h>

constexpr int kThreads = 128, kWarps = kThreads / 32;

__device__ float block_max(float x, float* parts) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  return fmaxf(fmaxf(parts[0], parts[1]), fmaxf(parts[2], parts[3]));
}

__device__ float block_sum(float x, float* parts) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    decode_naive(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, const int* table, const int* lengths,
                 __nv_bfloat16* o, int table_width, int page_size, int group) {
  extern __shared__ float scores[];
  __shared__ float query[SIZE], parts[2][kWarps];
  const int length = lengths[blockIdx.y], heads_k = gridDim.x / group, head_k = blockIdx.x / group;
  const size_t head = size_t(blockIdx.y) * gridDim.x + blockIdx.x;
  const int* pages = table + blockIdx.y * table_width;
  const auto row_of = [&](int key) {
    return (size_t(pages[key / page_size] * page_size + key % page_size) * heads_k + head_k) * SIZE;
  };
  if (threadIdx.x < SIZE) query[threadIdx.x] = __bfloat162float(q[head * SIZE + threadIdx.x]) * rsqrtf(SIZE);
  __syncthreads();
  float top = -3.402823466e38f, sum = 0;
  for (int key = threadIdx.x; key < length; key += kThreads) {
    const __nv_bfloat16* row = k + row_of(key);
    float score = 0;
    for (int i = 0; i < SIZE; ++i) score += query[i] * __bfloat162float(row[i]);
    scores[key] = score;
    top = fmaxf(top, score);
  }
  top = block_max(top, parts[0]);
  for (int key = threadIdx.x; key < length; key += kThreads) sum += scores[key] = expf(scores[key] - top);
  sum = block_sum(sum, parts[1]);
  if (threadIdx.x >= SIZE) return;
  float x = 0;
  for (int key = 0; key < length; ++key) x += scores[key] * __bfloat162float(v[row_of(key) + threadIdx.x]);
  o[head * SIZE + threadIdx.x] = __float2bfloat16(sum > 0 ? x / sum : 0);
}
