// What loads of 4, 8 and 16 bytes a lane take where lanes share places, what conversions take, how long shared memory takes behind a generic
// address, and how long a chain through cold memory waits, as CSV.   nvcc -arch=sm_90 -o access access_rates.cu; ./access > access.csv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)

constexpr int kTurns = 512;
float* out;
long long* cycles;
char* memory;
constexpr size_t kBytes = size_t{256} << 20;

// Loads that the compiler leaves where they are; a word of the answer.
template <bool kShared>
__device__ uint32_t load(const float* at) {
  uint32_t v;
  if (kShared) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((uint32_t)__cvta_generic_to_shared(at)));
  else asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at));
  return v;
}
template <bool kShared>
__device__ uint32_t load(const float2* at) {
  uint32_t v, u;
  if (kShared) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(u) : "r"((uint32_t)__cvta_generic_to_shared(at)));
  else asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(u) : "l"(at));
  return v ^ u;
}
template <bool kShared>
__device__ uint32_t load(const float4* at) {
  uint32_t v, u, s, r;
  if (kShared) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(u), "=r"(s), "=r"(r) : "r"((uint32_t)__cvta_generic_to_shared(at)));
  else asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(u), "=r"(s), "=r"(r) : "l"(at));
  return v ^ u ^ s ^ r;
}

// Lanes in groups of 32 / places go to the same place; places are neighbours. The compiler merges loads of one address, so each of eight has
// its own, and `nothing` (0) moves them on.
template <class T, bool kShared>
__global__ void places_of(const T* x, float* out, long long* cycles, int places, int apart, int nothing) {
  constexpr int kApart = 256, kLoads = 8;
  __shared__ T table[kShared ? kLoads * kApart : 1];
  if (kShared)
    for (int j = threadIdx.x; j < kLoads * kApart; j += blockDim.x) table[j] = x[j];
  const uint32_t at = threadIdx.x % 32 / (32 / places) * apart;
  const T* from = (kShared ? table : x) + at;
  uint32_t sum = 0;
  __syncthreads();
  const long long begin = clock64();
  for (int t = 0; t < kTurns / kLoads; ++t, from += nothing) {
#pragma unroll
    for (int k = 0; k < kLoads; ++k) sum ^= load<kShared>(from + k * kApart);
  }
  __syncthreads();
  const long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

template <class T, bool kShared>
void places(const char* name) {
  for (const int apart : {1, 8})
    for (const int many : {1, 2, 4, 8, 16, 32})
      for (const int warps : {1, 8, 32}) {
        if (many * apart > 256) continue;
        for (int again = 0; again < 2; ++again) places_of<T, kShared><<<132, 32 * warps>>>((const T*)memory, out, cycles, many, apart, 0);
        CHECK(cudaDeviceSynchronize());
        std::printf("%s %d places %d apart,%d,%.3f\n", name, many, apart, warps, double(cycles[0]) / kTurns / warps);
      }
}

// Four chains; instructions that are not named are cheap beside them.
#define CONVERSION(name, T, constraint, code)                             \
  __global__ void name(float* out, long long* cycles, float v) {          \
    T a = v, b = v + 1, c = v + 2, d = v + 3;                             \
    __syncthreads();                                                      \
    const long long begin = clock64();                                    \
    _Pragma("unroll 8") for (int t = 0; t < kTurns; ++t) {                \
      asm volatile(code : constraint(a));                                 \
      asm volatile(code : constraint(b));                                 \
      asm volatile(code : constraint(c));                                 \
      asm volatile(code : constraint(d));                                 \
    }                                                                     \
    __syncthreads();                                                      \
    const long long end = clock64();                                      \
    out[threadIdx.x] = float(a) + float(b) + float(c) + float(d);         \
    if (threadIdx.x == 0) cycles[0] = end - begin;                        \
  }
CONVERSION(float_to_double, float, "+f", "{.reg .f64 w; .reg .b32 l, h; cvt.f64.f32 w, %0; mov.b64 {l, h}, w; mov.b32 %0, h;}")
CONVERSION(double_to_float, float, "+f", "{.reg .f64 w; mov.b64 w, {%0, %0}; cvt.rn.f32.f64 %0, w;}")
CONVERSION(int_to_double, int, "+r", "{.reg .f64 w; .reg .b32 l, h; cvt.rn.f64.s32 w, %0; mov.b64 {l, h}, w; mov.b32 %0, h;}")
CONVERSION(double_to_int, int, "+r", "{.reg .f64 w; mov.b64 w, {%0, %0}; cvt.rzi.s32.f64 %0, w;}")
CONVERSION(float_to_int, float, "+f", "{.reg .s32 w; cvt.rzi.s32.f32 w, %0; mov.b32 %0, w;}")

void conversions() {
  struct {
    const char* name;
    void (*kernel)(float*, long long*, float);
  } rows[] = {{"float to double", float_to_double}, {"double to float", double_to_float}, {"int to double", int_to_double},
              {"double to int", double_to_int},     {"float to int", float_to_int}};
  for (const auto& row : rows)
    for (const int warps : {4, 16, 32}) {
      for (int again = 0; again < 2; ++again) row.kernel<<<1, 32 * warps>>>(out, cycles, 3.5f);
      CHECK(cudaDeviceSynchronize());
      std::printf("%s (cycles of a sub-partition),%d,%.3f\n", row.name, warps, double(cycles[0]) / kTurns / 4 / (warps / 4));
    }
}

// A chain through shared memory, by its own and by a generic address.
__global__ void shared_chain(float* out, long long* cycles, int generic) {
  __shared__ uint32_t table[1024];
  for (int j = threadIdx.x; j < 1024; j += blockDim.x) table[j] = j * 4 % 4096;
  __syncthreads();
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(table);
  uint32_t at = 0;
  const long long begin = clock64();
  for (int t = 0; t < kTurns; ++t) {
    if (generic) asm volatile("ld.u32 %0, [%1];" : "=r"(at) : "l"((const char*)table + at));
    else asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(base + at));
  }
  const long long end = clock64();
  out[threadIdx.x] = at;
  if (threadIdx.x == 0) cycles[0] = end - begin;
}

