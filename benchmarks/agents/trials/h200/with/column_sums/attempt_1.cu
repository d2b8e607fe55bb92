#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// A cluster of eight blocks takes 33 columns, each block an eighth of the rows; the eight sums meet in the first block's shared memory.
// A warp takes 32 rows at a time: a lane a column, and for the 33rd column a lane a row.
const int W = 33;
__global__ void __cluster_dims__(1, 8, 1) __launch_bounds__(512) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  __shared__ float s[16][W + 2], all[8][W];
  cg::cluster_group cl = cg::this_cluster();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");  // that all blocks have begun; waited for below
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, c = blockIdx.x * W + lane, extra = blockIdx.x * W + 32;
  int share = (rows + 7) / 8, from = blockIdx.y * share, to = min(rows, from + share);
  bool in = c < columns, more = extra < columns;
  float a = 0, b = 0, d = 0;
  for (int r = from + warp * 32; r < to; r += 512) {
    const float* p = x + (long)r * columns + c;
    float e = more && r + lane < to ? __ldg(x + (long)(r + lane) * columns + extra) : 0.f;
    float v[32];
    if (r + 32 <= to) {
#pragma unroll
      for (int i = 0; i < 32; ++i) { v[i] = in ? __ldg(p) : 0.f; p += columns; }
    } else {
#pragma unroll
      for (int i = 0; i < 32; ++i) { v[i] = in && r + i < to ? __ldg(p) : 0.f; p += columns; }
    }
#pragma unroll
    for (int i = 0; i < 32; i += 2) { a += v[i]; b += v[i + 1]; }
    d += e;
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) d += __shfl_xor_sync(~0u, d, o);
  s[warp][lane] = a + b;
  if (lane == 0) s[warp][32] = d;
  __syncthreads();
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x < W) {
    float t = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) t += s[i][threadIdx.x];
    *cl.map_shared_rank(&all[blockIdx.y][threadIdx.x], 0) = t;
  }
  cl.sync();
  int out = blockIdx.x * W + threadIdx.x;
  if (blockIdx.y == 0 && threadIdx.x < W && out < columns) {
    float t = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) t += all[i][threadIdx.x];
    y[out] = t;
  }
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  k<<<dim3((columns + W - 1) / W, 8), 512>>>(x, y, rows, columns);
}
