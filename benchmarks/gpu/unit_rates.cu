// What units of an SM and L2 give, as CSV: matrix instructions a cycle of a sub-partition, words of constant memory a warp asks for, and
// sectors of scattered loads and stores over footprints.   nvcc -arch=sm_90 -o rates unit_rates.cu; ./rates > rates.csv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

constexpr int kTurns = 256, kChains = 8;
#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)

// Matrix instructions: kChains independent ones in turn, cycles of the whole loop.
#define FOUR(kind, name, text)                                                                                               \
  __global__ void name(uint32_t* out, long long* cycles) {                                                                   \
    kind c[kChains][4] = {};                                                                                                 \
    const uint32_t a = threadIdx.x, b = threadIdx.x + 1;                                                                     \
    __syncthreads();                                                                                                         \
    const long long from = clock64();                                                                                        \
    _Pragma("unroll 4") for (int t = 0; t < kTurns; ++t) {                                                                   \
      _Pragma("unroll") for (int k = 0; k < kChains; ++k) text;                                                              \
    }                                                                                                                        \
    __syncthreads();                                                                                                         \
    const long long to = clock64();                                                                                          \
    uint32_t sum = 0;                                                                                                        \
    for (int k = 0; k < kChains; ++k)                                                                                        \
      for (int i = 0; i < 4; ++i) sum += static_cast<uint32_t>(c[k][i]);                                                     \
    out[threadIdx.x] = sum;                                                                                                  \
    if (threadIdx.x == 0) *cycles = to - from;                                                                               \
  }
#define ASM42(shape, cc)                                                                                                     \
  asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%4,%5}, {%0,%1,%2,%3};"                            \
               : "+" cc(c[k][0]), "+" cc(c[k][1]), "+" cc(c[k][2]), "+" cc(c[k][3])                                          \
               : "r"(a), "r"(b))
#define ASM21(shape, cc)                                                                                                     \
  asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5}, {%4}, {%0,%1,%2,%3};"                                     \
               : "+" cc(c[k][0]), "+" cc(c[k][1]), "+" cc(c[k][2]), "+" cc(c[k][3])                                          \
               : "r"(a), "r"(b))
FOUR(float, hmma16816, ASM42("m16n8k16.row.col.f32.f16.f16.f32", "f"))
FOUR(float, hmma1688, ASM21("m16n8k8.row.col.f32.f16.f16.f32", "f"))
FOUR(float, bmma16816, ASM42("m16n8k16.row.col.f32.bf16.bf16.f32", "f"))
FOUR(float, tf1688, ASM42("m16n8k8.row.col.f32.tf32.tf32.f32", "f"))
FOUR(float, tf1684, ASM21("m16n8k4.row.col.f32.tf32.tf32.f32", "f"))
FOUR(float, e16832, ASM42("m16n8k32.row.col.f32.e4m3.e4m3.f32", "f"))
FOUR(int, s16832, ASM42("m16n8k32.row.col.s32.s8.s8.s32", "r"))
FOUR(int, s16816, ASM21("m16n8k16.row.col.s32.s8.s8.s32", "r"))
FOUR(int, n16864, ASM42("m16n8k64.row.col.s32.s4.s4.s32", "r"))
FOUR(int, b168256, ASM42("m16n8k256.row.col.s32.b1.b1.s32.and.popc", "r"))
FOUR(double, dmma884,
     asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                  : "+d"(c[k][0]), "+d"(c[k][1])
                  : "d"(double(a)), "d"(double(b))))

void matrix() {
  uint32_t* out;
  long long* cycles;
  CHECK(cudaMalloc(&out, 4096 * sizeof(uint32_t)));
  CHECK(cudaMallocManaged(&cycles, sizeof(long long)));
  struct Row {
    const char* name;
    void (*kernel)(uint32_t*, long long*);
    double flops;
  } rows[] = {{"HMMA.16816.F32", hmma16816, 2. * 16 * 8 * 16}, {"HMMA.1688.F32", hmma1688, 2. * 16 * 8 * 8},
              {"HMMA.16816.F32.BF16", bmma16816, 2. * 16 * 8 * 16}, {"HMMA.1688.F32.TF32", tf1688, 2. * 16 * 8 * 8},
              {"HMMA.1684.F32.TF32", tf1684, 2. * 16 * 8 * 4}, {"mma.m16n8k32.e4m3", e16832, 2. * 16 * 8 * 32},
              {"IMMA.16832.S8", s16832, 2. * 16 * 8 * 32}, {"IMMA.16816.S8", s16816, 2. * 16 * 8 * 16},
              {"mma.m16n8k64.s4", n16864, 2. * 16 * 8 * 64}, {"mma.m16n8k256.b1", b168256, 2. * 16 * 8 * 256},
              {"DMMA.884", dmma884, 2. * 8 * 8 * 4}};
  for (const Row& row : rows)
    for (const int warps : {4, 8, 16}) {
      for (int again = 0; again < 2; ++again) row.kernel<<<1, 32 * warps>>>(out, cycles);
      CHECK(cudaDeviceSynchronize());
      const double each = static_cast<double>(*cycles) / (kTurns * kChains) / (warps / 4.0);
      std::printf("matrix,%s,%d,%.3f,%.1f\n", row.name, warps, each, row.flops / each);
    }
}

