// Sparse products of a warp and of a warpgroup.
#include "inputs.h"

/// Metadata: pairs of places in a group of four, in order or not; or of one place in a group of two.
__device__ __noinline__ uint32_t metadata(uint32_t number, int kind) {
  const uint64_t pairs = kind == 0 ? 0xedc984u : kind == 1 ? 0xb73612edc984ull : 0xe4u;
  const uint32_t count = kind == 0 ? 6 : kind == 1 ? 12 : 2;
  uint32_t out = 0;
  for (int i = 0; i < 8; ++i) out |= static_cast<uint32_t>(pairs >> (4 * (hash(number + i) % count)) & 15) << (4 * i);
  return out;
}

#define D4 "{%0,%1,%2,%3}"
#define D2 "{%0,%1}"
#define A4 "{%4,%5,%6,%7}"
#define A2 "{%4,%5}"
#define B4 "{%8,%9,%10,%11}"
#define B2 "{%8,%9}"
#define SPARSE(name, how, shape, types, d_list, a_list, b_list, bits, fraction, d_bits, d_fraction, selector, pairs)        \
  KERNEL(sp_##name##_t32_w4) {                                                                                             \
    uint32_t d[4], a[4], b[4];                                                                                             \
    for (int i = 0; i < 4; ++i) {                                                                                          \
      a[i] = word(i, bits, fraction), b[i] = word(8 + i, bits, fraction), d[i] = word(16 + i, d_bits, d_fraction);         \
    }                                                                                                                      \
    const uint32_t e = metadata(100, pairs);                                                                               \
    asm volatile("mma.sp" how ".sync.aligned." shape ".row.col." types " " d_list ", " a_list ", " b_list ", " d_list ", " \
                 "%12, " selector ";"                                                                                      \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));        \
    for (int i = 0; i < 4; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = d[i];                                       \
  }
#define ORDERED "::ordered_metadata"
SPARSE(f16_k16_0, ORDERED, "m16n8k16", "f32.f16.f16.f32", D4, A2, B2, 16, 10, 32, 23, "0", 0)
SPARSE(f16_k16_3, "", "m16n8k16", "f32.f16.f16.f32", D4, A2, B2, 16, 10, 32, 23, "3", 1)
SPARSE(f16_f16_k16, ORDERED, "m16n8k16", "f16.f16.f16.f16", D2, A2, B2, 16, 10, 16, 10, "1", 0)
SPARSE(f16_k32_0, ORDERED, "m16n8k32", "f32.f16.f16.f32", D4, A4, B4, 16, 10, 32, 23, "0", 0)
SPARSE(f16_k32_1, "", "m16n8k32", "f32.f16.f16.f32", D4, A4, B4, 16, 10, 32, 23, "1", 1)
SPARSE(f16_f16_k32, ORDERED, "m16n8k32", "f16.f16.f16.f16", D2, A4, B4, 16, 10, 16, 10, "1", 0)
SPARSE(bf16_k16, ORDERED, "m16n8k16", "f32.bf16.bf16.f32", D4, A2, B2, 16, 7, 32, 23, "2", 0)
SPARSE(bf16_k32, ORDERED, "m16n8k32", "f32.bf16.bf16.f32", D4, A4, B4, 16, 7, 32, 23, "0", 0)
SPARSE(tf32_k8, ORDERED, "m16n8k8", "f32.tf32.tf32.f32", D4, A2, B2, 32, 23, 32, 23, "1", 2)
SPARSE(tf32_k16, ORDERED, "m16n8k16", "f32.tf32.tf32.f32", D4, A4, B4, 32, 23, 32, 23, "1", 2)
SPARSE(s8_k32, ORDERED, "m16n8k32", "s32.s8.s8.s32", D4, A2, B2, 8, 0, 32, 0, "0", 0)
SPARSE(u8_k32, "", "m16n8k32", "s32.u8.s8.s32", D4, A2, B2, 8, 0, 32, 0, "1", 1)
SPARSE(s8_k64, ORDERED, "m16n8k64", "s32.s8.s8.s32", D4, A4, B4, 8, 0, 32, 0, "0", 0)
SPARSE(u8_k64, ORDERED, "m16n8k64", "satfinite.s32.u8.u8.s32", D4, A4, B4, 8, 0, 32, 0, "0", 0)
SPARSE(s4_k64, ORDERED, "m16n8k64", "s32.s4.s4.s32", D4, A2, B2, 4, 0, 32, 0, "0", 0)
SPARSE(u4_k64, "", "m16n8k64", "s32.u4.s4.s32", D4, A2, B2, 4, 0, 32, 0, "1", 1)
SPARSE(s4_k128, ORDERED, "m16n8k128", "s32.s4.s4.s32", D4, A4, B4, 4, 0, 32, 0, "0", 0)
SPARSE(u4_k128, ORDERED, "m16n8k128", "s32.u4.u4.s32", D4, A4, B4, 4, 0, 32, 0, "0", 0)
SPARSE(e4m3_k64, ORDERED, "m16n8k64", "f32.e4m3.e4m3.f32", D4, A4, B4, 8, 3, 32, 23, "0", 0)
SPARSE(e5m2_k64, ORDERED, "m16n8k64", "f32.e5m2.e5m2.f32", D4, A4, B4, 8, 2, 32, 23, "0", 0)
SPARSE(e4m3_unordered, "", "m16n8k64", "f32.e4m3.e4m3.f32", D4, A4, B4, 8, 3, 32, 23, "0", 1)

