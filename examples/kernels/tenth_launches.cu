// Launches of twelve kernels that no other set has, in two sizes each: products, clusters, asynchronous copies, loops of barriers, and
// kernels near a limit of the GPU (benchmarks/gpu/launch_sets.py).
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <mma.h>

#include <cstdint>
namespace cg = cooperative_groups;
using namespace nvcuda;
#define SHARED(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))
__device__ inline void copy16(void* to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(to)), "l"(from)); }
__device__ inline void commit() { asm volatile("cp.async.commit_group;"); }
template <int N>
__device__ inline void leave_under_way() { asm volatile("cp.async.wait_group %0;" ::"n"(N)); }

extern "C" {
// A product of halves on fragments, 64 by 64 results a block; the next tile waits in registers meanwhile.
__global__ void __launch_bounds__(128) held_product(const __half* p, const __half* q, float* y, int n, int depth) {
  __shared__ __align__(32) __half a[64][40], b[32][72];
  const int t = threadIdx.x, warp = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, wr = warp / 2 * 32, wc = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& row : sum)
    for (auto& s : row) wmma::fill_fragment(s, 0.0f);
  uint4 next_a[2], next_b[2];
  const auto fetch = [&](int k) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int j = t + 128 * e;
      next_a[e] = *(const uint4*)&p[(size_t)(r0 + j / 4) * depth + k + j % 4 * 8];
      next_b[e] = *(const uint4*)&q[(size_t)(k + j / 8) * n + c0 + j % 8 * 8];
    }
  };
  fetch(0);
  for (int k = 0; k < depth; k += 32) {
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int j = t + 128 * e;
      *(uint4*)&a[j / 4][j % 4 * 8] = next_a[e];
      *(uint4*)&b[j / 8][j % 8 * 8] = next_b[e];
    }
    __syncthreads();
    if (k + 32 < depth) fetch(k + 32);
    for (int e = 0; e < 32; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> u[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v[2];
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(u[i], &a[wr + 16 * i][e], 40), wmma::load_matrix_sync(v[i], &b[e][wc + 16 * i], 72);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], u[i], v[j], sum[i][j]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::store_matrix_sync(&y[(size_t)(r0 + wr + 16 * i) * n + c0 + wc + 16 * j], sum[i][j], n, wmma::mem_row_major);
}
// A thin product: 16 rows of x on a wide matrix of bf16, each warp a strip of 16 columns, straight from memory.
__global__ void thin_product(const __nv_bfloat16* x, const __nv_bfloat16* w, float* y, int n, int depth) {
  const int strip = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < depth; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> u;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> v;
    wmma::load_matrix_sync(u, x + k, depth);
    wmma::load_matrix_sync(v, w + (size_t)strip * 16 * depth + k, depth);
    wmma::mma_sync(sum, u, v, sum);
  }
  wmma::store_matrix_sync(y + strip * 16, sum, n, wmma::mem_row_major);
}
// Gram matrices of 64 vectors of 64 halves each, a block a group, with a softmax of each row.
__global__ void __launch_bounds__(128) gram_rows(const __half* p, float* y, int groups) {
  __shared__ __align__(32) __half v[64][72];
  __shared__ __align__(32) float s[64][68];
  const int t = threadIdx.x, warp = t / 32;
  for (int g = blockIdx.x; g < groups; g += gridDim.x) {
    for (int j = t; j < 512; j += 128) *(uint4*)&v[j / 8][j % 8 * 8] = ((const uint4*)p)[(size_t)g * 512 + j];
    __syncthreads();
    for (int c = 0; c < 4; ++c) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
      wmma::fill_fragment(d, 0.0f);
      for (int e = 0; e < 4; ++e) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
        wmma::load_matrix_sync(a, &v[warp * 16][e * 16], 72);
        wmma::load_matrix_sync(b, &v[c * 16][e * 16], 72);
        wmma::mma_sync(d, a, b, d);
      }
      wmma::store_matrix_sync(&s[warp * 16][c * 16], d, 68, wmma::mem_row_major);
    }
    __syncthreads();
    for (int r = warp; r < 64; r += 4) {
      const float a = s[r][t % 32], b = s[r][t % 32 + 32];
      float most = fmaxf(a, b);
      for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
      const float ea = __expf(a - most), eb = __expf(b - most);
      float sum = ea + eb;
      for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
      y[(size_t)g * 4096 + r * 64 + t % 32] = ea / sum, y[(size_t)g * 4096 + r * 64 + t % 32 + 32] = eb / sum;
    }
    __syncthreads();
  }
}
// A matrix turned over a cluster of four: each block reads rows, and takes its columns from the others' shared memory.
__global__ void __cluster_dims__(4, 1, 1) cluster_turn(const float* x, float* y, int times) {
  __shared__ float room[64][65];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), t = threadIdx.x;
  for (int k = 0; k < times; ++k) {
    const size_t base = ((size_t)blockIdx.x * times + k) * 4096;
    for (int j = t; j < 4096; j += blockDim.x) room[j / 64][j % 64] = x[base + j];
    cluster.sync();
    for (int from = 0; from < 4; ++from) {
      const float* other = cluster.map_shared_rank(&room[0][0], from);
      for (int j = t; j < 1024; j += blockDim.x) y[base + from * 1024 + j] = other[(j % 64) * 65 + rank * 16 + j / 64];
    }
    cluster.sync();
  }
}
// The largest number of a row, and all divided by it: a cluster of two a row of 16,384 floats.
__global__ void __cluster_dims__(2, 1, 1) cluster_scale(const float* x, float* y, int rows) {
  __shared__ float warps[32], most_of[1];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), t = threadIdx.x;
  for (int r = blockIdx.x / 2; r < rows; r += gridDim.x / 2) {
    const float* in = x + (size_t)r * 16384 + rank * 8192;
    float v[8], most = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) most = fmaxf(most, v[k] = in[k * 1024 + t]);
    for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
    if (t % 32 == 0) warps[t / 32] = most;
    __syncthreads();
    if (t < 32) {
      most = warps[t];
      for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
      if (t == 0) most_of[0] = most;
    }
    cluster.sync();
    const float scale = 1 / fmaxf(most_of[0], *cluster.map_shared_rank(most_of, rank ^ 1));