// Constant memory: lanes ask for `words` different words.
__constant__ float table[4096];
__global__ void constants(float* out, long long* cycles, int words, int apart) {
  int at = threadIdx.x % 32 % words * apart;
  float sum = 0;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 8
  for (int t = 0; t < 512; ++t) {
    sum += table[at];
    at ^= 4;  // another word, as far from the others
  }
  __syncthreads();
  const long long to = clock64();
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *cycles = to - from;
}
__global__ void constants_in_turn(float* out, long long* cycles, int words, int apart) {  // each waits for the last
  int at = threadIdx.x % 32 % words * apart;
  const long long from = clock64();
  for (int t = 0; t < 512; ++t) at = (at ^ 4) + __float_as_int(table[at]);
  const long long to = clock64();
  out[threadIdx.x] = at;
  if (threadIdx.x == 0) *cycles = to - from;
}
__global__ void constants_walked(float* out, long long* cycles, int mask, int step) {  // one word for all lanes, through mask + 1 words
  int at = threadIdx.x / 1024;
  float sum = 0;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 8
  for (int t = 0; t < 1024; ++t) {
    sum += table[at];
    at = (at + step) & mask;
  }
  __syncthreads();
  const long long to = clock64();
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *cycles = to - from;
}
void constant_words() {
  float* out;
  long long* cycles;
  CHECK(cudaMalloc(&out, 4096 * sizeof(float)));
  CHECK(cudaMallocManaged(&cycles, sizeof(long long)));
  for (const int mask : {15, 63, 255, 511, 1023, 2047, 4095})
    for (const int step : {1, 17})
      for (const int warps : {1, 8, 32}) {
        for (int again = 0; again < 2; ++again) constants_walked<<<132, 32 * warps>>>(out, cycles, mask, step);
        CHECK(cudaDeviceSynchronize());
        const double each = static_cast<double>(*cycles) / 1024;
        std::printf("constant,through %d words step %d,%d,%.3f,%.3f\n", mask + 1, step, warps, each / warps, each);
      }
  for (const int apart : {1, 16, 64})
    for (const int words : {1, 2, 4, 8, 16, 32})
      for (const int warps : {1, 4, 16, 32}) {
        if (apart * words > 4096) continue;
        for (int again = 0; again < 2; ++again) constants<<<1, 32 * warps>>>(out, cycles, words, apart);
        CHECK(cudaDeviceSynchronize());
        const double together = static_cast<double>(*cycles) / 512 / warps;
        for (int again = 0; again < 2; ++again) constants_in_turn<<<1, 32>>>(out, cycles, words, apart);
        CHECK(cudaDeviceSynchronize());
        std::printf("constant,%d words %d apart,%d,%.3f,%.3f\n", words, apart, warps, together, static_cast<double>(*cycles) / 512);
      }
}

// Sectors: every lane of a request in another one, lines chosen at random or `step` bytes apart; nanoseconds of the launch.
template <int How>  // 0 load a word, 1 store a word, 2 store the whole sector, 3 load the whole sector
__global__ void scattered(float* x, uint32_t lines, uint32_t step_lines, int turns) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (int t = 0; t < turns; ++t) {
    uint32_t line = t * threads + id;
    if (step_lines) {  // neighbouring lanes step_lines apart, as a column of a matrix is read
      const uint32_t rows = lines / step_lines;
      line = line % rows * step_lines + line / rows % step_lines;
    } else {
      line = line * 2654435761u;
      line = (line ^ line >> 15) * 2246822519u;
      line = (line ^ line >> 13) % lines;
    }
    float* at = x + static_cast<size_t>(line) * 32;
    if (How == 0) sum += *at;
    if (How == 1) *at = static_cast<float>(t);
    if (How == 2) {
      reinterpret_cast<float4*>(at)[0] = make_float4(1, 2, 3, 4);
      reinterpret_cast<float4*>(at)[1] = make_float4(1, 2, 3, 4);
    }
    if (How == 3) {
      const float4 a = reinterpret_cast<const float4*>(at)[0], b = reinterpret_cast<const float4*>(at)[1];
      sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    }
  }
  if (sum == 12345.678f) x[0] = sum;
}
void sectors() {
  float* x;
  CHECK(cudaMalloc(&x, size_t{1} << 30));
  CHECK(cudaMemset(x, 0, size_t{1} << 30));
  cudaEvent_t s, e;
  cudaEventCreate(&s);
  cudaEventCreate(&e);
  const char* names[] = {"load a word", "store a word", "store a sector", "load a sector"};
  void (*kernels[])(float*, uint32_t, uint32_t, int) = {scattered<0>, scattered<1>, scattered<2>, scattered<3>};
  for (int how = 0; how < 4; ++how)
    for (const int mb : {4, 16, 24, 32, 48, 64, 128, 512, 1024})
      for (const uint32_t step : {0u, 8u, 64u, 65u, 512u}) {  // lines
        const uint32_t lines = static_cast<uint32_t>((static_cast<size_t>(mb) << 20) / 128);
        const int turns = 16;
        std::vector<float> t;
        for (int k = 0; k < 7; ++k) {
          cudaEventRecord(s);
          kernels[how]<<<1056, 256>>>(x, lines, step, turns);
          cudaEventRecord(e);
          cudaEventSynchronize(e);
          float ms;
          cudaEventElapsedTime(&ms, s, e);
          if (k >= 2) t.push_back(ms);
        }
        std::sort(t.begin(), t.end());
        const double accesses = 1056.0 * 256 * turns;
        std::printf("%s,%d MB step %u,32,%.3f,%.3f\n", names[how], mb, step, t[2] * 1e3, accesses / (t[2] * 1e6));
      }
  CHECK(cudaDeviceSynchronize());
}
int main() {
  std::printf("what,variant,warps,cycles_or_us,rate\n");
  matrix();
  std::fflush(stdout);
  constant_words();
  std::fflush(stdout);
  sectors();
}
