// Step 4: flash attention on Hopper. A producer loads tiles of K and V by the copy engine; consumer warpgroups take turns
// at the tensor cores, one multiplying while another does its softmax, and each starts the next scores before it turns
// the last ones into probabilities. Scores and probabilities never leave registers.
// O = softmax(scale * Q K^T) V for bf16. Heads of Q may share one of K and V (grouped queries). Causal: query i sees
// keys 0 .. i + keys - queries. With `starts` (batch + 1 prefix sums of lengths) sequences lie one after another.
#include "../common/wgmma.cuh"
#include "softmax.cuh"

#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif

using Element = __nv_bfloat16;
constexpr int kTileN = TILE_N, kStages = STAGES, kConsumers = CONSUMERS, kTileM = 64 * kConsumers, kRowBytes = 128;
constexpr int kProducerRegisters = kConsumers == 2 ? 24 : 32, kConsumerRegisters = kConsumers == 2 ? 240 : 160;

/// Distances in elements; batch is 0 for sequences that lie one after another.
struct Strides { int64_t batch, head, token; };

struct Problem {
  Strides out;
  const int *starts_q, *starts_k;  // null: all sequences have the same length
  int queries, keys, heads_a_group;
  float scale;
};

/// Tiles lie in parts of 64 columns (128 bytes), as the swizzle wants them.
template <int kHead>
struct Shared {
  static constexpr int kParts = kHead / 64, kBytesQ = kTileM * kRowBytes, kBytesK = kTileN * kRowBytes;
  alignas(1024) uint8_t q[kParts][kBytesQ];
  alignas(1024) uint8_t k[kStages][kParts][kBytesK];
  alignas(1024) uint8_t v[kStages][kParts][kBytesK];
  uint64_t full_q, full_k[kStages], full_v[kStages], empty_k[kStages], empty_v[kStages];
};

/// What a block does: where its queries begin, and how many blocks of keys they see.
struct Work {
  int head, batch, row, queries, keys, start_q, start_k, batch_q, blocks;
  int visible;  // of query i the keys below i + visible are seen, where causal
};

