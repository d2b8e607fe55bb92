// Launches of fifteen kernels that no other set has, in two sizes each: products, clusters, asynchronous copies, loops of barriers, and
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
__device__ inline void wait_for(uint64_t* barrier, unsigned phase) {
  asm volatile("{\n.reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::"r"(SHARED(barrier)),
               "r"(phase) : "memory");
}
/// A matrix descriptor without a swizzle: cores of 8 by 16 bytes, one behind the other along k.
__device__ inline uint64_t tile_at(const void* at, uint32_t leading, uint32_t stride) {
  return (SHARED(at) & 0x3ffff) >> 4 | static_cast<uint64_t>(leading >> 4) << 16 | static_cast<uint64_t>(stride >> 4) << 32;
}

extern "C" {
// A product of halves, 128 by 64 results a block of eight warps, three stages of copies.
__global__ void __launch_bounds__(256) staged_product(const __half* p, const __half* q, float* y, int n, int depth) {
  __shared__ __align__(16) __half a[3][128][40], b[3][32][72];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, row = warp / 2 * 32, col = warp % 2 * 32, r0 = blockIdx.y * 128, c0 = blockIdx.x * 64;
  float sum[2][4][4] = {};
  const auto fetch = [&](int stage, int k) {
    if (k < depth) {
      for (int e = t; e < 512; e += 256) copy16(&a[stage][e / 4][e % 4 * 8], &p[(size_t)(r0 + e / 4) * depth + k + e % 4 * 8]);
      copy16(&b[stage][t / 8][t % 8 * 8], &q[(size_t)(k + t / 8) * n + c0 + t % 8 * 8]);
    }
    commit();
  };
  fetch(0, 0), fetch(1, 32);
  for (int k = 0, stage = 0; k < depth; k += 32, stage = (stage + 1) % 3) {
    leave_under_way<1>();
    __syncthreads();
    fetch((stage + 2) % 3, k + 64);
#pragma unroll
    for (int e = 0; e < 32; e += 16) {
      uint32_t u[2][4], v[4][2];
#pragma unroll
      for (int s = 0; s < 2; ++s)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(u[s][0]), "=r"(u[s][1]), "=r"(u[s][2]), "=r"(u[s][3])
                     : "r"(SHARED(&a[stage][row + s * 16 + lane % 16][e + lane / 16 * 8])));
#pragma unroll
      for (int d = 0; d < 4; ++d)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(v[d][0]), "=r"(v[d][1]) : "r"(SHARED(&b[stage][e + lane % 16][col + d * 8])));
#pragma unroll
      for (int s = 0; s < 2; ++s)
#pragma unroll
        for (int d = 0; d < 4; ++d)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(sum[s][d][0]), "+f"(sum[s][d][1]), "+f"(sum[s][d][2]), "+f"(sum[s][d][3])
                       : "r"(u[s][0]), "r"(u[s][1]), "r"(u[s][2]), "r"(u[s][3]), "r"(v[d][0]), "r"(v[d][1]));
    }
  }
  for (int s = 0; s < 2; ++s)
    for (int d = 0; d < 4; ++d) {
      float* at = &y[(size_t)(r0 + row + s * 16 + lane / 4) * n + c0 + col + d * 8 + lane % 4 * 2];
      *(float2*)at = make_float2(sum[s][d][0], sum[s][d][1]);
      *(float2*)(at + 8 * n) = make_float2(sum[s][d][2], sum[s][d][3]);
    }
}
// Attention of a head of 64: 64 queries a block, tiles of 64 keys, scores and results by tensor cores, a running maximum.
__global__ void __launch_bounds__(128) attend_tiles(const __half* q, const __half* kv, float* y, int keys) {
  __shared__ __align__(32) __half ks[64][72], ps[64][72];
  __shared__ __align__(32) float s[64][68];
  const int t = threadIdx.x, warp = t / 32, r = t / 2, half = t % 2 * 32;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> queries[4];
  for (int e = 0; e < 4; ++e) wmma::load_matrix_sync(queries[e], q + (size_t)(blockIdx.x * 64 + warp * 16) * 64 + e * 16, 64);
  float most = -1e30f, total = 0, result[32];
#pragma unroll
  for (int e = 0; e < 32; ++e) result[e] = 0;
  for (int first = 0; first < keys; first += 64) {
    __syncthreads();
    for (int j = t; j < 512; j += 128) *(uint4*)&ks[j / 8][j % 8 * 8] = ((const uint4*)kv)[(size_t)first * 8 + j];
    __syncthreads();
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
      wmma::fill_fragment(d, 0.0f);
      for (int e = 0; e < 4; ++e) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
        wmma::load_matrix_sync(g, &ks[j * 16][e * 16], 72);
        wmma::mma_sync(d, queries[e], g, d);
      }
      wmma::store_matrix_sync(&s[warp * 16][j * 16], d, 68, wmma::mem_row_major);
    }
    __syncwarp();
    float here = most;
    for (int j = 0; j < 32; ++j) here = fmaxf(here, s[r][half + j] * 0.125f);
    here = fmaxf(here, __shfl_xor_sync(~0u, here, 1));
    const float scale = __expf(most - here);
    float sum = 0;
    for (int j = 0; j < 32; ++j) {
      const float v = __expf(s[r][half + j] * 0.125f - here);
      sum += v;
      ps[r][half + j] = __float2half(v);
    }
    total = total * scale + sum + __shfl_xor_sync(~0u, sum, 1);
    most = here;
    __syncwarp();
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
      wmma::fill_fragment(d, 0.0f);
      for (int e = 0; e < 4; ++e) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g;
        wmma::load_matrix_sync(f, &ps[warp * 16][e * 16], 72);
        wmma::load_matrix_sync(g, &ks[e * 16][j * 16], 72);
        wmma::mma_sync(d, f, g, d);
      }
      wmma::store_matrix_sync(&s[warp * 16][j * 16], d, 68, wmma::mem_row_major);
    }
    __syncwarp();
