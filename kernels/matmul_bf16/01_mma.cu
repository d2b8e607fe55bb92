// Step 1: tensor cores by mma.sync: a warp multiplies 64 x 32 of the block's 128 x 128, from tiles that asynchronous
// copies bring three stages ahead. Rows of 64 bytes are swizzled so that ldmatrix meets no bank twice.
// C (m x n) = A (m x k) * B (n x k, transposed), bf16; m and n multiples of 128, k of 32. Blocks of 256 threads.
#include "../common/mma.cuh"

constexpr int kTile = 128, kTileK = 32, kStages = 4;

struct Stage { alignas(128) __nv_bfloat16 a[kTile][kTileK], b[kTile][kTileK]; };

/// Where sixteen bytes lie: two rows share 128 bytes, whose eight places change from pair to pair.
static __device__ __forceinline__ __nv_bfloat16* place(__nv_bfloat16 (*tile)[kTileK], int row, int chunk) {
  return tile[row] + (chunk ^ row / 2 % 4) * 8;
}

static __device__ __forceinline__ void load(Stage& s, const __nv_bfloat16* a, const __nv_bfloat16* b, int k, int at) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = threadIdx.x / 4 + 64 * i, chunk = threadIdx.x % 4;
    copy_async(place(s.a, row, chunk), a + size_t(row) * k + at + chunk * 8);
    copy_async(place(s.b, row, chunk), b + size_t(row) * k + at + chunk * 8);
  }
}

static __device__ __forceinline__ void multiply(Stage& s, int row, int column, int lane, float (&d)[4][4][4]) {
#pragma unroll
  for (int i = 0; i < kTileK / 16; ++i) {
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int y = 0; y < 4; ++y) load_matrices(a[y], place(s.a, row + 16 * y + lane % 16, 2 * i + lane / 16));
#pragma unroll
    for (int x = 0; x < 2; ++x) load_matrices(b[x], place(s.b, column + 16 * x + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
#pragma unroll
    for (int y = 0; y < 4; ++y)
#pragma unroll
      for (int x = 0; x < 4; ++x) mma(d[y][x], a[y], b[x / 2][x % 2 * 2], b[x / 2][x % 2 * 2 + 1]);
  }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_mma(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n, int k) {
  extern __shared__ __align__(128) uint8_t dynamic[];
  Stage* stages = reinterpret_cast<Stage*>(dynamic);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp / 4 * 64, column = warp % 4 * 32;
  a += size_t(blockIdx.y) * kTile * k;
  b += size_t(blockIdx.x) * kTile * k;
  float d[4][4][4] = {};
  for (int i = 0; i < kStages - 1; ++i) {
    if (i * kTileK < k) load(stages[i], a, b, k, i * kTileK);
    copy_commit();
  }
  for (int i = 0; i * kTileK < k; ++i) {
    copy_wait<kStages - 2>();
    __syncthreads();  // stage i is there, and stage i - 1 has been read by all
    const int next = i + kStages - 1;
    if (next * kTileK < k) load(stages[next % kStages], a, b, k, next * kTileK);
    copy_commit();
    multiply(stages[i % kStages], row, column, lane, d);
  }
  c += (size_t(blockIdx.y) * kTile + row + lane / 4) * n + blockIdx.x * kTile + column + lane % 4 * 2;
#pragma unroll
  for (int y = 0; y < 4; ++y)
#pragma unroll
    for (int x = 0; x < 4; ++x)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        *reinterpret_cast<uint32_t*>(c + size_t(16 * y + 8 * r) * n + 8 * x) = pack_bf16(d[y][x][2 * r], d[y][x][2 * r + 1]);
}
