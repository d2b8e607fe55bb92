// Products of a warpgroup: D (64 x N, fp32 in registers) += A (64 x K) * B (K x N), K being 32 bytes of each operand.
// Lane l of warp w holds, of D's rows 16w + l/4 (r = 0) and 8 below (r = 1), columns 8j + 2(l%4) + c in d[4j + 2r + c].
#pragma once
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "hopper.cuh"

/// Before the first product that reads registers or shared memory written since the last one.
DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `kPending` committed groups are running.
template <int kPending>
DEVICE void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory"); }
/// Keeps the compiler from moving uses of accumulators across a wait.
template <int kCount>
DEVICE void wgmma_pin(float (&d)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// Describes a tile of 128-byte rows under the 128-byte swizzle (1024-byte aligned), eight rows each 1024 bytes apart.
/// `leading` is the distance in bytes of the next 64 columns where the rows run along k (B transposed); unused otherwise.
DEVICE uint64_t matrix_descriptor(const void* tile, uint32_t leading = 16) {
  return (shared_address(tile) & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}
/// The same tile `bytes` further on.
DEVICE uint64_t descriptor_at(uint64_t descriptor, uint32_t bytes) { return descriptor + (bytes >> 4); }

#define D_8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define D_16(d) D_8(d, 0), D_8(d, 8)
#define D_32(d, i) D_8(d, i), D_8(d, i + 8), D_8(d, i + 16), D_8(d, i + 24)
#define D_64(d) D_32(d, 0), D_32(d, 32)
#define D_88(d) D_32(d, 0), D_32(d, 32), D_8(d, 64), D_8(d, 72), D_8(d, 80)
#define D_128(d) D_64(d), D_32(d, 64), D_32(d, 96)
#define R_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define R_32 R_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define R_64 R_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define R_88 R_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87"
#define R_128 R_88 ",%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

/// `tail` is what follows the scales of A and B: their transpositions, for 16-bit types.
#define WGMMA_SHARED(shape, types, registers, operands, a_at, b_at, s_at, tail)                                  \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " s_at ", 0;\nwgmma.mma_async.sync.aligned." shape ".f32." types \
               " {" registers "}, " a_at ", " b_at ", add, 1, 1" tail ";\n}"                                      \
               : operands : "l"(a), "l"(b), "r"(add))
/// A, of 16-bit types, comes from registers: a[0..3] as mma.sync's m16n8k16 holds them.
#define WGMMA_REGISTERS(shape, types, registers, operands, a0, a1, a2, a3, b_at, tail)                            \
  asm volatile("wgmma.mma_async.sync.aligned." shape ".f32." types " {" registers "}, {" a0 "," a1 "," a2 "," a3   \
               "}, " b_at ", 1, 1, 1" tail ";"                                                                   \
               : operands : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

/// D = (add ? D : 0) + A * B, both in shared memory with k innermost; the number of accumulators gives N.
template <class T, int kCount>
DEVICE void wgmma(float (&d)[kCount], uint64_t a, uint64_t b, int add) {
#define ONE(type, k, types, tail)                                                                        \
  if constexpr (std::is_same_v<T, type>) {                                                               \
    if constexpr (kCount == 32) WGMMA_SHARED("m64n64k" k, types, R_32, D_32(d, 0), "%32", "%33", "%34", tail);    \
    if constexpr (kCount == 64) WGMMA_SHARED("m64n128k" k, types, R_64, D_64(d), "%64", "%65", "%66", tail);   \
    if constexpr (kCount == 88) WGMMA_SHARED("m64n176k" k, types, R_88, D_88(d), "%88", "%89", "%90", tail);   \
    if constexpr (kCount == 128) WGMMA_SHARED("m64n256k" k, types, R_128, D_128(d), "%128", "%129", "%130", tail); \
  }
  static_assert(kCount == 32 || kCount == 64 || kCount == 88 || kCount == 128);
  ONE(__nv_bfloat16, "16", "bf16.bf16", ", 0, 0")
  ONE(__half, "16", "f16.f16", ", 0, 0")
  ONE(__nv_fp8_e4m3, "32", "e4m3.e4m3", "")
#undef ONE
}

/// D = (add ? D : 0) + A * B, both of 16-bit types in shared memory: A with m innermost, B with n innermost.
template <class T, int kCount>
DEVICE void wgmma_both_transposed(float (&d)[kCount], uint64_t a, uint64_t b, int add) {
  static_assert((kCount == 16 || kCount == 32) && std::is_same_v<T, __nv_bfloat16>);
  if constexpr (kCount == 16) WGMMA_SHARED("m64n32k16", "bf16.bf16", R_16, D_16(d), "%16", "%17", "%18", ", 1, 1");
  if constexpr (kCount == 32) WGMMA_SHARED("m64n64k16", "bf16.bf16", R_32, D_32(d, 0), "%32", "%33", "%34", ", 1, 1");
}

/// D += A * B with A in registers and B in shared memory, n innermost.
template <class T, int kCount>
DEVICE void wgmma_transposed(float (&d)[kCount], const uint32_t (&a)[4], uint64_t b) {
#define ONE(type, types)                                                                                         \
  if constexpr (std::is_same_v<T, type>) {                                                                       \
    if constexpr (kCount == 32)                                                                                  \
      WGMMA_REGISTERS("m64n64k16", types, R_32, D_32(d, 0), "%32", "%33", "%34", "%35", "%36", ", 1");                \
    if constexpr (kCount == 64)                                                                                  \
      WGMMA_REGISTERS("m64n128k16", types, R_64, D_64(d), "%64", "%65", "%66", "%67", "%68", ", 1");                  \
  }
  static_assert(kCount == 32 || kCount == 64);
  ONE(__nv_bfloat16, "bf16.bf16")
  ONE(__half, "f16.f16")
#undef ONE
}