#pragma unroll
    for (int e = 0; e < 32; ++e) result[e] = result[e] * scale + s[r][half + e];
  }
#pragma unroll
  for (int e = 0; e < 32; ++e) y[(size_t)(blockIdx.x * 64 + r) * 64 + half + e] = result[e] / total;
}
// A warp group's product, 64 by 64 results a block; the next tiles are copied meanwhile.
__global__ void __launch_bounds__(128) group_ahead(const __half* a, const __half* b, float* c, int n, int depth) {
  __shared__ alignas(128) uint4 as[2][512], bs[2][512];  // 64 rows of 64 halves each
  float d[32] = {};
  const auto fetch = [&](int stage, int k) {
    if (k < depth)
      for (int j = threadIdx.x; j < 512; j += 128) {
        const int to = j / 64 * 64 + j % 8 * 8 + j / 8 % 8;
        copy16(&as[stage][to], (const uint4*)(a + (size_t)(blockIdx.y * 64 + j / 8) * depth + k) + j % 8);
        copy16(&bs[stage][to], (const uint4*)(b + (size_t)(blockIdx.x * 64 + j / 8) * depth + k) + j % 8);
      }
    commit();
  };
  fetch(0, 0);
  for (int k = 0, stage = 0; k < depth; k += 64, stage ^= 1) {
    fetch(stage ^ 1, k + 64);
    leave_under_way<1>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < 4; ++step)
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,"
                   "%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
                     "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
                     "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                   : "l"(tile_at(as[stage] + step * 16, 128, 1024)), "l"(tile_at(bs[stage] + step * 16, 128, 1024)));
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  const int lane = threadIdx.x % 32, row = blockIdx.y * 64 + threadIdx.x / 32 * 16 + lane / 4;
  for (int j = 0; j < 8; ++j) {
    float* at = &c[(size_t)row * n + blockIdx.x * 64 + j * 8 + lane % 4 * 2];
    *(float2*)at = make_float2(d[j * 4], d[j * 4 + 1]);
    *(float2*)(at + 8 * n) = make_float2(d[j * 4 + 2], d[j * 4 + 3]);
  }
}
// Correlations of floats in TF32, 64 by 64 results a block of four warps.
__global__ void __launch_bounds__(128) correlate(const float* x, const float* z, float* y, int n, int depth) {
  __shared__ __align__(32) float a[64][36], b[64][36];
  const int t = threadIdx.x, warp = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[4];
  for (auto& s : sum) wmma::fill_fragment(s, 0.0f);
  for (int k = 0; k < depth; k += 32) {
    for (int j = t; j < 512; j += 128) {
      *(float4*)&a[j / 8][j % 8 * 4] = *(const float4*)&x[(size_t)(r0 + j / 8) * depth + k + j % 8 * 4];
      *(float4*)&b[j / 8][j % 8 * 4] = *(const float4*)&z[(size_t)(c0 + j / 8) * depth + k + j % 8 * 4];
    }
    __syncthreads();
    for (int e = 0; e < 32; e += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> f;
      wmma::load_matrix_sync(f, &a[warp * 16][e], 36);
      for (int m = 0; m < 4; ++m) {
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> g;
        wmma::load_matrix_sync(g, &b[m * 16][e], 36);
        wmma::mma_sync(sum[m], f, g, sum[m]);
      }
    }
    __syncthreads();
  }
  for (int m = 0; m < 4; ++m) wmma::store_matrix_sync(&y[(size_t)(r0 + warp * 16) * n + c0 + m * 16], sum[m], n, wmma::mem_row_major);
}
// Sums of columns over a cluster of two blocks: each adds what the other has of its half of the columns.
__global__ void __cluster_dims__(2, 1, 1) cluster_columns(const float* x, float* y, int rows, int width) {
  __shared__ float part[1024];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), pair = blockIdx.x / 2;
  for (int c = threadIdx.x; c < 1024; c += blockDim.x) {
    float sum = 0;
    for (int r = rank; r < rows; r += 2) sum += x[((size_t)pair * rows + r) * width + c];
    part[c] = sum;
  }
  cluster.sync();
  const float* other = cluster.map_shared_rank(part, rank ^ 1);
  for (int c = rank * 512 + threadIdx.x; c < rank * 512 + 512; c += blockDim.x) y[pair * 1024 + c] = part[c] + other[c];
  cluster.sync();
}
// A rod over a cluster of four blocks: each step takes the neighbours' ends.
__global__ void __cluster_dims__(4, 1, 1) cluster_rod(const float* x, float* y, int steps) {
  __shared__ float at[2][1024];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), t = threadIdx.x;
  for (int j = t; j < 1024; j += 256) at[0][j] = x[blockIdx.x * 1024 + j];
  cluster.sync();
  for (int k = 0; k < steps; ++k) {
    const float *now = at[k & 1], *left = cluster.map_shared_rank(at[k & 1], (rank + 3) & 3), *right = cluster.map_shared_rank(at[k & 1], (rank + 1) & 3);
    for (int j = t; j < 1024; j += 256) {
      const float a = j > 0 ? now[j - 1] : left[1023], b = j < 1023 ? now[j + 1] : right[0];
      at[~k & 1][j] = 0.25f * a + 0.5f * now[j] + 0.25f * b;
    }
    cluster.sync();
  }
  for (int j = t; j < 1024; j += 256) y[blockIdx.x * 1024 + j] = at[steps & 1][j];
}
// Numbers dealt out over a cluster of eight by their low bits, to places that atomics give.
__global__ void __cluster_dims__(8, 1, 1) cluster_deal(const unsigned* k, unsigned* out, int each) {
  __shared__ unsigned room[4096];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  for (int j = t; j < 4096; j += blockDim.x) room[j] = 0;
  cluster.sync();
  for (int j = 0; j < each; ++j) {
    const unsigned v = k[((size_t)blockIdx.x * each + j) * blockDim.x + t];
    unsigned* to = cluster.map_shared_rank(room, v & 7);
    to[v >> 3 & 4095] = v;
  }
  cluster.sync();
  for (int j = t; j < 4096; j += blockDim.x) out[(size_t)blockIdx.x * 4096 + j] = room[j];
}
// Rows of a table by their numbers, copied asynchronously two ahead, and added up.
__global__ void copied_bags(const int* k, const float* x, float* y, int each) {
  __shared__ float4 room[3][4][64];
  const int t = threadIdx.x, lane = t % 64, group = t / 64;
  const int* of = k + (blockIdx.x * 4 + group) * each;
  const auto fetch = [&](int j) {
    if (j < each) copy16(&room[j % 3][group][lane], (const float4*)x + (size_t)(of[j] & 0xffff) * 64 + lane);
    commit();
  };
  fetch(0), fetch(1);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int j = 0; j < each; ++j) {
    fetch(j + 2);
    leave_under_way<2>();
    const float4 v = room[j % 3][group][lane];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  ((float4*)y)[(blockIdx.x * 4 + group) * 64 + lane] = sum;
}
// Rows by the engine of copies to shared memory, scaled there, and back by the engine.
__global__ void engine_rows(const float* x, float* y, int rows) {
  __shared__ alignas(128) float room[2][4096];
  __shared__ uint64_t full[2];
  const int t = threadIdx.x;
  const auto begin = [&](int r) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SHARED(&full[r & 1])), "r"(16384));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(room[r & 1])),
                 "l"(x + ((size_t)blockIdx.x * rows + r) * 4096), "r"(16384), "r"(SHARED(&full[r & 1])) : "memory");
  };
  if (t == 0)
    for (int j = 0; j < 2; ++j) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(&full[j])) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  if (t == 0) begin(0);
  for (int r = 0; r < rows; ++r) {
    if (t == 0 && r + 1 < rows) {
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      begin(r + 1);
    }
    wait_for(&full[r & 1], r >> 1 & 1);
    for (int j = t; j < 4096; j += 256) room[r & 1][j] = room[r & 1][j] * 0.5f + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n cp.async.bulk.commit_group;" ::"l"(y + ((size_t)blockIdx.x * rows + r) * 4096),
                   "r"(SHARED(room[r & 1])), "r"(16384) : "memory");
  }
  if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// Edit distances, a block a pair of words: a diagonal at a time.
