#include <cuda_runtime.h>
// 64x64 tiles. A thread loads four rows of a column (coalesced over columns), so it has a float4 of the output; these go through shared memory,
// XOR-swizzled (no conflicts either way), and out as 256-byte runs of float4.
__global__ void __launch_bounds__(256, 8) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  __shared__ float4 sm[64 * 16];
  // The strip of the columns % 64 last columns comes last: at 4096 x 1029 the 1024 full tiles are one wave of 8 blocks an SM.
  int t = threadIdx.x, id = blockIdx.x, wide = columns >> 6, full = wide * (rows >> 6);
  int ty = id < full ? id / wide : id - full, c0 = (id < full ? id - ty * wide : wide) * 64, r0 = ty * 64;
  int c = t & 63, g = t >> 6;  // four groups of rows at a time
  float v[16];
  if (c0 + c < columns) {
    const float* p = x + (long)(r0 + g * 4) * columns + c0 + c;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int q = 0; q < 4; ++q) v[i * 4 + q] = p[(i * 16 + q) * columns];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sm[c * 16 + ((i * 4 + g) ^ (c & 15))] = make_float4(v[i * 4], v[i * 4 + 1], v[i * 4 + 2], v[i * 4 + 3]);
  }
  __syncthreads();
  int rv = t & 15, d = t >> 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int e = d + i * 16;
    if (c0 + e < columns) *(float4*)(y + (long)(c0 + e) * rows + r0 + rv * 4) = sm[e * 16 + (rv ^ (e & 15))];
  }
}
__global__ void any(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  __shared__ float sm[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (c < columns && r + i < rows) sm[threadIdx.y + i][threadIdx.x] = x[(long)(r + i) * columns + c];
  __syncthreads();
  c = blockIdx.x * 32 + threadIdx.y;
  r = blockIdx.y * 32 + threadIdx.x;
  for (int i = 0; i < 32; i += 8)
    if (c + i < columns && r < rows) y[(long)(c + i) * rows + r] = sm[threadIdx.x][threadIdx.y + i];
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  if (rows % 64 == 0) k<<<(columns + 63) / 64 * (rows / 64), 256>>>(x, y, rows, columns);
  else any<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(x, y, rows, columns);
}
