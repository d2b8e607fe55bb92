// Pairs of kernels about memory, NAME_bad and NAME_fixed: shapes and types other than those of pairs.cu.
#include <cuda_fp16.h>

typedef unsigned long long u64;
extern "C" {

__global__ void turn_bad(const float* x, float* y, int w, int h) {  // a transposition whose stores run down the columns
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c < w && r < h) y[c * h + r] = x[r * w + c];
}
__global__ void turn_fixed(const float* x, float* y, int w, int h) {
  __shared__ float t[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = x[(r + k) * w + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) y[(r + k) * h + c] = t[threadIdx.x][threadIdx.y + k];
}

__global__ void luma_bad(const float* x, float* y, int n) {  // three colours side by side
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.3f * x[3 * i] + 0.6f * x[3 * i + 1] + 0.1f * x[3 * i + 2];
}
__global__ void luma_fixed(const float* x, float* y, int n) {  // three planes
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.3f * x[i] + 0.6f * x[n + i] + 0.1f * x[2 * n + i];
}

__global__ void kinetic_bad(const double* p, double* e, int n) {  // three of a record's six doubles
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = p[6 * i + 3], b = p[6 * i + 4], c = p[6 * i + 5];
  e[i] = 0.5 * (a * a + b * b + c * c);
}
__global__ void kinetic_fixed(const double* p, double* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = p[i], b = p[n + i], c = p[2 * n + i];
  e[i] = 0.5 * (a * a + b * b + c * c);
}

__global__ void rowmax_bad(const __half* p, __half* q, int rows, int cols) {  // a thread a row of halves
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float m = -1e30f;
  for (int k = 0; k < cols; ++k) m = fmaxf(m, __half2float(p[r * cols + k]));
  q[r] = __float2half(m);
}
__global__ void rowmax_fixed(const __half* p, __half* q, int rows, int cols) {  // a warp a row
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float m = -1e30f;
  for (int k = lane; k < cols; k += 32) m = fmaxf(m, __half2float(p[r * cols + k]));
  for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
  if (lane == 0) q[r] = __float2half(m);
}

__global__ void gather_bad(const int* i, const float* x, float* y, int n) {  // from anywhere
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] = x[i[k] & (n - 1)];
}
__global__ void gather_fixed(const int* i, const float* x, float* y, int n) {  // from the neighbourhood, as after sorting
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] = x[(k & ~31) | (i[k] & 31)];
}

__global__ void turn64_bad(const double* x, double* y, int n) {  // a transposition of doubles through a tile
  __shared__ double t[32][32];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = x[(r + k) * n + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) y[(r + k) * n + c] = t[threadIdx.x][threadIdx.y + k];
}
__global__ void turn64_fixed(const double* x, double* y, int n) {
  __shared__ double t[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = x[(r + k) * n + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) y[(r + k) * n + c] = t[threadIdx.x][threadIdx.y + k];
}

__global__ void owncounts_bad(const int* i, int* j, int rounds) {  // 32 counters a thread, side by side
  __shared__ int t[128 * 32];
  for (int b = 0; b < 32; ++b) t[b * 128 + threadIdx.x] = 0;
  __syncthreads();
  int at = blockIdx.x * 128 * rounds + threadIdx.x;
  for (int k = 0; k < rounds; ++k) ++t[threadIdx.x * 32 + (i[at + k * 128] & 31)];
  int s = 0;
  for (int b = 0; b < 32; ++b) s += (b + threadIdx.x) % 32 * t[threadIdx.x * 32 + (b + threadIdx.x) % 32];
  j[blockIdx.x * 128 + threadIdx.x] = s;
}
__global__ void owncounts_fixed(const int* i, int* j, int rounds) {  // a bank a thread
  __shared__ int t[32 * 128];
  for (int b = 0; b < 32; ++b) t[b * 128 + threadIdx.x] = 0;
  __syncthreads();
  int at = blockIdx.x * 128 * rounds + threadIdx.x;
  for (int k = 0; k < rounds; ++k) ++t[(i[at + k * 128] & 31) * 128 + threadIdx.x];
  int s = 0;
  for (int b = 0; b < 32; ++b) s += b * t[b * 128 + threadIdx.x];
  j[blockIdx.x * 128 + threadIdx.x] = s;
}

__global__ void deal_bad(const float* x, float* y, int rounds) {  // cards dealt in steps of 16
  __shared__ float t[1024];
  int from = 16 * (threadIdx.x % 64) + threadIdx.x / 64;
  float v = x[blockIdx.x * 1024 + threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    t[threadIdx.x] = v;
    __syncthreads();
    v = t[from] + 1.0f;
    __syncthreads();
  }
  y[blockIdx.x * 1024 + threadIdx.x] = v;
}
__global__ void deal_fixed(const float* x, float* y, int rounds) {
  __shared__ float t[1024 + 32];
  int from = 16 * (threadIdx.x % 64) + threadIdx.x / 64;
  float v = x[blockIdx.x * 1024 + threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    t[threadIdx.x + threadIdx.x / 32] = v;
    __syncthreads();
    v = t[from + from / 32] + 1.0f;
    __syncthreads();
  }
  y[blockIdx.x * 1024 + threadIdx.x] = v;
}

__global__ void blur_bad(const float* x, float* y, int w) {  // 81 loads a pixel
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c < 4 || c >= w - 4 || r < 4 || r >= w - 4) return;
  float s = 0;
  for (int a = -4; a <= 4; ++a) for (int b = -4; b <= 4; ++b) s += x[(r + a) * w + c + b];
  y[r * w + c] = s / 81;
}
__global__ void blur_fixed(const float* x, float* y, int w) {  // from a tile, four pixels a thread
  __shared__ float t[40][40];
  int c0 = blockIdx.x * 32 - 4, r0 = blockIdx.y * 32 - 4;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 1600; k += 256) {
    int c = c0 + k % 40, r = r0 + k / 40;
    t[k / 40][k % 40] = c >= 0 && c < w && r >= 0 && r < w ? x[r * w + c] : 0;
  }
  __syncthreads();
  float s[4] = {};
  for (int a = 0; a < 12; ++a) {
    float row = 0;
    for (int b = 0; b < 9; ++b) row += t[threadIdx.y * 4 + a][threadIdx.x + b];
    for (int k = 0; k < 4; ++k) if (a >= k && a < k + 9) s[k] += row;
  }
  int c = c0 + 4 + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    int r = r0 + 4 + threadIdx.y * 4 + k;
    if (c >= 4 && c < w - 4 && r >= 4 && r < w - 4) y[r * w + c] = s[k] / 81;
  }
}

