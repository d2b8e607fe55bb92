// What textbooks teach of memory, filters, scans, histograms and sparse matrices, as pairs: NAME_bad before the lesson and NAME_fixed
// after it.
#include <cuda_fp16.h>
#include <mma.h>
__constant__ float mask[81];
extern "C" {
// Memory.
__global__ void strided_bad(const float* x, float* y, int n, int stride) {  // elements that lie apart
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = 2 * x[id * stride];
}
__global__ void strided_fixed(const float* x, float* y, int n, int stride) {  // side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = 2 * x[id] + stride;
}
__global__ void matadd_bad(const float* x, const float* w, float* y, int side) {  // rows along x
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < side && col < side) y[row * side + col] = x[row * side + col] + w[col & 63];
}
__global__ void matadd_fixed(const float* x, const float* w, float* y, int side) {  // columns along x
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < side && col < side) y[row * side + col] = x[row * side + col] + w[col & 63];
}
__global__ void stack_bad(const float* x, float* y, int count) {  // 16 numbers a thread in shared memory, one thread's after another's
  __shared__ float kept[128 * 16];
  const int id = blockIdx.x * 128 + threadIdx.x, step = gridDim.x * 128;
  for (int k = 0; k < 16; ++k) kept[threadIdx.x * 16 + k] = x[id + k * step];
  float sum = 0;
  for (int t = 0; t < count; ++t) sum = sum * 0.5f + kept[threadIdx.x * 16 + (t * 5 & 15)];
  y[id] = sum;
}
__global__ void stack_fixed(const float* x, float* y, int count) {  // the first of every thread, then the second of every thread
  __shared__ float kept[16 * 128];
  const int id = blockIdx.x * 128 + threadIdx.x, step = gridDim.x * 128;
  for (int k = 0; k < 16; ++k) kept[k * 128 + threadIdx.x] = x[id + k * step];
  float sum = 0;
  for (int t = 0; t < count; ++t) sum = sum * 0.5f + kept[(t * 5 & 15) * 128 + threadIdx.x];
  y[id] = sum;
}

// Filters.
__global__ void mask5_bad(const float* x, const float* w, float* y, int side) {  // 5 x 5 weights in global memory
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 5; ++c) {
      const int a = row + r - 2, b = col + c - 2;
      if (a >= 0 && a < side && b >= 0 && b < side) sum += w[r * 5 + c] * x[a * side + b];
    }
  y[row * side + col] = sum;
}
__global__ void mask5_fixed(const float* x, const float* w, float* y, int side) {  // in constant memory
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = w ? 0 : 1;
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 5; ++c) {
      const int a = row + r - 2, b = col + c - 2;
      if (a >= 0 && a < side && b >= 0 && b < side) sum += mask[r * 5 + c] * x[a * side + b];
    }
  y[row * side + col] = sum;
}
__global__ void tile9_bad(const float* x, float* y, int side) {  // a filter of 9 x 9, its input from global memory
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int r = 0; r < 9; ++r)
#pragma unroll
    for (int c = 0; c < 9; ++c) sum += mask[r * 9 + c] * x[(row + r) * side + col + c];
  y[row * side + col] = sum;
}
__global__ void tile9_fixed(const float* x, float* y, int side) {  // from a tile with a halo
  __shared__ float tile[16][40];
  const int left = blockIdx.x * 32, top = blockIdx.y * 8;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 16 * 40; k += 256) tile[k / 40][k % 40] = x[(top + k / 40) * side + left + k % 40];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int r = 0; r < 9; ++r)
