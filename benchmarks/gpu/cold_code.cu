// What code takes that no cache of instructions holds, as CSV: straight lines of multiply-adds, in cycles from their first to their last, by
// one warp and by eight on each SM; after L2 was written over and other code ran, and again at once.
// nvcc -arch=sm_90 -o cold_code cold_code.cu; ./cold_code > cold_code.csv
#include <algorithm>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)

template <int kLines>
__global__ void straight(float* out, long long* cycles, float v) {
  float a = v, b = v + 1, c = v + 2, d = v + 3;
  const long long begin = clock64();
#pragma unroll
  for (int k = 0; k < kLines / 4; ++k) {
    asm volatile("fma.rn.f32 %0, %0, %1, 0f3F000000;" : "+f"(a) : "f"(v));
    asm volatile("fma.rn.f32 %0, %0, %1, 0f3F000000;" : "+f"(b) : "f"(v));
    asm volatile("fma.rn.f32 %0, %0, %1, 0f3F000000;" : "+f"(c) : "f"(v));
    asm volatile("fma.rn.f32 %0, %0, %1, 0f3F000000;" : "+f"(d) : "f"(v));
  }
  const long long end = clock64();
  if (a + b + c + d == 1.5f) *out = a;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
float* out;
long long* cycles;
char* flush;
bool once;

template <int kLines>
void run() {
  for (const int blocks : {1, 132})
    for (const int warps : {1, 8}) {
      double median[2] = {};
      for (const bool cold : {true, false}) {
        std::vector<double> all;
        for (int again = 0; again < (once ? 1 : 7); ++again) {
          if (cold && !once) {
            straight<12288><<<132, 32>>>(out, cycles, 0.5f);
            CHECK(cudaMemset(flush, again, 200 << 20));
          }
          straight<kLines><<<blocks, 32 * warps>>>(out, cycles, 0.5f);
          CHECK(cudaDeviceSynchronize());
          std::sort(cycles, cycles + blocks);
          all.push_back(static_cast<double>(cycles[blocks / 2]));
        }
        std::sort(all.begin(), all.end());
        median[cold] = all[all.size() / 2];
        if (once) break;
      }
      std::printf("%d,%d,%d,%.0f,%.0f\n", kLines, blocks, warps, median[1], median[0]);
    }
}
int main(int argc, char**) {
  once = argc > 1;
  CHECK(cudaMalloc(&out, 4));
  CHECK(cudaMalloc(&flush, 200 << 20));
  CHECK(cudaMallocManaged(&cycles, 132 * sizeof(long long)));
  std::printf("instructions,blocks,warps,cycles_cold,cycles_again\n");
  run<32>(), run<128>(), run<512>(), run<1024>(), run<2048>(), run<4096>(), run<8192>();
  return 0;
}