template <bool kCausal>
DEVICE Work work_of(const Problem& p) {
  Work w;
  w.head = blockIdx.y, w.batch = blockIdx.z;
  w.row = (kCausal ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * kTileM;  // causal: the longest first
  w.start_q = p.starts_q ? p.starts_q[w.batch] : 0, w.start_k = p.starts_k ? p.starts_k[w.batch] : 0;
  w.queries = p.starts_q ? p.starts_q[w.batch + 1] - w.start_q : p.queries;
  w.keys = p.starts_k ? p.starts_k[w.batch + 1] - w.start_k : p.keys;
  w.batch_q = p.starts_q ? 0 : w.batch;
  w.visible = w.keys - w.queries + 1;
  const int seen = kCausal ? min(w.keys, w.row + kTileM - 1 + w.visible) : w.keys;
  w.blocks = max(0, (seen + kTileN - 1) / kTileN);
  return w;
}

template <int kHead>
DEVICE void produce(Shared<kHead>& s, const TensorMap& q, const TensorMap& k, const TensorMap& v, const Work& w,
                    const Problem& p) {
  using S = Shared<kHead>;
  const int batch_k = p.starts_k ? 0 : w.batch, head = w.head / p.heads_a_group;
  barrier_expect(&s.full_q, S::kParts * S::kBytesQ);
  for (int part = 0; part < S::kParts; ++part)
    tensor_load(s.q[part], &q, &s.full_q, part * 64, w.start_q + w.row, w.head, w.batch_q);
  Ring<kStages> ring;
  for (int block = w.blocks - 1; block >= 0; --block, ring.advance()) {
    const int stage = ring.stage, token = w.start_k + block * kTileN;
    barrier_wait(&s.empty_k[stage], ring.parity ^ 1);
    barrier_expect(&s.full_k[stage], S::kParts * S::kBytesK);
    for (int part = 0; part < S::kParts; ++part) tensor_load(s.k[stage][part], &k, &s.full_k[stage], part * 64, token, head, batch_k);
    barrier_wait(&s.empty_v[stage], ring.parity ^ 1);
    barrier_expect(&s.full_v[stage], S::kParts * S::kBytesK);
    for (int part = 0; part < S::kParts; ++part) tensor_load(s.v[stage][part], &v, &s.full_v[stage], part * 64, token, head, batch_k);
  }
}

DEVICE void release(uint64_t* empty) {
  __syncwarp();  // all lanes have waited for the products that read it
  if (threadIdx.x % 32 == 0) barrier_arrive(empty);
}

/// The state of a warpgroup's 64 rows, of which a thread holds parts of two.
template <int kHead, bool kCausal>
struct Consumer {
  Shared<kHead>& s;
  const Work& w;
  const int group;
  const float scale;  // of scores, as a power of two
  float o[kHead / 2], scores[kTileN / 2];
  Softmax softmax;
  uint32_t p[kTileN / 16][4];
  Ring<kStages> k, v;

  __device__ __forceinline__ void start_scores() {
    barrier_wait(&s.full_k[k.stage], k.parity);
    wgmma_fence();
#pragma unroll
    for (int part = 0; part < kHead / 64; ++part) {
      const uint64_t a = matrix_descriptor(s.q[part] + group * 64 * kRowBytes), b = matrix_descriptor(s.k[k.stage][part]);
#pragma unroll
      for (int i = 0; i < 4; ++i) wgmma<Element>(scores, descriptor_at(a, 32 * i), descriptor_at(b, 32 * i), part + i > 0);
    }
    wgmma_commit();
  }

  __device__ __forceinline__ void start_values() {
    barrier_wait(&s.full_v[v.stage], v.parity);
    const uint64_t b = matrix_descriptor(s.v[v.stage][0], Shared<kHead>::kBytesK);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < kTileN / 16; ++i) wgmma_transposed<Element>(o, p[i], descriptor_at(b, i * 16 * kRowBytes));
    wgmma_commit();
  }

  __device__ __forceinline__ void mask(int block) {
    const int thread = threadIdx.x % 128, row = w.row + group * 64 + thread / 32 * 16 + thread % 32 / 4;
    const int column = block * kTileN + thread % 4 * 2;
    const int limits[2] = {(kCausal ? min(w.keys, row + w.visible) : w.keys) - column,
                           (kCausal ? min(w.keys, row + 8 + w.visible) : w.keys) - column};
    hide(scores, limits);
  }

  /// Exponentials -> bf16, in the places that a product's A has.
  __device__ __forceinline__ void keep() {
#pragma unroll
    for (int i = 0; i < kTileN / 16; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) p[i][j] = pack(scores[8 * i + 2 * j], scores[8 * i + 2 * j + 1]);
    }
  }

  /// The scores of `block`, while those of the block before meet their values.
  template <bool kMasked>
  __device__ __forceinline__ void step(int block) {
    named_barrier_sync(1 + group, 256);  // this warpgroup's turn at the tensor cores
    start_scores();
    start_values();
    if (group < kConsumers - 1 || block > 0) named_barrier_arrive(1 + (group + 1) % kConsumers, 256);
    wgmma_wait<1>();
    wgmma_pin(scores);
    release(&s.empty_k[k.stage]);
    k.advance();
    if constexpr (kMasked) mask(block);
    softmax.add<kMasked>(scores, scale);
    wgmma_wait<0>();
    wgmma_pin(o);
    release(&s.empty_v[v.stage]);
    v.advance();
    keep();
    multiply_rows(o, softmax.shrink);
  }

  __device__ __forceinline__ void run() {
#pragma unroll
    for (int i = 0; i < kHead / 2; ++i) o[i] = 0;
    int block = w.blocks - 1;
    if (block < 0) return;
    if (group == kConsumers - 1 && block > 0) named_barrier_arrive(1, 256);
    barrier_wait(&s.full_q, 0);
    start_scores();
    wgmma_wait<0>();
    wgmma_pin(scores);
    release(&s.empty_k[k.stage]);
    k.advance();
    mask(block);
    softmax.add<true>(scores, scale);
    keep();
    const int clear = kCausal ? max(0, min(w.keys, w.row + group * 64 + w.visible)) / kTileN : block;  // blocks seen in full
    for (--block; block >= clear; --block) step<true>(block);
    for (; block >= 0; --block) step<false>(block);
    start_values();
    wgmma_wait<0>();
    wgmma_pin(o);
  }

  /// Outputs go through this warp's rows of Q's tile, to be written in whole rows. lse: log of the sum of exponentials.
  __device__ __forceinline__ void write(Element* out, float* lse, const Problem& problem, int heads) {
    const int lane = threadIdx.x % 32, line = group * 64 + threadIdx.x % 128 / 32 * 16;
    softmax.finish();
    multiply_rows(o, softmax.shrink);
    for (int r = 0; r < 2; ++r) {
      const int row = w.row + line + lane / 4 + 8 * r;
      if (lse && lane % 4 == 0 && row < w.queries) {
        const int64_t at = problem.starts_q ? int64_t(w.start_q + row) * heads + w.head
                                            : (int64_t(w.batch) * heads + w.head) * w.queries + row;
        lse[at] = softmax.log_sum(r, scale);
      }
    }
    named_barrier_sync(1 + kConsumers + group, 128);  // nobody's product reads Q any more
#pragma unroll
    for (int j = 0; j < kHead / 16; ++j) {
      const float* x = o + 8 * j;
      store_matrices(s.q[j / 4] + (line + lane % 16) * kRowBytes + (((j % 4) * 2 + lane / 16) ^ (lane % 8)) * 16,
                     pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7]));
    }
    __syncwarp();
    Element* to = out + w.batch_q * problem.out.batch + w.head * problem.out.head + int64_t(w.start_q + w.row + line) * problem.out.token;