#pragma unroll
    for (int c = 0; c < 9; ++c) sum += mask[r * 9 + c] * tile[threadIdx.y + r][threadIdx.x + c];
  y[(top + threadIdx.y) * side + left + threadIdx.x] = sum;
}
__global__ void wave25_bad(const float* x, float* y, int side) {  // waves: a star of radius 4 in three dimensions, a thread a point
  const int c = blockIdx.x * 32 + threadIdx.x + 4, r = blockIdx.y * 8 + threadIdx.y + 4, z = blockIdx.z + 4, plane = side * side;
  const float* at = x + z * plane + r * side + c;
  float sum = 25 * at[0];
#pragma unroll
  for (int k = 1; k <= 4; ++k) sum -= k * (at[k] + at[-k] + at[k * side] + at[-k * side] + at[k * plane] + at[-k * plane]);
  y[z * plane + r * side + c] = sum;
}
__global__ void wave25_fixed(const float* x, float* y, int side) {  // planes go by; what lies above and below is in registers
  __shared__ float tile[16][40];
  const int c = blockIdx.x * 32 + threadIdx.x + 4, r = blockIdx.y * 8 + threadIdx.y + 4, plane = side * side, first = blockIdx.z * 15 + 4;
  float column[9];
#pragma unroll
  for (int k = 0; k < 8; ++k) column[k + 1] = x[(first + k - 4) * plane + r * side + c];
  for (int z = first; z < first + 15; ++z) {
#pragma unroll
    for (int k = 0; k < 8; ++k) column[k] = column[k + 1];
    column[8] = x[(z + 4) * plane + r * side + c];
    __syncthreads();
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 16 * 40; k += 256)
      tile[k / 40][k % 40] = x[z * plane + (blockIdx.y * 8 + k / 40) * side + blockIdx.x * 32 + k % 40];
    __syncthreads();
    float sum = 25 * column[4];
    const int a = threadIdx.y + 4, b = threadIdx.x + 4;
#pragma unroll
    for (int k = 1; k <= 4; ++k)
      sum -= k * (tile[a][b + k] + tile[a][b - k] + tile[a + k][b] + tile[a - k][b] + column[4 + k] + column[4 - k]);
    y[z * plane + r * side + c] = sum;
  }
}

// Histograms, scans, lists.
__global__ void skewed_bad(const int* k, unsigned* h, int n) {  // bins of a block; most of a picture is one colour
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) {
    const int v = k[id];
    atomicAdd(&bins[(v & 15) ? 0 : v >> 4 & 63], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&h[threadIdx.x], bins[threadIdx.x]);
}
__global__ void skewed_fixed(const int* k, unsigned* h, int n) {  // a thread adds up what comes again and again
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  unsigned times = 0;
  int last = -1;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) {
    const int v = k[id], bin = (v & 15) ? 0 : v >> 4 & 63;
    if (bin != last) {
      if (times) atomicAdd(&bins[last], times);
      last = bin;
      times = 0;
    }
    ++times;
  }
  if (times) atomicAdd(&bins[last], times);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&h[threadIdx.x], bins[threadIdx.x]);
}
__global__ void flush_bad(const int* k, unsigned* h, int n) {  // 1,024 bins a block, which counts 256 values
  __shared__ unsigned bins[1024];
  for (int b = threadIdx.x; b < 1024; b += 256) bins[b] = 0;
  __syncthreads();
  const int id = blockIdx.x * 256 + threadIdx.x;
  if (id < n) atomicAdd(&bins[k[id] & 1023], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 1024; b += 256)
    if (bins[b]) atomicAdd(&h[b], bins[b]);
}
__global__ void flush_fixed(const int* k, unsigned* h, int n) {  // a fixed number of blocks, many values each
  __shared__ unsigned bins[1024];
  for (int b = threadIdx.x; b < 1024; b += 256) bins[b] = 0;
  __syncthreads();
  for (int id = blockIdx.x * 256 + threadIdx.x; id < n; id += gridDim.x * 256) atomicAdd(&bins[k[id] & 1023], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 1024; b += 256)
    if (bins[b]) atomicAdd(&h[b], bins[b]);
}
__global__ void kogge_bad(const float* x, float* y) {  // prefix sums of 256 numbers, two barriers a step
  __shared__ float t[256];
  const int id = blockIdx.x * 256 + threadIdx.x;
  t[threadIdx.x] = x[id];
  for (int s = 1; s < 256; s *= 2) {
    __syncthreads();
    float sum = t[threadIdx.x];
    if (threadIdx.x >= s) sum += t[threadIdx.x - s];
    __syncthreads();
    t[threadIdx.x] = sum;
  }
  y[id] = t[threadIdx.x];
}
__global__ void kogge_fixed(const float* x, float* y) {  // of warps by shuffles, then of their sums
  __shared__ float sums[8];
  const int id = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = x[id];
#pragma unroll
  for (int s = 1; s < 32; s *= 2) {
    const float other = __shfl_up_sync(~0u, v, s);
    if (lane >= s) v += other;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  float before = 0;
  for (int k = 0; k < warp; ++k) before += sums[k];
  y[id] = v + before;
}
__global__ void compact_bad(const int* k, int* j, unsigned* h, int n) {  // those that pass get a place each from one counter
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n && (k[id] & 7) == 0) {
    const unsigned at = atomicAdd(&h[k[id] >> 3 & 1], 1u);
    j[at & 0xfffff] = id;
  }
}
__global__ void compact_fixed(const int* k, int* j, unsigned* h, int n) {  // a block gets all its places at once
  __shared__ unsigned own[2], first[2];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 2) own[threadIdx.x] = 0;
  __syncthreads();
  const bool pass = id < n && (k[id] & 7) == 0;
  const int list = id < n ? k[id] >> 3 & 1 : 0;
  const unsigned at = pass ? atomicAdd(&own[list], 1u) : 0;
  __syncthreads();
  if (threadIdx.x < 2) first[threadIdx.x] = atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
  __syncthreads();
  if (pass) j[first[list] + at & 0xfffff] = id;
}

