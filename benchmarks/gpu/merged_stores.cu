// What a structure a thread, written word by word, costs by its words and by how many warps an SM holds, as CSV: up to some width L1
// puts the words of a sector together before they go to L2, beyond it each goes by itself. Cycles of an SM for a store of a warp, and the
// same where another array is read between two stores.
// nvcc -arch=sm_90 -o merged_stores merged_stores.cu; ./merged_stores > merged_stores.csv
#include <algorithm>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)
constexpr int kSms = 132, kTurns = 8;
template <int Words, bool Loads>
__global__ void store(const float* x, float* y) {
  extern __shared__ float unused[];
  const int threads = gridDim.x * blockDim.x;
  for (int t = 0; t < kTurns; ++t) {
    const int id = (t * threads + blockIdx.x * blockDim.x + threadIdx.x) % (1 << 18);
    float v = static_cast<float>(t);
#pragma unroll
    for (int k = 0; k < Words; ++k) {
      if (Loads) v += x[id * Words + k];
      y[id * Words + k] = v;
    }
  }
  if (threadIdx.x > 2000) unused[0] = 1;
}
template <int Words, bool Loads>
void tell(const float* x, float* y) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaFuncSetAttribute((const void*)store<Words, Loads>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int blocks : {1, 2, 4, 8}) {  // of eight warps, on an SM
    std::vector<float> all;
    for (int k = 0; k < 9; ++k) {
      CHECK(cudaEventRecord(begin));
      store<Words, Loads><<<kSms * blocks, 256, (200 << 10) / blocks - 2048>>>(x, y);
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      float ms;
      CHECK(cudaEventElapsedTime(&ms, begin, end));
      all.push_back(ms);
    }
    std::sort(all.begin(), all.end());
    const double ns = all[all.size() / 2] * 1e6 - 3000;
    std::printf("%d,%d,%d,%.0f,%.2f\n", Words, Loads, 8 * blocks, ns, ns * 1.755 / (8.0 * blocks * kTurns * Words));
  }
}
int main() {
  float *x, *y;
  CHECK(cudaMalloc(&x, (size_t{33} << 18) * 4));
  CHECK(cudaMalloc(&y, (size_t{33} << 18) * 4));
  CHECK(cudaMemset(x, 0, (size_t{33} << 18) * 4));
  std::printf("words,loads_between,warps_of_an_sm,ns,cycles_of_an_sm_a_store\n");
  tell<1, false>(x, y), tell<2, false>(x, y), tell<3, false>(x, y), tell<4, false>(x, y), tell<5, false>(x, y), tell<6, false>(x, y);
  tell<7, false>(x, y), tell<8, false>(x, y), tell<9, false>(x, y), tell<12, false>(x, y), tell<16, false>(x, y), tell<24, false>(x, y);
  tell<32, false>(x, y);
  tell<3, true>(x, y), tell<4, true>(x, y), tell<6, true>(x, y), tell<8, true>(x, y), tell<9, true>(x, y), tell<12, true>(x, y), tell<16, true>(x, y);
}
