// The clock of SMs while launches use tensor cores, as CSV: cycles by clock64 over nanoseconds by the GPU's timer, of one warp or eight on each
// SM, where a matrix instruction comes after so many multiply-adds.   nvcc -gencode arch=compute_90a,code=sm_90a -o clock matrix_clock.cu; ./clock > clock.csv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)

struct Span {
  long long cycles, ns;
};

__device__ long long timer_ns() {
  long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

enum Kind { kNone, kHalf, kBytes, kTf32, kDouble };

template <Kind kKind>
__device__ void product(uint32_t (&c)[4], uint32_t a) {
  if constexpr (kKind == kHalf)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a));
  if constexpr (kKind == kBytes)
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a));
  if constexpr (kKind == kTf32)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a));
  if constexpr (kKind == kDouble) {
    double d[2] = {double(c[0]), double(c[1])};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(double(a)));
    c[0] = uint32_t(d[0]), c[1] = uint32_t(d[1]);
  }
}

template <Kind kKind>
__global__ void run(uint32_t* out, Span* spans, int turns, int plain, float v) {
  uint32_t c[4] = {threadIdx.x, 1, 2, 3};
  float f = v;
  __syncthreads();
  const long long cycles = clock64(), ns = timer_ns();
  for (int t = 0; t < turns; ++t) {
    product<kKind>(c, threadIdx.x * 0x3c003c00u);
    for (int k = 0; k < plain; ++k) f = f * v + 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {clock64() - cycles, timer_ns() - ns};
  out[blockIdx.x * blockDim.x + threadIdx.x] = c[0] + c[1] + c[2] + c[3] + uint32_t(f);
}

uint32_t* out;
Span* spans;

template <Kind kKind>
void measure(const char* name, bool after_pause) {
  for (const int warps : {1, 8})
    for (const int plain : {0, 16, 256, 4096}) {
      const int turns = std::max(8, 400000 / (40 + 4 * plain));
      run<kKind><<<132, 32 * warps>>>(out, spans, turns, plain, 0.5f);  // its code is there
      CHECK(cudaDeviceSynchronize());
      std::vector<double> clocks;
      for (int again = 0; again < 5; ++again) {
        if (after_pause) run<kNone><<<132, 256>>>(out, spans, 40, 4096, 0.5f);
        run<kKind><<<132, 32 * warps>>>(out, spans, turns, plain, 0.5f);
        CHECK(cudaDeviceSynchronize());
        Span all[132];
        CHECK(cudaMemcpy(all, spans, sizeof all, cudaMemcpyDeviceToHost));
        for (const Span& s : all) clocks.push_back(double(s.cycles) / double(s.ns));
      }
      std::sort(clocks.begin(), clocks.end());
      std::printf("%s%s,%d,%d,%.4f,%.4f,%.4f\n", name, after_pause ? " after plain" : "", warps, plain, clocks[clocks.size() / 10],
                  clocks[clocks.size() / 2], clocks[clocks.size() * 9 / 10]);
    }
}

int main() {
  CHECK(cudaMalloc(&out, 132 * 256 * sizeof *out));
  CHECK(cudaMalloc(&spans, 132 * sizeof *spans));
  std::printf("what,warps,multiply-adds between,tenth GHz,median GHz,nine tenths GHz\n");
  for (const bool after : {false, true}) {
    measure<kNone>("none", after);
    measure<kHalf>("halves", after);
    measure<kBytes>("bytes", after);
    measure<kTf32>("tf32", after);
    measure<kDouble>("doubles", after);
  }
  run<kHalf><<<132, 256>>>(out, spans, 2000, 0, 0.5f);
  measure<kNone>("none after halves", false);
  return 0;
}
