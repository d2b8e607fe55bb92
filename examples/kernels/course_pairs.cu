// More of what courses, lectures and blogs on CUDA teach, as pairs of kernels: NAME_bad before the lesson and NAME_fixed after it.
#include <cuda_fp16.h>
extern "C" {
// Layout: structures of arrays, a warp a row.
__global__ void particles_bad(const float* x, float* y, int n) {  // seven numbers of a particle side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float* p = x + 7 * id;
  const float dt = 0.01f, m = 1 / (p[6] + 1);
  y[id] = p[0] + p[3] * dt * m + (p[1] + p[4] * dt * m) + (p[2] + p[5] * dt * m);
}
__global__ void particles_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float dt = 0.01f, m = 1 / (x[6 * n + id] + 1);
  y[id] = x[id] + x[3 * n + id] * dt * m + (x[n + id] + x[4 * n + id] * dt * m) + (x[2 * n + id] + x[5 * n + id] * dt * m);
}
__global__ void matvec_bad(const float* a, const float* x, float* y, int columns) {  // a thread a row
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += a[(size_t)row * columns + k] * x[k];
  y[row] = sum;
}
__global__ void matvec_fixed(const float* a, const float* x, float* y, int columns) {  // a warp a row
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = lane; k < columns; k += 32) sum += a[(size_t)row * columns + k] * x[k];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[row] = sum;
}
__global__ void sparse_bad(const float* values, const int* columns, const float* x, float* y, int rows) {  // CSR, rows of 64
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 64 * row; k < 64 * row + 64; ++k) sum += values[k] * x[columns[k] & 4095];
  y[row] = sum;
}
__global__ void sparse_fixed(const float* values, const int* columns, const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 64 * row + lane; k < 64 * row + 64; k += 32) sum += values[k] * x[columns[k] & 4095];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[row] = sum;
}

// Shared memory: banks, private histograms, barriers.
__global__ void subbins_bad(const int* in, int* out, int per) {  // counters of a thread side by side
  __shared__ int count[64 * 32];
  const int id = threadIdx.x;
  for (int k = 0; k < 32; ++k) count[32 * id + k] = 0;
  for (int k = 0; k < per; ++k) ++count[32 * id + (in[(blockIdx.x * per + k) * 64 + id] & 31)];
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += count[32 * id + k] * k;
  out[blockIdx.x * 64 + id] = sum;
}
__global__ void subbins_fixed(const int* in, int* out, int per) {  // counters of a bin side by side
  __shared__ int count[64 * 32];
  const int id = threadIdx.x;
  for (int k = 0; k < 32; ++k) count[64 * k + id] = 0;
  for (int k = 0; k < per; ++k) ++count[64 * (in[(blockIdx.x * per + k) * 64 + id] & 31) + id];
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += count[64 * k + id] * k;
  out[blockIdx.x * 64 + id] = sum;
}
__global__ void privatise_bad(const int* in, unsigned* h, int n) {  // all threads count in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) atomicAdd(&h[in[id] & 255], 1u);
}
__global__ void privatise_fixed(const int* in, unsigned* h, int n) {  // a block counts for itself first
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[in[id] & 255], 1u);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
}
__global__ void lastwarp_bad(const float* x, float* y, int tiles) {  // a tree of eight barriers a tile
  __shared__ float t[256];
  const int id = threadIdx.x;
  float all = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    t[id] = x[(blockIdx.x * tiles + tile) * 256 + id];
    for (int s = 128; s > 0; s /= 2) {
      __syncthreads();
      if (id < s) t[id] += t[id + s];
    }
    __syncthreads();
    all = fmaxf(all, t[0]);
    __syncthreads();
  }
  y[blockIdx.x * 256 + id] = all;
}
__global__ void lastwarp_fixed(const float* x, float* y, int tiles) {  // shuffles, and one barrier a tile
  __shared__ float t[2][8];
  const int id = threadIdx.x, lane = id % 32;
  float all = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    float v = x[(blockIdx.x * tiles + tile) * 256 + id];
    for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
    if (lane == 0) t[tile % 2][id / 32] = v;
    __syncthreads();
    v = t[tile % 2][lane % 8];
    for (int s = 4; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
    all = fmaxf(all, v);
  }
  y[blockIdx.x * 256 + id] = all;
}

// Filters and products: constants, results a thread.
__constant__ float taps[81];
__global__ void nine_bad(const float* x, const float* w, float* y, int side) {  // 81 weights from global memory
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) sum += w[9 * r + c] * x[min(row + r, side - 1) * side + min(column + c, side - 1)];
  y[row * side + column] = sum;
}
__global__ void nine_fixed(const float* x, const float* w, float* y, int side) {  // from constant memory
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) sum += taps[9 * r + c] * x[min(row + r, side - 1) * side + min(column + c, side - 1)];
  y[row * side + column] = sum;
}
__global__ void coarsen_bad(const float* a, const float* b, float* c, int n) {  // one result a thread
  __shared__ float s[32][32], t[32][32];
  const int i = threadIdx.y, j = threadIdx.x, row = blockIdx.y * 32 + i, column = blockIdx.x * 32 + j;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    s[i][j] = a[row * n + k + j];
    t[i][j] = b[(k + i) * n + column];
    __syncthreads();
    for (int m = 0; m < 32; ++m) sum += s[i][m] * t[m][j];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void coarsen_fixed(const float* a, const float* b, float* c, int n) {  // four rows and four columns a thread
  __shared__ float s[32][65], t[32][64];
  const int id = threadIdx.y * 16 + threadIdx.x, row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int e = id; e < 2048; e += 256) {
      s[e % 32][e / 32] = a[(row + e / 32) * n + k + e % 32];
      t[e / 64][e % 64] = b[(k + e / 64) * n + column + e % 64];
    }
    __syncthreads();
    for (int m = 0; m < 32; ++m) {
      float u[4], v[4];
      for (int r = 0; r < 4; ++r) u[r] = s[m][threadIdx.y + 16 * r], v[r] = t[m][threadIdx.x + 16 * r];
      for (int r = 0; r < 4; ++r)
        for (int q = 0; q < 4; ++q) sum[r][q] += u[r] * v[q];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int q = 0; q < 4; ++q) c[(row + threadIdx.y + 16 * r) * n + column + threadIdx.x + 16 * q] = sum[r][q];
}