// A chain through memory that L2 does not have, `step` bytes a turn: each block goes through the same bytes, or through its own.
__global__ void cold_chain(const uint32_t* x, float* out, long long* cycles, int step, int turns, int own) {
  const char* from = (const char*)x + (own ? size_t{blockIdx.x} * turns * step : 0);
  uint32_t at = 0;
  const long long begin = clock64();
  for (int t = 0; t < turns; ++t) {
    uint32_t v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(from + at));
    at += step + v;  // v is 0
  }
  const long long end = clock64();
  out[threadIdx.x] = at;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
void cold() {
  uint32_t* x;
  CHECK(cudaMalloc(&x, 64 << 20));
  CHECK(cudaMemset(x, 0, 64 << 20));
  for (const int step : {16, 28, 32, 64, 128, 256, 4096})
    for (const int blocks : {1, 16, 64, 132})
      for (const int own : {0, 1}) {
        const int turns = std::min(1024, (64 << 20) / 132 / step);
        std::vector<double> each;
        for (int again = 0; again < 5; ++again) {
          CHECK(cudaMemset(memory, again, kBytes));  // L2 is written over
          cold_chain<<<blocks, 32>>>(x, out, cycles, step, turns, own);
          CHECK(cudaDeviceSynchronize());
          double sum = 0;
          for (int b = 0; b < blocks; ++b) sum += double(cycles[b]);
          each.push_back(sum / blocks / turns);
        }
        std::sort(each.begin(), each.end());
        std::printf("cold chain %d bytes a turn %s,%d,%.1f\n", step, own ? "of its own" : "the same", blocks, each[2]);
      }
}

int main() {
  CHECK(cudaMalloc(&out, 132 * 1024 * sizeof *out));
  CHECK(cudaMallocManaged(&cycles, 132 * sizeof *cycles));
  CHECK(cudaMalloc(&memory, kBytes));
  CHECK(cudaMemset(memory, 0, kBytes));
  std::printf("what,warps or blocks,cycles each\n");
  places<float, false>("global 4 bytes");
  places<float2, false>("global 8 bytes");
  places<float4, false>("global 16 bytes");
  places<float, true>("shared 4 bytes");
  places<float2, true>("shared 8 bytes");
  places<float4, true>("shared 16 bytes");
  std::fflush(stdout);
  conversions();
  for (const int generic : {0, 1}) {
    for (int again = 0; again < 2; ++again) shared_chain<<<1, 32>>>(out, cycles, generic);
    CHECK(cudaDeviceSynchronize());
    std::printf("chain through shared memory %s,1,%.2f\n", generic ? "by generic addresses" : "by its own", double(cycles[0]) / kTurns);
  }
  std::fflush(stdout);
  cold();
  return 0;
}
