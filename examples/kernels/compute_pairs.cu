// Pairs of kernels about arithmetic, grids and waiting, NAME_bad and NAME_fixed: shapes and types other than those of pairs.cu.
#include <cuda_fp16.h>

extern "C" {
__device__ unsigned hash(unsigned v) {
  v ^= v >> 16, v *= 0x7feb352d, v ^= v >> 15, v *= 0x846ca68b;
  return v ^ v >> 16;
}

__global__ void hashloop_bad(const float* x, float* y, int n) {  // as many turns as a thread's number says
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int turns = hash(i) & 255;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) v = v * 0.999f + sqrtf(v);
  y[i] = v;
}
__global__ void hashloop_fixed(const float* x, float* y, int n) {  // as its warp's number says
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int turns = hash(i / 32) & 255;
#pragma unroll 1
  for (int k = 0; k < turns; ++k) v = v * 0.999f + sqrtf(v);
  y[i] = v;
}

__device__ float dear(float v) {
#pragma unroll 1
  for (int k = 0; k < 40; ++k) v = __sinf(v) + __expf(-v);
  return v;
}
__global__ void checker_bad(const float* x, float* y, int w) {  // dear and cheap pixels like a chess board
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float v = x[r * w + c];
  y[r * w + c] = (r + c) % 2 ? dear(v) : v + 1;
}
__global__ void checker_fixed(const float* x, float* y, int w) {  // dear and cheap rows of blocks
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float v = x[r * w + c];
  y[r * w + c] = r / 2 % 2 ? dear(v) : v + 1;
}

__global__ void few4_bad(const float* x, float* y, int n) {  // one thread of four has work
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (hash(i) % 4 == 0)
#pragma unroll 1
    for (int k = 0; k < 200; ++k) v = v - (v * v - 2.0f) * 0.3f;
  y[i] = v;
}
__global__ void few4_fixed(const float* x, float* y, int n) {  // those with work stand together
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i / 32 % 4 == 0)
#pragma unroll 1
    for (int k = 0; k < 200; ++k) v = v - (v * v - 2.0f) * 0.3f;
  y[i] = v;
}

__global__ void hold160_bad(const float* x, float* y, int n) {  // 160 values in registers
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[160], most = -1e30f, s = 0;
#pragma unroll
  for (int k = 0; k < 160; ++k) a[k] = x[k * n + i];
#pragma unroll
  for (int k = 0; k < 160; ++k) most = fmaxf(most, a[k]);
#pragma unroll
  for (int k = 0; k < 160; ++k) s += __expf(a[k] - most);
  y[i] = s;
}
__global__ void hold160_fixed(const float* x, float* y, int n) {  // a largest value on the way
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f, s = 0;
#pragma unroll 8
  for (int k = 0; k < 160; ++k) {
    float v = x[k * n + i], now = fmaxf(most, v);
    s = s * __expf(most - now) + __expf(v - now);
    most = now;
  }
  y[i] = s;
}

__global__ void tiny_bad(const float* x, float* y, int n) {  // a warp a block
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 4; ++k) s += x[(i + k * (n / 4)) & (n - 1)] * x[(i + k * 7919) & (n - 1)];
  y[i] = s;
}
__global__ void tiny_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 4; ++k) s += x[(i + k * (n / 4)) & (n - 1)] * x[(i + k * 7919) & (n - 1)];
  y[i] = s;
}

__global__ void stage_bad(const float* x, float* y, int n) {  // 40 KB a block of 128 threads, most of it not used
  __shared__ float t[10240];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 8; ++k) {
    t[threadIdx.x] = x[(i + k * (n / 8)) & (n - 1)];
    __syncthreads();
    s += t[127 - threadIdx.x];
    __syncthreads();
  }
  y[i] = s;
}
__global__ void stage_fixed(const float* x, float* y, int n) {
  __shared__ float t[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 8; ++k) {
    t[threadIdx.x] = x[(i + k * (n / 8)) & (n - 1)];
    __syncthreads();
    s += t[127 - threadIdx.x];
    __syncthreads();
  }
  y[i] = s;
}