#pragma unroll
    for (int k = 0; k < 8; ++k) y[(size_t)r * 16384 + rank * 8192 + k * 1024 + t] = v[k] * scale;
    cluster.sync();
  }
}
// Counts over a cluster of four: a block owns a quarter of 4,096 counters, all add to it with atomics.
__global__ void __cluster_dims__(4, 1, 1) cluster_counts(const unsigned* k, unsigned* out, int each) {
  __shared__ unsigned own[1024];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  for (int j = t; j < 1024; j += blockDim.x) own[j] = 0;
  cluster.sync();
  for (int j = 0; j < each; ++j) {
    const unsigned v = k[((size_t)blockIdx.x * each + j) * blockDim.x + t] & 4095;
    atomicAdd(cluster.map_shared_rank(&own[v & 1023], v >> 10), 1u);
  }
  cluster.sync();
  for (int j = t; j < 1024; j += blockDim.x) out[(size_t)blockIdx.x * 1024 + j] = own[j];
}
// A cross-shaped filter over strips of rows, which come by asynchronous copies four rows ahead.
__global__ void copied_strips(const float* x, float* y, int width, int rows) {
  __shared__ __align__(16) float room[8][1032];
  const int t = threadIdx.x, c0 = blockIdx.x * 1024, r0 = blockIdx.y * rows;
  const auto fetch = [&](int r) {
    if (r < rows + 2) copy16(&room[r & 7][4 * t + 4], &x[(size_t)(r0 + r) * width + c0 + 4 * t]);
    commit();
  };
  for (int r = 0; r < 5; ++r) fetch(r);
  for (int r = 0; r < rows; ++r) {
    leave_under_way<2>();
    __syncthreads();
    fetch(r + 5);
    float v[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int c = 4 * t + 4 + e;
      v[e] = 0.5f * room[(r + 1) & 7][c] + 0.125f * (room[r & 7][c] + room[(r + 2) & 7][c] + room[(r + 1) & 7][max(c - 1, 4)] + room[(r + 1) & 7][min(c + 1, 1027)]);
    }
    *(float4*)&y[(size_t)(r0 + r) * width + c0 + 4 * t] = make_float4(v[0], v[1], v[2], v[3]);
  }
}
// A table of 4,096 floats comes once by asynchronous copies; then numbers are looked up in it.
__global__ void copied_table(const float* w, const unsigned* k, float* y, int each) {
  __shared__ __align__(16) float table[4096];
  const int t = threadIdx.x;
  for (int j = t; j < 1024; j += blockDim.x) copy16(&table[4 * j], &w[4 * j]);
  commit();
  leave_under_way<0>();
  __syncthreads();
  for (int j = 0; j < each; ++j) {
    const size_t at = ((size_t)blockIdx.x * each + j) * blockDim.x + t;
    y[at] = table[k[at] & 4095] + table[k[at] >> 12 & 4095];
  }
}
// The longest common subsequences of two words a block, a diagonal at a time, four cells a thread.
__global__ void common_words(const int* k, int* l, int length) {
  __shared__ short at[3][1026];
  const int t = threadIdx.x;
  const int *a = k + blockIdx.x * 2 * length, *b = a + length;
  for (int j = t; j < 3 * 1026; j += blockDim.x) (&at[0][0])[j] = 0;
  __syncthreads();
  for (int d = 0; d < 2 * length - 1; ++d) {
    const short *two = at[d % 3], *one = at[(d + 1) % 3];
    short* now = at[(d + 2) % 3];
    for (int r = t; r < length; r += blockDim.x) {
      const int c = d - r;
      if (c >= 0 && c < length) now[r + 1] = (a[r] & 3) == (b[c] & 3) ? two[r] + 1 : max(one[r], one[r + 1]);
    }
    __syncthreads();
  }
  if (t == 0) l[blockIdx.x] = at[(2 * length) % 3][length];
}
// Systems of 32 equations, a block each: Gauss and Jordan, a barrier for each column.
__global__ void solved(const float* x, float* y, int systems) {
  __shared__ float s[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int system = blockIdx.x; system < systems; system += gridDim.x) {
    for (int r = ty; r < 32; r += blockDim.y) s[r][tx] = x[(size_t)system * 1024 + r * 32 + tx] + (r == tx ? 32.0f : 0.0f);
    __syncthreads();
    for (int c = 0; c < 32; ++c) {
      const float pivot = 1 / s[c][c], mine = s[c][tx];
      float factors[8];
#pragma unroll
      for (int k = 0; k < 8; ++k) factors[k] = s[ty + 4 * k][c] * pivot;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const int r = ty + 4 * k;
        if (r != c) s[r][tx] -= factors[k] * mine;
      }
      __syncthreads();
    }
    for (int r = ty; r < 32; r += blockDim.y) y[(size_t)system * 1024 + r * 32 + tx] = s[r][tx] / s[r][r];
    __syncthreads();
  }
}
// A weighted sum of three arrays, four floats a thread and turn, over a grid that fills the GPU once.
__global__ void __launch_bounds__(256) mixed_streams(const float4* x, const float4* z, float4* y, int count) {
  for (int j = blockIdx.x * 256 + threadIdx.x; j < count; j += gridDim.x * 256) {
    const float4 a = x[j], b = z[j & 0xfffff];
    y[j] = make_float4(a.x * 0.3f + b.x, a.y * 0.3f + b.y, a.z * 0.3f + b.z, a.w * 0.3f + b.w);
  }
}
// A product of floats, 128 by 64 results a block of 256 threads, eight by four a thread, near the limit of the FMA pipe.
__global__ void __launch_bounds__(256) tiled_floats(const float* x, const float* z, float* y, int n, int depth) {
  __shared__ __align__(16) float a[16][132], b[16][68];
  const int t = threadIdx.x, r0 = blockIdx.y * 128, c0 = blockIdx.x * 64, tr = t / 16 * 8, tc = t % 16 * 4;
  float sum[8][4] = {};
  for (int k = 0; k < depth; k += 16) {
    for (int j = t; j < 512; j += 256) {
      const float4 v = *(const float4*)&x[(size_t)(r0 + j / 4) * depth + k + j % 4 * 4];
      a[j % 4 * 4][j / 4] = v.x, a[j % 4 * 4 + 1][j / 4] = v.y, a[j % 4 * 4 + 2][j / 4] = v.z, a[j % 4 * 4 + 3][j / 4] = v.w;
    }
    *(float4*)&b[t / 16][t % 16 * 4] = *(const float4*)&z[(size_t)(k + t / 16) * n + c0 + t % 16 * 4];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const float4 u0 = *(const float4*)&a[e][tr], u1 = *(const float4*)&a[e][tr + 4], v = *(const float4*)&b[e][tc];
      const float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
#pragma unroll
      for (int i = 0; i < 8; ++i) sum[i][0] += u[i] * v.x, sum[i][1] += u[i] * v.y, sum[i][2] += u[i] * v.z, sum[i][3] += u[i] * v.w;
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) *(float4*)&y[(size_t)(r0 + tr + i) * n + c0 + tc] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
}
