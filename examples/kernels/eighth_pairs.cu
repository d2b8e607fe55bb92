// An eighth round (hospitals, aquariums, football, bakeries, observatories, glass, maps, radio), as pairs: NAME_bad has one defect and
// NAME_fixed does not. Written as people write them, before the model's answers were seen.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" {
struct Patient {
  float pulse, pressure, oxygen, heat, weight, height, age, dose;
};
__global__ void wards_bad(const Patient* all, float* y) {  // three fields of records of 32 bytes
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = all[id].pulse * 0.5f + all[id].oxygen * 0.3f + all[id].dose;
}
__global__ void wards_fixed(const float* all, float* y, int n) {  // an array a field
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = all[id] * 0.5f + all[2 * n + id] * 0.3f + all[7 * n + id];
}

__global__ void beds_bad(const float* x, float* y, int rows, int columns) {  // sums over rows of a matrix, a thread a row
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += x[(size_t)r * columns + c];
  y[r] = sum;
}
__global__ void beds_fixed(const float* x, float* y, int rows, int columns) {  // a block a row
  __shared__ float parts[8];
  const float* row = x + (size_t)blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int k = 0; k < 8; ++k) all += parts[k];
    y[blockIdx.x] = all;
  }
}

__global__ void tanks_bad(const float* x, float* y, int side) {  // a picture turned, columns written
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  y[(size_t)c * side + (side - 1 - r)] = x[(size_t)r * side + c];
}
__global__ void tanks_fixed(const float* x, float* y, int side) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
  for (int k = 0; k < 32; k += 8) tile[ty + k][tx] = x[(size_t)(r0 + ty + k) * side + c0 + tx];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) y[(size_t)(c0 + ty + k) * side + (side - 32 - r0) + tx] = tile[31 - tx][ty + k];
}

__global__ void shoals_bad(const float* x, float* y) {  // a tree whose steps double: lanes go to the same banks
  __shared__ float s[512];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t] + x[blockIdx.x * 512 + 256 + t] * 0.5f;
  s[t + 256] = s[t] * 0.25f;
  __syncthreads();
  for (int step = 1; step < 512; step *= 2) {
    const int at = 2 * step * t;
    if (at < 512) s[at] += s[at + step];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void shoals_fixed(const float* x, float* y) {
  __shared__ float s[512];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t] + x[blockIdx.x * 512 + 256 + t] * 0.5f;
  s[t + 256] = s[t] * 0.25f;
  __syncthreads();
  for (int step = 256; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

__global__ void corals_bad(const float* x, float* y, int turns) {  // each thread a row of 32 in shared memory
  __shared__ float s[128][32];
  const int t = threadIdx.x;
  for (int k = 0; k < 32; ++k) s[k * 4 + t / 32][t % 32] = x[blockIdx.x * 4096 + k * 128 + t];
  __syncthreads();
  float v = 0;
  for (int j = 0; j < turns; ++j)
    for (int k = 0; k < 32; ++k) v = v * 0.5f + s[t][k];
  y[blockIdx.x * 128 + t] = v;
}
__global__ void corals_fixed(const float* x, float* y, int turns) {
  __shared__ float s[128][33];
  const int t = threadIdx.x;
  for (int k = 0; k < 32; ++k) s[k * 4 + t / 32][t % 32] = x[blockIdx.x * 4096 + k * 128 + t];
  __syncthreads();
  float v = 0;
  for (int j = 0; j < turns; ++j)
    for (int k = 0; k < 32; ++k) v = v * 0.5f + s[t][k];
  y[blockIdx.x * 128 + t] = v;
}

__device__ float sprint(float v) {
  for (int k = 0; k < 24; ++k) v = v * 0.97f + 0.1f * sqrtf(v + 1.0f);
  return v;
}
__device__ float pass(float v) {
  for (int k = 0; k < 24; ++k) v = fmaf(v, 0.9f, 0.05f) * v + 0.3f;
  return v;
}
__global__ void players_bad(const float* x, float* y) {  // attackers and defenders in turn
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = id & 1 ? sprint(x[id]) : pass(x[id]);
}
__global__ void players_fixed(const float* x, float* y) {  // attackers in the first half of a block's numbers
  const int t = threadIdx.x, half = blockDim.x / 2, id = blockIdx.x * blockDim.x + (t < half ? 2 * t : 2 * (t - half) + 1);
  y[id] = t < half ? pass(x[id]) : sprint(x[id]);
}

__global__ void goals_bad(const int* k, unsigned* h, int n) {  // one counter for everyone
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n && k[id] % 3 == 0) atomicAdd(h, 1u + k[id] % 2);
}
__global__ void goals_fixed(const int* k, unsigned* h, int n) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = 0;
  __syncthreads();
  unsigned mine = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x)
    if (k[id] % 3 == 0) mine += 1u + k[id] % 2;
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(&block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(h, block);
}

