// How long one warp waits for each kind of answer, as CSV, in cycles: memory by how much is walked through and by how many warps ask,
// barriers by their warps, chains of instructions whose latency is not in the code.
// nvcc -arch=sm_90 -o latencies latencies.cu; ./latencies > latencies.csv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)
constexpr size_t kMost = size_t{16} << 30, kFlushBytes = size_t{200} << 20;
constexpr int kSms = 132, kSteps = 1024;
char *memory, *flushed;
long long* cycles;  // of each block

// A walk: at `at * stride` stands where to go next, in no order that a prefetcher knows.
__global__ void lay(char* p, uint64_t count, uint64_t step, uint64_t stride) {
  for (uint64_t i = blockIdx.x * uint64_t{blockDim.x} + threadIdx.x; i < count; i += gridDim.x * uint64_t{blockDim.x})
    *reinterpret_cast<uint64_t*>(p + i * stride) = (i + step) % count * stride;
}
template <bool L1>
__global__ void walk(const char* p, uint64_t count, uint64_t stride, int steps, long long* cycles) {
  uint64_t at = blockIdx.x * 7919ull % count * stride;
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < steps; k += 4)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (L1) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(at) : "l"(p + at) : "memory");
      else asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(p + at) : "memory");
    }
  const long long end = clock64();
  if (at == 1) cycles[1] = 0;
  cycles[blockIdx.x] = end - begin;
}
__global__ void touch(const char* p, uint64_t bytes, long long* out) {
  uint32_t sum = 0;
  for (uint64_t i = 16 * (blockIdx.x * uint64_t{blockDim.x} + threadIdx.x); i < bytes; i += 16 * gridDim.x * uint64_t{blockDim.x})
    sum += __ldcg(reinterpret_cast<const uint4*>(p + i)).x;
  if (sum == 0x12345678) *out = 1;
}
void report(const char* what, const char* variant, double size, int blocks, double steps) {
  CHECK(cudaDeviceSynchronize());
  std::vector<double> all;
  for (int b = 0; b < blocks; ++b) all.push_back(static_cast<double>(cycles[b]) / steps);
  std::sort(all.begin(), all.end());
  double sum = 0;
  for (const double v : all) sum += v;
  std::printf("%s,%s,%.0f,%.1f,%.1f,%.1f\n", what, variant, size, sum / blocks, all.front(), all.back());
}
uint64_t coprime(uint64_t count) {
  uint64_t step = static_cast<uint64_t>(static_cast<double>(count) * 0.6180339887) | 1;
  const auto shared = [](uint64_t a, uint64_t b) {
    while (b) {
      const uint64_t r = a % b;
      a = b, b = r;
    }
    return a;
  };
  while (shared(step, count) != 1) step += 2;
  return step;
}
void walks() {
  const uint64_t kb = 1024, mb = kb * kb;
  for (const uint64_t bytes : {16 * kb, 64 * kb, 128 * kb, 192 * kb, 224 * kb, 256 * kb, 512 * kb, mb, 4 * mb, 12 * mb, 20 * mb, 28 * mb, 36 * mb, 48 * mb,
                               64 * mb, 128 * mb, 512 * mb, 2048 * mb, 8192 * mb, 16384 * mb})
    for (const uint64_t stride : {128ull, 4096ull, 65536ull, 2097152ull}) {
      const uint64_t count = bytes / stride;
      if (count < 16) continue;
      lay<<<1056, 256>>>(memory, count, coprime(count), stride);
      char variant[64];
      for (const bool cold : {false, true})
        for (const int blocks : {1, kSms}) {
          if (cold && bytes < 4 * mb) continue;
          if (blocks > 1 && stride != 128) continue;
          if (cold) cudaMemset(flushed, 1, kFlushBytes);
          else touch<<<1056, 256>>>(memory, std::min<uint64_t>(bytes, 64 * mb), cycles);
          std::snprintf(variant, sizeof variant, "%llu apart %s from %d SMs", static_cast<unsigned long long>(stride), cold ? "cold" : "touched", blocks);
          walk<false><<<blocks, 1>>>(memory, count, stride, kSteps, cycles);
          report("L2 or DRAM", variant, static_cast<double>(bytes), blocks, kSteps);
          if (bytes > mb || cold) continue;
          const int around = static_cast<int>(std::max<uint64_t>(kSteps, 4 * count));
          for (int again = 0; again < 2; ++again) walk<true><<<blocks, 1>>>(memory, count, stride, around, cycles);
          report("L1 or L2", variant, static_cast<double>(bytes), blocks, around);
        }
    }
}