__global__ void columns_bad(const float* x, float* y, int w, int rows) {  // sums kept in global memory
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  y[c] = 0;
  for (int r = 0; r < rows; ++r) y[c] += x[r * w + c];
}
__global__ void columns_fixed(const float* x, float* y, int w, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int r = 0; r < rows; ++r) s += x[r * w + c];
  y[c] = s;
}

__global__ void product16_bad(const __half* p, __half* q, int n) {  // a product of halves, an element a thread
  const __half* b = p + n * n;
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; ++k) s += __half2float(p[r * n + k]) * __half2float(b[k * n + c]);
  q[r * n + c] = __float2half(s);
}
__global__ void product16_fixed(const __half* p, __half* q, int n) {  // tiles of 32 by 32, four elements a thread
  __shared__ float ta[32][33], tb[32][33];
  const __half* b = p + n * n;
  int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * 32;
  float s[4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int u = threadIdx.y; u < 32; u += 8) {
      ta[u][threadIdx.x] = __half2float(p[(r0 + u) * n + k0 + threadIdx.x]);
      tb[u][threadIdx.x] = __half2float(b[(k0 + u) * n + c]);
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) for (int m = 0; m < 4; ++m) s[m] += ta[threadIdx.y + 8 * m][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  for (int m = 0; m < 4; ++m) q[(r0 + threadIdx.y + 8 * m) * n + c] = __float2half(s[m]);
}

__global__ void axpy16_bad(const __half* p, __half* q, int n) {  // a half a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = __hfma(p[i], __float2half(0.5f), q[i]);
}
__global__ void axpy16_fixed(const __half* p, __half* q, int n) {  // eight
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 8) return;
  uint4 a = ((const uint4*)p)[i], b = ((uint4*)q)[i];
  __half2 *u = (__half2*)&a, *v = (__half2*)&b;
  for (int k = 0; k < 4; ++k) v[k] = __hfma2(u[k], __float2half2_rn(0.5f), v[k]);
  ((uint4*)q)[i] = b;
}

__global__ void scale_bad(const float* x, float* y, int n) {  // a float a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 3.0f;
}
__global__ void scale_fixed(const float* x, float* y, int n) {  // four
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 v = ((const float4*)x)[i];
  ((float4*)y)[i] = make_float4(v.x * 3.0f, v.y * 3.0f, v.z * 3.0f, v.w * 3.0f);
}

__global__ void threshold_bad(const unsigned char* x, unsigned char* y, int n) {  // bytes, by threads that stride over the data
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] > 127 ? 255 : 0;
}
__global__ void threshold_fixed(const unsigned char* x, unsigned char* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
    uint4 v = ((const uint4*)x)[i];
    v.x = __vcmpgtu4(v.x, 0x7f7f7f7f), v.y = __vcmpgtu4(v.y, 0x7f7f7f7f);
    v.z = __vcmpgtu4(v.z, 0x7f7f7f7f), v.w = __vcmpgtu4(v.w, 0x7f7f7f7f);
    ((uint4*)y)[i] = v;
  }
}

__global__ void eight_bad(const int* i, unsigned* h, int n) {  // eight bins in shared memory, wanted by all threads
  __shared__ unsigned t[8];
  if (threadIdx.x < 8) t[threadIdx.x] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&t[i[k] & 7], 1u);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}
