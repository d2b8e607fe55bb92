// A plain CUDA program to record: SECONDS of empty kernels on two streams, with copies, sets and synchronizations, or a
// fixed number of them. Prints "began" behind the first batch and what it did, which a recording must agree with.
//   nvcc -O2 -arch=native -o record_launches record_launches.cu && ./record_launches COUNT [SECONDS [PAUSE_US]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2.0f;
}

__global__ void shift(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1.0f;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0;
  const int pause_us = argc > 3 ? std::atoi(argv[3]) : 0;
  constexpr int kFloats = 1024, kBatch = 1000;
  float *data = nullptr, host[kFloats] = {};
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams)
    if (cudaStreamCreate(&stream) != cudaSuccess) return std::puts("no device"), 1;
  cudaMalloc(&data, sizeof host);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  long launches = 0, batches = 0;
  while (seconds > 0 ? elapsed() < seconds : launches < count) {
    cudaMemcpyAsync(data, host, sizeof host, cudaMemcpyHostToDevice, streams[0]);
    cudaMemsetAsync(data, 0, sizeof host, streams[1]);
    for (int i = 0; i < kBatch && (seconds > 0 || launches < count); ++i, ++launches) {
      if (i % 2 == 0) scale<<<4, 256, 0, streams[0]>>>(data, kFloats);
      else shift<<<4, 256, 0, streams[1]>>>(data, kFloats);
    }
    cudaDeviceSynchronize();
    if (pause_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    if (++batches == 1) std::puts("began"), std::fflush(stdout);
  }
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("launches %ld batches %ld us_per_launch %.4f\n", launches, batches, elapsed() * 1e6 / launches);
}