// Every warp of every SM asks for a line at a time (or its lanes for a sector each of lines of their own) and waits for it.
template <bool Scattered>
__global__ void waiting(const char* p, uint64_t mask, int steps, long long* cycles) {
  const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  uint32_t key = warp * 2654435761u + (Scattered ? lane * 40503u * 65537u : 0);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    key = key * 1664525u + 1013904223u;
    const uint64_t line = (static_cast<uint64_t>(key) << 5 ^ key >> 3) & mask;
    uint32_t got;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(p + line * 128 + (Scattered ? 0 : 4 * lane)) : "memory");
    key += got & 128;  // of a number below 128: waits, adds nothing
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin + (key == 1);
}
void loads_of_warps() {
  CHECK(cudaMemset(memory, 0, kMost));
  for (const uint64_t mb : {uint64_t{16}, uint64_t{64}, uint64_t{256}, uint64_t{1024}, uint64_t{8192}})
    for (const bool scattered : {false, true})
      for (const int blocks : {1, 16, kSms})
        for (const int warps : {1, 4, 16, 32}) {
          const uint64_t mask = (mb << 20) / 128 - 1;
          const int steps = scattered ? 64 : 256;
          if (mb == 16) touch<<<1056, 256>>>(memory, mb << 20, cycles);
          else cudaMemset(flushed, 1, kFlushBytes);
          (scattered ? waiting<true> : waiting<false>)<<<blocks, 32 * warps>>>(memory, mask, steps, cycles);
          char variant[64];
          std::snprintf(variant, sizeof variant, "%d SMs %s of %d MB", blocks, scattered ? "32 sectors" : "a line", static_cast<int>(mb));
          report(mb == 16 ? "L2, warps waiting" : "DRAM, warps waiting", variant, warps, blocks, steps);
        }
}

// Chains: each instruction waits for the one before.
#define CHAIN(name, type, start, text)                                         \
  __global__ void name(int n, type seed, type* out, long long* cycles) {        \
    __shared__ type words[1024];                                                \
    words[threadIdx.x] = 0;                                                     \
    __syncthreads();                                                            \
    type v = start;                                                             \
    const long long begin = clock64();                                          \
    _Pragma("unroll 1") for (int k = 0; k < kSteps; k += 8) {                    \
      _Pragma("unroll") for (int j = 0; j < 8; ++j) { text; }                    \
    }                                                                           \
    const long long end = clock64();                                            \
    out[threadIdx.x] = n < 0 ? words[threadIdx.x] : v;                          \
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;                     \
  }