#define EDGE                                                                              \
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; \
  int i = r * gridDim.x * blockDim.x + c;                                                 \
  float v = x[i];                                                                         \
  for (int k = 0; k < turns; ++k) v = __expf(-v) + 0.5f;                                  \
  y[i] = v;
__global__ void __launch_bounds__(1024) edge_bad(const float* x, float* y, int turns) { EDGE }  // 17 by 16 blocks of 32 by 32
__global__ void edge_fixed(const float* x, float* y, int turns) { EDGE }                       // 34 by 32 of 16 by 16

#define SLABS                                                              \
  extern __shared__ float t[];                                             \
  int i = blockIdx.x * blockDim.x + threadIdx.x, m = gridDim.x * blockDim.x; \
  float s = 0;                                                             \
  t[threadIdx.x] = 0;                                                      \
  for (int k = 0; k < rounds; ++k) s += x[(size_t)k * m + i];              \
  y[i] = s + t[threadIdx.x];
__global__ void slabs_bad(const float* x, float* y, int rounds) { SLABS }    // 140 blocks, one an SM
__global__ void slabs_fixed(const float* x, float* y, int rounds) { SLABS }  // 1120 of an eighth

__global__ void rowsums_bad(const float* x, float* o, int row) {  // a block a row, 24 rows
  float s = 0;
  for (int k = threadIdx.x; k < row; k += blockDim.x) s += x[blockIdx.x * row + k];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&o[blockIdx.x], s);
}
__global__ void rowsums_fixed(const float* x, float* o, int row) {  // 44 blocks a row
  float s = 0;
  for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < row; k += gridDim.y * blockDim.x) s += x[blockIdx.x * row + k];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&o[blockIdx.x], s);
}

__global__ void steps_bad(const float* x, float* y, int n, int turns) {  // 40 blocks of arithmetic
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    for (int k = 0; k < turns; ++k) v = v * v - 0.7f;
    y[i] = v;
  }
}
__global__ void steps_fixed(const float* x, float* y, int n, int turns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    for (int k = 0; k < turns; ++k) v = v * v - 0.7f;
    y[i] = v;
  }
}

__global__ void normal_bad(const float* x, float* y, int rows) {  // mean and variance of rows of 512 in double
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  double s = 0, q = 0;
  for (int k = lane; k < 512; k += 32) { double v = x[r * 512 + k]; s += v, q += v * v; }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d), q += __shfl_xor_sync(0xffffffff, q, d);
  double mean = s / 512, scale = 1.0 / sqrt(q / 512 - mean * mean + 1e-5);
  for (int k = lane; k < 512; k += 32) y[r * 512 + k] = (x[r * 512 + k] - mean) * scale;
}
__global__ void normal_fixed(const float* x, float* y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float s = 0, q = 0;
  for (int k = lane; k < 512; k += 32) { float v = x[r * 512 + k]; s += v, q += v * v; }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d), q += __shfl_xor_sync(0xffffffff, q, d);
  float mean = s / 512, scale = 1.0f / sqrtf(q / 512 - mean * mean + 1e-5f);
  for (int k = lane; k < 512; k += 32) y[r * 512 + k] = (x[r * 512 + k] - mean) * scale;
}

__global__ void angle_bad(const float* x, float* y, int w) {  // degrees to radians with constants of double, ten times
  int i = (blockIdx.y * blockDim.y + threadIdx.y) * w + blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll
  for (int k = 0; k < 10; ++k) v = __sinf(v * 3.14159265358979 / 180.0) * 57.29577951 + 0.25;
  y[i] = v;
}
__global__ void angle_fixed(const float* x, float* y, int w) {
  int i = (blockIdx.y * blockDim.y + threadIdx.y) * w + blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll
  for (int k = 0; k < 10; ++k) v = __sinf(v * 3.14159265f / 180.0f) * 57.29577951f + 0.25f;
  y[i] = v;
}