// A: 64 rows of 32 bytes, or four registers a lane; B: 8 rows of 64 bytes; core matrices of 8 rows of 16 bytes without
// swizzle, `step` bytes from one to the next along k.
#define WGMMA_SP(name, shape, types, a_operand, tail, bits, fraction, d_bits, d_fraction, selector, pairs)             \
  KERNEL(wgmma_sp_##name##_t128_w4) {                                                                                  \
    __shared__ alignas(128) uint32_t tile[512 + 128];                                                                  \
    for (int i = 0; i < 5; ++i) tile[i * 128 + threadIdx.x] = word(i, bits, fraction);                                 \
    uint32_t d[4], a[4];                                                                                               \
    for (int i = 0; i < 4; ++i) a[i] = word(8 + i, bits, fraction), d[i] = word(16 + i, d_bits, d_fraction);           \
    const uint32_t e = metadata(100, pairs);                                                                           \
    __syncthreads();                                                                                                   \
    const uint64_t base = __cvta_generic_to_shared(tile);                                                              \
    const uint64_t in_a = base >> 4 | (128ull >> 4) << 16 | (256ull >> 4) << 32;                                       \
    const uint64_t in_b = (base + 2048) >> 4 | (128ull >> 4) << 16 | (512ull >> 4) << 32;                              \
    asm volatile("fence.proxy.async;\nwgmma.fence.sync.aligned;\n"                                                     \
                 "wgmma.mma_async.sp.sync.aligned." shape "." types " " tail ";\n"                                     \
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"                                  \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                      \
                 : "l"(in_a), "l"(in_b), "r"(e), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])                            \
                 : "memory");                                                                                          \
    for (int i = 0; i < 4; ++i) out[(blockIdx.x * 128 + threadIdx.x) * 4 + i] = d[i];                                  \
  }
WGMMA_SP(f16_0, "m64n8k32", "f32.f16.f16", 0, D4 ", %4, %5, %6, 0, 1, 1, 1, 0, 0", 16, 10, 32, 23, 0, 0)
WGMMA_SP(f16_1, "m64n8k32", "f32.f16.f16", 0, D4 ", %4, %5, %6, 1, 1, -1, 1, 0, 0", 16, 10, 32, 23, 1, 1)
WGMMA_SP(f16_f16, "m64n8k32", "f16.f16.f16", 0, D2 ", %4, %5, %6, 0, 1, 1, 1, 0, 0", 16, 10, 16, 10, 0, 0)
WGMMA_SP(f16_registers, "m64n8k32", "f32.f16.f16", 0, D4 ", {%7,%8,%9,%10}, %5, %6, 1, 1, 1, 1, 0", 16, 10, 32, 23, 0, 0)
WGMMA_SP(bf16, "m64n8k32", "f32.bf16.bf16", 0, D4 ", %4, %5, %6, 0, 1, 1, 1, 0, 0", 16, 7, 32, 23, 0, 0)
WGMMA_SP(tf32, "m64n8k16", "f32.tf32.tf32", 0, D4 ", %4, %5, %6, 1, 1, 1, 1", 32, 23, 32, 23, 0, 2)
WGMMA_SP(e4m3, "m64n8k64", "f32.e4m3.e4m3", 0, D4 ", %4, %5, %6, 0, 1, 1, 1", 8, 3, 32, 23, 0, 0)
WGMMA_SP(e5m2_registers, "m64n8k64", "f32.e5m2.e4m3", 0, D4 ", {%7,%8,%9,%10}, %5, %6, 0, 1, 1, 1", 8, 2, 32, 23, 0, 0)
WGMMA_SP(s8, "m64n8k64", "s32.s8.s8", 0, D4 ", %4, %5, %6, 0, 1", 8, 0, 32, 0, 0, 0)
WGMMA_SP(u8_registers, "m64n8k64", "s32.u8.s8", 0, D4 ", {%7,%8,%9,%10}, %5, %6, 0, 1", 8, 0, 32, 0, 0, 0)
