#include <cuda_runtime.h>
#include <stdint.h>
#define CHUNK 64
#define MOST (1 << 23)
__device__ int first_row[MOST / CHUNK];
// One thread a row: notes the row at each start of a chunk of entries that lies in it, and clears the row when it lies in several chunks.
__global__ void __launch_bounds__(128) prepare(const int* __restrict__ starts, float* __restrict__ y, int rows) {
  int r = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
  int s = 0, e = 0;
  if (r < rows) s = __ldg(starts + r), e = __ldg(starts + r + 1);
  if (r == 0) first_row[0] = 0;
  if (e > s && (s / CHUNK + 1) * CHUNK < e) {
    float4* to = (float4*)(y + (size_t)r * 64);
#pragma unroll
    for (int i = 0; i < 16; ++i) to[i] = make_float4(0, 0, 0, 0);
  }
  int low = max((s + CHUNK - 1) / CHUNK, 1), high = (e + CHUNK - 1) / CHUNK;
  unsigned many = __ballot_sync(~0u, high - low > 4);
  if (high - low <= 4)
    for (int c = low; c < high; ++c) first_row[c] = r;
  for (; many; many &= many - 1) {  // the whole warp for a long row
    int from = __ffs(many) - 1, l = __shfl_sync(~0u, low, from), h = __shfl_sync(~0u, high, from);
    for (int c = l + lane; c < h; c += 32) first_row[c] = r - lane + from;
  }
}
// Half a warp a chunk and half of the columns (two a lane). Half 0 goes first, so that the half of x in use fits well into L2.
__global__ void __launch_bounds__(256, 6) product(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ y, int rows, int chunks, int blocks) {
  const int half = blockIdx.x >= blocks, c = (blockIdx.x - half * blocks) * 16 + (threadIdx.x >> 4), lane = threadIdx.x & 15;
  const bool live = c < chunks;
  const int total = rows * 16, begin = live ? c * CHUNK : 0, stop = live ? min(begin + CHUNK, total) : 0;
  x += half * 32 + lane * 2;
  y += half * 32 + lane * 2;
  int r = 0, end = 0x7fffffff, after = 0x7fffffff, col = 0;
  bool partial = false;
  float wt = 0;
  if (begin + lane < stop) col = __ldcs(columns + begin + lane) * 64, wt = __ldcs(weights + begin + lane);
  if (live) {
    r = first_row[c];
    partial = c && __ldg(starts + r) < begin;
    end = __ldg(starts + r + 1);
    after = __ldg(starts + min(r + 2, rows));
  }
  float2 acc = make_float2(0, 0);
  auto flush = [&]() {
    float* to = y + (size_t)r * 64;
    if (partial) atomicAdd((float2*)to, acc);
    else __stcs((float2*)to, acc);
    partial = false;
    acc = make_float2(0, 0);
    ++r;
    end = r < rows ? after : 0x7fffffff;
    after = __ldg(starts + min(r + 2, rows));
  };
  while (c == 0 && end == 0) flush();
#pragma unroll 1
  for (int base = begin; base < begin + CHUNK; base += 16) {
    int col_now = col;
    float wt_now = wt;
    col = 0, wt = 0;
    if (base + 16 + lane < stop) col = __ldcs(columns + base + 16 + lane) * 64, wt = __ldcs(weights + base + 16 + lane);
    // 16 entries are all there or (past the end of the last chunk, after its last row) all zero, as there are 16 * rows
#pragma unroll 1
    for (int j = 0; j < 16; j += 8) {
      float2 v[8];
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        int at = __shfl_sync(~0u, col_now, j + u, 16);
        v[u] = __ldg((const float2*)(x + at));
      }
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        float w = __shfl_sync(~0u, wt_now, j + u, 16);
        acc.x = fmaf(w, v[u].x, acc.x), acc.y = fmaf(w, v[u].y, acc.y);
        if (end == base + j + u + 1) {
          do flush();
          while (end == base + j + u + 1);
        }
      }
    }
  }
  // the rest belongs to a row that goes on in the next chunk (begun there or before: cleared by prepare)
  if (live && r < rows && __ldg(starts + r) < stop) {
    float* to = y + (size_t)r * 64;
    atomicAdd((float2*)to, acc);
  }
}
extern "C" void solve(const int* starts, const int* columns, const float* weights, const float* x, float* y, int rows) {
  int chunks = (rows * 16 + CHUNK - 1) / CHUNK, blocks = (chunks + 15) / 16;
  prepare<<<(rows + 127) / 128, 128>>>(starts, y, rows);
  product<<<2 * blocks, 256>>>(starts, columns, weights, x, y, rows, chunks, blocks);
}
