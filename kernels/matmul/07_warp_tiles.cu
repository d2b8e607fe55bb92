// Step 7: a warp's lanes lie 8 x 4 over a tile of 64 x 32, in four parts of 4 x 4 a lane, so that no load from shared
// memory meets a bank twice; and the next tiles are on their way from memory while this one is multiplied.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major; m and n multiples of 128, k of 8. Blocks of 256 threads.
constexpr int kTile = 128, kTileK = 8, kPad = 4;

struct Tiles { alignas(16) float a[kTileK][kTile + kPad], b[kTileK][kTile]; };

/// Puts what a thread carries from memory, four numbers of each tile, into shared memory.
__device__ __forceinline__ void keep(Tiles& tiles, float4 a, float4 b, int t) {
  const int row = t / 2, at = t % 2 * 4;
  tiles.a[at][row] = a.x, tiles.a[at + 1][row] = a.y, tiles.a[at + 2][row] = a.z, tiles.a[at + 3][row] = a.w;
  *reinterpret_cast<float4*>(&tiles.b[t / 32][t % 32 * 4]) = b;
}

__device__ __forceinline__ void multiply(const Tiles& tiles, int row, int column, float (&sums)[8][8]) {
#pragma unroll
  for (int i = 0; i < kTileK; ++i) {
    alignas(16) float x[8], y[8];
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      *reinterpret_cast<float4*>(x + 4 * part) = *reinterpret_cast<const float4*>(&tiles.a[i][row + 32 * part]);
      *reinterpret_cast<float4*>(y + 4 * part) = *reinterpret_cast<const float4*>(&tiles.b[i][column + 16 * part]);
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
      for (int s = 0; s < 8; ++s) sums[r][s] += x[r] * y[s];
  }
}

extern "C" __global__ void __launch_bounds__(256, 2) matmul_warp_tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ Tiles tiles[2];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int row = warp / 4 * 64 + lane / 4 * 4, column = warp % 4 * 32 + lane % 4 * 4;
  const float* a_at = a + (size_t(blockIdx.y) * kTile + t / 2) * k + t % 2 * 4;
  const float* b_at = b + size_t(t / 32) * n + blockIdx.x * kTile + t % 32 * 4;
  float sums[8][8] = {};
  float4 next_a = *reinterpret_cast<const float4*>(a_at), next_b = *reinterpret_cast<const float4*>(b_at);
  keep(tiles[0], next_a, next_b, t);
  __syncthreads();
  for (int at = 0, now = 0; at < k; at += kTileK, now ^= 1) {
    const bool more = at + kTileK < k;
    if (more) {
      next_a = *reinterpret_cast<const float4*>(a_at + at + kTileK);
      next_b = *reinterpret_cast<const float4*>(b_at + size_t(at + kTileK) * n);
    }
    multiply(tiles[now], row, column, sums);
    if (more) keep(tiles[now ^ 1], next_a, next_b, t);
    __syncthreads();
  }
  c += (size_t(blockIdx.y) * kTile + row) * n + blockIdx.x * kTile + column;
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int part = 0; part < 2; ++part)
      *reinterpret_cast<float4*>(c + size_t(r / 4 * 32 + r % 4) * n + 16 * part) = *reinterpret_cast<const float4*>(&sums[r][4 * part]);
}
