// All warps of a block wait for each copy, and one of them begins the next without another barrier, as benchmarks do: no
// warp falls two phases behind, because a copy takes longer than the others need to look. The last cases tell expected
// bytes after the copy, and after all arrivals.
#include "check.h"
#include <cstdint>

__device__ unsigned smem(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

template <bool kCopyFirst>
__global__ void stream(const unsigned* in, unsigned* out, int slots, int ahead, int copies) {
  __shared__ alignas(128) unsigned data[4][64];
  __shared__ alignas(8) uint64_t bars[4];
  const int starter = blockDim.x - 32;  // the last warp begins the copies
  if (threadIdx.x == 0) {
    for (int i = 0; i < slots; ++i) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(smem(&bars[i])));
    asm volatile("fence.proxy.async;");
  }
  __syncthreads();
  unsigned phases = 0, sum = 0;
  auto begin = [&](int i) {
    if (threadIdx.x != starter) return;
    const unsigned bar = smem(&bars[i % slots]), to = smem(data[i % slots]);
    auto expect = [&] { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory"); };
    if (!kCopyFirst) expect();
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(in + i * 64), "r"(bar) : "memory");
    if (kCopyFirst) expect();
  };
  auto wait = [&](int i) {
    const unsigned bar = smem(&bars[i % slots]), parity = phases >> i % slots & 1;
    asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again;}" ::"r"(bar), "r"(parity) : "memory");
    phases ^= 1u << i % slots;
    sum += i + 1;
  };
  for (int i = 0; i < copies; ++i) {
    if (i >= ahead) wait(i - ahead);
    begin(i);
  }
  for (int i = copies - ahead; i < copies; ++i) wait(i);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + data[(copies - 1) % slots][threadIdx.x % 64];
}

template <bool kCopyFirst>
static void run(const char* name, int slots, int ahead) {
  constexpr int kCopies = 41, kThreads = 128, kBlocks = 4;
  std::vector<unsigned> in(kCopies * 64), got(kThreads * kBlocks);
  for (size_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> 8;
  unsigned *from, *to;
  OK(cudaMalloc(&from, in.size() * 4)); OK(cudaMalloc(&to, got.size() * 4));
  OK(cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
  stream<kCopyFirst><<<kBlocks, kThreads>>>(from, to, slots, ahead, kCopies);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(got.data(), to, got.size() * 4, cudaMemcpyDeviceToHost));
  bool right = true;
  for (size_t i = 0; i < got.size(); ++i) right &= got[i] == kCopies * (kCopies + 1) / 2 + in[(kCopies - 1) * 64 + i % 64];
  EXPECT(name, right);
}
/// The last arrival comes before the bytes that it should have waited for are told.
__global__ void late(const unsigned* in, unsigned* passed) {
  __shared__ alignas(128) unsigned data[32];
  __shared__ alignas(8) uint64_t object;
  const unsigned bar = smem(&object);
  asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(bar));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(smem(data)), "l"(in), "r"(bar) : "memory");
  __nanosleep(100000);
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 128;" ::"r"(bar) : "memory");
  for (int i = 0; i < 1000 && !*passed; ++i)
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(*passed) : "r"(bar) : "memory");
}
static void run_late() {
  unsigned *in, *passed;
  OK(cudaMalloc(&in, 128)); OK(cudaMallocManaged(&passed, 4));
  *passed = 0;
  late<<<1, 1>>>(in, passed);
  OK(cudaDeviceSynchronize());
  EXPECT("bytes told last end the phase", *passed == 1);
}
int main() {
  run_late();
  run<false>("expect first, one slot", 1, 1); run<true>("copy first, one slot", 1, 1);
  run<false>("expect first, two slots", 2, 1); run<true>("copy first, two slots", 2, 2);
  run<true>("copy first, four slots", 4, 3);
  return done();
}