// Instructions: branches, precision, divisions, vectors, arrays.
__device__ float variant(int kind, float v) {
  for (int k = 0; k < 24; ++k) {
    if (kind == 0) v = v * 0.9f + __sinf(v);
    else if (kind == 1) v = v / (1 + v * v);
    else if (kind == 2) v = sqrtf(v * v + 1) - 0.5f;
    else v = __expf(-v) + 0.1f * v;
  }
  return v;
}
__global__ void switch4_bad(const float* x, float* y, int n) {  // neighbours differ
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = variant(id % 4, x[id]);
}
__global__ void switch4_fixed(const float* x, float* y, int n) {  // warps differ
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = variant(id / 32 % 4, x[id]);
}
__global__ void options_bad(const float* x, float* y, int n) {  // Black and Scholes, constants of double
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float s = x[id] + 0.5f, k = 1, t = 1 + x[id] * x[id];
  const float root = sqrtf(t), d = (logf(s / k) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * root), e = d - 0.3 * root;
  const float a = 0.5 * erfcf(-d * 0.70710678118), b = 0.5 * erfcf(-e * 0.70710678118);
  y[id] = s * a - k * exp(-0.02 * t) * b;
}
__global__ void options_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float s = x[id] + 0.5f, k = 1, t = 1 + x[id] * x[id];
  const float root = sqrtf(t), d = (logf(s / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root), e = d - 0.3f * root;
  const float a = 0.5f * erfcf(-d * 0.70710678118f), b = 0.5f * erfcf(-e * 0.70710678118f);
  y[id] = s * a - k * expf(-0.02f * t) * b;
}
__global__ void unfold_bad(const float* x, float* y, int n, int height, int width, int size) {  // im2col by one index
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int column = id % width, row = id / width % height, kc = id / (width * height) % size, kr = id / (width * height * size) % size;
  const int r = min(row + kr, height - 1), c = min(column + kc, width - 1);
  y[id] = x[r * width + c];
}
__global__ void unfold_fixed(const float* x, float* y, int n, int height, int width, int size) {  // by three of the grid
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= width) return;
  for (int kr = 0, plane = 0; kr < size; ++kr)
    for (int kc = 0; kc < size; ++kc, ++plane)
      if (plane * width * height + row * width + column < n)
        y[plane * width * height + row * width + column] = x[min(row + kr, height - 1) * width + min(column + kc, width - 1)];
}
__global__ void half8_bad(const __half* p, __half* q, int n) {  // a half a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) q[id] = __hadd(p[id], p[id]);
}
__global__ void half8_fixed(const __half* p, __half* q, int n) {  // eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  uint4 v = reinterpret_cast<const uint4*>(p)[id];
  __half2* h = reinterpret_cast<__half2*>(&v);
  for (int k = 0; k < 4; ++k) h[k] = __hadd2(h[k], h[k]);
  reinterpret_cast<uint4*>(q)[id] = v;
}
__global__ void palette_bad(const int* in, float* y, int n) {  // a table of the thread, indexed by data
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float table[16];
  for (int k = 0; k < 16; ++k) table[k] = 0.25f * k * id;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += table[in[k * n + id] & 15];
  y[id] = sum;
}
__global__ void palette_fixed(const int* in, float* y, int n) {  // computed instead
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += 0.25f * (in[k * n + id] & 15) * id;
  y[id] = sum;
}

// Grids: enough blocks, whole waves, independent work.
__global__ void fewblocks_bad(const float* x, const float* z, float* y, int n) {  // launched with 40 blocks
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) y[id] = x[id] + z[id];
}
__global__ void fewblocks_fixed(const float* x, const float* z, float* y, int n) {
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) y[id] = x[id] + z[id];
}
__global__ void onemore_bad(const float* x, float* y, int turns) {  // a block more than there are SMs
  extern __shared__ float room[];
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < turns; ++k) v = v * 0.999f + 0.001f * (v > 0.5f ? v : 1 - v);
  room[threadIdx.x] = v;
  y[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}
__global__ void onemore_fixed(const float* x, float* y, int turns) {
  extern __shared__ float room[];
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < turns; ++k) v = v * 0.999f + 0.001f * (v > 0.5f ? v : 1 - v);
  room[threadIdx.x] = v;
  y[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}
__global__ void ilp_bad(const float* x, float* y, int turns) {  // one sum: each product waits for the last
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id];
  for (int k = 0; k < turns; ++k) {
#pragma unroll
    for (int m = 0; m < 8; ++m) a = a * 0.999f + 0.5f;
  }
  y[id] = a;
}
__global__ void ilp_fixed(const float* x, float* y, int turns) {  // eight sums side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a[8];
  for (int m = 0; m < 8; ++m) a[m] = x[id] + m;
  for (int k = 0; k < turns; ++k) {
#pragma unroll
    for (int m = 0; m < 8; ++m) a[m] = a[m] * 0.999f + 0.5f;
  }
  for (int m = 1; m < 8; ++m) a[0] += a[m];
  y[id] = a[0];
}
}
