// One new query a sequence against pages of keys and values: what the steps that split the keys share. kStages and kWarps are theirs.
#pragma once
#include "../attention/tiles.cuh"

#ifndef SIZE
#define SIZE 128
#endif

constexpr int kSize = SIZE, kKeys = 32;

struct Stage { alignas(128) __nv_bfloat16 k[kKeys * kSize], v[kKeys * kSize]; };
struct Part { float out[16][kSize], top[16], sum[16]; };
union Own { Stage stages[kStages]; Part part; };

struct Cache {
  const __nv_bfloat16 *k, *v;
  const int *table, *lengths;
  int table_width, page_size;
};

/// Copies kKeys keys and values from `first` on; zeros from `end` on. A lane finds where one key lies and tells the others.
__device__ __forceinline__ void load(Stage& s, const Cache& c, const int* table, int first, int end, int head, int heads) {
  constexpr int kChunks = kSize / 8, kRows = 32 / kChunks;  // sixteen bytes each; rows at a time
  const int lane = threadIdx.x % 32, chunk = lane % kChunks, own = min(first + lane, end - 1);
  const int place_of_own = (table[own / c.page_size] * c.page_size + own % c.page_size) * heads + head;
#pragma unroll 4
  for (int i = 0; i < kKeys; i += kRows) {
    const int row = i + lane / kChunks;
    const size_t at = size_t(__shfl_sync(0xffffffff, place_of_own, row)) * kSize + chunk * 8;
    copy_async(place<kSize>(s.k, row, chunk), c.k + at, first + row < end);
    copy_async(place<kSize>(s.v, row, chunk), c.v + at, first + row < end);
  }
}

/// The group's queries as the 16 rows of a product's operand; rows that no head has are zero.
__device__ __forceinline__ void load_queries(uint32_t (&a)[kSize / 16][4], const __nv_bfloat16* q, int group) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kSize / 16; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = lane / 4 + j % 2 * 8, column = 16 * i + j / 2 * 8 + lane % 4 * 2;
      a[i][j] = row < group ? *reinterpret_cast<const uint32_t*>(q + row * kSize + column) : 0;
    }
}

/// The keys of a warp: every kWarps-th tile of the block's.
__device__ __forceinline__ void walk(Own& own, const Cache& c, const uint32_t (&a)[kSize / 16][4], int begin, int end, float scale,
                                     float (&out)[kSize / 2], Softmax& softmax) {
  constexpr int kStep = kKeys * kWarps;
  const int* table = c.table + blockIdx.z * c.table_width;
  const int head = blockIdx.y, heads = gridDim.y, first = begin + threadIdx.x / 32 * kKeys;
  for (int i = 0; i < kStages - 1; ++i) {
    if (first + i * kStep < end) load(own.stages[i], c, table, first + i * kStep, end, head, heads);
    copy_commit();
  }
  for (int i = 0, key = first; key < end; ++i, key += kStep) {
    copy_wait<kStages - 2>();
    __syncwarp();  // the tile is there; all lanes have read the one before
    const int next = i + kStages - 1;
    if (first + next * kStep < end) load(own.stages[next % kStages], c, table, first + next * kStep, end, head, heads);
    copy_commit();
    float scores[kKeys / 2];
    multiply_keys<kSize, kKeys>(scores, a, own.stages[i % kStages].k);
    const int limit = end - key - threadIdx.x % 4 * 2, limits[2] = {limit, limit};
    if (key + kKeys > end) hide(scores, limits);
    softmax.add<true>(scores, scale);
    multiply_rows(out, softmax.shrink);
    multiply_values<kSize, kKeys>(out, scores, own.stages[i % kStages].v);
  }
  copy_wait<0>();
  __syncwarp();
}

/// Parts of one row: their common maximum, and the factor of each.
__device__ __forceinline__ float factor(float top, float common) { return top == -INFINITY ? 0 : power_of_two(top - common); }
