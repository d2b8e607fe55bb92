// One new query a sequence against a cache of keys and values in pages. The heads of a group are the rows of one product,
// so that a key is read once for all. The keys of a sequence are split over blocks, and within a block over warps that
// know nothing of each other; `combine` puts the parts together.
// q, o: batch x heads x SIZE; k, v: pages x page_size x heads / group x SIZE, bf16; table: batch x table_width page
// numbers; lengths: keys of each sequence. Groups of at most 16.
constexpr int kStages = 3, kWarps = 4;
#include "tiles.cuh"

/// Grid: splits, heads / group, batch; blocks of 128 threads. parts: batch x heads x splits x SIZE; tops and sums: without SIZE.
extern "C" __global__ void __launch_bounds__(32 * kWarps)
    paged_decode(const __nv_bfloat16* q, const __grid_constant__ Cache c, float* parts, float* tops, float* sums, int group, float scale) {
  extern __shared__ __align__(128) uint8_t dynamic[];
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
    parts[to * kSize + column] = x;
    if (column == 0) tops[to] = top, sums[to] = sum;
  }
}

/// Grid: heads, batch; blocks of SIZE threads.
extern "C" __global__ void paged_decode_combine(const float* parts, const float* tops, const float* sums, __nv_bfloat16* o, int splits) {
  const size_t head = size_t(blockIdx.y) * gridDim.x + blockIdx.x;
  float top = -INFINITY, x = 0, sum = 0;
  for (int i = 0; i < splits; ++i) top = fmaxf(top, tops[head * splits + i]);
  for (int i = 0; i < splits; ++i) {
    const float f = factor(tops[head * splits + i], top);
    x += f * parts[(head * splits + i) * kSize + threadIdx.x], sum += f * sums[head * splits + i];
  }
  o[head * kSize + threadIdx.x] = __float2bfloat16(sum > 0 ? x / sum : 0);
}
