// What the kernels of counters_stalls.cu and counters_stalls_more.cu work on.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

constexpr size_t kBytes = size_t{1} << 28;

/// 2^26 numbers below 2^26 in no order to be foreseen, and as much room for results; false where there is no memory.
inline bool make_data(int** data, int** out) {
  if (cudaMalloc(data, kBytes) != cudaSuccess || cudaMalloc(out, kBytes) != cudaSuccess) return false;
  int* host = new int[kBytes / 4];
  for (size_t k = 0; k < kBytes / 4; ++k) host[k] = static_cast<int>((k * 1664525 + 1013904223) & 0x3ffffff);
  cudaMemcpy(*data, host, kBytes, cudaMemcpyHostToDevice);
  delete[] host;
  return true;
}

/// Waits for all kernels and prints how they ended; the program's exit code.
inline int finish() {
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
