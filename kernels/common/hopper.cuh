// What Hopper's asynchronous kernels are made of, a line of PTX each: mbarriers, tensor copies, warpgroup products.
#pragma once
#include <cstdint>

#define DEVICE static __device__ __forceinline__

/// A CUtensorMap, as cuTensorMapEncodeTiled fills it on the host; passed by value as a __grid_constant__.
struct alignas(64) TensorMap { uint64_t words[16]; };

DEVICE uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

/// A block's dynamic shared memory as a T at the next multiple of 1024 bytes, which swizzled tiles start at. The address is
/// an offset, as one that went through an integer would make every access a slower one of unknown address space.
template <class T>
DEVICE T& shared_storage(uint8_t* dynamic) {
  return *reinterpret_cast<T*>(dynamic + (0u - shared_address(dynamic)) % 1024);
}

// ---- mbarriers

DEVICE void barrier_init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
/// Makes initialised mbarriers visible to the cluster and to the copy engine; a barrier of the threads comes after.
DEVICE void barrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
DEVICE void barrier_arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// Arrives at the barrier that lies at the same place in block `rank` of the cluster.
DEVICE void barrier_arrive_at(uint64_t* barrier, uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(shared_address(barrier)), "r"(rank)
      : "memory");
}
DEVICE void barrier_expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
DEVICE void barrier_wait(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
          shared_address(barrier)), "r"(parity) : "memory");
}
/// As barrier_wait, for a barrier that other blocks of the cluster arrive at.
DEVICE void barrier_wait_cluster(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

/// Which stage of a ring of buffers is next, and the parity its barriers have then.
template <int kStages>
struct Ring {
  int stage = 0;
  uint32_t parity = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

// ---- barriers of threads

DEVICE void named_barrier_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
DEVICE void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
DEVICE void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
DEVICE uint32_t cluster_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// ---- tensor copies: coordinates are elements, innermost first

DEVICE void tensor_load(void* to, const TensorMap* map, uint64_t* barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          shared_address(to)), "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y) : "memory");
}
DEVICE void tensor_load(void* to, const TensorMap* map, uint64_t* barrier, int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}
/// Loads to the same place of every block of the cluster that has its bit in `blocks`, and tells the barrier of each.
DEVICE void tensor_load_multicast(void* to, const TensorMap* map, uint64_t* barrier, int x, int y, uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "h"(blocks)
      : "memory");
}
DEVICE void tensor_store(const TensorMap* map, const void* from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(shared_address(from)), "r"(x), "r"(y)
               : "memory");
}
/// `bytes` in a row, a multiple of 16, with no tensor map.
DEVICE void bulk_load(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}
/// Adds fp32 numbers in a row to memory.
DEVICE void bulk_add(float* to, const void* from, uint32_t bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
DEVICE void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until at most `kPending` of this thread's stores still read shared memory.
template <int kPending>
DEVICE void store_wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory"); }
/// What ordinary stores wrote to shared memory is there for the copy engine and the tensor cores.
DEVICE void async_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
DEVICE void prefetch_map(const TensorMap* map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"); }

// ---- warpgroups

template <int kRegisters>
DEVICE void registers_more() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters)); }
template <int kRegisters>
DEVICE void registers_fewer() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters)); }

/// Four 8x8 tiles of 16-bit numbers, a register a lane each, to the sixteen-byte rows that lanes 0-7, 8-15, ... address.
DEVICE void store_matrices(void* row, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}
