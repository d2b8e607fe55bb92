// One new query a sequence against a cache of keys and values in pages. The heads of a group are the rows of one product,
// so that a key is read once for all. The keys of a sequence are split over blocks, and within a block over warps that
// know nothing of each other; the last block of a group's to finish puts the parts together.
// q, o: batch x heads x SIZE; k, v: pages x page_size x heads / group x SIZE, bf16; table: batch x table_width page
// numbers; lengths: keys of each sequence. Groups of at most 16.
#include "../attention/tiles.cuh"

#ifndef SIZE
#define SIZE 128
#endif

constexpr int kSize = SIZE, kKeys = 32, kStages = 2, kWarps = 6;  // one block an SM

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

/// Grid: splits, heads / group, batch; blocks of 32 * kWarps threads. parts: batch x heads x splits x SIZE; tops and sums: without SIZE.
/// done: how many splits of a group are there; zeros before and after. The last of them puts the parts together.
extern "C" __global__ void __launch_bounds__(32 * kWarps)
    paged_decode(const __nv_bfloat16* q, const __grid_constant__ Cache c, float* parts, float* tops, float* sums, unsigned* done,
                 __nv_bfloat16* o, int group, float scale) {
  extern __shared__ __align__(128) uint8_t dynamic[];
  __shared__ bool last;
  Own* own = reinterpret_cast<Own*>(dynamic);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, splits = gridDim.x, length = c.lengths[blockIdx.z];
  const int share = (length + splits * kKeys - 1) / (splits * kKeys) * kKeys, begin = blockIdx.x * share, end = min(length, begin + share);
  const size_t first_head = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * group;
  scale = scale_of(scale, kSize) * kLog2E;  // of base 2
  uint32_t a[kSize / 16][4];
  load_queries(a, q + first_head * kSize, group);
  float out[kSize / 2] = {};
  Softmax softmax;
  walk(own[warp], c, a, begin, end, scale, out, softmax);
  softmax.finish();
  Part& part = own[warp].part;
#pragma unroll
  for (int i = 0; i < kSize / 2; ++i) part.out[lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2] = out[i];
  for (int r = 0; r < 2; ++r)
    if (lane % 4 == 0) part.top[lane / 4 + 8 * r] = softmax.top[r] * scale, part.sum[lane / 4 + 8 * r] = softmax.sum[r];
  __syncthreads();
  for (int i = threadIdx.x; i < group * kSize; i += 32 * kWarps) {
    const int row = i / kSize, column = i % kSize;
    float top = -INFINITY, x = 0, sum = 0;
    for (int w = 0; w < kWarps; ++w) top = fmaxf(top, own[w].part.top[row]);
    for (int w = 0; w < kWarps; ++w) {
      const float f = factor(own[w].part.top[row], top);
      x += f * own[w].part.out[row][column], sum += f * own[w].part.sum[row];
    }
    const size_t to = (first_head + row) * splits + blockIdx.x;
    __stcg(&parts[to * kSize + column], x);
    if (column == 0) __stcg(&tops[to], top), __stcg(&sums[to], sum);
  }
  __threadfence();
  __syncthreads();
  unsigned* mine = done + blockIdx.z * gridDim.y + blockIdx.y;
  if (threadIdx.x == 0) last = atomicAdd(mine, 1) == splits - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (threadIdx.x == 0) atomicExch(mine, 0);
  for (int i = threadIdx.x; i < group * kSize; i += 32 * kWarps) {
    const size_t from = (first_head + i / kSize) * splits;
    float top = -INFINITY, x = 0, sum = 0;
    for (int s = 0; s < splits; ++s) top = fmaxf(top, __ldcg(&tops[from + s]));
    for (int s = 0; s < splits; ++s) {
      const float f = factor(__ldcg(&tops[from + s]), top);
      x += f * __ldcg(&parts[(from + s) * kSize + i % kSize]), sum += f * __ldcg(&sums[from + s]);
    }
    o[first_head * kSize + i] = __float2bfloat16(sum > 0 ? x / sum : 0);
  }
}
