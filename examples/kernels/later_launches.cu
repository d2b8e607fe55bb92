// Launches of twelve kernels that no other set has, in two sizes each (benchmarks/gpu/launch_sets.py).
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <math.h>
#include <mma.h>

#include <cstdint>
namespace cg = cooperative_groups;
using namespace nvcuda;
#define SHARED(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))

extern "C" {
// RMS norm of rows, a warp a row, four floats a lane.
__global__ void rms_rows(const float4* x, const float4* w, float4* y, int words) {
  const int lane = threadIdx.x % 32, r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const float4* in = x + (size_t)r * words;
  float sum = 0;
  for (int j = lane; j < words; j += 32) {
    const float4 v = in[j];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  const float scale = rsqrtf(sum / (4 * words) + 1e-6f);
  for (int j = lane; j < words; j += 32) {
    const float4 v = in[j], g = w[j];
    y[(size_t)r * words + j] = make_float4(v.x * scale * g.x, v.y * scale * g.y, v.z * scale * g.z, v.w * scale * g.w);
  }
}
// Bags of 16 rows of a table, added up; a block of 64 threads a bag.
__global__ void bag_sums(const int* k, const float* table, float* y, int rows, int width) {
  const int bag = blockIdx.x;
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    float sum = 0;
    for (int j = 0; j < 16; ++j) sum += table[(size_t)((unsigned)k[bag * 16 + j] % rows) * width + c];
    y[(size_t)bag * width + c] = sum;
  }
}
// A sparse matrix times a vector, a thread a row, of up to 31 columns.
__global__ void sparse_rows(const int* k, const float* x, float* y, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x, length = k[r] & 31;
  float sum = 0;
  for (int j = 0; j < length; ++j) sum += 0.5f * x[(unsigned)k[r * 16 + (j & 15)] * 7u % columns];
  y[r] = sum;
}
// The place of the largest of a row, a block a row.
__global__ void argmax_rows(const float* x, int* l, int width) {
  __shared__ float values[8];
  __shared__ int places[8];
  float best = -1;
  int at = 0;
  for (int j = threadIdx.x; j < width; j += 256) {
    const float v = x[(size_t)blockIdx.x * width + j];
    if (v > best) best = v, at = j;
  }
  for (int m = 16; m; m /= 2) {
    const float other = __shfl_down_sync(~0u, best, m);
    const int place = __shfl_down_sync(~0u, at, m);
    if (other > best) best = other, at = place;
  }
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = best, places[threadIdx.x / 32] = at;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int j = 1; j < 8; ++j)
      if (values[j] > best) best = values[j], at = places[j];
    l[blockIdx.x] = at;
  }
}
// A picture made 1.6 times larger, between four pixels.
__global__ void enlarged(const float* x, float* y, int side, int out) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  const float fx = c * 0.625f, fy = r * 0.625f;
  const int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, side - 1), y1 = min(y0 + 1, side - 1);
  const float ax = fx - x0, ay = fy - y0;
  const float top = x[y0 * side + x0] * (1 - ax) + x[y0 * side + x1] * ax, low = x[y1 * side + x0] * (1 - ax) + x[y1 * side + x1] * ax;
  y[r * out + c] = top * (1 - ay) + low * ay;
}
// Depth-wise convolution of 3 by 3, a channel a z.
__global__ void depthwise(const float* x, const float* w, float* y, int side) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c >= side || r >= side) return;
  const size_t channel = (size_t)blockIdx.z * side * side;
  float sum = 0;
  for (int v = -1; v <= 1; ++v)
    for (int u = -1; u <= 1; ++u)
      if (r + v >= 0 && r + v < side && c + u >= 0 && c + u < side) sum += w[blockIdx.z % 64 * 9 + (v + 1) * 3 + u + 1] * x[channel + (r + v) * side + c + u];
  y[channel + r * side + c] = fmaxf(sum, 0.0f);
}
// Attention of one query over many keys of 64 numbers, a warp a head, sums made new as the maximum grows.
__global__ void one_query(const float* w, const float* x, float* y, int keys) {
  const int lane = threadIdx.x % 32, head = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const float2 q = ((const float2*)w)[head % 64 * 32 + lane];
  float most = -1e30f, sum = 0;
  float2 all = {0, 0};
  for (int j = 0; j < keys; ++j) {
    const float2 k = ((const float2*)x)[((size_t)head * keys + j) * 32 + lane];
    float score = q.x * k.x + q.y * k.y;
    for (int m = 16; m; m /= 2) score += __shfl_xor_sync(~0u, score, m);
    const float now = fmaxf(most, score), old = __expf(most - now), p = __expf(score - now);
    sum = sum * old + p;
    all.x = all.x * old + p * k.x, all.y = all.y * old + p * k.y;
    most = now;
  }
  ((float2*)y)[head * 32 + lane] = make_float2(all.x / sum, all.y / sum);
}
// Adam on three arrays in place.
__global__ void adam(const float* x, float* y, float* m, float* v, float rate, int n) {
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) {
    const float g = x[id], a = m[id] * 0.9f + 0.1f * g, b = v[id] * 0.999f + 0.001f * g * g;
    m[id] = a, v[id] = b;
    y[id] -= rate * a / (sqrtf(b) + 1e-8f);
  }
}
// Digits of 8 bits counted by block, then written out.
__global__ void digits(const unsigned* k, unsigned* out, int shift, int each) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int j = 0; j < each; ++j) atomicAdd(&bins[k[(size_t)(blockIdx.x * each + j) * 256 + threadIdx.x] >> shift & 255], 1u);
  __syncthreads();
  out[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
// A product of halves, tiles of 128 by 64 by 32 in shared memory, eight warps, then what is negative is cut.
__global__ void product_cut(const __half* p, const __half* q, float* y, int n, int depth) {
  __shared__ __align__(32) __half a[128][40], b[32][72];
  const int t = threadIdx.x, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32, r0 = blockIdx.y * 128, c0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v) wmma::fill_fragment(sum[u][v], 0.0f);
  for (int j = 0; j < depth; j += 32) {
    for (int e = t; e < 512; e += 256) *(uint4*)&a[e / 4][e % 4 * 8] = *(const uint4*)&p[(size_t)(r0 + e / 4) * depth + j + e % 4 * 8];
    *(uint4*)&b[t / 8][t % 8 * 8] = *(const uint4*)&q[(size_t)(j + t / 8) * n + c0 + t % 8 * 8];
    __syncthreads();
    for (int e = 0; e < 32; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g[2];
      for (int k = 0; k < 2; ++k) {
        wmma::load_matrix_sync(f[k], &a[row + 16 * k][e], 40);
        wmma::load_matrix_sync(g[k], &b[e][col + 16 * k], 72);
      }
      for (int u = 0; u < 2; ++u)
        for (int v = 0; v < 2; ++v) wmma::mma_sync(sum[u][v], f[u], g[v], sum[u][v]);
    }
    __syncthreads();
  }
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v) {
      for (int k = 0; k < sum[u][v].num_elements; ++k) sum[u][v].x[k] = fmaxf(sum[u][v].x[k], 0.0f);
      wmma::store_matrix_sync(y + (size_t)(r0 + row + 16 * u) * n + c0 + col + 16 * v, sum[u][v], n, wmma::mem_row_major);
    }
}
// Rows copied ahead asynchronously, and each averaged with the two around it.
__global__ void copied_rows(const float* x, float* y, int side, int rows) {
  __shared__ float4 room[4][64];
  const int t = threadIdx.x, c = blockIdx.x * 256, r0 = blockIdx.y * rows;
  const auto fetch = [&](int r) {
    if (t < 64)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(&room[r & 3][t])), "l"(x + (size_t)(r0 + r) * side + c + t * 4));
    asm volatile("cp.async.commit_group;");
  };
  fetch(0), fetch(1), fetch(2);
  for (int r = 0; r < rows - 2; ++r) {
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    if (r + 3 < rows) fetch(r + 3);
    const float *a = (const float*)room[r & 3], *b = (const float*)room[(r + 1) & 3], *d = (const float*)room[(r + 2) & 3];
    y[(size_t)(r0 + r) * side + c + t] = (a[t] + b[t] + d[t]) * (1.0f / 3);
  }
}
// Maxima of rows over clusters of four blocks, then everything below half of it is cut.
__global__ void __cluster_dims__(4, 1, 1) cluster_cut(const float* x, float* y, int each) {
  __shared__ float part[8], whole;
  cg::cluster_group cluster = cg::this_cluster();
  const float* in = x + (size_t)blockIdx.x * each;
  float most = 0;
  for (int j = threadIdx.x; j < each; j += 256) most = fmaxf(most, in[j]);
  for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int j = 0; j < 8; ++j) most = fmaxf(most, part[j]);
    whole = most;
  }
  cluster.sync();
  float all = 0;
  for (int r = 0; r < 4; ++r) all = fmaxf(all, *cluster.map_shared_rank(&whole, r));
  for (int j = threadIdx.x; j < each; j += 256) y[(size_t)blockIdx.x * each + j] = in[j] < 0.5f * all ? 0.0f : in[j];
  cluster.sync();
}
}
