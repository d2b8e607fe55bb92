// C = A B in f32: tiles copied to shared memory by cp.async, three stages in flight.
#include <cuda_pipeline.h>
constexpr int kTile = 64, kDepth = 16, kStages = 3;

// 256 threads compute a tile of 64x64, 4x4 a thread. Sizes are multiples of the tile.
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float as[kStages][kTile][kDepth], bs[kStages][kDepth][kTile];
  int t = threadIdx.x, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  auto fetch = [&](int step) {
    if (step * kDepth < k) {
      int stage = step % kStages, at = step * kDepth;
      __pipeline_memcpy_async(&as[stage][t / 4][t % 4 * 4], &a[(row + t / 4) * k + at + t % 4 * 4], 16);
      __pipeline_memcpy_async(&bs[stage][t / 16][t % 16 * 4], &b[(at + t / 16) * n + column + t % 16 * 4], 16);
    }
    __pipeline_commit();  // an empty group keeps the count
  };
  float sum[4][4] = {};
  for (int step = 0; step < kStages - 1; ++step) fetch(step);
  for (int step = 0; step * kDepth < k; ++step) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    fetch(step + kStages - 1);
    int stage = step % kStages;
#pragma unroll
    for (int d = 0; d < kDepth; ++d)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += as[stage][t / 16 * 4 + i][d] * bs[stage][d][t % 16 * 4 + j];
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(row + t / 16 * 4 + i) * n + column + t % 16 * 4]) =
        float4{sum[i][0], sum[i][1], sum[i][2], sum[i][3]};
}

extern "C" __global__ void matmul_plain(const float* a, const float* b, float* c, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int d = 0; d < k; ++d) sum += (double)a[row * k + d] * b[d * n + column];
  c[row * n + column] = sum;
}
