// Step 5: a thread computes 8 x 8 elements: sixteen loads from shared memory for 64 products.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major; m and n multiples of 128, k of 8. Blocks of 256 threads.
constexpr int kTile = 128, kTileK = 8, kSide = 8, kThreads = 256;

extern "C" __global__ void __launch_bounds__(kThreads) matmul_register_2d(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTileK], tile_b[kTileK][kTile];
  const int t = threadIdx.x, column = t % (kTile / kSide) * kSide, row = t / (kTile / kSide) * kSide;
  a += size_t(blockIdx.y) * kTile * k;
  b += blockIdx.x * kTile;
  c += size_t(blockIdx.y) * kTile * n + blockIdx.x * kTile;
  float sums[kSide][kSide] = {};
  for (int at = 0; at < k; at += kTileK) {
    for (int i = t; i < kTile * kTileK; i += kThreads) {
      tile_a[i / kTileK][i % kTileK] = a[size_t(i / kTileK) * k + at + i % kTileK];
      tile_b[i / kTile][i % kTile] = b[size_t(at + i / kTile) * n + i % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      float x[kSide], y[kSide];
#pragma unroll
      for (int r = 0; r < kSide; ++r) x[r] = tile_a[row + r][i], y[r] = tile_b[i][column + r];
#pragma unroll
      for (int r = 0; r < kSide; ++r)
#pragma unroll
        for (int s = 0; s < kSide; ++s) sums[r][s] += x[r] * y[s];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kSide; ++r)
#pragma unroll
    for (int s = 0; s < kSide; ++s) c[size_t(row + r) * n + column + s] = sums[r][s];
}
