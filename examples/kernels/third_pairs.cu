// Kernels as first versions in public repositories have them, as pairs: NAME_bad has one defect and NAME_fixed does not.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" {
__global__ void boids_bad(const float* x, float* y) {  // a bird's place and speed, six numbers in a row
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float* b = x + id * 6;
  for (int c = 0; c < 3; ++c) {
    const float v = b[3 + c] * 0.99f + 0.01f * (0.5f - b[c]);
    y[id * 6 + c] = b[c] + 0.1f * v;
    y[id * 6 + 3 + c] = v;
  }
}
__global__ void boids_fixed(const float* x, float* y) {  // six arrays
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int c = 0; c < 3; ++c) {
    const float at = x[id + c * n], v = x[id + (3 + c) * n] * 0.99f + 0.01f * (0.5f - at);
    y[id + c * n] = at + 0.1f * v;
    y[id + (3 + c) * n] = v;
  }
}
__global__ void linear_bad(const float* x, const float* w, float* y, int columns) {  // a row of weights a thread
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; c++) sum += x[row * columns + c] * w[c];
  y[row] = sum > 0 ? sum : 0;
}
__global__ void linear_fixed(const float* x, const float* w, float* y, int columns) {  // a row a warp
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[row * columns + c] * w[c];
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_down_sync(0xffffffff, sum, m);
  if (lane == 0) y[row] = sum > 0 ? sum : 0;
}
__global__ void ownbins_bad(const int* k, int* i) {  // 16 bins of each thread side by side
  __shared__ unsigned short bins[256 * 16];
  unsigned short* mine = bins + threadIdx.x * 16;
  for (int b = 0; b < 16; ++b) mine[b] = 0;
  for (int j = 0; j < 32; ++j) ++mine[k[(blockIdx.x * 32 + j) * 256 + threadIdx.x] & 15];
  int most = 0;
  for (int b = 0; b < 16; ++b) most = max(most, (int)mine[b]);
  i[blockIdx.x * 256 + threadIdx.x] = most;
}
__global__ void ownbins_fixed(const int* k, int* i) {  // a bin of all threads side by side
  __shared__ unsigned short bins[16 * 256];
  for (int b = 0; b < 16; ++b) bins[b * 256 + threadIdx.x] = 0;
  for (int j = 0; j < 32; ++j) ++bins[(k[(blockIdx.x * 32 + j) * 256 + threadIdx.x] & 15) * 256 + threadIdx.x];
  int most = 0;
  for (int b = 0; b < 16; ++b) most = max(most, (int)bins[b * 256 + threadIdx.x]);
  i[blockIdx.x * 256 + threadIdx.x] = most;
}
__device__ float material(float v, int kind) {
  if (kind == 0) for (int j = 0; j < 12; ++j) v = __sinf(v) + 0.3f;
  else if (kind == 1) for (int j = 0; j < 12; ++j) v = __expf(-v) * 0.7f;
  else if (kind == 2) for (int j = 0; j < 12; ++j) v = __fsqrt_rn(v + 0.5f);
  else for (int j = 0; j < 12; ++j) v = __logf(v + 2.0f);
  return v;
}
__global__ void shading_bad(const float* x, float* y) {  // four materials, one after the other
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = material(x[id], threadIdx.x % 4);
}
__global__ void shading_fixed(const float* x, float* y) {  // a warp's pixels have one material
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = material(x[id], threadIdx.x / 32 % 4);
}
__global__ void batchmean_bad(const float* x, float* o, int length) {  // a block a picture
  __shared__ float sums[256];
  float sum = 0;
  for (int j = threadIdx.x; j < length; j += 256) sum += x[blockIdx.x * length + j];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = sums[0] / length;
}
__global__ void batchmean_fixed(const float* x, float* o, int length) {  // several blocks a picture
  __shared__ float sums[256];
  const int part = length / gridDim.y;
  float sum = 0;
  for (int j = threadIdx.x; j < part; j += 256) sum += x[blockIdx.x * length + blockIdx.y * part + j];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(&o[blockIdx.x], sums[0] / length);
}
__global__ void sharpen_bad(const float* x, float* y, int width) {  // a window of 9 x 9 from global memory
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 9; ++i) sum += x[(r + j) * width + c + i] * (1.0f + j * i);
  y[r * width + c] = x[(r + 4) * width + c + 4] * 2 - sum * 0.002f;
}
__global__ void sharpen_fixed(const float* x, float* y, int width) {  // a column of four results a thread
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  float sum[4] = {}, middle[4];
#pragma unroll
  for (int j = 0; j < 12; ++j)
#pragma unroll
    for (int i = 0; i < 9; ++i) {
      const float v = x[(r + j) * width + c + i];
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        if (j - q >= 0 && j - q < 9) sum[q] += v * (1.0f + (j - q) * i);
        if (j == q + 4 && i == 4) middle[q] = v;
      }
    }
  for (int q = 0; q < 4; ++q) y[(r + q) * width + c] = middle[q] * 2 - sum[q] * 0.002f;
}
__global__ void matches_bad(const int* k, int* h) {  // each match adds to one counter
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if ((k[id] & 7) == 3) atomicAdd(&h[k[id] >> 8 & 3], 1);
}
__global__ void matches_fixed(const int* k, int* h) {  // a block adds once to each
  __shared__ int found[4];
  if (threadIdx.x < 4) found[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < 1 << 22; id += gridDim.x * blockDim.x)
    if ((k[id] & 7) == 3) atomicAdd(&found[k[id] >> 8 & 3], 1);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&h[threadIdx.x], found[threadIdx.x]);
}
__device__ __forceinline__ void mix48(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float v[48];
#pragma unroll
  for (int j = 0; j < 48; ++j) v[j] = x[id + j * n];
#pragma unroll
  for (int s = 1; s < 48; s *= 2)
#pragma unroll
    for (int j = 0; j < 48; ++j) v[j] = v[j] * 0.75f + v[(j * 5 + s) % 48];
#pragma unroll
  for (int j = 0; j < 48; ++j) y[id + j * n] = v[j];
}
__global__ void __launch_bounds__(256, 8) mixer_bad(const float* x, float* y) { mix48(x, y); }  // 32 registers
__global__ void mixer_fixed(const float* x, float* y) { mix48(x, y); }
__global__ void string_bad(const float* x, float* y, int n) {  // a wave on a string, constants of double precision
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float left = x[max(id - 1, 0)], here = x[id], right = x[min(id + 1, n - 1)];
  y[id] = 2.0 * here - 0.5 * (left + right) + 0.25 * (left - 2.0 * here + right) * 1e-3;
}
__global__ void string_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float left = x[max(id - 1, 0)], here = x[id], right = x[min(id + 1, n - 1)];
  y[id] = 2.0f * here - 0.5f * (left + right) + 0.25f * (left - 2.0f * here + right) * 1e-3f;
}
__global__ void brighten_bad(const unsigned* k, unsigned* i) {  // bytes, one a thread
  const unsigned char* in = (const unsigned char*)k;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  ((unsigned char*)i)[id] = min(in[id] + 40, 255);
}
__global__ void brighten_fixed(const unsigned* k, unsigned* i) {  // sixteen a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = ((const uint4*)k)[id];
  v.x = __vaddus4(v.x, 0x28282828), v.y = __vaddus4(v.y, 0x28282828), v.z = __vaddus4(v.z, 0x28282828), v.w = __vaddus4(v.w, 0x28282828);
  ((uint4*)i)[id] = v;
}
__global__ void rowscan_bad(const float* x, float* y) {  // sums of 32 numbers so far, by shared memory and barriers
  __shared__ float v[2][256];
  const int t = threadIdx.x, lane = t & 31;
  v[0][t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  int now = 0;
  for (int s = 1; s < 32; s *= 2) {
    v[1 - now][t] = v[now][t] + (lane >= s ? v[now][t - s] : 0.0f);
    now = 1 - now;
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = v[now][t];
}
__global__ void rowscan_fixed(const float* x, float* y) {  // by shuffles
  const int id = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31;
  float v = x[id];
  for (int s = 1; s < 32; s *= 2) {
    const float before = __shfl_up_sync(0xffffffff, v, s);
    if (lane >= s) v += before;
  }
  y[id] = v;
}
__global__ void density_bad(const float* x, float* y, int many) {  // how near 64 samples lie, squares by powf
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float at = x[id];
  float sum = 0;
  for (int j = 0; j < many; ++j) sum += 1.0f / (1.0f + powf(at - 0.015f * j, 2.0f) + powf(fabsf(at - 0.5f), 1.5f));
  y[id] = sum;
}
__global__ void density_fixed(const float* x, float* y, int many) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float at = x[id], away = fabsf(at - 0.5f), tail = away * __fsqrt_rn(away);
  float sum = 0;
  for (int j = 0; j < many; ++j) {
    const float d = at - 0.015f * j;
    sum += __fdividef(1.0f, 1.0f + d * d + tail);
  }
  y[id] = sum;
}
__global__ void orbits_bad(const float* x, float* y, int steps) {  // 280 blocks that take one SM each
  extern __shared__ float s[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float p = x[id], v = 0.1f;
  s[threadIdx.x] = p;
  for (int j = 0; j < steps; ++j) v -= 0.01f * p, p += 0.01f * v;
  y[id] = p + s[threadIdx.x];
}
__global__ void orbits_fixed(const float* x, float* y, int steps) {  // blocks of half of the size
  extern __shared__ float s[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float p = x[id], v = 0.1f;
  s[threadIdx.x] = p;
  for (int j = 0; j < steps; ++j) v -= 0.01f * p, p += 0.01f * v;
  y[id] = p + s[threadIdx.x];
}
__global__ void series_bad(const float* x, float* y, int terms) {  // one sum of products, each after the last
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = 0, term = 1;
  for (int j = 1; j <= terms; ++j) term = term * v * 0.9f, sum += term;
  y[id] = sum;
}
__global__ void series_fixed(const float* x, float* y, int terms) {  // four sums side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id] * 0.9f, v2 = v * v, v4 = v2 * v2;
  float sum[4] = {}, term[4] = {v, v2, v2 * v, v4};
  for (int j = 0; j < terms; j += 4)
    for (int q = 0; q < 4; ++q) sum[q] += term[q], term[q] *= v4;
  y[id] = sum[0] + sum[1] + sum[2] + sum[3];
}
__global__ void scramble_bad(const unsigned* k, unsigned* i) {  // a block cipher's rounds, rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = k[id], b = a ^ 0x9e3779b9u;
#pragma unroll 1
  for (int r = 0; r < 32; ++r) {
    const unsigned t = a;
    a = __funnelshift_r(a, a, 8) + b ^ r;
    b = __funnelshift_l(b, b, 3) ^ t;
  }
  i[id] = a ^ b;
}
__global__ void scramble_fixed(const unsigned* k, unsigned* i) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = k[id], b = a ^ 0x9e3779b9u;
#pragma unroll
  for (int r = 0; r < 32; ++r) {
    const unsigned t = a;
    a = __funnelshift_r(a, a, 8) + b ^ r;
    b = __funnelshift_l(b, b, 3) ^ t;
  }
  i[id] = a ^ b;
}
__global__ void keys16_bad(const __half* p, __half* q, int n) {  // scores of queries and keys, 64 numbers each, one score a thread
  __shared__ __half a[16][72], b[16][72];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  for (int d = threadIdx.x; d < 64; d += 16) {
    a[threadIdx.y][d] = p[row * 64 + d];
    b[threadIdx.y][d] = p[(n + blockIdx.x * 16 + threadIdx.y) * 64 + d];
  }
  __syncthreads();
  float sum = 0;
  for (int d = 0; d < 64; ++d) sum += __half2float(a[threadIdx.y][d]) * __half2float(b[threadIdx.x][d]);
  q[row * n + column] = __float2half(sum * 0.125f);
}
__global__ void keys16_fixed(const __half* p, __half* q, int n) {  // a warp has 16 x 16 scores by tensor cores
  const int row = blockIdx.y * 64 + threadIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  for (int d = 0; d < 64; d += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
    wmma::load_matrix_sync(f, p + row * 64 + d, 64);
    wmma::load_matrix_sync(g, p + (n + column) * 64 + d, 64);
    wmma::mma_sync(sum, f, g, sum);
  }
  for (int j = 0; j < sum.num_elements; ++j) sum.x[j] = __hmul(sum.x[j], __float2half(0.125f));
  wmma::store_matrix_sync(q + row * n + column, sum, n, wmma::mem_row_major);
}
__constant__ float taps_of_band[64];
__global__ void band_bad(const float* x, const float* w, float* y) {  // 64 taps in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 64; ++j) sum += x[id + j] * w[j];
  y[id] = sum;
}
__global__ void band_fixed(const float* x, const float* w, float* y) {  // in constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 64; ++j) sum += x[id + j] * taps_of_band[j];
  y[id] = sum + w[0] * 0;
}
__global__ void axes_bad(const float* x, float* y, int a, int b, int c) {  // a tensor's axes turned, by division of a flat index
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = id / (b * c), j = id / c % b, k = id % c;
  y[id] = x[(j * a + i) * c + k];
}
__global__ void axes_fixed(const float* x, float* y, int a, int b, int c) {  // by a grid of three dimensions
  const int k = threadIdx.x, j = blockIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  y[(i * b + j) * c + k] = x[(j * a + i) * c + k];
}
__global__ void cache_bad(const float* x, float* y) {  // more shared memory than it uses
  extern __shared__ float s[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = x[id];
  __syncthreads();
  const float v = s[threadIdx.x ^ 1];
  y[id] = v * v + s[threadIdx.x];
}
__global__ void cache_fixed(const float* x, float* y) {
  extern __shared__ float s[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = x[id];
  __syncthreads();
  const float v = s[threadIdx.x ^ 1];
  y[id] = v * v + s[threadIdx.x];
}
__global__ void rank7_bad(const float* x, float* y) {  // the median of 15 by counting in a table that the data choose
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int count[16];
  for (int j = 0; j < 16; ++j) count[j] = 0;
  for (int j = 0; j < 15; ++j) ++count[(int)(x[id + j * 4096] * 15.99f)];
  int seen = 0, at = 0;
  while (seen + count[at] < 8) seen += count[at++];
  y[id] = at;
}
__global__ void rank7_fixed(const float* x, float* y) {  // counts of four bits in one number
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long count = 0;
  for (int j = 0; j < 15; ++j) count += 1ull << 4 * (int)(x[id + j * 4096] * 15.99f);
  int seen = 0, at = 0;
  while (seen + (int)(count >> 4 * at & 15) < 8) seen += count >> 4 * at++ & 15;
  y[id] = at;
}
__global__ void manhattan_bad(const float* x, float* y, int n) {  // distances of all rows of 64, one a thread
  __shared__ float a[16][65], b[16][65];
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  for (int d = threadIdx.x; d < 64; d += 16) {
    a[threadIdx.y][d] = x[(row + threadIdx.y) * 64 + d];
    b[threadIdx.y][d] = x[(column + threadIdx.y) * 64 + d];
  }
  __syncthreads();
  float sum = 0;
  for (int d = 0; d < 64; ++d) sum += fabsf(a[threadIdx.y][d] - b[threadIdx.x][d]);
  y[(row + threadIdx.y) * n + column + threadIdx.x] = sum;
}
__global__ void manhattan_fixed(const float* x, float* y, int n) {  // sixteen a thread
  __shared__ float a[64][65], b[64][65];
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  for (int r = threadIdx.y; r < 64; r += 16)
    for (int d = threadIdx.x; d < 64; d += 16) {
      a[r][d] = x[(row + r) * 64 + d];
      b[r][d] = x[(column + r) * 64 + d];
    }
  __syncthreads();
  float sum[4][4] = {};
  for (int d = 0; d < 64; ++d) {
    float u[4], v[4];
    for (int q = 0; q < 4; ++q) u[q] = a[threadIdx.y + 16 * q][d], v[q] = b[threadIdx.x + 16 * q][d];
    for (int p = 0; p < 4; ++p)
      for (int q = 0; q < 4; ++q) sum[p][q] += fabsf(u[p] - v[q]);
  }
  for (int p = 0; p < 4; ++p)
    for (int q = 0; q < 4; ++q) y[(row + threadIdx.y + 16 * p) * n + column + threadIdx.x + 16 * q] = sum[p][q];
}
__global__ void relaxed_bad(const float* x, float* y, int steps) {  // a rod of 512 cells, its state in global memory
  float *a = y + blockIdx.x * 1024, *b = a + 512;
  const int t = threadIdx.x, left = max(t - 1, 0), right = min(t + 1, 511);
  a[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    b[t] = 0.25f * (a[left] + a[right]) + 0.5f * a[t];
    __syncthreads();
    float* c = a;
    a = b, b = c;
  }
}
__global__ void relaxed_fixed(const float* x, float* y, int steps) {  // in shared memory
  __shared__ float v[2][512];
  const int t = threadIdx.x, left = max(t - 1, 0), right = min(t + 1, 511);
  v[0][t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    v[1 - s % 2][t] = 0.25f * (v[s % 2][left] + v[s % 2][right]) + 0.5f * v[s % 2][t];
    __syncthreads();
  }
  y[blockIdx.x * 1024 + t] = v[steps % 2][t];
}
__global__ void rowsoft_bad(const float* x, float* y, int length) {  // softmax of a row a block, in three passes
  __shared__ float part[256];
  const float* row = x + blockIdx.x * length;
  const int t = threadIdx.x;
  float top = -1e30f, sum = 0;
  for (int j = t; j < length; j += 256) top = fmaxf(top, row[j]);
  part[t] = top;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] = fmaxf(part[t], part[t + s]);
    __syncthreads();
  }
  top = part[0];
  __syncthreads();
  for (int j = t; j < length; j += 256) sum += __expf(row[j] - top);
  part[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  for (int j = t; j < length; j += 256) y[blockIdx.x * length + j] = __expf(row[j] - top) / part[0];
}
__global__ void rowsoft_fixed(const float* x, float* y, int length) {  // the row is loaded once
  __shared__ float part[256];
  const float* row = x + blockIdx.x * length;
  const int t = threadIdx.x;
  float v[16], top = -1e30f, sum = 0;
#pragma unroll
  for (int j = 0; j < 16; ++j) top = fmaxf(top, v[j] = row[t + j * 256]);
  part[t] = top;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] = fmaxf(part[t], part[t + s]);
    __syncthreads();
  }
  top = part[0];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 16; ++j) sum += v[j] = __expf(v[j] - top);
  part[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 16; ++j) y[blockIdx.x * length + t + j * 256] = v[j] / part[0];
}
__global__ void tally_bad(const int* k, const float* x, float* y) {  // graph: a vertex looks its four neighbours up, state of eight numbers
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    const int other = k[id * 4 + j] & 0xfffff;
    for (int c = 0; c < 8; ++c) sum += x[other + c * 0x100000];
  }
  y[id] = sum;
}
__global__ void tally_fixed(const int* k, const float* x, float* y) {  // a vertex' numbers side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    const int other = k[id * 4 + j] & 0xfffff;
    const float4 a = ((const float4*)x)[other * 2], b = ((const float4*)x)[other * 2 + 1];
    sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
  }
  y[id] = sum;
}
__global__ void lonewarp_bad(const float* x, float* y) {  // blocks of a warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * 3 + 1;
}
__global__ void lonewarp_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * 3 + 1;
}
}
