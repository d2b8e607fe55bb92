// Which SMs get how many blocks of a launch, as CSV.   nvcc -arch=sm_90 -o placement block_placement.cu; ./placement > placement.csv
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)

/// Blocks that stay for a long time, so that none gets the place of one that ended.
__global__ void place(int* sm_of_block, long long cycles) {
  extern __shared__ char unused[];
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
  if (threadIdx.x == 0) {
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm_of_block[blockIdx.x]));
    if (cycles < 0) unused[0] = 1;
  }
}

/// The same chain on each SM that `rooks` in seventh_pairs.cu has: what the busiest SM takes.
__global__ void chain(const float* x, float* y, int turns) {
  extern __shared__ char unused[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) v = fmaf(v, 0.99f, 0.5f) * v;
  y[id] = v;
  if (turns < 0) unused[0] = 1;
}

int main() {
  int* sm_of_block;
  float *x, *y;
  CHECK(cudaMallocManaged(&sm_of_block, 65536 * sizeof *sm_of_block));
  CHECK(cudaMalloc(&x, 4 << 20));
  CHECK(cudaMalloc(&y, 4 << 20));
  CHECK(cudaMemset(x, 0, 4 << 20));
  for (const auto kernel : {(const void*)place, (const void*)chain})
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int sms = device.multiProcessorCount;
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  std::printf("blocks,threads,shared bytes,SMs with so many blocks each,chain of 1200 turns (us)\n");
  for (const int shared : {0, 14000, 30000, 60000, 120000})
    for (const int threads : {128, 512})
      for (const int of_sms : {50, 100, 103, 150, 200, 206, 300, 400, 412, 450, 500}) {
        const int blocks = sms * of_sms / 100;
        place<<<blocks, threads, shared>>>(sm_of_block, 100000);
        CHECK(cudaDeviceSynchronize());
        std::map<int, int> of_sm, sms_with;
        for (int b = 0; b < blocks; ++b) ++of_sm[sm_of_block[b]];
        for (const auto& [sm, count] : of_sm) ++sms_with[count];
        std::vector<float> times;
        for (int again = 0; again < 7; ++again) {
          float ms = 0;
          CHECK(cudaEventRecord(from));
          chain<<<blocks, threads, shared>>>(x, y, 1200);
          CHECK(cudaEventRecord(to));
          CHECK(cudaEventSynchronize(to));
          CHECK(cudaEventElapsedTime(&ms, from, to));
          times.push_back(ms);
        }
        std::sort(times.begin(), times.end());
        std::printf("%d,%d,%d,", blocks, threads, shared);
        for (const auto& [count, many] : sms_with) std::printf("%dx%d ", many, count);
        std::printf(",%.2f\n", 1000 * times[3]);
      }
  return 0;
}
