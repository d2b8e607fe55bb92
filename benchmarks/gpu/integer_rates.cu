// What integer instructions take of a sub-partition, in cycles of a warp instruction, four warps a sub-partition, as CSV.
// nvcc -arch=sm_90 -o integer_rates integer_rates.cu; ./integer_rates > integer_rates.csv
#include <cstdint>
#include <cstdio>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)
constexpr int kTurns = 512, kChains = 8;

// Eight chains that the compiler cannot shorten; `c` and `d` are only known at run time.
#define RATE(name, code)                                                      \
  __global__ void name(uint32_t* out, long long* cycles, uint32_t c, uint32_t d) { \
    uint32_t v[kChains];                                                      \
    for (int k = 0; k < kChains; ++k) v[k] = threadIdx.x * 77 + k;            \
    __syncthreads();                                                          \
    const long long from = clock64();                                         \
    _Pragma("unroll 4") for (int t = 0; t < kTurns; ++t) {                    \
      _Pragma("unroll") for (int k = 0; k < kChains; ++k) code;               \
    }                                                                         \
    __syncthreads();                                                          \
    const long long to = clock64();                                           \
    uint32_t sum = 0;                                                         \
    for (int k = 0; k < kChains; ++k) sum ^= v[k];                            \
    out[threadIdx.x] = sum;                                                   \
    if (threadIdx.x == 0) *cycles = to - from;                                \
  }
RATE(add2, asm volatile("add.u32 %0, %0, %1;" : "+r"(v[k]) : "r"(c)))
RATE(add3, asm volatile("{.reg .u32 w; add.u32 w, %0, %1; add.u32 %0, w, %2;}" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(add_one, asm volatile("add.u32 %0, %0, 1;" : "+r"(v[k])))
RATE(logic, asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(shift, asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(v[k]) : "r"(c)))
RATE(choose, asm volatile("{.reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %2, %0, p;}" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(smaller, asm volatile("min.u32 %0, %0, %1;" : "+r"(v[k]) : "r"(c)))
RATE(bytes, asm volatile("prmt.b32 %0, %0, %1, 0x2130;" : "+r"(v[k]) : "r"(c)))
RATE(multiply_add, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(add_and_logic, asm volatile("{add.u32 %0, %0, %1; lop3.b32 %0, %0, %1, %2, 0x96;}" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(add_and_float, asm volatile("{.reg .f32 f; add.u32 %0, %0, %1; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}" : "+r"(v[k]) : "r"(c)))
RATE(logic_and_float, asm volatile("{.reg .f32 f; lop3.b32 %0, %0, %1, %2, 0x96; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(compare_and_add, asm volatile("{.reg .pred p; setp.lt.u32 p, %0, %1; @p add.u32 %0, %0, %2;}" : "+r"(v[k]) : "r"(c), "r"(d)))
RATE(count_bits, asm volatile("popc.b32 %0, %0;" : "+r"(v[k])))

/// A loop that is left rolled: its counter, comparison and branch beside two instructions of the ALU.
__global__ void rolled(uint32_t* out, long long* cycles, uint32_t c, uint32_t d) {
  uint32_t v = threadIdx.x, u = threadIdx.x + 1;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int t = 0; t < kTurns * kChains; ++t) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(v) : "r"(c), "r"(d));
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(u) : "r"(c), "r"(d));
  }
  __syncthreads();
  const long long to = clock64();
  out[threadIdx.x] = v ^ u;
  if (threadIdx.x == 0) *cycles = to - from;
}

int main() {
  uint32_t* out;
  long long* cycles;
  CHECK(cudaMalloc(&out, 4096));
  CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
  struct {
    const char* name;
    void (*kernel)(uint32_t*, long long*, uint32_t, uint32_t);
  } rows[] = {{"add of a register", add2}, {"two adds", add3}, {"add of 1", add_one}, {"logic", logic}, {"shift", shift}, {"compare and choose", choose},
              {"smaller", smaller}, {"bytes", bytes}, {"multiply-add", multiply_add}, {"add and logic", add_and_logic},
              {"add and fused multiply-add of floats", add_and_float}, {"logic and fused multiply-add of floats", logic_and_float},
              {"compare and add", compare_and_add}, {"count bits", count_bits}, {"turn of a rolled loop with two of logic", rolled}};
  std::printf("what,warps of a sub-partition,cycles\n");
  for (const auto& row : rows)
    for (const int warps : {1, 4, 8}) {
      for (int again = 0; again < 2; ++again) row.kernel<<<1, 128 * warps>>>(out, cycles, 5, 9);
      CHECK(cudaDeviceSynchronize());
      std::printf("%s,%d,%.3f\n", row.name, warps, double(*cycles) / kTurns / kChains / warps);
    }
  return 0;
}