__global__ void edit_distance(const int* k, int* l, int length) {
  __shared__ int at[3][1025];
  const int t = threadIdx.x;
  const int *a = k + blockIdx.x * 2 * length, *b = a + length;
  const int mine = a[t] & 3;
  if (t == 0) at[0][0] = 0, at[1][0] = 1;
  for (int d = 0; d < 2 * length - 1; ++d) {
    const int* two = at[d % 3];
    const int* one = at[(d + 1) % 3];
    int* now = at[(d + 2) % 3];
    const int c = d - t;
    if (c >= 0 && c < length) {
      const int before = two[t] + (mine != (b[c] & 3));
      now[t + 1] = min(before, min(one[t], one[t + 1]) + 1);
    }
    if (t == 0) now[0] = d + 2;
    __syncthreads();
  }
  if (t == 0) l[blockIdx.x] = at[(2 * length) % 3][length];
}
// Sums up to each element, by doubling steps between barriers, several times.
__global__ void doubled_sums(const float* x, float* y, int times) {
  __shared__ float s[2][1024];
  const int t = threadIdx.x;
  float v = x[blockIdx.x * blockDim.x + t];
  for (int k = 0; k < times; ++k) {
    s[0][t] = v;
    int from = 0;
    for (int step = 1; step < blockDim.x; step *= 2, from ^= 1) {
      __syncthreads();
      s[from ^ 1][t] = t >= step ? s[from][t] + s[from][t - step] : s[from][t];
    }
    __syncthreads();
    v = s[from][t] * 0.001f;
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + t] = v;
}
// Heat in a plate of 32 by 32 that a block keeps in shared memory.
__global__ void plates_of_heat(const float* x, float* y, int steps) {
  __shared__ float s[2][34][34];
  const int tx = threadIdx.x, ty = threadIdx.y, at = blockIdx.x * 1024 + ty * 32 + tx;
  for (int j = ty * 32 + tx; j < 2 * 34 * 34; j += blockDim.x * blockDim.y) (&s[0][0][0])[j] = 0;
  __syncthreads();
  for (int r = ty; r < 32; r += blockDim.y) s[0][r + 1][tx + 1] = x[at + (r - ty) * 32];
  for (int k = 0; k < steps; ++k) {
    __syncthreads();
    for (int r = ty; r < 32; r += blockDim.y) {
      const float(*o)[34] = s[k & 1];
      s[~k & 1][r + 1][tx + 1] = 0.2f * (o[r + 1][tx + 1] + o[r][tx + 1] + o[r + 2][tx + 1] + o[r + 1][tx] + o[r + 1][tx + 2]);
    }
  }
  __syncthreads();
  for (int r = ty; r < 32; r += blockDim.y) y[at + (r - ty) * 32] = s[steps & 1][r + 1][tx + 1];
}
// Rows of 4,096 numbers, softmax of each in the registers of a block, four numbers at a time.
__global__ void __launch_bounds__(256) soft_rows(const float4* x, float4* y) {
  __shared__ float part[2][8];
  const int t = threadIdx.x;
  float4 v[4];
  float most = -1e30f, sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = x[(size_t)blockIdx.x * 1024 + k * 256 + t];
#pragma unroll
  for (int k = 0; k < 4; ++k) most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
  if (t % 32 == 0) part[0][t / 32] = most;
  __syncthreads();
  for (int j = 0; j < 8; ++j) most = fmaxf(most, part[0][j]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    v[k] = make_float4(__expf(v[k].x - most), __expf(v[k].y - most), __expf(v[k].z - most), __expf(v[k].w - most));
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (t % 32 == 0) part[1][t / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int j = 0; j < 8; ++j) sum += part[1][j];
  const float scale = __fdividef(1, sum);
#pragma unroll
  for (int k = 0; k < 4; ++k) y[(size_t)blockIdx.x * 1024 + k * 256 + t] = make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
}
// A matrix turned in tiles of 64 by 64, four numbers at a time.
__global__ void __launch_bounds__(256) turned_tiles(const float4* x, float4* y, int side) {
  __shared__ float tile[64][65];
  const int t = threadIdx.x, c = t % 16, r = t / 16;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float4 v = x[((size_t)(blockIdx.y * 64 + r + 16 * k) * side + blockIdx.x * 64) / 4 + c];
    tile[4 * c][r + 16 * k] = v.x, tile[4 * c + 1][r + 16 * k] = v.y, tile[4 * c + 2][r + 16 * k] = v.z, tile[4 * c + 3][r + 16 * k] = v.w;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float* from = &tile[r + 16 * k][4 * c];
    y[((size_t)(blockIdx.x * 64 + r + 16 * k) * side + blockIdx.y * 64) / 4 + c] = make_float4(from[0], from[1], from[2], from[3]);
  }
}
// The eight largest numbers of each lane's column, all loaded before any is compared.
__global__ void __launch_bounds__(128) largest_of(const float* x, float* y, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  float v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = x[(size_t)k * columns + c];
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int k = 31; k > j; --k) {
      const float high = fmaxf(v[k - 1], v[k]);
      v[k] = fminf(v[k - 1], v[k]);
      v[k - 1] = high;
    }
#pragma unroll
  for (int j = 0; j < 8; ++j) y[(size_t)j * columns + c] = v[j];
}
}