__global__ void eight_fixed(const int* i, unsigned* h, int n) {  // eight bins a lane
  __shared__ unsigned t[8][32];
  t[threadIdx.x / 32 % 8][threadIdx.x % 32] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    atomicAdd(&t[i[k] & 7][threadIdx.x % 32], 1u);
  __syncthreads();
  unsigned s = t[threadIdx.x / 32 % 8][threadIdx.x % 32];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(&h[threadIdx.x / 32], s);
}

__global__ void largest_bad(const int* i, u64* g, int n) {  // the largest with its place, all threads at one address
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicMax(g, (u64)(unsigned)i[k] << 32 | (unsigned)k);
}
__global__ void largest_fixed(const int* i, u64* g, int n) {
  u64 best = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    u64 mine = (u64)(unsigned)i[k] << 32 | (unsigned)k;
    best = mine > best ? mine : best;
  }
  for (int o = 16; o; o /= 2) {
    u64 other = __shfl_xor_sync(0xffffffff, best, o);
    best = other > best ? other : best;
  }
  if (threadIdx.x % 32 == 0) atomicMax(g, best);
}

__global__ void segments_bad(const float* x, float* o, int n) {  // sums of 4,096 neighbours each
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicAdd(&o[k >> 12], x[k]);
}
__global__ void segments_fixed(const float* x, float* o, int n) {  // added up in the warp, eight values a thread
  int k = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  float s = 0;
  for (int m = 0; m < 8; ++m) s += x[k + m * blockDim.x];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&o[k >> 12], s);
}

__global__ void bins4096_bad(const int* i, unsigned* h, int n) {  // many bins in global memory
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicAdd(&h[i[k] & 4095], 1u);
}
__global__ void bins4096_fixed(const int* i, unsigned* h, int n) {  // in shared memory first
  __shared__ unsigned t[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) t[k] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&t[i[k] & 4095], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) if (t[k]) atomicAdd(&h[k], t[k]);
}

__global__ void sort12_bad(const float* x, float* y, int n) {  // insertion into an array
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[12];
#pragma unroll 1
  for (int k = 0; k < 12; ++k) {
    float v = x[k * n + i];
    int at = k;
    for (; at > 0 && a[at - 1] > v; --at) a[at] = a[at - 1];
    a[at] = v;
  }
  y[i] = a[5] + a[6];
}
__global__ void sort12_fixed(const float* x, float* y, int n) {  // neighbours exchanged, in registers
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[12];
#pragma unroll
  for (int k = 0; k < 12; ++k) a[k] = x[k * n + i];
#pragma unroll
  for (int k = 0; k < 12; ++k)
#pragma unroll
    for (int m = k % 2; m + 1 < 12; m += 2) {
      float low = fminf(a[m], a[m + 1]), high = fmaxf(a[m], a[m + 1]);
      a[m] = low, a[m + 1] = high;
    }
  y[i] = a[5] + a[6];
}

__global__ void tally_bad(const int* i, float* y, int n, int rounds) {  // eight counters a thread, chosen by the data
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s[8] = {};
  for (int k = 0; k < rounds; ++k) s[i[k * n + t] & 7] += 1.5f;
  y[t] = s[0] * s[1] + s[2] * s[3] + s[4] * s[5] + s[6] * s[7];
}
__global__ void tally_fixed(const int* i, float* y, int n, int rounds) {  // by comparisons
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s[8] = {};
  for (int k = 0; k < rounds; ++k) {
    int b = i[k * n + t] & 7;
#pragma unroll
    for (int m = 0; m < 8; ++m) s[m] += b == m ? 1.5f : 0.0f;
  }
  y[t] = s[0] * s[1] + s[2] * s[3] + s[4] * s[5] + s[6] * s[7];
}

#define CHAINS                                                                      \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                                    \
  float a[40], s = 0;                                                               \
  for (int k = 0; k < 40; ++k) a[k] = k * 0.1f;                                     \
  for (int r = 0; r < rounds; ++r) {                                                \
    float v = x[r * n + i];                                                         \
    for (int k = 0; k < 40; ++k) a[k] = fmaf(a[k], v, 0.01f * k);                   \
  }                                                                                 \
  for (int k = 0; k < 40; ++k) s += a[k] * a[(k + 1) % 40];                         \
  y[i] = s;
__global__ void __launch_bounds__(512, 4) chains_bad(const float* x, float* y, int n, int rounds) { CHAINS }  // 32 registers
__global__ void chains_fixed(const float* x, float* y, int n, int rounds) { CHAINS }

__constant__ float series[64];
__global__ void series_bad(const float* x, const float* w, float* y, int n, int terms) {  // coefficients from global memory
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0;
#pragma unroll 1
  for (int k = 0; k < terms; ++k) s = s * v + w[k];
  y[i] = s;
}
__global__ void series_fixed(const float* x, const float*, float* y, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0;
#pragma unroll 1
  for (int k = 0; k < terms; ++k) s = s * v + series[k];
  y[i] = s;
}
}  // extern "C"
