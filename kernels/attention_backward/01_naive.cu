// One warp a row. For a query, all keys are walked over: probabilities come from scores computed again and the row's lse. For a key,
// all queries, again; each pair of a query and a key is two products of rows, by shuffles, in both kernels.
// q, o, dO, dQ: heads x queries x SIZE (of all batches); k, v, dK, dV: heads / group x keys x SIZE, bf16.
#include <cuda_bf16.h>

constexpr int kOwn = SIZE / 32;  // elements of a row that a lane has
#ifndef CAUSAL
#define CAUSAL 0
#endif

struct Row {
  float x[kOwn];
  __device__ Row() : x{} {}
  __device__ Row(const __nv_bfloat16* from, size_t row) {
    for (int i = 0; i < kOwn; ++i) x[i] = __bfloat162float(from[row * SIZE + 32 * i + threadIdx.x % 32]);
  }
  __device__ void add(float factor, const Row& row) {
    for (int i = 0; i < kOwn; ++i) x[i] += factor * row.x[i];
  }
  __device__ void store(__nv_bfloat16* to, size_t row) const {
    for (int i = 0; i < kOwn; ++i) to[row * SIZE + 32 * i + threadIdx.x % 32] = __float2bfloat16(x[i]);
  }
};

__device__ float dot(const Row& a, const Row& b) {
  float sum = 0;
  for (int i = 0; i < kOwn; ++i) sum += a.x[i] * b.x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  return sum;
}

struct Pair { float p, d_score; };

/// A query's probability for a key, and the gradient of their score.
__device__ Pair pair(const Row& q, const Row& d, const Row& k, const Row& v, float lse, float delta) {
  const float scale = rsqrtf(SIZE), p = expf(dot(q, k) * scale - lse);
  return {p, p * scale * (dot(d, v) - delta)};
}

// delta: rowsum(dO o), which the keys' kernel reads. Grid: queries / 4, heads.
extern "C" __global__ void backward_queries(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, const __nv_bfloat16* d_out,
                                            const __nv_bfloat16* o, const float* lse, float* delta, __nv_bfloat16* d_q, int length, int group) {
  const int token = blockIdx.x * 4 + threadIdx.x / 32;
  if (token >= length) return;
  const size_t row = size_t(blockIdx.y) * length + token, first_key = size_t(blockIdx.y / group) * length;
  const Row query(q, row), d(d_out, row);
  const float own = dot(d, Row(o, row));
  Row sum;
  for (int i = 0; i < (CAUSAL ? token + 1 : length); ++i) {
    const Row key(k, first_key + i);
    sum.add(pair(query, d, key, Row(v, first_key + i), lse[row], own).d_score, key);
  }
  sum.store(d_q, row);
  if (threadIdx.x % 32 == 0) delta[row] = own;
}

// Grid: keys / 4, heads / group.
extern "C" __global__ void backward_keys(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, const __nv_bfloat16* d_out,
                                         const float* lse, const float* delta, __nv_bfloat16* d_k, __nv_bfloat16* d_v, int length, int group) {
  const int token = blockIdx.x * 4 + threadIdx.x / 32;
  if (token >= length) return;
  const size_t row = size_t(blockIdx.y) * length + token;
  const Row key(k, row), value(v, row);
  Row sum_k, sum_v;
  for (int head = blockIdx.y * group; head < (blockIdx.y + 1) * group; ++head)
    for (int i = CAUSAL ? token : 0; i < length; ++i) {
      const size_t from = size_t(head) * length + i;
      const Row query(q, from), d(d_out, from);
      const Pair found = pair(query, d, key, value, lse[from], delta[from]);
      sum_k.add(found.d_score, query), sum_v.add(found.p, d);
    }
  sum_k.store(d_k, row), sum_v.store(d_v, row);
}
