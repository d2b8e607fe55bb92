// Kernels that lean on one unit of the GPU, as pairs: NAME_bad has one defect and NAME_fixed does not. Tensor cores, clusters, asynchronous
// copies, barriers and constant memory.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;
__constant__ unsigned of_crc[256] = {0x00000000, 0x77073096, 0xee0e612c, 0x990951ba, 0x076dc419, 0x706af48f, 0xe963a535, 0x9e6495a3};
__constant__ float of_mlp[72] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f};
__device__ inline unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}
__device__ inline void bulk(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes), "r"(shared_address(barrier)) : "memory");
}
__device__ inline void wait_for(unsigned long long* barrier, unsigned phase) {
  asm volatile("{\n.reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::"r"(shared_address(barrier)),
               "r"(phase) : "memory");
}
extern "C" {
__global__ void bitonic_bad(const int* k, int* i) {  // sorts 512 numbers a block, a barrier after each of 45 steps
  __shared__ int v[512];
  const int t = threadIdx.x;
  v[t] = k[blockIdx.x * 512 + t];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step; step /= 2) {
      __syncthreads();
      const int mine = v[t], other = v[t ^ step];
      const bool low = ((t & step) == 0) == ((t & size) == 0);
      __syncthreads();
      v[t] = low ? min(mine, other) : max(mine, other);
    }
  i[blockIdx.x * 512 + t] = v[t];
}
__global__ void bitonic_fixed(const int* k, int* i) {  // steps within a warp by shuffles
  __shared__ int v[512];
  const int t = threadIdx.x;
  int mine = k[blockIdx.x * 512 + t];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step; step /= 2) {
      const bool low = ((t & step) == 0) == ((t & size) == 0);
      int other;
      if (step < 32) {
        other = __shfl_xor_sync(~0u, mine, step);
      } else {
        __syncthreads();
        v[t] = mine;
        __syncthreads();
        other = v[t ^ step];
      }
      mine = low ? min(mine, other) : max(mine, other);
    }
  i[blockIdx.x * 512 + t] = mine;
}
__global__ void crc_bad(const int* k, int* i) {  // a cyclic code of 16 bytes a thread, its table in constant memory
  const uint4 v = ((const uint4*)k)[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  unsigned crc = ~0u;
  for (int j = 0; j < 16; ++j) crc = crc >> 8 ^ of_crc[(crc ^ words[j / 4] >> 8 * (j % 4)) & 255];
  i[blockIdx.x * blockDim.x + threadIdx.x] = crc;
}
__global__ void crc_fixed(const int* k, int* i) {  // its table in shared memory
  __shared__ unsigned table[256];
  table[threadIdx.x] = of_crc[threadIdx.x];
  __syncthreads();
  const uint4 v = ((const uint4*)k)[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  unsigned crc = ~0u;
  for (int j = 0; j < 16; ++j) crc = crc >> 8 ^ table[(crc ^ words[j / 4] >> 8 * (j % 4)) & 255];
  i[blockIdx.x * blockDim.x + threadIdx.x] = crc;
}
__global__ void grep_bad(const int* k, int* i) {  // is the word of four letters here? a place a thread, letters one by one
  const unsigned char* text = (const unsigned char*)k;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  ((unsigned char*)i)[id] = (text[id] == 7) & (text[id + 1] == 0) & (text[id + 2] < 9) & (text[id + 3] > 3);
}
__global__ void grep_fixed(const int* k, int* i) {  // four places a thread, from two words
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = k[id], b = k[id + 1];
  unsigned found = 0;
  for (int j = 0; j < 4; ++j) {
    const unsigned v = __funnelshift_r(a, b, 8 * j);
    found |= (unsigned)(((v & 0xffff) == 7) & ((v >> 16 & 255) < 9) & (v >> 24 > 3)) << 8 * j;
  }
  i[id] = found;
}
__global__ void galois_bad(const int* k, int* i) {  // products in GF(256), the loop over bits left rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = k[id];
  int a = v & 255, b = v >> 8 & 255, sum = 0;
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
#pragma unroll 1
    for (int bit = 0; bit < 8; ++bit) {
      sum ^= -(b >> bit & 1) & a;
      a = a << 1 ^ (-(a >> 7) & 0x11b);
    }
    b = sum + round;
  }
  i[id] = sum;
}
__global__ void galois_fixed(const int* k, int* i) {  // unrolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = k[id];
  int a = v & 255, b = v >> 8 & 255, sum = 0;
#pragma unroll
  for (int round = 0; round < 8; ++round) {
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      sum ^= -(b >> bit & 1) & a;
      a = a << 1 ^ (-(a >> 7) & 0x11b);
    }
    b = sum + round;
  }
  i[id] = sum;
}
__global__ void fraction_bad(const float* x, float* y, int n) {  // a continued fraction, each step waits for a division
  float v[4];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int q = 0; q < 4; ++q) {
    v[q] = x[id * 4 + q];
#pragma unroll 1
    for (int j = n; j; --j) v[q] = j + __fdividef(1.0f, v[q]);
  }
  ((float4*)y)[id] = make_float4(v[0], v[1], v[2], v[3]);
}
__global__ void fraction_fixed(const float* x, float* y, int n) {  // four of them at a time
  float v[4];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int q = 0; q < 4; ++q) v[q] = x[id * 4 + q];