// Sparse matrices.
__global__ void coo_bad(const float* x, const int* k, const float* w, float* o, int count) {  // coordinates: an atomic for every element
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < count) atomicAdd(&o[id / 512 & 4095], x[id] * w[k[id] & 4095]);
}
__global__ void coo_fixed(const float* x, const int* k, const float* w, float* o, int count) {  // rows: a warp sums its row up
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row * 512 >= count) return;
  float sum = 0;
  for (int e = lane; e < 512; e += 32) sum += x[row * 512 + e] * w[k[row * 512 + e] & 4095];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) o[row & 4095] = sum;
}
__global__ void shortrows_bad(const float* x, const int* k, const float* w, float* y, int rows) {  // a warp for a row of four elements
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int e = lane; e < 4; e += 32) sum += x[row * 4 + e] * w[k[row * 4 + e] & 4095];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[row] = sum;
}
__global__ void shortrows_fixed(const float* x, const int* k, const float* w, float* y, int rows) {  // four threads
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x & 3;
  if (row >= rows) return;
  float sum = x[row * 4 + lane] * w[k[row * 4 + lane] & 4095];
  for (int s = 2; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s, 4);
  if (lane == 0) y[row] = sum;
}

// Products.
__global__ void halves_bad(const __half* p, __half* q, int side) {  // a product of halves, tiles in shared memory, ordinary arithmetic
  __shared__ __half a[32][32], b[32][34];
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < side; t += 32) {
    a[threadIdx.y][threadIdx.x] = p[row * side + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = p[(t + threadIdx.y) * side + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += __half2float(a[threadIdx.y][k]) * __half2float(b[k][threadIdx.x]);
    __syncthreads();
  }
  q[row * side + col] = __float2half(sum);
}
__global__ void halves_fixed(const __half* p, __half* q, int side) {  // tensor cores, a warp 16 x 16 results
  using namespace nvcuda;
  const int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> c;
  wmma::fill_fragment(c, __float2half(0.f));
  for (int t = 0; t < side; t += 16) {
    wmma::load_matrix_sync(a, p + row * side + t, side);
    wmma::load_matrix_sync(b, p + t * side + col, side);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(q + row * side + col, c, side, wmma::mem_row_major);
}
__global__ void stages_bad(const float* x, const float* w, float* y, int tiles) {  // a tile is loaded, waited for, worked on, then the next
  __shared__ float t[1024];
  float sum = 0;
  const float* at = x + (size_t)blockIdx.x * tiles * 1024;
  for (int k = 0; k < tiles; ++k) {
    for (int q = threadIdx.x; q < 1024; q += 128) t[q] = at[k * 1024 + q];
    __syncthreads();
    for (int q = 0; q < 32; ++q) sum = sum * 0.75f + t[(threadIdx.x + q * 33) & 1023];
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = sum + w[0];
}
__global__ void stages_fixed(const float* x, const float* w, float* y, int tiles) {  // the next comes while this one is worked on
  __shared__ float t[1024];
  float sum = 0, next[8];
  const float* at = x + (size_t)blockIdx.x * tiles * 1024;
#pragma unroll
  for (int q = 0; q < 8; ++q) next[q] = at[threadIdx.x + q * 128];
  for (int k = 0; k < tiles; ++k) {
#pragma unroll
    for (int q = 0; q < 8; ++q) t[threadIdx.x + q * 128] = next[q];
    __syncthreads();
    if (k + 1 < tiles) {
#pragma unroll
      for (int q = 0; q < 8; ++q) next[q] = at[(k + 1) * 1024 + threadIdx.x + q * 128];
    }
    for (int q = 0; q < 32; ++q) sum = sum * 0.75f + t[(threadIdx.x + q * 33) & 1023];
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = sum + w[0];
}
}
