// A second round after fifth_pairs.cu (orchards, harbours, kitchens, choirs), as pairs: NAME_bad has one defect and NAME_fixed does not.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__constant__ float of_spice[128] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
__constant__ float4 of_lamp[24] = {{0.1f, 0.2f, 0.3f, 1.0f}, {0.4f, 0.1f, 0.9f, 0.5f}, {0.7f, 0.6f, 0.2f, 0.8f}};
extern "C" {
__global__ void orchard_bad(const float* x, float* y) {  // trees of five numbers, two of which are used
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id * 5] * 0.3f + x[id * 5 + 4];
}
__global__ void orchard_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[id] = x[id] * 0.3f + x[id + 4 * n];
}
__global__ void quays_bad(const float* x, float* y, int side) {  // rows become columns
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  y[c * side + r] = x[r * side + c] + 1;
}
__global__ void quays_fixed(const float* x, float* y, int side) {  // through a tile
  __shared__ float tile[32][33];
  const int c = blockIdx.x * 32, r = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = x[(r + j) * side + c + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) y[(c + j) * side + r + threadIdx.x] = tile[threadIdx.x][j] + 1;
}
__global__ void crews_bad(const float* x, float* y) {  // each thread has sixteen numbers in a row
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 16; ++j) y[id * 16 + j] = x[id * 16 + j] * 0.5f;
}
__global__ void crews_fixed(const float* x, float* y) {  // neighbours have neighbours
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int j = 0; j < 16; ++j) y[j * n + id] = x[j * n + id] * 0.5f;
}
__global__ void pantry_bad(const double* d, double* e) {  // columns of a tile of doubles
  __shared__ double tile[2][32 * 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const double* from = d + (size_t)(blockIdx.x * 2 + warp) * 1024;
  for (int j = 0; j < 32; ++j) tile[warp][j * 32 + lane] = from[j * 32 + lane];
  __syncwarp();
  double sum = 0;
  for (int j = 0; j < 32; ++j) sum += tile[warp][lane * 32 + j];
  e[(blockIdx.x * 2 + warp) * 32 + lane] = sum;
}
__global__ void pantry_fixed(const double* d, double* e) {
  __shared__ double tile[2][32 * 33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const double* from = d + (size_t)(blockIdx.x * 2 + warp) * 1024;
  for (int j = 0; j < 32; ++j) tile[warp][j * 33 + lane] = from[j * 32 + lane];
  __syncwarp();
  double sum = 0;
  for (int j = 0; j < 32; ++j) sum += tile[warp][lane * 33 + j];
  e[(blockIdx.x * 2 + warp) * 32 + lane] = sum;
}
__global__ void choir_bad(const float* x, float* y, int turns) {  // neighbouring threads sixteen words apart
  __shared__ float s[128 * 16];
  const int t = threadIdx.x;
  for (int c = 0; c < 16; ++c) s[t * 16 + c] = x[(blockIdx.x * 16 + c) * 128 + t];
  for (int k = 0; k < turns; ++k) s[t * 16 + (k & 15)] = s[t * 16 + (k & 15)] * 0.5f + s[t * 16 + (k + 5 & 15)];
  y[blockIdx.x * 128 + t] = s[t * 16 + 3];
}
__global__ void choir_fixed(const float* x, float* y, int turns) {  // one word apart
  __shared__ float s[128 * 16];
  const int t = threadIdx.x;
  for (int c = 0; c < 16; ++c) s[c * 128 + t] = x[(blockIdx.x * 16 + c) * 128 + t];
  for (int k = 0; k < turns; ++k) s[(k & 15) * 128 + t] = s[(k & 15) * 128 + t] * 0.5f + s[(k + 5 & 15) * 128 + t];
  y[blockIdx.x * 128 + t] = s[3 * 128 + t];
}
__global__ void shifts_bad(const float* x, float* y) {  // odd threads wash, even ones cook
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  if (id & 1) for (int j = 0; j < 60; ++j) v = v * v * 0.3f + 0.2f;
  else for (int j = 0; j < 60; ++j) v = fmaxf(v * 0.9f, 0.1f) - 0.01f;
  y[id] = v;
}
__global__ void shifts_fixed(const float* x, float* y) {  // odd warps
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  if (id / 32 & 1) for (int j = 0; j < 60; ++j) v = v * v * 0.3f + 0.2f;
  else for (int j = 0; j < 60; ++j) v = fmaxf(v * 0.9f, 0.1f) - 0.01f;
  y[id] = v;
}
__global__ void rolls_bad(const int* k, int* i) {  // turns until a number is small, any order
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = (k[id] & 0xffff) | 1;
  int n = 0;
  const int most = (k[id] >> 16 & 63) + 1;
  while (n < most) v = v * 1664525u + 1013904223u, v ^= v >> 7, ++n;
  i[id] = v;
}
__global__ void rolls_fixed(const int* k, int* i) {  // lengths alike within a warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = (k[id] & 0xffff) | 1;
  int n = 0;
  const int most = (k[id / 32] >> 16 & 63) + 1;
  while (n < most) v = v * 1664525u + 1013904223u, v ^= v >> 7, ++n;
  i[id] = v;
}
__global__ void gates_bad(const int* k, unsigned* h) {  // visitors at eight gates, each thread counts in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&h[(k[id] & 7) * 64], k[id] >> 20);
}
__global__ void gates_fixed(const int* k, unsigned* h) {  // in shared memory, eight visitors a thread
  __shared__ unsigned bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int j = 0; j < 8; ++j) {
    const int v = k[(blockIdx.x * 8 + j) * 256 + threadIdx.x];
    atomicAdd(&bins[v & 7], v >> 20);
  }
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&h[threadIdx.x * 64], bins[threadIdx.x]);
}
__global__ void weights_bad(const double* d, double* e) {  // one sum of doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(e, d[id]);
}
__global__ void weights_fixed(const double* d, double* e) {
  __shared__ double part[8];
  double v = d[blockIdx.x * blockDim.x + threadIdx.x];
  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(~0u, v, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int j = 1; j < 8; ++j) v += part[j];
    atomicAdd(e, v);
  }
}
__global__ void kneading_bad(const float* x, float* y, int turns) {  // rotations whose constants are doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = 0;
  for (int j = 0; j < turns; ++j) {
    const float t = a * 0.98 - b * 0.198;
    b = a * 0.198 + b * 0.98;
    a = t;
  }
  y[id] = a + b;
}
__global__ void kneading_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = 0;
  for (int j = 0; j < turns; ++j) {
    const float t = a * 0.98f - b * 0.198f;
    b = a * 0.198f + b * 0.98f;
    a = t;
  }
  y[id] = a + b;
}
__global__ void ripening_bad(const float* x, float* y, int turns) {  // powers of three quarters
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] + 0.1f;
  for (int j = 0; j < turns; ++j) v = powf(v, 0.75f) + 0.01f;
  y[id] = v;
}
__global__ void ripening_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] + 0.1f;
  for (int j = 0; j < turns; ++j) v = __powf(v, 0.75f) + 0.01f;
  y[id] = v;
}
__global__ void dilute_bad(const float* x, float* y, int turns) {  // quotients to the last bit
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) v = (v + 0.3f) / (v * v + 1.1f);
  y[id] = v;
}
__global__ void dilute_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) v = __fdividef(v + 0.3f, v * v + 1.1f);
  y[id] = v;
}
__global__ void berths_bad(const int* k, int* i, long long prime) {  // places by a remainder of 64 bits
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const long long v = (long long)k[id] * 40503;
  i[id] = (int)(v % prime);
}
__global__ void berths_fixed(const int* k, int* i, long long prime) {  // of 32 bits
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = (unsigned)k[id] % (unsigned)prime * 40503u;
  i[id] = (int)(v % (unsigned)prime);
}
__global__ void harvest_bad(const float* x, float* y, int n) {  // twenty blocks for everything
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) y[id] = x[id] * x[id] + 0.5f;
}
__global__ void harvest_fixed(const float* x, float* y, int n) {
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) y[id] = x[id] * x[id] + 0.5f;
}
__global__ void tickets_bad(const float* x, float* y) {  // blocks of 32
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] > 0.5f ? x[id] : 0.5f * x[id];
}
__global__ void tickets_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] > 0.5f ? x[id] : 0.5f * x[id];
}
__global__ void trays_bad(const float* x, float* y, int side) {  // blocks of 12 by 6
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < side && r < side - 1) y[r * side + c] = (x[r * side + c] + x[(r + 1) * side + c]) * 0.5f;
}
__global__ void trays_fixed(const float* x, float* y, int side) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < side && r < side - 1) y[r * side + c] = (x[r * side + c] + x[(r + 1) * side + c]) * 0.5f;
}
__global__ void masks_bad(const int* k, int* i) {  // bytes above a limit, one a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  ((unsigned char*)i)[id] = ((const unsigned char*)k)[id] > 99 ? 255 : 0;
}
__global__ void masks_fixed(const int* k, int* i) {  // sixteen
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = ((const uint4*)k)[id];
  v.x = __vcmpgtu4(v.x, 0x63636363u), v.y = __vcmpgtu4(v.y, 0x63636363u), v.z = __vcmpgtu4(v.z, 0x63636363u), v.w = __vcmpgtu4(v.w, 0x63636363u);
  ((uint4*)i)[id] = v;
}
__global__ void tones16_bad(const __half* p, __half* q, float gain) {  // halves, one a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  q[id] = __float2half(__half2float(p[id]) * gain + 0.1f);
}
__global__ void tones16_fixed(const __half* p, __half* q, float gain) {  // eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  union { uint4 v; __half2 s[4]; } a;
  a.v = ((const uint4*)p)[id];
  for (auto& s : a.s) {
    const float2 u = __half22float2(s);
    s = __floats2half2_rn(u.x * gain + 0.1f, u.y * gain + 0.1f);
  }
  ((uint4*)q)[id] = a.v;
}
__global__ void parade_bad(const float* x, float* y) {  // running sums of 256 by doubling, two barriers a step
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int m = 1; m < 256; m *= 2) {
    const float v = t >= m ? s[t - m] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = s[t];
}
__global__ void parade_fixed(const float* x, float* y) {  // by shuffles, one barrier
  __shared__ float part[8];
  const int t = threadIdx.x, lane = t % 32;
  float v = x[blockIdx.x * 256 + t];
  for (int m = 1; m < 32; m *= 2) {
    const float before = __shfl_up_sync(~0u, v, m);
    if (lane >= m) v += before;
  }
  if (lane == 31) part[t / 32] = v;
  __syncthreads();
  for (int j = 0; j < t / 32; ++j) v += part[j];
  y[blockIdx.x * 256 + t] = v;
}
__global__ void gossip_bad(const float* x, float* y, int turns) {  // neighbours in a ring of 32 wait for the whole block
  __shared__ float s[512];
  const int t = threadIdx.x;
  float v = x[blockIdx.x * 512 + t];
  for (int k = 0; k < turns; ++k) {
    s[t] = v;
    __syncthreads();
    v = v * 0.5f + s[(t & ~31) | (t + 1 & 31)] * 0.5f;
    __syncthreads();
  }
  y[blockIdx.x * 512 + t] = v;
}
__global__ void gossip_fixed(const float* x, float* y, int turns) {
  const int t = threadIdx.x;
  float v = x[blockIdx.x * 512 + t];
  for (int k = 0; k < turns; ++k) v = v * 0.5f + __shfl_sync(~0u, v, t + 1 & 31) * 0.5f;
  y[blockIdx.x * 512 + t] = v;
}
__global__ void curves_bad(const float* x, const float* w, float* y, int n) {  // a long polynomial, one chain
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id] * 0.99f;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum = sum * v + 0.25f;
  y[id] = sum;
}
__global__ void curves_fixed(const float* x, const float* w, float* y, int n) {  // even and odd powers
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id] * 0.99f, q = v * v;
  float a = 0, b = 0;
  for (int j = 0; j < n / 2; ++j) a = a * q + 0.25f, b = b * q + 0.25f;
  y[id] = a * v + b;
}
__global__ void cellar_bad(const float* x, float* y, int n) {  // a running mean over far rows, a load a turn
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float v = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) v = v * 0.75f + x[j * w + id];
  y[id] = v;
}
__global__ void cellar_fixed(const float* x, float* y, int n) {  // eight loads before they are used
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float v = 0;
#pragma unroll 1
  for (int j = 0; j < n; j += 8) {
    float got[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) got[e] = x[(j + e) * w + id];
#pragma unroll
    for (int e = 0; e < 8; ++e) v = v * 0.75f + got[e];
  }
  y[id] = v;
}
__global__ void rounds_bad(const float* x, float* y, int n) {  // the last eight numbers, in an array whose begin moves
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float kept[8] = {};
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    const float v = x[j * w + id];
    sum += v - kept[j & 7];
    kept[j & 7] = v;
  }
  y[id] = sum;
}
__global__ void rounds_fixed(const float* x, float* y, int n) {  // unrolled by eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float kept[8] = {};
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; j += 8)
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const float v = x[(j + e) * w + id];
      sum += v - kept[e];
      kept[e] = v;
    }
  y[id] = sum;
}
__global__ void ferries_bad(const float* x, float* y, int steps) {  // 140 blocks that take an SM each
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < steps; ++j) v = sqrtf(v * 0.9f + 0.1f);
  room[threadIdx.x] = v;
  y[id] = room[threadIdx.x];
}
__global__ void ferries_fixed(const float* x, float* y, int steps) {
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < steps; ++j) v = sqrtf(v * 0.9f + 0.1f);
  room[threadIdx.x] = v;
  y[id] = room[threadIdx.x];
}
__global__ void ledger2_bad(const int* k, const float* x, float* y) {  // two looks into a table of 4 MB, few warps on an SM
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[k[id] & 0xfffff], b = x[(k[id] >> 3) & 0xfffff];
  room[threadIdx.x] = a * b;
  y[id] = room[threadIdx.x];
}
__global__ void ledger2_fixed(const int* k, const float* x, float* y) {
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[k[id] & 0xfffff], b = x[(k[id] >> 3) & 0xfffff];
  room[threadIdx.x] = a * b;
  y[id] = room[threadIdx.x];
}
__global__ void hedges_bad(const float* x, float* y) {  // sums of 33 neighbours, each from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 33; ++j) sum += x[id + j] * (0.03f + 0.001f * j);
  y[id] = sum;
}
__global__ void hedges_fixed(const float* x, float* y) {  // from a tile
  __shared__ float tile[256 + 32];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[id];
  if (threadIdx.x < 32) tile[256 + threadIdx.x] = x[id + 256];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 33; ++j) sum += tile[threadIdx.x + j] * (0.03f + 0.001f * j);
  y[id] = sum;
}
__global__ void scales_bad(const float* x, float* y, int d) {  // rows over their largest, read twice
  __shared__ float part[8];
  const float* row = x + (size_t)blockIdx.x * d;
  float most = 0;
  for (int j = threadIdx.x; j < d; j += 256) most = fmaxf(most, row[j]);
  for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  for (int j = 0; j < 8; ++j) most = fmaxf(most, part[j]);
  const float scale = 1.0f / most;
  for (int j = threadIdx.x; j < d; j += 256) y[(size_t)blockIdx.x * d + j] = row[j] * scale;
}
__global__ void scales_fixed(const float* x, float* y, int d) {  // once
  __shared__ float part[8];
  const float* row = x + (size_t)blockIdx.x * d;
  float v[16], most = 0;
#pragma unroll
  for (int j = 0; j < 16; ++j) v[j] = row[j * 256 + threadIdx.x], most = fmaxf(most, v[j]);
  for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  for (int j = 0; j < 8; ++j) most = fmaxf(most, part[j]);
  const float scale = 1.0f / most;
#pragma unroll
  for (int j = 0; j < 16; ++j) y[(size_t)blockIdx.x * d + j * 256 + threadIdx.x] = v[j] * scale;
}
__global__ void routes_bad(const float* x, float* y, int n) {  // longest ways through a stage, one result a thread
  __shared__ float a[16][17], b[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
  float most = -1e30f;
  for (int j = 0; j < n; j += 16) {
    a[ty][tx] = x[r * n + j + tx];
    b[ty][tx] = x[(1024 + j + ty) * 1024 + c];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) most = fmaxf(most, a[ty][e] + b[e][tx]);
    __syncthreads();
  }
  y[r * 1024 + c] = most;
}
__global__ void routes_fixed(const float* x, float* y, int n) {  // sixteen
  __shared__ float a[64][17], b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float most[4][4];
  for (auto& row : most) for (auto& v : row) v = -1e30f;
  for (int j = 0; j < n; j += 16) {
    for (int e = 0; e < 4; ++e) a[ty + e * 16][tx] = x[(blockIdx.y * 64 + ty + e * 16) * n + j + tx];
    for (int e = 0; e < 4; ++e) b[t / 64 + e * 4][t % 64] = x[(1024 + j + t / 64 + e * 4) * 1024 + blockIdx.x * 64 + t % 64];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      float u[4], v[4];
#pragma unroll
      for (int s = 0; s < 4; ++s) u[s] = a[ty * 4 + s][e], v[s] = b[e][tx + 16 * s];
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int q = 0; q < 4; ++q) most[s][q] = fmaxf(most[s][q], u[s] + v[q]);
    }
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s)
    for (int q = 0; q < 4; ++q) y[(blockIdx.y * 64 + ty * 4 + s) * 1024 + blockIdx.x * 64 + tx + 16 * q] = most[s][q];
}
__global__ void menus_bad(const __half* p, __half* q, int n) {  // products of halves straight from global memory
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += __half2float(p[r * n + j]) * __half2float(p[512 * n + j * 512 + c]);
  q[r * 512 + c] = __float2half(sum);
}
__global__ void menus_fixed(const __half* p, __half* q, int n) {  // a warp 16 by 16 on tensor cores
  const int warp = threadIdx.x / 32, r = blockIdx.y * 32 + warp / 2 * 16, c = blockIdx.x * 32 + warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  for (int j = 0; j < n; j += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g;
    wmma::load_matrix_sync(f, p + r * n + j, n);
    wmma::load_matrix_sync(g, p + 512 * n + j * 512 + c, 512);
    wmma::mma_sync(sum, f, g, sum);
  }
  wmma::store_matrix_sync(q + r * 512 + c, sum, 512, wmma::mem_row_major);
}
__global__ void locks_bad(const unsigned* k, unsigned* i) {  // check bits, the loop left rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id], check = 0;
#pragma unroll 1
  for (int j = 0; j < 32; ++j) check = (check << 1) ^ ((check >> 31 ^ v >> j & 1) * 0x04c11db7u);
  i[id] = check;
}
__global__ void locks_fixed(const unsigned* k, unsigned* i) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id], check = 0;
#pragma unroll
  for (int j = 0; j < 32; ++j) check = (check << 1) ^ ((check >> 31 ^ v >> j & 1) * 0x04c11db7u);
  i[id] = check;
}
__global__ void lamps_bad(const float* x, const float4* w, float* y) {  // 24 lamps from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = 0;
  for (int j = 0; j < 24; ++j) {
    const float4 l = w[j];
    sum += fmaxf(l.x * v + l.y, 0.0f) * l.z + l.w;
  }
  y[id] = sum;
}
__global__ void lamps_fixed(const float* x, const float4* w, float* y) {  // from constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = 0;
  for (int j = 0; j < 24; ++j) {
    const float4 l = of_lamp[j];
    sum += fmaxf(l.x * v + l.y, 0.0f) * l.z + l.w;
  }
  y[id] = sum;
}
__global__ void spices_bad(const unsigned* k, float* y) {  // a table of 128 in constant memory, at places that the data choose
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = of_spice[k[id] & 127] * of_spice[k[id] >> 9 & 127];
}
__global__ void spices_fixed(const unsigned* k, float* y) {
  __shared__ float table[128];
  if (threadIdx.x < 128) table[threadIdx.x] = of_spice[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = table[k[id] & 127] * table[k[id] >> 9 & 127];
}
__global__ void ropes2_bad(float* y, int steps) {  // sliding means of 512 in global memory, a barrier a step
  float* at = y + (size_t)blockIdx.x * 512;
  const int t = threadIdx.x;
  for (int s = 0; s < steps; ++s) {
    const float v = 0.5f * (at[t] + at[(t + 1) & 511]);
    __syncthreads();
    at[t] = v;
    __syncthreads();
  }
}
__global__ void ropes2_fixed(float* y, int steps) {  // in shared memory
  __shared__ float at[512];
  const int t = threadIdx.x;
  at[t] = y[(size_t)blockIdx.x * 512 + t];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const float v = 0.5f * (at[t] + at[(t + 1) & 511]);
    __syncthreads();
    at[t] = v;
    __syncthreads();
  }
  y[(size_t)blockIdx.x * 512 + t] = at[t];
}
/// Squared distances of rows of x from rows of w, 16 by 16 through tiles.
__global__ void scents_bad(const float* x, const float* w, float* y, int n) {  // each pair's distance to 64 scents of 64 numbers
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < 64; ++j) {
    const float d = x[j * n + r] - w[j * 64 + c];
    sum += d * d;
  }
  y[r * 64 + c] = sum;
}
__global__ void scents_fixed(const float* x, const float* w, float* y, int n) {  // |a|^2 + |b|^2 - 2 ab, ab on tensor cores in TF32
  __shared__ __align__(32) float out[64][68];
  const int t = threadIdx.x, warp = t / 32, r = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[4];
  for (auto& s : sum) wmma::fill_fragment(s, 0.0f);
  for (int j = 0; j < 64; j += 8) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major> f;
    wmma::load_matrix_sync(f, x + j * n + r + warp * 16, n);
    for (auto& v : f.x) v = wmma::__float_to_tf32(v);
    for (int s = 0; s < 4; ++s) {
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> g;
      wmma::load_matrix_sync(g, w + j * 64 + s * 16, 64);
      for (auto& v : g.x) v = wmma::__float_to_tf32(v);
      wmma::mma_sync(sum[s], f, g, sum[s]);
    }
  }
  for (int s = 0; s < 4; ++s) wmma::store_matrix_sync(&out[warp * 16][s * 16], sum[s], 68, wmma::mem_row_major);
  __shared__ float norm[2][64];
  float own = 0;
  for (int j = 0; j < 64; ++j) {
    const float v = t < 64 ? x[j * n + r + t] : w[j * 64 + t - 64];
    own += v * v;
  }
  norm[t / 64][t % 64] = own;
  __syncthreads();
  for (int j = t; j < 4096; j += 128) y[(r + j / 64) * 64 + j % 64] = norm[0][j / 64] + norm[1][j % 64] - 2 * out[j / 64][j % 64];
}
__global__ void mist_bad(const float* x, float* y, int side) {  // binomial weights, nine by nine
  const float w[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int a = 0; a < 9; ++a)
#pragma unroll
    for (int b = 0; b < 9; ++b) sum += w[a] * w[b] * x[(r + a) * (side + 16) + c + b];
  y[r * side + c] = sum / 65536;
}
__global__ void mist_fixed(const float* x, float* y, int side) {  // rows, then columns, through a tile
  const float w[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
  __shared__ float tile[40][44], rows[40][32];
  const int c = blockIdx.x * 32, r = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
  for (int j = t; j < 1600; j += 256) tile[j / 40][j % 40] = x[(r + j / 40) * (side + 16) + c + j % 40];
  __syncthreads();
  for (int j = threadIdx.y; j < 40; j += 8) {
    float sum = 0;
#pragma unroll
    for (int b = 0; b < 9; ++b) sum += w[b] * tile[j][threadIdx.x + b];
    rows[j][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    float sum = 0;
#pragma unroll
    for (int a = 0; a < 9; ++a) sum += w[a] * rows[j + a][threadIdx.x];
    y[(r + j) * side + c + threadIdx.x] = sum / 65536;
  }
}
__global__ void interest_bad(const float* x, float* y, int n) {  // accounts that grow: a step needs the one before, a thread each
  const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  float v = 1;
  for (int j = 0; j < n; ++j) {
    v = v * 0.97f + x[at + j];
    y[at + j] = v;
  }
}
__global__ void interest_fixed(const float* x, float* y, int n) {  // a warp each, 32 steps at a time
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float carry = 1;
  for (int j = 0; j < n; j += 32) {
    float v = x[(size_t)row * n + j + lane], f = 0.97f;
    for (int m = 1; m < 32; m *= 2) {
      const float before = __shfl_up_sync(~0u, v, m);
      if (lane >= m) v += before * f;
      f *= f;
    }
    v += carry * __powf(0.97f, lane + 1);
    y[(size_t)row * n + j + lane] = v;
    carry = __shfl_sync(~0u, v, 31);
  }
}
}
