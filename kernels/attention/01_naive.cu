// Step 1: attention as it is written down: scores, softmax and values in a kernel each. The scores, queries * keys a head
// in fp32, go through memory four times.
// q, o: batch * heads x queries x size; k, v: batch * heads / group x keys x size, bf16. Causal: query i sees keys
// 0 .. i + keys - queries. A scale of 0 stands for 1 / sqrt(size).
#include <cuda_bf16.h>

#include <cmath>

/// Blocks of 32 x 8 threads: a thread a score.
extern "C" __global__ void attention_scores(const __nv_bfloat16* q, const __nv_bfloat16* k, float* scores, int queries, int keys,
                                            int size, int group, int causal, float scale) {
  const int key = blockIdx.x * 32 + threadIdx.x, query = blockIdx.y * 8 + threadIdx.y, head = blockIdx.z;
  if (key >= keys || query >= queries) return;
  const __nv_bfloat16* x = q + (size_t(head) * queries + query) * size;
  const __nv_bfloat16* y = k + (size_t(head / group) * keys + key) * size;
  float sum = 0;
  for (int i = 0; i < size; ++i) sum += __bfloat162float(x[i]) * __bfloat162float(y[i]);
  scores[(size_t(head) * queries + query) * keys + key] = causal && key > query + keys - queries ? -INFINITY : sum * (scale ? scale : rsqrtf(size));
}

/// A warp a row, in place; blocks of 32 x 8 threads. A row that sees nothing becomes zeros.
extern "C" __global__ void attention_softmax(float* scores, int queries, int keys) {
  const int query = blockIdx.x * 8 + threadIdx.y;
  if (query >= queries) return;
  float* row = scores + (size_t(blockIdx.y) * queries + query) * keys;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < keys; i += 32) top = fmaxf(top, row[i]);
  for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, o));
  if (top == -INFINITY) top = 0;
  for (int i = threadIdx.x; i < keys; i += 32) sum += expf(row[i] - top);
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  for (int i = threadIdx.x; i < keys; i += 32) row[i] = sum > 0 ? expf(row[i] - top) / sum : 0;
}

/// Blocks of 32 x 8 threads: a thread an output.
extern "C" __global__ void attention_values(const float* weights, const __nv_bfloat16* v, __nv_bfloat16* o, int queries, int keys,
                                            int size, int group) {
  const int column = blockIdx.x * 32 + threadIdx.x, query = blockIdx.y * 8 + threadIdx.y, head = blockIdx.z;
  if (column >= size || query >= queries) return;
  const float* row = weights + (size_t(head) * queries + query) * keys;
  float sum = 0;
  for (int i = 0; i < keys; ++i) sum += row[i] * __bfloat162float(v[(size_t(head / group) * keys + i) * size + column]);
  o[(size_t(head) * queries + query) * size + column] = __float2bfloat16(sum);
}
