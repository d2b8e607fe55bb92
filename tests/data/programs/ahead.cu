// Every warp waits for every phase of two mbarriers. The first thread starts the copies that complete them, and could run ahead.
#include <cstdint>
#include <cstdio>
constexpr int kSlots = 2, kWords = 256, kSteps = 64;
__device__ uint32_t address_of(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void wait_for(uint32_t barrier, uint32_t phase) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(barrier), "r"(phase) : "memory");
}
__global__ void add_up(const uint32_t* from, uint32_t* sums) {
  __shared__ alignas(128) uint32_t tile[kSlots][kWords];
  __shared__ uint64_t barrier[kSlots];
  if (threadIdx.x == 0)
    for (auto& b : barrier) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&b)) : "memory");
  __syncthreads();
  uint32_t sum = 0;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const int slot = step % kSlots;
    const uint32_t at = address_of(&barrier[slot]);
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address_of(tile[slot])), "l"(from + step * kWords), "r"(kWords * 4), "r"(at) : "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(kWords * 4) : "memory");
    }
    wait_for(at, step / kSlots & 1);
    sum += 1;
  }
  sums[threadIdx.x] = sum;
}
int main() {
  uint32_t *from, *sums, out[128] = {};
  cudaMalloc(&from, kSteps * kWords * 4);
  cudaMemset(from, 1, kSteps * kWords * 4);
  cudaMalloc(&sums, sizeof out);
  add_up<<<1, 128>>>(from, sums);
  cudaMemcpy(out, sums, sizeof out, cudaMemcpyDeviceToHost);
  uint32_t wrong = 0;
  for (uint32_t s : out) wrong += s != kSteps;
  printf("%u wrong\n", wrong);
}
