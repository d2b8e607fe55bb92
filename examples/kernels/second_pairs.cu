// A second round of kernels of new kinds, as pairs: NAME_bad has one defect and NAME_fixed does not.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
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
  asm volatile("{\n.reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::"r"(
                   shared_address(barrier)), "r"(phase) : "memory");
}
extern "C" {
__global__ void ticks_bad(const float* x, float* y) {  // highest and lowest price of 32 ticks that lie in a row, a thread each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float low = x[id * 32], high = low;
  for (int j = 1; j < 32; ++j) low = fminf(low, x[id * 32 + j]), high = fmaxf(high, x[id * 32 + j]);
  y[id] = high - low;
}
__global__ void ticks_fixed(const float* x, float* y) {  // a warp each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float low = x[id], high = low;
  for (int m = 16; m; m /= 2) low = fminf(low, __shfl_xor_sync(~0u, low, m)), high = fmaxf(high, __shfl_xor_sync(~0u, high, m));
  if (threadIdx.x % 32 == 0) y[id / 32] = high - low;
}
__global__ void ssm_bad(const float* x, float* y, int steps) {  // a state space layer: a channel's steps in a row
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  float h = 0;
  for (int t = 0; t < steps; ++t) y[channel * steps + t] = h = 0.9f * h + x[channel * steps + t];
}
__global__ void ssm_fixed(const float* x, float* y, int steps) {  // a step's channels in a row
  const int channel = blockIdx.x * blockDim.x + threadIdx.x, channels = gridDim.x * blockDim.x;
  float h = 0;
  for (int t = 0; t < steps; ++t) y[channel + t * channels] = h = 0.9f * h + x[channel + t * channels];
}
__global__ void forest_bad(const int* k, const float* x, float* y) {  // a tree's walk: a node's three numbers in three arrays
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int node = id & 255;
  float sum = 0;
  for (int d = 0; d < 6; ++d) {
    const int feature = k[node], child = k[node + 0x200000];
    sum += x[node + 0x200000];
    node = ((child ^ feature * 31) + (sum > 1.5f ? 7919 : 0) + id) & 0x1fffff;
  }
  y[id] = sum;
}
__global__ void forest_fixed(const int* k, const float* x, float* y) {  // a node's numbers side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int node = id & 255;
  float sum = 0;
  for (int d = 0; d < 6; ++d) {
    const int4 n = ((const int4*)k)[node];
    sum += __int_as_float(n.z & 0x3fffffff);
    node = ((n.y ^ n.x * 31) + (sum > 1.5f ? 7919 : 0) + id) & 0x1fffff;
  }
  y[id] = sum;
}
__global__ void digest_bad(const int* k, int* i) {  // 64 rounds of mixing, the loop left rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = k[id], b = a * 3 + 1, c = b ^ 77, d = c + a;
#pragma unroll 1
  for (int r = 0; r < 64; ++r) {
    const unsigned t = __funnelshift_l(a, a, 5) + ((b & c) | (~b & d)) + 0x5a827999u;
    d = c, c = b, b = a, a = t;
  }
  i[id] = a ^ b ^ c ^ d;
}
__global__ void digest_fixed(const int* k, int* i) {  // unrolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = k[id], b = a * 3 + 1, c = b ^ 77, d = c + a;
#pragma unroll
  for (int r = 0; r < 64; ++r) {
    const unsigned t = __funnelshift_l(a, a, 5) + ((b & c) | (~b & d)) + 0x5a827999u;
    d = c, c = b, b = a, a = t;
  }
  i[id] = a ^ b ^ c ^ d;
}
__global__ void dots8_bad(const int* k, int* i) {  // products of signed bytes, one by one
  const signed char* v = (const signed char*)k;
  const int id = blockIdx.x * blockDim.x + threadIdx.x, half = gridDim.x * blockDim.x * 8;
  int sum = 0;
  for (int j = 0; j < 8; ++j) sum += v[id * 8 + j] * v[half + id * 8 + j];
  i[id] = sum;
}
__global__ void dots8_fixed(const int* k, int* i) {  // eight bytes at once, four products an instruction
  const int id = blockIdx.x * blockDim.x + threadIdx.x, half = gridDim.x * blockDim.x;
  const int2 a = ((const int2*)k)[id], b = ((const int2*)k)[half + id];
  i[id] = __dp4a(a.x, b.x, __dp4a(a.y, b.y, 0));
}
__global__ void ising_bad(const int* k, int* i, int side) {  // a checkerboard update: every second lane idles
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if ((c + r) % 2) return;
  unsigned v = k[r * side + c];
  for (int j = 0; j < 48; ++j) v = v * 1664525u + 1013904223u + (v >> 13);
  i[r * side + c] = v;
}
__global__ void ising_fixed(const int* k, int* i, int side) {  // a thread for each cell of one colour
  const int h = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, c = 2 * h + r % 2;
  unsigned v = k[r * side + c];
  for (int j = 0; j < 48; ++j) v = v * 1664525u + 1013904223u + (v >> 13);
  i[r * side + c] = v;
}
__global__ void jacobi_bad(const float* x, float* y, int n) {  // one buffer: a barrier before and after each update
  __shared__ float v[514];
  const int t = threadIdx.x + 1;
  v[t] = x[blockIdx.x * 512 + threadIdx.x];
  if (t < 2) v[0] = v[513] = 0;
  for (int s = 0; s < n; ++s) {
    __syncthreads();
    const float next = 0.5f * (v[t - 1] + v[t + 1]);
    __syncthreads();
    v[t] = next;
  }
  y[blockIdx.x * 512 + threadIdx.x] = v[t];
}
__global__ void jacobi_fixed(const float* x, float* y, int n) {  // warps keep 32 cells of 16 lanes' own, neighbours by shuffles
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float v[16];
  for (int j = 0; j < 16; ++j) v[j] = x[row * 512 + lane * 16 + j];
  for (int s = 0; s < n; ++s) {
    float left = __shfl_up_sync(~0u, v[15], 1), right = __shfl_down_sync(~0u, v[0], 1), before = lane ? left : 0;
    right = lane < 31 ? right : 0;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const float now = v[j];
      v[j] = 0.5f * (before + (j < 15 ? v[j + 1] : right));
      before = now;
    }
  }
  for (int j = 0; j < 16; ++j) y[row * 512 + lane * 16 + j] = v[j];
}
__global__ void topics_bad(const int* k, unsigned* h) {  // words counted by topic, each at once
  atomicAdd(&h[k[blockIdx.x * blockDim.x + threadIdx.x] % 200u], 1u);
}
__global__ void topics_fixed(const int* k, unsigned* h, int n) {  // a block counts by itself first
  __shared__ unsigned own[200];
  if (threadIdx.x < 200) own[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[k[id] % 200u], 1u);
  __syncthreads();
  if (threadIdx.x < 200) atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
}
__global__ void kernelmat_bad(const float* x, float* y, int n, int d) {  // squared distances of all rows, a result a thread
  __shared__ float a[16][33], b[16][33];
  float sum = 0;
  for (int k = 0; k < d; k += 32) {
    for (int j = threadIdx.x; j < 32; j += 16) {
      a[threadIdx.y][j] = x[(blockIdx.y * 16 + threadIdx.y) * d + k + j];
      b[threadIdx.y][j] = x[(blockIdx.x * 16 + threadIdx.y) * d + k + j];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      const float v = a[threadIdx.y][j] - b[threadIdx.x][j];
      sum += v * v;
    }
    __syncthreads();
  }
  y[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = sum;
}
__global__ void kernelmat_fixed(const float* x, float* y, int n, int d) {  // 16 results a thread
  __shared__ float a[64][33], b[64][33];
  float sum[4][4] = {};
  for (int k = 0; k < d; k += 32) {
    for (int r = threadIdx.y; r < 64; r += 16)
      for (int j = threadIdx.x; j < 32; j += 16) {
        a[r][j] = x[(blockIdx.y * 64 + r) * d + k + j];
        b[r][j] = x[(blockIdx.x * 64 + r) * d + k + j];
      }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float l[4], m[4];
      for (int q = 0; q < 4; ++q) l[q] = a[threadIdx.y + 16 * q][j], m[q] = b[threadIdx.x + 16 * q][j];
      for (int q = 0; q < 4; ++q)
        for (int p = 0; p < 4; ++p) sum[q][p] += (l[q] - m[p]) * (l[q] - m[p]);
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q)
    for (int p = 0; p < 4; ++p) y[(blockIdx.y * 64 + threadIdx.y + 16 * q) * n + blockIdx.x * 64 + threadIdx.x + 16 * p] = sum[q][p];
}
__global__ void calendar_bad(const int* k, int* i, long long day, long long year) {  // times of the day and the year, by divisions of 64 bits
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const long long t = (long long)k[id] * 1000 + id;
  i[id] = (int)(t % day) + (int)(t / year);
}
__global__ void calendar_fixed(const int* k, int* i, long long day, long long year) {  // of 32 bits, where they are enough
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned t = (unsigned)k[id] * 100u + id;
  i[id] = (int)(t % (unsigned)day) + (int)(t / (unsigned)year);
}
__global__ void tonemap_bad(const float* x, float* y) {  // a gamma curve by powf
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] / (1 + x[id]);
  y[id] = 1.055f * powf(v, 0.4166f) - 0.055f + powf(v, 2.2f);
}
__global__ void tonemap_fixed(const float* x, float* y) {  // by the quick ones
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = __fdividef(x[id], 1 + x[id]);
  y[id] = 1.055f * __powf(v, 0.4166f) - 0.055f + __powf(v, 2.2f);
}
__global__ void window_bad(const float* x, float* y) {  // a moving mean whose last 16 values are in an array with a running index
  float ring[16], sum = 0;
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int j = 0; j < 16; ++j) ring[j] = 0;
  int at = __float_as_int(x[id]) & 15;
  for (int t = 0; t < 32; ++t) {
    const float v = x[id + t * all];
    sum += v - ring[at];
    ring[at] = v;
    at = (at + 1 + (v > 0.99f)) & 15;
    y[id + t * all] = sum;
  }
}
__global__ void window_fixed(const float* x, float* y) {  // in shared memory, a bank a lane
  __shared__ float ring[16][256];
  float sum = 0;
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int j = 0; j < 16; ++j) ring[j][threadIdx.x] = 0;
  int at = __float_as_int(x[id]) & 15;
  for (int t = 0; t < 32; ++t) {
    const float v = x[id + t * all];
    sum += v - ring[at][threadIdx.x];
    ring[at][threadIdx.x] = v;
    at = (at + 1 + (v > 0.99f)) & 15;
    y[id + t * all] = sum;
  }
}
__global__ void bezier_bad(const float* x, float* y) {  // a curve of degree three, its literals doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float t = x[id];
  y[id] = (1.0 - t) * (1.0 - t) * (1.0 - t) * 0.3 + 3.0 * t * (1.0 - t) * (1.0 - t) * 0.7 + 3.0 * t * t * (1.0 - t) * 0.1 + t * t * t * 0.9;
}
__global__ void bezier_fixed(const float* x, float* y) {  // floats
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float t = x[id];
  y[id] = (1.0f - t) * (1.0f - t) * (1.0f - t) * 0.3f + 3.0f * t * (1.0f - t) * (1.0f - t) * 0.7f + 3.0f * t * t * (1.0f - t) * 0.1f + t * t * t * 0.9f;
}
__global__ void bond_bad(const float* x, float* y, int n) {  // discounting, each step waits for the one before
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int q = 0; q < 4; ++q) {
    float v = x[id * 4 + q];
#pragma unroll 1
    for (int j = 0; j < n; ++j) v = fmaf(v, 0.97f, 0.03f), v = fmaxf(v - 0.001f, 0.01f);
    y[id * 4 + q] = v;
  }
}
__global__ void bond_fixed(const float* x, float* y, int n) {  // four bonds at a time
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = ((const float4*)x)[id];
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    v.x = fmaf(v.x, 0.97f, 0.03f), v.x = fmaxf(v.x - 0.001f, 0.01f);
    v.y = fmaf(v.y, 0.97f, 0.03f), v.y = fmaxf(v.y - 0.001f, 0.01f);
    v.z = fmaf(v.z, 0.97f, 0.03f), v.z = fmaxf(v.z - 0.001f, 0.01f);
    v.w = fmaf(v.w, 0.97f, 0.03f), v.w = fmaxf(v.w - 0.001f, 0.01f);
  }
  ((float4*)y)[id] = v;
}
__global__ void quads_bad(const float* x, float* y) {  // blocks of 48 threads
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < 20; ++j) v = fmaf(v, v, 0.1f) * 0.9f;
  y[id] = v;
}
__global__ void quads_fixed(const float* x, float* y) {  // of 256
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < 20; ++j) v = fmaf(v, v, 0.1f) * 0.9f;
  y[id] = v;
}
__global__ void fewrows_bad(const float* x, float* y, int n) {  // a block a row, and few rows
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x) sum += __expf(x[blockIdx.x * n + j]);
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) atomicAdd(&y[blockIdx.x], sum);
}
__global__ void fewrows_fixed(const float* x, float* y, int n) {  // many blocks a row
  float sum = 0;
  const int part = n / gridDim.y;
  for (int j = threadIdx.x; j < part; j += blockDim.x) sum += __expf(x[blockIdx.x * n + blockIdx.y * part + j]);
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) atomicAdd(&y[blockIdx.x], sum);
}
__global__ void stream1_bad(const float* x, float* y, int tiles) {  // tiles of 16 KB by the copy engine, each awaited before the next is asked for
  extern __shared__ __align__(128) float tile[];
  __shared__ unsigned long long full;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(shared_address(&full)) : "memory");
  __syncthreads();
  float top = 0;
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x == 0) bulk(tile, x + (blockIdx.x * (size_t)tiles + t) * 4096, 16384, &full);
    wait_for(&full, t & 1);
    for (int j = threadIdx.x; j < 4096; j += 128) top = fmaxf(top, fabsf(tile[j] - 0.5f));
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = top;
}
__global__ void stream1_fixed(const float* x, float* y, int tiles) {  // three under way
  extern __shared__ __align__(128) float tile[];
  __shared__ unsigned long long full[3];
  if (threadIdx.x < 3) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(shared_address(&full[threadIdx.x])) : "memory");
  __syncthreads();
  const float* from = x + blockIdx.x * (size_t)tiles * 4096;
  if (threadIdx.x == 0)
    for (int t = 0; t < 3; ++t) bulk(tile + t * 4096, from + t * 4096, 16384, &full[t]);
  float top = 0;
  for (int t = 0; t < tiles; ++t) {
    wait_for(&full[t % 3], t / 3 & 1);
    for (int j = threadIdx.x; j < 4096; j += 128) top = fmaxf(top, fabsf(tile[t % 3 * 4096 + j] - 0.5f));
    __syncthreads();
    if (threadIdx.x == 0 && t + 3 < tiles) bulk(tile + t % 3 * 4096, from + (t + 3) * 4096, 16384, &full[t % 3]);
  }
  y[blockIdx.x * 128 + threadIdx.x] = top;
}
}  // extern "C"
template <int Stages>
__device__ __forceinline__ void staged_product(const __half* p, __half* q, int n) {  // 64x64 results a block, tiles by asynchronous copies
  __shared__ __align__(16) __half a[Stages][64 * 40], b[Stages][64 * 40];
  const int warp = threadIdx.x / 32, turns = n / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[4];
  for (auto& s : sum) wmma::fill_fragment(s, __float2half(0.0f));
  const auto fetch = [&](int t) {
    for (int j = threadIdx.x; j < 256; j += 128) {
      copy16(&a[t % Stages][j / 4 * 40 + j % 4 * 8], &p[(blockIdx.y * 64 + j / 4) * n + t * 32 + j % 4 * 8]);
      copy16(&b[t % Stages][j / 4 * 40 + j % 4 * 8], &p[(n + blockIdx.x * 64 + j / 4) * n + t * 32 + j % 4 * 8]);
    }
    asm volatile("cp.async.commit_group;");
  };
  for (int t = 0; t + 1 < Stages; ++t) fetch(t);
  for (int t = 0; t < turns; ++t) {
    if (Stages == 1) fetch(t);
    asm volatile("cp.async.wait_group %0;" ::"n"(Stages > 1 ? Stages - 2 : 0) : "memory");
    __syncthreads();
    if (Stages > 1) {
      if (t + Stages - 1 < turns) fetch(t + Stages - 1);
      else asm volatile("cp.async.commit_group;");
    }
    for (int e = 0; e < 32; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
      wmma::load_matrix_sync(f, &a[t % Stages][warp * 16 * 40 + e], 40);
      for (int c = 0; c < 4; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
        wmma::load_matrix_sync(g, &b[t % Stages][c * 16 * 40 + e], 40);
        wmma::mma_sync(sum[c], f, g, sum[c]);
      }
    }
    if (Stages == 1) __syncthreads();
  }
  for (int c = 0; c < 4; ++c) wmma::store_matrix_sync(q + (blockIdx.y * 64 + warp * 16) * n + blockIdx.x * 64 + c * 16, sum[c], n, wmma::mem_row_major);
}
extern "C" {
__global__ void gemm16_bad(const __half* p, __half* q, int n) { staged_product<1>(p, q, n); }    // a tile is awaited, then worked on
__global__ void gemm16_fixed(const __half* p, __half* q, int n) { staged_product<3>(p, q, n); }  // two tiles are under way
__global__ void experts_bad(const __half* p, __half* q, int n) {  // products of many small matrices, 64x64x64, by ordinary arithmetic
  __shared__ __half a[64][66], b[64][66];
  const __half *left = p + blockIdx.x * 4096, *right = p + (gridDim.x + blockIdx.x) * 4096;
  for (int j = threadIdx.x; j < 4096; j += 256) a[j / 64][j % 64] = left[j], b[j / 64][j % 64] = right[j];
  __syncthreads();
  for (int o = threadIdx.x; o < 4096; o += 256) {
    float sum = 0;
    for (int d = 0; d < 64; ++d) sum += __half2float(a[o / 64][d]) * __half2float(b[d][o % 64]);
    q[blockIdx.x * 4096 + o] = __float2half(sum);
  }
}
__global__ void experts_fixed(const __half* p, __half* q, int n) {  // by tensor cores
  __shared__ __align__(32) __half a[64 * 72], b[64 * 72];
  const __half *left = p + blockIdx.x * 4096, *right = p + (gridDim.x + blockIdx.x) * 4096;
  for (int j = threadIdx.x; j < 512; j += 256) {
    *(uint4*)&a[j / 8 * 72 + j % 8 * 8] = ((const uint4*)left)[j];
    *(uint4*)&b[j / 8 * 72 + j % 8 * 8] = ((const uint4*)right)[j];
  }
  __syncthreads();
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[2];
  for (auto& s : sum) wmma::fill_fragment(s, __float2half(0.0f));
  for (int e = 0; e < 64; e += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::load_matrix_sync(f, a + warp / 2 * 16 * 72 + e, 72);
    for (int c = 0; c < 2; ++c) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g;
      wmma::load_matrix_sync(g, b + e * 72 + (warp % 2 * 2 + c) * 16, 72);
      wmma::mma_sync(sum[c], f, g, sum[c]);
    }
  }
  for (int c = 0; c < 2; ++c) wmma::store_matrix_sync(q + blockIdx.x * 4096 + warp / 2 * 16 * 64 + (warp % 2 * 2 + c) * 16, sum[c], 64, wmma::mem_row_major);
}
}