CHAIN(shared_load, int, 0, asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((uint32_t)__cvta_generic_to_shared(words) + v)))
CHAIN(shared_atomic, int, 0, v = atomicAdd(&words[v], 0))
CHAIN(global_atomic, int, 0, v = atomicAdd(&out[v + threadIdx.x], 0))
CHAIN(global_load_cg, int, 0, asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(out + v)))
CHAIN(shuffle, int, (int)threadIdx.x, v = __shfl_xor_sync(~0u, v, 1))
CHAIN(vote, int, (int)threadIdx.x, v = __ballot_sync(~0u, v > k))
CHAIN(reduce, int, (int)threadIdx.x, v = __reduce_add_sync(~0u, v))
CHAIN(reciprocal, float, seed, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(v)))
CHAIN(exponent, float, seed, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v)))
CHAIN(square_root, float, seed, v = sqrtf(v))
CHAIN(divide_float, float, seed, v = seed / v)
CHAIN(sine, float, seed, v = sinf(v))
CHAIN(divide_int, int, (int)threadIdx.x + 1000, v = v / n + 1000)
CHAIN(divide_64, long long, (long long)threadIdx.x + 100000, v = v / n + 100000)
CHAIN(multiply_add, float, seed, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(seed)))
CHAIN(multiply_add_int, int, (int)threadIdx.x, asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(v) : "r"(n)))
CHAIN(multiply_add_64, double, seed, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(v) : "d"(seed)))
CHAIN(convert, int, (int)threadIdx.x, v = (int)((float)v * 1.5f))
CHAIN(population, int, (int)threadIdx.x, v = __popc(v) + k)
CHAIN(find_high, int, (int)threadIdx.x, v = __clz(v) + k)
CHAIN(barrier, int, 0, __syncthreads())
CHAIN(shared_exchange, int, (int)threadIdx.x, words[threadIdx.x] = v; __syncthreads(); v = words[threadIdx.x ^ 33]; __syncthreads())
CHAIN(warp_barrier, int, 0, __syncwarp())
CHAIN(fence, int, 0, __threadfence_block())
CHAIN(fence_gpu, int, 0, out[threadIdx.x] = v; __threadfence())

// Turns of a loop: what a jump back takes beside N multiply-adds, each waiting for the one before.
template <int N>
__global__ void loop(int n, float seed, float* out, long long* cycles) {
  float v = seed;
  const long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int j = 0; j < N; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(seed));
  }
  const long long end = clock64();
  out[threadIdx.x] = v;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
template <int N>
void loops() {
  for (const int warps : {1, 4, 8, 16, 32}) {
    for (int again = 0; again < 2; ++again) loop<N><<<1, 32 * warps>>>(kSteps, 3, reinterpret_cast<float*>(memory), cycles);
    char name[32];
    std::snprintf(name, sizeof name, "turn of %d", N);
    report("loop", name, warps, 1, kSteps);
  }
}

template <class T>
void chain(const char* name, void (*kernel)(int, T, T*, long long*), std::vector<int> of_warps = {1, 4, 16, 32}) {
  for (const int warps : of_warps) {
    for (int again = 0; again < 2; ++again) kernel<<<1, 32 * warps>>>(3, T(3), reinterpret_cast<T*>(memory), cycles);
    report("chain", name, warps, 1, kSteps);
  }
}
void chains() {
  CHECK(cudaMemset(memory, 0, 1 << 20));
#define RUN(name) chain(#name, name)
  RUN(shared_load), RUN(shared_atomic), RUN(global_atomic);
  CHECK(cudaMemset(memory, 0, 1 << 20));
  RUN(global_load_cg), RUN(shuffle), RUN(vote), RUN(reduce), RUN(reciprocal), RUN(exponent), RUN(square_root), RUN(divide_float), RUN(sine);
  RUN(divide_int), RUN(divide_64), RUN(multiply_add), RUN(multiply_add_int), RUN(multiply_add_64), RUN(convert), RUN(population), RUN(find_high);
  RUN(warp_barrier), RUN(fence), RUN(fence_gpu);
  chain("barrier", barrier, {1, 2, 4, 8, 16, 32});
  chain("shared_exchange", shared_exchange, {1, 2, 4, 8, 16, 32});
}
int main() {
  CHECK(cudaMalloc(&memory, kMost));
  CHECK(cudaMalloc(&flushed, kFlushBytes));
  CHECK(cudaMallocManaged(&cycles, 4096 * sizeof(long long)));
  std::printf("what,variant,size,mean,least,most\n");
  chains();
  loops<1>(), loops<2>(), loops<4>(), loops<8>(), loops<16>(), loops<32>();
  std::fflush(stdout);
  walks();
  std::fflush(stdout);
  loads_of_warps();
}
