// Reductions of ranges of bytes by the tensor memory unit, in global memory and in another block's; and alloca.
#include "inputs.h"

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

constexpr int kWords = 256;  // of a range

/// A word of a range of numbers of some kind: 0 integers, 1 small ones, 2 f16, 3 bf16, 4 f32, 5 f64 (two words each).
__device__ inline uint32_t number(uint32_t at, int kind) {
  if (kind == 1) return hash(at) % 16;
  if (kind == 2) return word(at, 16, 10);
  if (kind == 3) return word(at, 16, 7);
  if (kind == 4) return word(at, 32, 23);
  if (kind == 5 && at % 2 == 1) return (hash(at) & 0x800fffff) | (1020 + hash(at + 1) % 8) << 20;
  return hash(at);
}

#define REDUCE(name, operation, type, kind)                                                                          \
  KERNEL(reduce_##name##_t32_w8) {                                                                                   \
    __shared__ alignas(128) uint32_t from[kWords];                                                                   \
    uint32_t* to = out + blockIdx.x * kWords;                                                                        \
    for (int i = threadIdx.x; i < kWords; i += 32)                                                                   \
      to[i] = number(i / 32 * 2 + i % 2, kind), from[i] = number(100 + i / 32 * 2 + i % 2, kind);                    \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                 \
    __syncwarp();                                                                                                    \
    if (threadIdx.x == 0)                                                                                            \
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation "." type " [%0], [%1], %2;\n"     \
                   "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"                                        \
                   ::"l"(to), "r"(shared_address(from)), "r"(kWords * 4) : "memory");                                \
  }
REDUCE(add_u32, "add", "u32", 0)
REDUCE(add_s32, "add", "s32", 0)
REDUCE(add_u64, "add", "u64", 0)
REDUCE(add_f16, "add.noftz", "f16", 2)
REDUCE(add_bf16, "add.noftz", "bf16", 3)
REDUCE(add_f32, "add", "f32", 4)
REDUCE(add_f64, "add", "f64", 5)
REDUCE(min_u32, "min", "u32", 0)
REDUCE(min_s32, "min", "s32", 0)
REDUCE(min_u64, "min", "u64", 0)
REDUCE(min_s64, "min", "s64", 0)
REDUCE(min_f16, "min", "f16", 2)
REDUCE(min_bf16, "min", "bf16", 3)
REDUCE(max_u32, "max", "u32", 0)
REDUCE(max_s32, "max", "s32", 0)
REDUCE(max_u64, "max", "u64", 0)
REDUCE(max_s64, "max", "s64", 0)
REDUCE(max_f16, "max", "f16", 2)
REDUCE(max_bf16, "max", "bf16", 3)
REDUCE(inc_u32, "inc", "u32", 1)
REDUCE(dec_u32, "dec", "u32", 1)
REDUCE(and_b32, "and", "b32", 0)
REDUCE(or_b32, "or", "b32", 0)
REDUCE(xor_b32, "xor", "b32", 0)
REDUCE(and_b64, "and", "b64", 0)
REDUCE(or_b64, "or", "b64", 0)
REDUCE(xor_b64, "xor", "b64", 0)

#define INIT_BARRIER(bar)                                                                                              \
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;"    \
                                     ::"r"(shared_address(&bar)) : "memory");                                          \
  asm volatile("fence.proxy.async;" ::: "memory");                                                                     \
  __syncthreads();
#define WAIT_BARRIER(bar, parity)                                                                                      \
  asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"               \
               "@!done bra AGAIN;\n}" ::"r"(shared_address(&bar)), "r"(parity) : "memory");

// Into the shared memory of the other block of a cluster of two.
#define REDUCE_SHARED(name, operation, type, kind)                                                                     \
  extern "C" __global__ void __cluster_dims__(2) shared_##name##_t32_w8(uint32_t* out) {                               \
    __shared__ alignas(128) uint32_t from[kWords], to[kWords];                                                         \
    __shared__ alignas(8) uint64_t bar;                                                                                \
    for (int i = threadIdx.x; i < kWords; i += 32)                                                                     \
      to[i] = number(i / 32 * 2 + i % 2, kind), from[i] = number(100 + i / 32 * 2 + i % 2, kind);                      \
    INIT_BARRIER(bar)                                                                                                  \
    if (threadIdx.x == 0)                                                                                              \
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"                                            \
                   ::"r"(shared_address(&bar)), "r"(kWords * 4) : "memory");                                           \
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");                       \
    if (threadIdx.x == 0)                                                                                              \
      asm volatile("{\n.reg .b32 to, bar;\nmapa.shared::cluster.u32 to, %0, %4;\n"                                    \
                   "mapa.shared::cluster.u32 bar, %3, %4;\n"                                                           \
                   "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." operation "." type \
                   " [to], [%1], %2, [bar];\n}" ::"r"(shared_address(to)), "r"(shared_address(from)),                  \
                   "r"(kWords * 4), "r"(shared_address(&bar)), "r"((blockIdx.x & 1) ^ 1) : "memory");                  \
    WAIT_BARRIER(bar, 0)                                                                                               \
    for (int i = threadIdx.x; i < kWords; i += 32) out[blockIdx.x * kWords + i] = to[i];                               \
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");                       \
  }
REDUCE_SHARED(add_u32, "add", "u32", 0)
REDUCE_SHARED(add_s32, "add", "s32", 0)
REDUCE_SHARED(add_u64, "add", "u64", 0)
REDUCE_SHARED(min_s32, "min", "s32", 0)
REDUCE_SHARED(max_u32, "max", "u32", 0)
REDUCE_SHARED(inc_u32, "inc", "u32", 1)
REDUCE_SHARED(dec_u32, "dec", "u32", 1)
REDUCE_SHARED(and_b32, "and", "b32", 0)
REDUCE_SHARED(or_b32, "or", "b32", 0)
REDUCE_SHARED(xor_b32, "xor", "b32", 0)

KERNEL(alloca_t32_w4) {
  const int count = 4 + static_cast<int>(hash(0) % 60);
  uint32_t sum = 0;
  auto* first = static_cast<uint32_t*>(alloca(count * 4));
  for (int i = 0; i < count; ++i) first[i] = hash(i);
  for (int round = 0; round < 3 && count >= 6; ++round) {
    if (hash(round) % 3 == 0) continue;
    auto* more = static_cast<uint32_t*>(alloca((round + 1) * 8));
    for (int i = 0; i < 2 * round + 2; ++i) more[i] = first[i] * (round + 2);
    for (int i = 0; i < 2 * round + 2; ++i) sum += more[hash(i) % (2 * round + 2)];
  }
  for (int i = 0; i < 4; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = count < 6 ? 0 : first[hash(i) % count] + sum;
}