#pragma unroll
    for (int i = lane; i < 16 * kHead / 8; i += 32) {
      const int y = i / (kHead / 8), x = i % (kHead / 8);
      const uint4 piece = *reinterpret_cast<uint4*>(s.q[x / 8] + (line + y) * kRowBytes + ((x % 8) ^ (y % 8)) * 16);
      if (w.row + line + y < w.queries) *reinterpret_cast<uint4*>(to + y * problem.out.token + x * 8) = piece;
    }
  }
};

template <int kHead, bool kCausal>
DEVICE void attention(const TensorMap& q, const TensorMap& k, const TensorMap& v, Element* out, float* lse, const Problem& p) {
  extern __shared__ uint8_t dynamic[];
  auto& s = shared_storage<Shared<kHead>>(dynamic);
  const Work w = work_of<kCausal>(p);
  if (w.row >= w.queries) return;
  if (threadIdx.x == 0) {
    barrier_init(&s.full_q, 1);
    for (int i = 0; i < kStages; ++i) {
      barrier_init(&s.full_k[i], 1), barrier_init(&s.full_v[i], 1);
      barrier_init(&s.empty_k[i], kConsumers * 4), barrier_init(&s.empty_v[i], kConsumers * 4);
    }
    barrier_init_fence();
  }
  __syncthreads();
  const int group = threadIdx.x / 128;
  if (group == kConsumers) {
    registers_fewer<kProducerRegisters>();
    if (threadIdx.x % 128 == 0) produce<kHead>(s, q, k, v, w, p);
  } else {
    registers_more<kConsumerRegisters>();
    Consumer<kHead, kCausal> consumer{s, w, group, scale_of(p.scale, kHead) * kLog2E};
    consumer.run();
    consumer.write(out, lse, p, gridDim.y);
  }
}

#define KERNEL(name, head, causal)                                                                                       \
  extern "C" __global__ void __launch_bounds__(128 * (kConsumers + 1), 1)                                                 \
      name(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k, const __grid_constant__ TensorMap v, \
           Element* out, float* lse, const __grid_constant__ Problem p) {                                               \
    attention<head, causal>(q, k, v, out, lse, p);                                                                      \
  }
#if !defined(SIZE) || SIZE == 64
KERNEL(flash_wgmma_64, 64, false)
KERNEL(flash_wgmma_64_causal, 64, true)
#endif
#if CONSUMERS == 2 && (!defined(SIZE) || SIZE == 128)
KERNEL(flash_wgmma_128, 128, false)
KERNEL(flash_wgmma_128_causal, 128, true)
#endif