__global__ void leagues_bad(const int* k, const float* x, float* o, int n) {  // sums of 20 groups in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) atomicAdd(&o[k[id] % 20], x[id]);
}
__global__ void leagues_fixed(const int* k, const float* x, float* o, int n) {
  __shared__ float sums[20];
  if (threadIdx.x < 20) sums[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&sums[k[id] % 20], x[id]);
  __syncthreads();
  if (threadIdx.x < 20) atomicAdd(&o[threadIdx.x], sums[threadIdx.x]);
}

__global__ void ovens_bad(const float* x, float* y, int n) {  // constants without an f
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < n; ++j) v += 0.01 * (180.0 - v) - 0.003 * v * v;
  y[id] = v;
}
__global__ void ovens_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < n; ++j) v += 0.01f * (180.0f - v) - 0.003f * v * v;
  y[id] = v;
}

__global__ void crusts_bad(const float* x, float* y, int n) {  // powf and division, where a product and a reciprocal do
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int j = 1; j <= n; ++j) sum += powf(v + j, 1.5f) / (v + 0.5f * j);
  y[id] = sum;
}
__global__ void crusts_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int j = 1; j <= n; ++j) sum += __fdividef((v + j) * __fsqrt_rn(v + j), v + 0.5f * j);
  y[id] = sum;
}

__global__ void loaves_bad(const int* k, int* i, int trays, int rows) {  // an index taken apart in each of eight turns
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int v = k[id], sum = 0;
  for (int j = 0; j < 8; ++j) {
    const int at = v + j * 977;
    sum += at % trays * 3 + at / trays % rows;
  }
  i[id] = sum;
}
__global__ void loaves_fixed(const int* k, int* i, int, int) {  // 24 and 36 are known
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id], sum = 0;
  for (int j = 0; j < 8; ++j) {
    const unsigned at = v + j * 977;
    sum += at % 24u * 3 + at / 24u % 36u;
  }
  i[id] = (int)sum;
}

__global__ void mirrors_bad(const float* x, float* y, int n) {  // 24 blocks for everything
  float sum = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) sum += x[id] * x[id];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void mirrors_fixed(const float* x, float* y, int n) {
  float sum = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) sum += x[id] * x[id];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void plates_bad(const float* x, float* y, int side) {  // blocks of 48 threads
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < 12; ++k) v = v * 0.9f + __cosf(v);
  y[id] = v;
}
__global__ void plates_fixed(const float* x, float* y, int side) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < 12; ++k) v = v * 0.9f + __cosf(v);
  y[id] = v;
}

__global__ void comet_tails_bad(const __half* p, __half* q, float gain) {  // two bytes a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  q[id] = __float2half(__half2float(p[id]) * gain + 0.25f);
}
__global__ void comet_tails_fixed(const __half* p, __half* q, float gain) {  // eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = ((const uint4*)p)[id];
  __half2* h = (__half2*)&v;
  for (int k = 0; k < 4; ++k) {
    const float2 f = __half22float2(h[k]);
    h[k] = __floats2half2_rn(f.x * gain + 0.25f, f.y * gain + 0.25f);
  }
  ((uint4*)q)[id] = v;
}

