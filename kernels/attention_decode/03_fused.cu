// One new query a sequence against a cache of keys and values in pages. The heads of a group are the rows of one product,
// so that a key is read once for all. The keys of a sequence are split over blocks, and within a block over warps that
// know nothing of each other; the last block of a group's to finish puts the parts together.
// q, o: batch x heads x SIZE; k, v: pages x page_size x heads / group x SIZE, bf16; table: batch x table_width page
// numbers; lengths: keys of each sequence. Groups of at most 16.
constexpr int kStages = 2, kWarps = 6;  // one block an SM
#include "tiles.cuh"

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
