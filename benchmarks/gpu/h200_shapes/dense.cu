// Shapes of mma beside the common ones: Volta's quads, four bits and one bit an element, through mma and wmma.
#include "inputs.h"

// mma.m8n8k4: four products, each of a pair of quads.
#define D8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define D4 "{%0,%1,%2,%3}"
#define C8 "{%12,%13,%14,%15,%16,%17,%18,%19}"
#define C4 "{%12,%13,%14,%15}"
#define QUADS(name, layouts, types, d_list, c_list, c_bits, c_fraction)                                                  \
  KERNEL(quads_##name##_t32_w8) {                                                                                        \
    uint32_t a[2], b[2], c[8], d[8] = {};                                                                                \
    for (int i = 0; i < 2; ++i) a[i] = word(i, 16, 10), b[i] = word(8 + i, 16, 10);                                      \
    for (int i = 0; i < 8; ++i) c[i] = word(16 + i, c_bits, c_fraction);                                                 \
    asm volatile("mma.sync.aligned.m8n8k4." layouts "." types " " d_list ", {%8,%9}, {%10,%11}, " c_list ";"             \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])        \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),    \
                   "r"(c[5]), "r"(c[6]), "r"(c[7]));                                                                     \
    for (int i = 0; i < 8; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 8 + i] = d[i];                                     \
  }
#define ALL_QUADS(layouts, text)                                                    \
  QUADS(layouts##_f32, text, "f32.f16.f16.f32", D8, C8, 32, 23)                     \
  QUADS(layouts##_f32_f16, text, "f32.f16.f16.f16", D8, C4, 16, 10)                 \
  QUADS(layouts##_f16, text, "f16.f16.f16.f16", D4, C4, 16, 10)
ALL_QUADS(row_col, "row.col")
ALL_QUADS(row_row, "row.row")
ALL_QUADS(col_col, "col.col")
ALL_QUADS(col_row, "col.row")

#define SMALL(name, op, shape, types, d_list, a_list, b_list)                                                              \
  KERNEL(small_##name##_t32_w4) {                                                                                          \
    uint32_t d[4], a[4], b[2];                                                                                             \
    for (int i = 0; i < 4; ++i) a[i] = hash(i), d[i] = hash(16 + i) >> (blockIdx.x % 2 * 16);                              \
    for (int i = 0; i < 2; ++i) b[i] = hash(8 + i);                                                                        \
    asm volatile("mma.sync.aligned." shape ".row.col." types op " " d_list ", " a_list ", " b_list ", " d_list ";"         \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                      \
    for (int i = 0; i < 4; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = d[i];                                       \
  }
#define N8 "{%0,%1}", "{%4}", "{%8}"
#define N16A2 "{%0,%1,%2,%3}", "{%4,%5}", "{%8}"
#define N16A4 "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%8,%9}"
#define SMALL_LIST(name, op, shape, types, lists) SMALL(name, op, shape, types, lists)
SMALL_LIST(s4_k32, "", "m8n8k32", "s32.s4.s4.s32", N8)
SMALL_LIST(u4_k32, "", "m8n8k32", "satfinite.s32.u4.s4.s32", N8)
SMALL_LIST(s4_m16_k32, "", "m16n8k32", "s32.s4.u4.s32", N16A2)
SMALL_LIST(u4_m16_k32, "", "m16n8k32", "s32.u4.u4.s32", N16A2)
SMALL_LIST(s4_k64, "", "m16n8k64", "s32.s4.s4.s32", N16A4)
SMALL_LIST(u4_k64, "", "m16n8k64", "satfinite.s32.u4.u4.s32", N16A4)
SMALL_LIST(xor_k128, ".xor.popc", "m8n8k128", "s32.b1.b1.s32", N8)
SMALL_LIST(and_k128, ".and.popc", "m8n8k128", "s32.b1.b1.s32", N8)
SMALL_LIST(xor_m16_k128, ".xor.popc", "m16n8k128", "s32.b1.b1.s32", N16A2)
SMALL_LIST(and_m16_k128, ".and.popc", "m16n8k128", "s32.b1.b1.s32", N16A2)
SMALL_LIST(xor_k256, ".xor.popc", "m16n8k256", "s32.b1.b1.s32", N16A4)
SMALL_LIST(and_k256, ".and.popc", "m16n8k256", "s32.b1.b1.s32", N16A4)

// wmma on the same: loads, the product, and the store of D.
#define FRAGMENTS(name, shape, type, k, op)                                                                        \
  KERNEL(wmma_##name##_t32_w2) {                                                                                   \
    __shared__ alignas(32) uint32_t tile[32 + 32 + 64];                                                            \
    for (int i = 0; i < 4; ++i) tile[i * 32 + threadIdx.x] = hash(i) >> (i < 2 ? 0 : 8);                           \
    __syncwarp();                                                                                                  \
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));                                     \
    uint32_t a, b, c[2];                                                                                           \
    asm volatile("wmma.load.a.sync.aligned.row." shape ".shared." type " {%0}, [%1], " k ";" : "=r"(a) : "r"(at)); \
    asm volatile("wmma.load.b.sync.aligned.col." shape ".shared." type " {%0}, [%1], " k ";"                       \
                 : "=r"(b) : "r"(at + 128));                                                                       \
    asm volatile("wmma.load.c.sync.aligned.row." shape ".shared.s32 {%0,%1}, [%2], 8;"                             \
                 : "=r"(c[0]), "=r"(c[1]) : "r"(at + 256));                                                        \
    asm volatile("wmma.mma" op "sync.aligned.row.col." shape ".s32." type "." type ".s32 {%0,%1}, {%2}, {%3}, "    \
                 "{%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a), "r"(b));                                            \
    __syncwarp();                                                                                                  \
    asm volatile("wmma.store.d.sync.aligned.row." shape ".shared.s32 [%2], {%0,%1}, 8;"                            \
                 ::"r"(c[0]), "r"(c[1]), "r"(at + 256) : "memory");                                                \
    __syncwarp();                                                                                                  \
    for (int i = 0; i < 2; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 2 + i] = tile[64 + i * 32 + threadIdx.x];    \
  }
FRAGMENTS(s4, "m8n8k32", "s4", "32", ".")
FRAGMENTS(u4, "m8n8k32", "u4", "32", ".")
FRAGMENTS(xor, "m8n8k128", "b1", "128", ".xor.popc.")
FRAGMENTS(and, "m8n8k128", "b1", "128", ".and.popc.")
