// Step 3: the block's 32 x 32 tiles of A and B lie in shared memory: each element of them is loaded once a block.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major. Blocks of 32 x 32.
constexpr int kTile = 32;

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int at = 0; at < k; at += kTile) {
    tile_a[y][x] = row < m && at + x < k ? a[size_t(row) * k + at + x] : 0;
    tile_b[y][x] = at + y < k && column < n ? b[size_t(at + y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[size_t(row) * n + column] = sum;
}
