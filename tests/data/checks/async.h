// Asynchronous copies and mbarriers by their PTX; macros, so that reports name the lines of kernels.
#pragma once

#define SHARED(p) static_cast<unsigned>(__cvta_generic_to_shared(p))

#define COPY_ASYNC(bytes, to, from) \
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(SHARED(to)), "l"(from), "n"(bytes) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_GROUP(pending) asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
#define COPIES_ARRIVE(bar) \
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SHARED(bar)) : "memory")

#define BARRIER_INIT(bar, count) \
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory")
#define BARRIER_INVALIDATE(bar) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(SHARED(bar)) : "memory")
#define BARRIER_ARRIVE(bar) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(bar)) : "memory")
#define BARRIER_ARRIVE_COUNT(bar, count) \
  asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory")
#define BARRIER_DROP(bar) asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(SHARED(bar)) : "memory")
#define EXPECT_BYTES(bar, bytes) \
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory")
#define BARRIER_WAIT(bar, parity)                                                                              \
  asm volatile(                                                                                                \
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" \
      ::"r"(SHARED(bar)), "r"(parity) : "memory")

#define BULK_LOAD(to, from, bytes, bar)                                                                       \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"( \
                   SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)) : "memory")
#define BULK_STORE(to, from, bytes) \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define BULK_MULTICAST(to, from, bytes, bar, blocks)                                                             \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "  \
               "%2, [%3], %4;" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)), "h"((short)blocks) : "memory")
#define BULK_ADD(to, from, bytes)                                                                                 \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to),            \
               "r"(SHARED(from)), "r"(bytes) : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT(pending) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory")
#define BULK_WAIT_READ(pending) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory")
#define FENCE_PROXY() asm volatile("fence.proxy.async;" ::: "memory")

// Products of a warpgroup: 64 x 8 of 16 elements each, tiles of core matrices without swizzle.
#define WGMMA_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(pending) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory")
#define WGMMA_TEXT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
#define WGMMA(d, a, b)                                                                                     \
  asm volatile(WGMMA_TEXT "{%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"                                          \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")
#define WGMMA_REGISTERS(d, a, b)                                                                           \
  asm volatile(WGMMA_TEXT "{%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;"                                  \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory")
#define DESCRIPTOR(p) (static_cast<unsigned long long>(SHARED(p)) >> 4 | 8ull << 16 | 16ull << 32)
