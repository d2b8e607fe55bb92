// Step 4: a thread computes eight elements of a column, so that an element of B from shared memory serves eight times.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major; m and n multiples of 64, k of 8. Blocks of 512 threads.
constexpr int kTileM = 64, kTileN = 64, kTileK = 8, kRows = 8;

extern "C" __global__ void __launch_bounds__(512) matmul_register_1d(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTileM][kTileK], tile_b[kTileK][kTileN];
  const int t = threadIdx.x, column = t % kTileN, row = t / kTileN * kRows;
  a += size_t(blockIdx.y) * kTileM * k;
  b += blockIdx.x * kTileN;
  c += size_t(blockIdx.y) * kTileM * n + blockIdx.x * kTileN;
  float sums[kRows] = {};
  for (int at = 0; at < k; at += kTileK) {
    tile_a[t / kTileK][t % kTileK] = a[size_t(t / kTileK) * k + at + t % kTileK];
    tile_b[t / kTileN][t % kTileN] = b[size_t(at + t / kTileN) * n + t % kTileN];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      const float factor = tile_b[i][column];
#pragma unroll
      for (int r = 0; r < kRows; ++r) sums[r] += tile_a[row + r][i] * factor;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) c[size_t(row + r) * n + column] = sums[r];
}