#pragma unroll 1
  for (int j = n; j; --j)
    for (int q = 0; q < 4; ++q) v[q] = j + __fdividef(1.0f, v[q]);
  ((float4*)y)[id] = make_float4(v[0], v[1], v[2], v[3]);
}
__global__ void integrate_bad(const float* x, float* o, int n) {
  float sum = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) sum += x[id] * x[id] * (3 - 2 * x[id]);
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) atomicAdd(o, sum);
}
__global__ void integrate_fixed(const float* x, float* o, int n) {
  float sum = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) sum += x[id] * x[id] * (3 - 2 * x[id]);
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) atomicAdd(o, sum);
}
__device__ __forceinline__ void lu(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float a[8][8];
#pragma unroll
  for (int r = 0; r < 64; ++r) a[r / 8][r % 8] = x[id + r * all] + (r % 9 == 0 ? 8.0f : 0.0f);
#pragma unroll
  for (int p = 0; p < 8; ++p)
#pragma unroll
    for (int r = p + 1; r < 8; ++r) {
      const float f = a[r][p] = __fdividef(a[r][p], a[p][p]);
#pragma unroll
      for (int c = p + 1; c < 8; ++c) a[r][c] -= f * a[p][c];
    }
#pragma unroll
  for (int r = 0; r < 64; ++r) y[id + r * all] = a[r / 8][r % 8];
}
__global__ void __launch_bounds__(256, 6) lu8_bad(const float* x, float* y) { lu(x, y); }  // matrices of 8x8 in 40 registers
__global__ void __launch_bounds__(256, 2) lu8_fixed(const float* x, float* y) { lu(x, y); }  // in as many as they take
__device__ __forceinline__ float march(float v, int steps) {
  for (int j = 0; j < steps; ++j) v = fmaf(v, 0.99f, sqrtf(fabsf(v)) * 0.01f);
  return v;
}
__global__ void rays_bad(const float* x, float* y) {  // rays whose lengths differ from neighbour to neighbour
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = march(x[id], 8 + (id * 37 & 31) * 4);
}
__global__ void rays_fixed(const float* x, float* y) {  // sorted by length
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = march(x[id], 8 + (id / 32 * 37 & 31) * 4);
}
__global__ void mlp_bad(const float* x, const float* w, float* y) {  // a layer of 8 to 8, its weights in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float in[8];
  for (int j = 0; j < 8; ++j) in[j] = x[id + j * all];
  for (int o = 0; o < 8; ++o) {
    float sum = w[64 + o];
    for (int j = 0; j < 8; ++j) sum += w[o * 8 + j] * in[j];
    y[id + o * all] = fmaxf(sum, 0.0f);
  }
}
__global__ void mlp_fixed(const float* x, const float* w, float* y) {  // in constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float in[8];
  for (int j = 0; j < 8; ++j) in[j] = x[id + j * all];
  for (int o = 0; o < 8; ++o) {
    float sum = of_mlp[64 + o];
    for (int j = 0; j < 8; ++j) sum += of_mlp[o * 8 + j] * in[j];
    y[id + o * all] = fmaxf(sum, 0.0f);
  }
}
__global__ void heads16_bad(const __half* p, __half* q, int depth) {  // Q K^T of a head, 128x128, in tiles of 32x32 by scalar products
  __shared__ __half a[32][66], b[32][66];
  const __half *left = p + (blockIdx.z * 128 + blockIdx.y * 32) * depth, *right = p + ((gridDim.z + blockIdx.z) * 128 + blockIdx.x * 32) * depth;
  for (int j = threadIdx.x; j < 32 * depth; j += 256) a[j / 64][j % 64] = left[j], b[j / 64][j % 64] = right[j];
  __syncthreads();
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  float sum[4] = {};
  for (int d = 0; d < depth; ++d)
    for (int c = 0; c < 4; ++c) sum[c] += __half2float(a[row][d]) * __half2float(b[column + 8 * c][d]);
  for (int c = 0; c < 4; ++c) q[(blockIdx.z * 128 + blockIdx.y * 32 + row) * 128 + blockIdx.x * 32 + column + 8 * c] = __float2half(sum[c]);
}
__global__ void heads16_fixed(const __half* p, __half* q, int depth) {  // by tensor cores, 128x128 a block
  const __half *left = p + blockIdx.z * 128 * depth, *right = p + (gridDim.z + blockIdx.z) * 128 * depth;
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[8];
  for (auto& s : sum) wmma::fill_fragment(s, __float2half(0.0f));
  for (int d = 0; d < depth; d += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::load_matrix_sync(a, left + warp * 16 * depth + d, depth);
    for (int c = 0; c < 8; ++c) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
      wmma::load_matrix_sync(b, right + c * 16 * depth + d, depth);
      wmma::mma_sync(sum[c], a, b, sum[c]);
    }
  }
  for (int c = 0; c < 8; ++c) wmma::store_matrix_sync(q + (blockIdx.z * 128 + warp * 16) * 128 + c * 16, sum[c], 128, wmma::mem_row_major);
}
}  // extern "C"
template <int Pitch>
__device__ __forceinline__ void tile_product(const __half* p, __half* q, int n) {  // 64x64 results a block of four warps, 32 deep
  __shared__ __align__(16) __half a[64 * Pitch], b[64 * Pitch];
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
  for (auto& s : sum) wmma::fill_fragment(s, 0.0f);
  for (int d = 0; d < n; d += 64) {
    for (int j = threadIdx.x; j < 512; j += 128) {
      *(uint4*)&a[j / 8 * Pitch + j % 8 * 8] = *(const uint4*)&p[(blockIdx.y * 64 + j / 8) * n + d + j % 8 * 8];
      *(uint4*)&b[j / 8 * Pitch + j % 8 * 8] = *(const uint4*)&p[(n + blockIdx.x * 64 + j / 8) * n + d + j % 8 * 8];
    }
    __syncthreads();
    for (int e = 0; e < 64; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
      wmma::load_matrix_sync(f, a + warp * 16 * Pitch + e, Pitch);
      for (int c = 0; c < 4; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
        wmma::load_matrix_sync(g, b + c * 16 * Pitch + e, Pitch);
        wmma::mma_sync(sum[c], f, g, sum[c]);
      }
    }
    __syncthreads();
  }
  for (int c = 0; c < 4; ++c) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> out;
    for (int e = 0; e < out.num_elements; ++e) out.x[e] = __float2half(sum[c].x[e]);
    wmma::store_matrix_sync(q + (blockIdx.y * 64 + warp * 16) * n + blockIdx.x * 64 + c * 16, out, n, wmma::mem_row_major);
  }
}
template <int Chains>
__device__ __forceinline__ void chains_of_products(const __half* p, __half* q, int n) {  // as many products, in 1 or in 4 chains
  float d[4][4] = {};
  unsigned a[4] = {}, b[2] = {};
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4; ++j) a[j] = ((const unsigned*)p)[id * 4 + j];
  for (int j = 0; j < 2; ++j) b[j] = ((const unsigned*)p)[id * 2 + j];
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float* o = d[c % Chains];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                   : "+f"(o[0]), "+f"(o[1]), "+f"(o[2]), "+f"(o[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  q[id] = __float2half(d[0][0] + d[1][1] + d[2][2] + d[3][3]);
}
extern "C" {
__global__ void pitch_bad(const __half* p, __half* q, int n) { tile_product<64>(p, q, n); }    // rows of a tile begin in one bank
__global__ void pitch_fixed(const __half* p, __half* q, int n) { tile_product<72>(p, q, n); }  // rows are padded
__global__ void accum_bad(const __half* p, __half* q, int n) { chains_of_products<1>(p, q, n); }    // each product waits for the last
__global__ void accum_fixed(const __half* p, __half* q, int n) { chains_of_products<4>(p, q, n); }  // four sums side by side
__global__ void __cluster_dims__(8) gradsum_bad(const float* x, float* o) {  // every block adds its 1024 sums to global memory
  for (int c = threadIdx.x; c < 1024; c += 256) {
    float sum = 0;
    for (int r = 0; r < 8; ++r) sum += x[(blockIdx.x * 8 + r) * 1024 + c];
    atomicAdd(&o[c], sum);
  }
}
__global__ void __cluster_dims__(8) gradsum_fixed(const float* x, float* o) {  // the blocks of a cluster add up first
  __shared__ float part[1024];
  cg::cluster_group cluster = cg::this_cluster();
  for (int c = threadIdx.x; c < 1024; c += 256) {
    float sum = 0;
    for (int r = 0; r < 8; ++r) sum += x[(blockIdx.x * 8 + r) * 1024 + c];
    part[c] = sum;
  }
  cluster.sync();
  if (threadIdx.x < 128) {
    const int c = cluster.block_rank() * 128 + threadIdx.x;
    float sum = 0;
    for (int b = 0; b < 8; ++b) sum += cluster.map_shared_rank(part, b)[c];
    atomicAdd(&o[c], sum);
  }
  cluster.sync();
}
__global__ void ring_bad(const float* x, float* y, int tiles) {  // bulk copies of 8 KB, one under way at a time
  __shared__ __align__(128) float tile[2048];
  __shared__ unsigned long long full;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full)));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x == 0) bulk(tile, x + (blockIdx.x * (size_t)tiles + t) * 2048, 8192, &full);
    wait_for(&full, t & 1);
    for (int j = threadIdx.x; j < 2048; j += 256) sum += tile[j] * tile[j];
    __syncthreads();
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void ring_fixed(const float* x, float* y, int tiles) {  // four under way
  __shared__ __align__(128) float tile[4][2048];
  __shared__ unsigned long long full[4];
  if (threadIdx.x < 4) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[threadIdx.x])));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const float* from = x + blockIdx.x * (size_t)tiles * 2048;
  if (threadIdx.x == 0)
    for (int t = 0; t < 4; ++t) bulk(tile[t], from + t * 2048, 8192, &full[t]);
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    wait_for(&full[t & 3], t >> 2 & 1);
    for (int j = threadIdx.x; j < 2048; j += 256) sum += tile[t & 3][j] * tile[t & 3][j];
    __syncthreads();
    if (threadIdx.x == 0 && t + 4 < tiles) bulk(tile[t & 3], from + (t + 4) * 2048, 8192, &full[t & 3]);
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void prefetch_bad(const float* x, float* y, int tiles) {  // a tile is awaited before its arithmetic begins
  __shared__ __align__(16) float tile[1024];
  float sum = 0;
  const float* from = x + blockIdx.x * (size_t)tiles * 1024;
  for (int t = 0; t < tiles; ++t) {
    copy16(&tile[threadIdx.x * 4], from + t * 1024 + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum = fmaf(tile[(threadIdx.x + j * 4) & 1023], 0.5f, sum * 0.9f);
    __syncthreads();
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void prefetch_fixed(const float* x, float* y, int tiles) {  // the next one is under way meanwhile
  __shared__ __align__(16) float tile[2][1024];
  float sum = 0;
  const float* from = x + blockIdx.x * (size_t)tiles * 1024;
  copy16(&tile[0][threadIdx.x * 4], from + threadIdx.x * 4);
  asm volatile("cp.async.commit_group;");
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) copy16(&tile[(t + 1) & 1][threadIdx.x * 4], from + (t + 1) * 1024 + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum = fmaf(tile[t & 1][(threadIdx.x + j * 4) & 1023], 0.5f, sum * 0.9f);
    __syncthreads();
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void relaxing_bad(const float* x, float* y, int n) {  // Gauss-Seidel in red and black, two barriers a sweep of 1024 threads
  __shared__ float v[2050];
  const int t = threadIdx.x;
  for (int j = t; j < 2050; j += 1024) v[j] = x[blockIdx.x * 2048 + j];
  for (int s = 0; s < n; ++s)
    for (int colour = 0; colour < 2; ++colour) {
      __syncthreads();
      const int j = 2 * t + 1 + colour;
      v[j] = 0.25f * (v[j - 1] + v[j + 1]) + 0.5f * v[j];
    }
  __syncthreads();
  for (int j = t; j < 2048; j += 1024) y[blockIdx.x * 2048 + j] = v[j + 1];
}
__global__ void relaxing_fixed(const float* x, float* y, int n) {  // 16 cells a lane in registers, edges by shuffles, no barrier
  const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float v[16];
  for (int j = 0; j < 4; ++j) *(float4*)&v[4 * j] = ((const float4*)x)[row * 128 + lane * 4 + j];
  for (int s = 0; s < n; ++s) {
    const float after = __shfl_down_sync(~0u, v[0], 1);
#pragma unroll
    for (int j = 1; j < 16; j += 2) v[j] = 0.25f * (v[j - 1] + (j < 15 ? v[j + 1] : after)) + 0.5f * v[j];
    const float before = __shfl_up_sync(~0u, v[15], 1);
#pragma unroll
    for (int j = 0; j < 16; j += 2) v[j] = 0.25f * ((j ? v[j - 1] : before) + v[j + 1]) + 0.5f * v[j];
  }
  for (int j = 0; j < 4; ++j) ((float4*)y)[row * 128 + lane * 4 + j] = *(float4*)&v[4 * j];
}
}