__global__ void rotate_bad(const float* x, float* y, int n, float c, float s) {  // a complex number turned 64 times
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[2 * i], b = x[2 * i + 1];
  for (int k = 0; k < 64; ++k) {
    float u = __fsub_rn(__fmul_rn(a, c), __fmul_rn(b, s));
    b = __fadd_rn(__fmul_rn(a, s), __fmul_rn(b, c));
    a = u;
  }
  y[2 * i] = a, y[2 * i + 1] = b;
}
__global__ void rotate_fixed(const float* x, float* y, int n, float c, float s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[2 * i], b = x[2 * i + 1];
  for (int k = 0; k < 64; ++k) {
    float u = fmaf(a, c, -(b * s));
    b = fmaf(a, s, b * c);
    a = u;
  }
  y[2 * i] = a, y[2 * i + 1] = b;
}

__global__ void horner64_bad(const double* d, double* e, int n) {  // a polynomial of doubles, products and sums apart
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = d[i], s = 1, t = 2;
  for (int k = 0; k < 48; ++k) s = __dadd_rn(__dmul_rn(s, v), 0.125), t = __dadd_rn(__dmul_rn(t, v), 0.25);
  e[i] = s + t;
}
__global__ void horner64_fixed(const double* d, double* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = d[i], s = 1, t = 2;
  for (int k = 0; k < 48; ++k) s = fma(s, v, 0.125), t = fma(t, v, 0.25);
  e[i] = s + t;
}

__global__ void horner16_bad(const __half2* p, __half2* q, int n) {  // and of halves
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 v = p[i], s = v, t = v, c = __float2half2_rn(0.125f);
  for (int k = 0; k < 96; ++k) s = __hadd2_rn(__hmul2_rn(s, v), c), t = __hadd2_rn(__hmul2_rn(t, v), s);
  q[i] = __hadd2(s, t);
}
__global__ void horner16_fixed(const __half2* p, __half2* q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 v = p[i], s = v, t = v, c = __float2half2_rn(0.125f);
  for (int k = 0; k < 96; ++k) s = __hfma2(s, v, c), t = __hfma2(t, v, s);
  q[i] = __hadd2(s, t);
}

#define MIX                                                   \
  int i = blockIdx.x * blockDim.x + threadIdx.x;              \
  if (i < n) y[i] = x[i] * 0.3f + x[n + i] * 0.7f;
__global__ void mix_bad(const float* x, float* y, int n) { MIX }    // 40 threads a block
__global__ void mix_fixed(const float* x, float* y, int n) { MIX }  // 256

#define LAPLACE                                                                               \
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;   \
  if (c < 1 || r < 1 || c >= w - 1 || r >= w - 1) return;                                     \
  float v = x[r * w + c];                                                                     \
  for (int k = 0; k < 12; ++k)                                                                \
    v = 0.5f * v + 0.1f * (x[r * w + c - 1] + x[r * w + c + 1] + x[(r - 1) * w + c] + x[(r + 1) * w + c]) * v; \
  y[r * w + c] = v;
__global__ void laplace_bad(const float* x, float* y, int w) { LAPLACE }    // blocks of 5 by 5
__global__ void laplace_fixed(const float* x, float* y, int w) { LAPLACE }  // of 32 by 8

__global__ void scan_bad(const float* x, float* y) {  // sums up to each of 1024, doubling the distance
  __shared__ float t[1024];
  int i = blockIdx.x * 1024 + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    float v = threadIdx.x >= d ? t[threadIdx.x - d] : 0;
    __syncthreads();
    t[threadIdx.x] += v;
    __syncthreads();
  }
  y[i] = t[threadIdx.x];
}
__global__ void scan_fixed(const float* x, float* y) {  // by shuffles, and once over the warps
  __shared__ float t[32];
  int i = blockIdx.x * 1024 + threadIdx.x, lane = threadIdx.x % 32;
  float v = x[i];
  for (int d = 1; d < 32; d *= 2) { float u = __shfl_up_sync(0xffffffff, v, d); if (lane >= d) v += u; }
  if (lane == 31) t[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    float s = t[lane];
    for (int d = 1; d < 32; d *= 2) { float u = __shfl_up_sync(0xffffffff, s, d); if (lane >= d) s += u; }
    t[lane] = s;
  }
  __syncthreads();
  y[i] = v + (threadIdx.x >= 32 ? t[threadIdx.x / 32 - 1] : 0);
}

