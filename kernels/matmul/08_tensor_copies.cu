// Step 8: the copy engine fills a ring of tiles, asked by a thread of a warpgroup that gives its registers to the others; no thread spends registers or instructions
// on moving A and B. A keeps its rows: the 128-byte swizzle lets eight rows be read at one column without a conflict, so
// a lane takes two k at a time, one step ahead. A warp's lanes lie 8 x 4, interleaved so that pairs read the same bytes,
// which is what lets a half-warp's sixteen-byte loads go as one.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major, any m, any n and k that are multiples of 4.
#include "../common/hopper.cuh"

#ifndef WARPS_M
#define WARPS_M 2
#endif
#ifndef WARPS_N
#define WARPS_N 4
#endif
#ifndef ROWS
#define ROWS 16
#endif
#ifndef COLUMNS
#define COLUMNS 8
#endif
#ifndef STAGES
#define STAGES 4
#endif

constexpr int kWarps = WARPS_M * WARPS_N, kRows = ROWS, kColumns = COLUMNS, kStages = STAGES, kGroup = 8, kThreads = 32 * kWarps + 128;
constexpr int kConsumerRegisters = kWarps == 8 ? 240 : 112;
static_assert(kWarps == 8 || kWarps == 16, "warpgroups");
constexpr int kTileM = WARPS_M * 8 * kRows, kTileN = WARPS_N * 4 * kColumns, kTileK = 32;

struct Shared {
  alignas(1024) float a[kStages][kTileM][kTileK];
  alignas(1024) float b[kStages][kTileK][kTileN];
  uint64_t full[kStages], empty[kStages];
};

DEVICE void produce(Shared& s, const TensorMap& a, const TensorMap& b, int row, int column, int k) {
  Ring<kStages> ring;
  for (int at = 0; at < k; at += kTileK, ring.advance()) {
    barrier_wait(&s.empty[ring.stage], ring.parity ^ 1);
    barrier_expect(&s.full[ring.stage], sizeof(s.a[0]) + sizeof(s.b[0]));
    tensor_load(s.a[ring.stage], &a, &s.full[ring.stage], at, row);
    tensor_load(s.b[ring.stage], &b, &s.full[ring.stage], column, at);
  }
}

/// A lane's elements of its rows at k = 2 * pair and the next; the last three bits of a row, `turn`, are in the swizzle.
DEVICE void load_rows(float2 (&to)[kRows], const float* a, int turn, int pair) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) to[r] = *reinterpret_cast<const float2*>(a + r * 8 * kTileK + (pair / 2 ^ turn) * 4 + pair % 2 * 2);
}
DEVICE void load_columns(float4 (&to)[kColumns / 4], const float* b, int k) {
#pragma unroll
  for (int s = 0; s < kColumns / 4; ++s) to[s] = *reinterpret_cast<const float4*>(b + k * kTileN + s * 16);
}

/// A stage's products. What the next k needs is loaded before this one's products; after the last, the first again.
DEVICE void multiply(const float* a, const float* b, int turn, float (&sums)[kRows][kColumns]) {
  float2 rows[2][kRows];
  float4 columns[2][kColumns / 4];
  load_rows(rows[0], a, turn, 0);
  load_columns(columns[0], b, 0);
#pragma unroll 2
  for (int i = 0; i < kTileK / 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (j % 2 == 0) load_rows(rows[1 - j / 2], a, turn, (2 * i + j / 2 + 1) % (kTileK / 2));
      load_columns(columns[1 - j % 2], b, (4 * i + j + 1) % kTileK);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const float x = j % 2 ? rows[j / 2][r].y : rows[j / 2][r].x;
#pragma unroll
        for (int s = 0; s < kColumns / 4; ++s) {
          const float4 y = columns[j % 2][s];
          sums[r][4 * s] += x * y.x, sums[r][4 * s + 1] += x * y.y, sums[r][4 * s + 2] += x * y.z, sums[r][4 * s + 3] += x * y.w;
        }
      }
    }
  }
}

DEVICE void consume(Shared& s, float* c, int row, int column, int m, int n, int k) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int y = warp / WARPS_N * 8 * kRows + (lane >> 1 & 1 | lane >> 2 & 6);
  const int x = warp % WARPS_N * 4 * kColumns + (lane & 1 | lane >> 1 & 2) * 4;
  float sums[kRows][kColumns] = {};
  Ring<kStages> ring;
  for (int at = 0; at < k; at += kTileK, ring.advance()) {
    barrier_wait(&s.full[ring.stage], ring.parity);
    multiply(s.a[ring.stage][y], s.b[ring.stage][0] + x, y % 8, sums);
    __syncwarp();
    if (lane == 0) barrier_arrive(&s.empty[ring.stage]);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r)
#pragma unroll
    for (int j = 0; j < kColumns; j += 4) {
      const int to_row = row + y + 8 * r, to_column = column + x + 4 * j;
      if (to_row < m && to_column < n)
        *reinterpret_cast<float4*>(c + size_t(to_row) * n + to_column) = *reinterpret_cast<const float4*>(&sums[r][j]);
    }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    matmul_tensor_copies(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int m, int n, int k) {
  extern __shared__ uint8_t dynamic[];
  Shared& s = shared_storage<Shared>(dynamic);
  const int rows = (m + kTileM - 1) / kTileM, columns = (n + kTileN - 1) / kTileN;  // bands of tiles share the L2 cache
  const int band = blockIdx.x / (kGroup * columns), height = min(kGroup, rows - band * kGroup), in = blockIdx.x % (kGroup * columns);
  const int row = (band * kGroup + in % height) * kTileM, column = in / height * kTileN;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) barrier_init(&s.full[i], 1), barrier_init(&s.empty[i], kWarps);
    barrier_init_fence();
  }
  __syncthreads();
  if (threadIdx.x >= 32 * kWarps) {
    registers_fewer<24>();
    if (threadIdx.x == 32 * kWarps) produce(s, a, b, row, column, k);
  } else {
    registers_more<kConsumerRegisters>();
    consume(s, c, row, column, m, n, k);
  }
}