__global__ void kilns_bad(const float* x, float* y, int turns) {  // a row of 256 spreads its heat, two barriers a step
  __shared__ float s[258];
  const int t = threadIdx.x + 1, id = blockIdx.x * 256 + threadIdx.x;
  s[t] = x[id];
  if (t == 1) s[0] = s[257] = 0;
  __syncthreads();
  for (int j = 0; j < turns; ++j) {
    const float v = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  y[id] = s[t];
}
__global__ void kilns_fixed(const float* x, float* y, int turns) {  // a row a warp, eight cells a lane, neighbours by shuffles
  const int lane = threadIdx.x % 32, id = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  float v[8];
  *(float4*)&v[0] = *(const float4*)&x[id], *(float4*)&v[4] = *(const float4*)&x[id + 4];
  for (int j = 0; j < turns; ++j) {
    float left = __shfl_up_sync(~0u, v[7], 1), right = __shfl_down_sync(~0u, v[0], 1);
    if (lane == 0) left = 0;
    if (lane == 31) right = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float now = v[k];
      v[k] = 0.25f * left + 0.5f * now + 0.25f * (k < 7 ? v[k + 1] : right);
      left = now;
    }
  }
  *(float4*)&y[id] = *(float4*)&v[0], *(float4*)&y[id + 4] = *(float4*)&v[4];
}

__global__ void orbits_bad(const float* x, float* y, int n) {  // a polynomial by Horner, one after another
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id] * 0.1f;
  float sum = 0;
#pragma unroll 16
  for (int j = 0; j < n; ++j) sum = fmaf(sum, v, 0.5f);
  y[id] = sum;
}
__global__ void orbits_fixed(const float* x, float* y, int n) {  // four polynomials of v to the fourth
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id] * 0.1f, u = v * v * v * v;
  float a = 0, b = 0, c = 0, d = 0;
#pragma unroll 16
  for (int j = 0; j < n / 4; ++j) a = fmaf(a, u, 0.5f), b = fmaf(b, u, 0.5f), c = fmaf(c, u, 0.5f), d = fmaf(d, u, 0.5f);
  y[id] = a + v * (b + v * (c + v * d));
}

__global__ void spectra_bad(const int* k, float* y) {  // an array of 24 indexed by data
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float lines[24];
  for (int j = 0; j < 24; ++j) lines[j] = 0.1f * j;
  for (int j = 0; j < 16; ++j) lines[(k[id] >> j) % 24 & 31] += 0.5f * j;
  float sum = 0;
  for (int j = 0; j < 24; ++j) sum = sum * 0.9f + lines[j];
  y[id] = sum;
}
__global__ void spectra_fixed(const int* k, float* y) {  // in shared memory, a column a thread
  __shared__ float lines[24][128];
  const int t = threadIdx.x, id = blockIdx.x * blockDim.x + t;
  for (int j = 0; j < 24; ++j) lines[j][t] = 0.1f * j;
  const int key = k[id];
  for (int j = 0; j < 16; ++j) lines[(key >> j) % 24 & 31][t] += 0.5f * j;
  float sum = 0;
  for (int j = 0; j < 24; ++j) sum = sum * 0.9f + lines[j][t];
  y[id] = sum;
}