__global__ void drip_bad(const float* x, float* y, int rounds) {  // eight values a turn between two barriers
  __shared__ float t[8];
  float s = 0;
  const float* mine = x + blockIdx.x * rounds * 8;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 8) t[threadIdx.x] = mine[r * 8 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 8; ++k) s = s * 0.5f + t[k];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void drip_fixed(const float* x, float* y, int rounds) {  // 256
  __shared__ float t[256];
  float s = 0;
  const float* mine = x + blockIdx.x * rounds * 8;
  for (int r = 0; r < rounds; r += 32) {
    t[threadIdx.x] = mine[r * 8 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; ++k) s = s * 0.5f + t[k];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void roots_bad(const float* x, float* y, int turns) {  // 64 threads an SM, one sum of roots each
  float s = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < turns; ++k) s = sqrtf(s + 1.5f);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void roots_fixed(const float* x, float* y, int turns) {  // four
  float s = x[blockIdx.x * blockDim.x + threadIdx.x], a = s, b = s + 1, c = s + 2, d = s + 3;
  for (int k = 0; k < turns / 4; ++k) a = sqrtf(a + 1.5f), b = sqrtf(b + 1.5f), c = sqrtf(c + 1.5f), d = sqrtf(d + 1.5f);
  y[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

__global__ void compound_bad(const double* d, double* e, int turns) {  // two blocks of 64 an SM, a chain of doubles
  double s = d[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < turns; ++k) s = s * 1.0001 + 0.001;
  e[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void compound_fixed(const double* d, double* e, int turns) {
  double s = d[blockIdx.x * blockDim.x + threadIdx.x], a = s, b = s + 1, c = s + 2, f = s + 3;
  for (int k = 0; k < turns / 4; ++k)
    a = a * 1.0001 + 0.001, b = b * 1.0001 + 0.001, c = c * 1.0001 + 0.001, f = f * 1.0001 + 0.001;
  e[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + f;
}

__global__ void shuffle4_bad(const float* x, float* y, int a, int b, int c, int d) {  // axes exchanged, sizes from the launch
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int p = i % d, q = i / d % c, r = i / d / c % b, s = i / d / c / b;
  if (s < a) y[((s * c + q) * b + r) * d + p] = x[i];
}
__global__ void shuffle4_fixed(const float* x, float* y, int a, int, int, int) {  // sizes known to the compiler
  constexpr int b = 32, c = 64, d = 128;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned p = i % d, q = i / d % c, r = i / d / c % b, s = i / d / c / b;
  if (s < a) y[((s * c + q) * b + r) * d + p] = x[i];
}

__global__ void ring_bad(const int* i, int* j, int n, int size) {  // a place in a ring by remainders
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t % size, s = 0;
  if (t >= n) return;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) s += i[at], at = (at + 37) % size;
  j[t] = s;
}
__global__ void ring_fixed(const int* i, int* j, int n, int size) {  // by subtraction
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t % size, s = 0;
  if (t >= n) return;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    s += i[at], at += 37;
    if (at >= size) at -= size;
  }
  j[t] = s;
}

__global__ void divide64_bad(const int* i, int* j, int n, long long base) {  // digits of 64-bit numbers
  int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  if (t >= n) return;
  unsigned long long v = (unsigned long long)i[t] << 24 | t;
#pragma unroll 1
  for (int k = 0; k < 12; ++k) s += (int)(v % base), v /= base;
  j[t] = s;
}
__global__ void divide64_fixed(const int* i, int* j, int n, long long) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  if (t >= n) return;
  unsigned long long v = (unsigned long long)i[t] << 24 | t;
#pragma unroll 1
  for (int k = 0; k < 12; ++k) s += (int)(v % 10), v /= 10;
  j[t] = s;
}
}  // extern "C"
