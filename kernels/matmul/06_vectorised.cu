// Step 6: sixteen bytes a load. A is transposed on its way into shared memory, so that a thread's eight rows lie together.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major; m and n multiples of 128, k of 8. Blocks of 256 threads.
constexpr int kTile = 128, kTileK = 8, kSide = 8;

extern "C" __global__ void __launch_bounds__(256) matmul_vectorised(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ alignas(16) float tile_a[kTileK][kTile], tile_b[kTileK][kTile];
  const int t = threadIdx.x, column = t % (kTile / kSide) * kSide, row = t / (kTile / kSide) * kSide;
  const int row_a = t / 2, k_a = t % 2 * 4, row_b = t / 32, column_b = t % 32 * 4;
  a += (size_t(blockIdx.y) * kTile + row_a) * k + k_a;
  b += size_t(row_b) * n + blockIdx.x * kTile + column_b;
  c += size_t(blockIdx.y) * kTile * n + blockIdx.x * kTile;
  float sums[kSide][kSide] = {};
  for (int at = 0; at < k; at += kTileK) {
    const float4 from = *reinterpret_cast<const float4*>(a + at);
    tile_a[k_a][row_a] = from.x, tile_a[k_a + 1][row_a] = from.y;
    tile_a[k_a + 2][row_a] = from.z, tile_a[k_a + 3][row_a] = from.w;
    *reinterpret_cast<float4*>(&tile_b[row_b][column_b]) = *reinterpret_cast<const float4*>(b + size_t(at) * n);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      alignas(16) float x[kSide], y[kSide];
#pragma unroll
      for (int r = 0; r < kSide; r += 4) {
        *reinterpret_cast<float4*>(x + r) = *reinterpret_cast<const float4*>(&tile_a[i][row + r]);
        *reinterpret_cast<float4*>(y + r) = *reinterpret_cast<const float4*>(&tile_b[i][column + r]);
      }
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
    for (int s = 0; s < kSide; s += 4)
      *reinterpret_cast<float4*>(&c[size_t(row + r) * n + column + s]) = *reinterpret_cast<const float4*>(&sums[r][s]);
}
