// Step 3: flash attention on tensor cores by mma.sync. A warp keeps 16 queries in registers with their outputs; keys and
// values come by asynchronous copies, 64 at a time, one block ahead. Probabilities are the next product's operand as they
// lie in registers.
// q, o: batch * heads x queries x size; k, v: batch * heads / group x keys x size, bf16. Causal: query i sees keys
// 0 .. i + keys - queries. Grid: queries / 128, batch * heads; blocks of 256 threads.
#include "tiles.cuh"

constexpr int kQueries = 128, kKeys = 64, kThreads = 256;

/// Copies `count` rows, of which those from `valid` on are filled with zeros.
template <int kHead>
__device__ __forceinline__ void load(__nv_bfloat16* tile, const __nv_bfloat16* from, int count, int valid) {
  for (int i = threadIdx.x; i < count * (kHead / 8); i += kThreads) {
    const int row = i / (kHead / 8), chunk = i % (kHead / 8);
    copy_async(place<kHead>(tile, row, chunk), from + (row < valid ? size_t(row) * kHead + chunk * 8 : 0), row < valid);
  }
}

template <int kHead, bool kCausal>
__device__ __forceinline__ void attention(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* o,
                                          int queries, int keys, int group, float scale) {
  extern __shared__ __align__(128) uint8_t dynamic[];
  __nv_bfloat16* tile_q = reinterpret_cast<__nv_bfloat16*>(dynamic);
  __nv_bfloat16 *tile_k = tile_q + kQueries * kHead, *tile_v = tile_k + 2 * kKeys * kHead;
  const int tile = kCausal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // causal: the longest first
  const int first = tile * kQueries, lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16, visible = keys - queries + 1;
  q += (size_t(blockIdx.y) * queries + first) * kHead;
  k += size_t(blockIdx.y / group) * keys * kHead;
  v += size_t(blockIdx.y / group) * keys * kHead;
  const int seen = kCausal ? min(keys, first + kQueries - 1 + visible) : keys, blocks = max(0, (seen + kKeys - 1) / kKeys);
  load<kHead>(tile_q, q, kQueries, queries - first);
  if (blocks) load<kHead>(tile_k, k, kKeys, keys), load<kHead>(tile_v, v, kKeys, keys);
  copy_commit();
  uint32_t a[kHead / 16][4];
  float out[kHead / 2] = {};
  Softmax softmax;
  for (int block = 0; block < blocks; ++block) {
    copy_wait<0>();
    __syncthreads();  // this block's keys are there, and the others' buffer has been read by all
    if (block == 0)
#pragma unroll
      for (int i = 0; i < kHead / 16; ++i) load_matrices(a[i], place<kHead>(tile_q, row + lane % 16, 2 * i + lane / 16));
    const int now = block % 2 * kKeys * kHead, next = kKeys * kHead - now, from = (block + 1) * kKeys;
    if (block + 1 < blocks) {
      load<kHead>(tile_k + next, k + size_t(from) * kHead, kKeys, keys - from);
      load<kHead>(tile_v + next, v + size_t(from) * kHead, kKeys, keys - from);
    }
    copy_commit();
    float scores[kKeys / 2];
    multiply_keys<kHead, kKeys>(scores, a, tile_k + now);
    const int query = first + row + lane / 4, key = block * kKeys + lane % 4 * 2;
    if (from > keys || (kCausal && from > first + row + visible)) {
      const int limits[2] = {(kCausal ? min(keys, query + visible) : keys) - key, (kCausal ? min(keys, query + 8 + visible) : keys) - key};
      hide(scores, limits);
    }
    softmax.add<kCausal>(scores, scale_of(scale, kHead) * kLog2E);
    multiply_rows(out, softmax.shrink);
    multiply_values<kHead, kKeys>(out, scores, tile_v + now);
  }
  copy_wait<0>();
  softmax.finish();
  multiply_rows(out, softmax.shrink);
#pragma unroll
  for (int i = 0; i < kHead / 4; ++i) {
    const int y = first + row + lane / 4 + i % 2 * 8;
    if (y < queries)
      *reinterpret_cast<uint32_t*>(o + (size_t(blockIdx.y) * queries + y) * kHead + i / 2 * 8 + lane % 4 * 2) = pack(out[2 * i], out[2 * i + 1]);
  }
}

#define KERNEL(name, head, causal)                                                                                          \
  extern "C" __global__ void __launch_bounds__(kThreads)                                                                    \
      name(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* o, int queries, int keys, \
           int group, float scale) {                                                                                        \
    attention<head, causal>(q, k, v, o, queries, keys, group, scale);                                                       \
  }
KERNEL(flash_mma_64, 64, false)
KERNEL(flash_mma_64_causal, 64, true)
KERNEL(flash_mma_128, 128, false)
KERNEL(flash_mma_128_causal, 128, true)