__global__ void panes_bad(const float* x, float* y, int n) {  // a product, straight from global memory
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += x[(size_t)r * n + j] * x[(size_t)(n + j) * n + c];
  y[(size_t)r * n + c] = sum;
}
__global__ void panes_fixed(const float* x, float* y, int n) {  // tiles of 32, four results a thread
  __shared__ float a[32][33], b[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 32 + tx, r = blockIdx.y * 32 + ty;
  float sum[4] = {};
  for (int j = 0; j < n; j += 32) {
    for (int k = 0; k < 32; k += 8) {
      a[ty + k][tx] = x[(size_t)(r + k) * n + j + tx];
      b[ty + k][tx] = x[(size_t)(n + j + ty + k) * n + c];
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 32; ++e)
      for (int k = 0; k < 4; ++k) sum[k] += a[ty + 8 * k][e] * b[e][tx];
    __syncthreads();
  }
  for (int k = 0; k < 4; ++k) y[(size_t)(r + 8 * k) * n + c] = sum[k];
}

__global__ void beads_bad(const float* x, float* y, int n) {  // tiles of 32 by 32, a result a thread
  __shared__ float a[32][32], b[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 32 + tx, r = blockIdx.y * 32 + ty;
  float sum = 0;
  for (int j = 0; j < n; j += 32) {
    a[ty][tx] = x[(size_t)r * n + j + tx];
    b[ty][tx] = x[(size_t)(n + j + ty) * n + c];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 32; ++e) sum += a[ty][e] * b[e][tx];
    __syncthreads();
  }
  y[(size_t)r * n + c] = sum;
}
__global__ void beads_fixed(const float* x, float* y, int n) {  // 64 by 64, 8 by 4 results a thread of 128
  __shared__ float a[16][68], b[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, c = blockIdx.x * 64, r = blockIdx.y * 64;
  float sum[8][4] = {};
  for (int j = 0; j < n; j += 16) {
    for (int e = t; e < 1024; e += 128) {
      a[e % 16][e / 16] = x[(size_t)(r + e / 16) * n + j + e % 16];
      b[e / 64][e % 64] = x[(size_t)(n + j + e / 64) * n + c + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const float4 g = *(const float4*)&b[e][tx * 4], f = *(const float4*)&a[e][ty * 8], h = *(const float4*)&a[e][ty * 8 + 4];
      const float u[8] = {f.x, f.y, f.z, f.w, h.x, h.y, h.z, h.w}, v[4] = {g.x, g.y, g.z, g.w};
      for (int s = 0; s < 8; ++s)
        for (int d = 0; d < 4; ++d) sum[s][d] += u[s] * v[d];
    }
    __syncthreads();
  }
  for (int s = 0; s < 8; ++s)
    *(float4*)&y[(size_t)(r + ty * 8 + s) * n + c + tx * 4] = make_float4(sum[s][0], sum[s][1], sum[s][2], sum[s][3]);
}

__global__ void vases_bad(const __half* p, float* y, int n) {  // halves, multiplied on plain cores through tiles
  __shared__ __half a[16][16], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int j = 0; j < n; j += 16) {
    a[ty][tx] = p[(size_t)r * n + j + tx];
    b[ty][tx] = p[(size_t)(n + j + ty) * n + c];
    __syncthreads();
    for (int e = 0; e < 16; ++e) sum += __half2float(a[ty][e]) * __half2float(b[e][tx]);
    __syncthreads();
  }
  y[(size_t)r * n + c] = sum;
}
__global__ void vases_fixed(const __half* p, float* y, int n) {  // on tensor cores, tiles of 64 by 64, four warps
  __shared__ __align__(32) __half a[64][40], b[32][72];
  const int t = threadIdx.x, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& s : sum)
    for (auto& f : s) wmma::fill_fragment(f, 0.0f);
  for (int j = 0; j < n; j += 32) {
    for (int e = t; e < 256; e += 128) {
      *(uint4*)&a[e / 4][e % 4 * 8] = *(const uint4*)&p[(size_t)(r0 + e / 4) * n + j + e % 4 * 8];
      *(uint4*)&b[e / 8][e % 8 * 8] = *(const uint4*)&p[(size_t)(n + j + e / 8) * n + c0 + e % 8 * 8];
    }
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
    for (int v = 0; v < 2; ++v)
      wmma::store_matrix_sync(y + (size_t)(r0 + row + 16 * u) * n + c0 + col + 16 * v, sum[u][v], n, wmma::mem_row_major);
}

__global__ void signposts_bad(const float* x, float* y, int side) {  // a window of 11 by 11, each weight a product of two
  const int c = blockIdx.x * 32 + threadIdx.x + 5, r = blockIdx.y * 8 + threadIdx.y + 5;
  const float w[6] = {0.2f, 0.17f, 0.12f, 0.07f, 0.03f, 0.01f};
  float sum = 0;
  for (int v = -5; v <= 5; ++v)
    for (int u = -5; u <= 5; ++u) sum += w[abs(v)] * w[abs(u)] * x[(r + v) * side + c + u];
  y[r * side + c] = sum;
}
__global__ void signposts_fixed(const float* x, float* y, int side) {  // along rows, then along columns, in shared memory
  __shared__ float in[42][44], rows[42][33];
  const int tx = threadIdx.x, ty = threadIdx.y, c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
  const float w[6] = {0.2f, 0.17f, 0.12f, 0.07f, 0.03f, 0.01f};
  for (int r = ty; r < 42; r += 8)
    for (int c = tx; c < 42; c += 32) in[r][c] = x[(r0 + r) * side + c0 + c];
  __syncthreads();
  for (int r = ty; r < 42; r += 8) {
    float sum = 0;
    for (int u = -5; u <= 5; ++u) sum += w[abs(u)] * in[r][tx + 5 + u];
    rows[r][tx] = sum;
  }
  __syncthreads();
  for (int r = ty; r < 32; r += 8) {
    float sum = 0;
    for (int v = -5; v <= 5; ++v) sum += w[abs(v)] * rows[r + 5 + v][tx];
    y[(r0 + r + 5) * side + c0 + tx + 5] = sum;
  }
}

__global__ void contours_bad(const float* x, float* y, int length) {  // sums so far, a thread a row
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < length; ++j) {
    sum += x[(size_t)r * length + j];
    y[(size_t)r * length + j] = sum;
  }
}
__global__ void contours_fixed(const float* x, float* y, int length) {  // a warp a row, 32 at a time
  const int lane = threadIdx.x % 32, r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float before = 0;
  for (int j = lane; j < length; j += 32) {
    float v = x[(size_t)r * length + j];
    for (int m = 1; m < 32; m *= 2) {
      const float left = __shfl_up_sync(~0u, v, m);
      if (lane >= m) v += left;
    }
    v += before;
    y[(size_t)r * length + j] = v;
    before = __shfl_sync(~0u, v, 31);
  }
}

__global__ void stations_bad(const float* x, const float* w, float* y) {  // 64 weights from global memory by each thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float best = 1e9f;
  for (int k = 0; k < 64; ++k) best = fminf(best, fabsf(v - w[k * 4]) + w[k * 4 + 1]);
  y[id] = best;
}
__constant__ float tuned[128];
__global__ void stations_fixed(const float* x, const float*, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float best = 1e9f;
#pragma unroll 16
  for (int k = 0; k < 64; ++k) best = fminf(best, fabsf(v - tuned[k * 2]) + tuned[k * 2 + 1]);
  y[id] = best;
}

__constant__ float gains[1024];
__global__ void bands_bad(const int* k, const float* x, float* y) {  // a table in constant memory, a place a lane
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  int at = k[id];
  for (int j = 0; j < 6; ++j, at >>= 3) v = v * gains[at & 1023] + 0.5f;
  y[id] = v;
}
__global__ void bands_fixed(const int* k, const float* x, float* y) {
  __shared__ float table[1024];
  for (int j = threadIdx.x; j < 1024; j += blockDim.x) table[j] = gains[j];
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < 4194304; id += gridDim.x * blockDim.x) {
    float v = x[id];
    int at = k[id];
    for (int j = 0; j < 6; ++j, at >>= 3) v = v * table[at & 1023] + 0.5f;
    y[id] = v;
  }
}

__global__ void masts_bad(const float* x, float* y, int turns) {  // 140 blocks that take an SM each
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = a + 1, c = a + 2;
  for (int j = 0; j < turns; ++j) a = fmaf(a, 0.99f, b), b = fmaf(b, 0.98f, c), c = fmaf(c, 0.5f, 0.1f);
  y[id] = a + b + c;
  if (turns < 0) room[0] = a;
}
__global__ void masts_fixed(const float* x, float* y, int turns) {
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = a + 1, c = a + 2;
  for (int j = 0; j < turns; ++j) a = fmaf(a, 0.99f, b), b = fmaf(b, 0.98f, c), c = fmaf(c, 0.5f, 0.1f);
  y[id] = a + b + c;
  if (turns < 0) room[0] = a;
}
}
