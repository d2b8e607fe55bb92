// What workshops and blogs on GPU kernels start from and end with, as pairs: NAME_bad before the lesson and NAME_fixed after it.
#include <cuda_fp16.h>
extern "C" {
// Layout.
__global__ void ell_bad(const float* values, const int* columns, const float* x, float* y, int rows) {  // 32 numbers of a row side by side
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += values[row * 32 + k] * x[columns[row * 32 + k] & 4095];
  y[row] = sum;
}
__global__ void ell_fixed(const float* values, const int* columns, const float* x, float* y, int rows) {  // ELLPACK: column by column
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += values[k * rows + row] * x[columns[k * rows + row] & 4095];
  y[row] = sum;
}
__global__ void floyd_bad(const float* d, float* out, int n, int k) {  // a step of Floyd and Warshall, threads down a column
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) out[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void floyd_fixed(const float* d, float* out, int n, int k) {  // along a row
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) out[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void embed_bad(const int* token, const float* table, float* out, int tokens) {  // a thread a token
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  const float* row = table + (token[t] & 32767) * 64;
  for (int k = 0; k < 64; ++k) out[t * 64 + k] = row[k];
}
__global__ void embed_fixed(const int* token, const float* table, float* out, int tokens) {  // sixteen threads a token
  const int id = blockIdx.x * blockDim.x + threadIdx.x, t = id / 16, part = id % 16;
  if (t >= tokens) return;
  ((float4*)out)[t * 16 + part] = ((const float4*)table)[(token[t] & 32767) * 16 + part];
}
__global__ void nhwc_bad(const float* x, float* y, int area) {  // pictures of 64 channels, plane by plane, to pixel by pixel
  const int at = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, picture = blockIdx.z;
  y[(picture * area + at) * 64 + c] = x[(picture * 64 + c) * area + at];
}
__global__ void nhwc_fixed(const float* x, float* y, int area) {
  __shared__ float t[32][33];
  const int at = blockIdx.x * 32, c = blockIdx.y * 32, picture = blockIdx.z;
  for (int k = threadIdx.y; k < 32; k += 8) t[k][threadIdx.x] = x[(picture * 64 + c + k) * area + at + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) y[(picture * area + at + k) * 64 + c + threadIdx.x] = t[threadIdx.x][k];
}

// Reuse.
__global__ void average_bad(const float* x, float* y, int n) {  // of 32 neighbours
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += x[min(id + k, n - 1)];
  y[id] = sum / 32;
}
__global__ void average_fixed(const float* x, float* y, int n) {  // a thread slides its window over eight of them, the block's in shared memory
  __shared__ float t[9 * 288];  // a word left out after eight
  const int first = blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048 + 32; k += 256) t[k + k / 8] = x[min(first + k, n - 1)];
  __syncthreads();
  float sum = 0, out[8];
  const int own = 8 * threadIdx.x;
#pragma unroll
  for (int k = 0; k < 31; ++k) sum += t[9 * threadIdx.x + k + k / 8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sum += t[9 * threadIdx.x + (k + 31) + (k + 31) / 8];
    out[k] = sum / 32;
    sum -= t[9 * threadIdx.x + k];
  }
  for (int k = 0; k < 2; ++k) ((float4*)y)[(first + own) / 4 + k] = make_float4(out[4 * k], out[4 * k + 1], out[4 * k + 2], out[4 * k + 3]);
}
__global__ void star_bad(const float* x, float* y, int n) {  // finite differences of eighth order in three dimensions
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i < 4 || j < 4 || k < 4 || i >= n - 4 || j >= n - 4 || k >= n - 4) return;
  const float* at = x + (k * n + j) * n + i;
  float sum = -2.847f * 3 * at[0];
#pragma unroll
  for (int r = 1; r <= 4; ++r)
    sum += (r == 1 ? 1.6f : r == 2 ? -0.2f : r == 3 ? 0.0254f : -0.00179f) * (at[r] + at[-r] + at[r * n] + at[-r * n] + at[r * n * n] + at[-r * n * n]);
  y[(k * n + j) * n + i] = sum;
}
__global__ void star_fixed(const float* x, float* y, int n) {  // up through the planes: one in shared memory, nine numbers of the column in registers
  __shared__ float t[16][40];
  const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, from = 4 + blockIdx.z * 30;
  const bool inside = i >= 4 && j >= 4 && i < n - 4 && j < n - 4;
  const float* column = x + j * n + i;
  float v[9];
#pragma unroll
  for (int r = 0; r < 8; ++r) v[r + 1] = column[(from - 4 + r) * n * n];
  for (int k = from; k < min(from + 30, n - 4); ++k) {
#pragma unroll
    for (int r = 0; r < 8; ++r) v[r] = v[r + 1];
    v[8] = column[(k + 4) * n * n];
    __syncthreads();
    t[threadIdx.y + 4][threadIdx.x + 4] = v[4];
    const float* plane = x + k * n * n;
    if (threadIdx.y < 4) {
      t[threadIdx.y][threadIdx.x + 4] = plane[max(j - 4, 0) * n + i];
      t[threadIdx.y + 12][threadIdx.x + 4] = plane[min(j + 8, n - 1) * n + i];
    }
    if (threadIdx.x < 4) {
      t[threadIdx.y + 4][threadIdx.x] = plane[j * n + max(i - 4, 0)];
      t[threadIdx.y + 4][threadIdx.x + 36] = plane[j * n + min(i + 32, n - 1)];
    }
    __syncthreads();
    const float* at = &t[threadIdx.y + 4][threadIdx.x + 4];
    float sum = -2.847f * 3 * v[4];
#pragma unroll
    for (int r = 1; r <= 4; ++r)
      sum += (r == 1 ? 1.6f : r == 2 ? -0.2f : r == 3 ? 0.0254f : -0.00179f) * (at[r] + at[-r] + at[r * 40] + at[-r * 40] + v[4 + r] + v[4 - r]);
    if (inside) y[(k * n + j) * n + i] = sum;
  }
}
__global__ void nearest_bad(const float* a, const float* b, float* out, int n) {  // all distances of points with 32 coordinates, one by one
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 32; ++k) {
    const float d = a[k * n + i] - b[k * n + j];
    sum += d * d;
  }
  out[i * n + j] = sum;
}
__global__ void nearest_fixed(const float* a, const float* b, float* out, int n) {  // sixteen a thread, points in shared memory
  __shared__ float s[32][64], t[32][64];
  const int id = threadIdx.y * 16 + threadIdx.x;
  for (int k = id; k < 2048; k += 256) {
    s[k / 64][k % 64] = a[(k / 64) * n + blockIdx.y * 64 + k % 64];
    t[k / 64][k % 64] = b[(k / 64) * n + blockIdx.x * 64 + k % 64];
  }
  __syncthreads();
  float sum[4][4] = {};
#pragma unroll 4
  for (int k = 0; k < 32; ++k) {
    float u[4], v[4];
    for (int r = 0; r < 4; ++r) u[r] = s[k][threadIdx.y * 4 + r], v[r] = t[k][threadIdx.x + 16 * r];
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) sum[r][c] += (u[r] - v[c]) * (u[r] - v[c]);
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out[(blockIdx.y * 64 + threadIdx.y * 4 + r) * n + blockIdx.x * 64 + threadIdx.x + 16 * c] = sum[r][c];
}
__global__ void scores_bad(const float* q, const float* k, float* s, int n) {  // queries by keys of 64 numbers, a result a thread
  __shared__ float a[32][33], b[32][33];
  const int i = blockIdx.y * 32, j = blockIdx.x * 32;
  float sum = 0;
  for (int d = 0; d < 64; d += 32) {
    a[threadIdx.y][threadIdx.x] = q[(i + threadIdx.y) * 64 + d + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = k[(j + threadIdx.y) * 64 + d + threadIdx.x];
    __syncthreads();
    for (int e = 0; e < 32; ++e) sum += a[threadIdx.y][e] * b[threadIdx.x][e];
    __syncthreads();
  }
  s[(i + threadIdx.y) * n + j + threadIdx.x] = 0.125f * sum;
}
__global__ void scores_fixed(const float* q, const float* k, float* s, int n) {  // sixteen results a thread
  __shared__ float a[32][65], b[32][65];
  const int i = blockIdx.y * 64, j = blockIdx.x * 64, id = threadIdx.y * 16 + threadIdx.x;
  float sum[4][4] = {};
  for (int d = 0; d < 64; d += 32) {
    for (int m = id; m < 2048; m += 256) {
      a[m % 32][m / 32] = q[(i + m / 32) * 64 + d + m % 32];
      b[m % 32][m / 32] = k[(j + m / 32) * 64 + d + m % 32];
    }
    __syncthreads();
#pragma unroll 8
    for (int e = 0; e < 32; ++e) {
      float u[4], v[4];
      for (int r = 0; r < 4; ++r) u[r] = a[e][threadIdx.y + 16 * r], v[r] = b[e][threadIdx.x + 16 * r];
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * v[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) s[(i + threadIdx.y + 16 * r) * n + j + threadIdx.x + 16 * c] = 0.125f * sum[r][c];
}
__global__ void mixture_bad(const float* x, const float* w, float* y, int n) {  // 24 Gaussians, their numbers in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = 0;
  const float v = x[id];
  for (int k = 0; k < 24; ++k) {
    const float d = v - w[3 * k];
    sum += w[3 * k + 1] * (1 - d * d * w[3 * k + 2]);
  }
  y[id] = sum;
}
__global__ void mixture_fixed(const float* x, const float* w, float* y, int n) {  // in shared memory, a Gaussian a load
  __shared__ float4 g[24];
  if (threadIdx.x < 24) g[threadIdx.x] = make_float4(w[3 * threadIdx.x], w[3 * threadIdx.x + 1], w[3 * threadIdx.x + 2], 0);
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = 0;
  const float v = x[id];
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    const float4 one = g[k];
    const float d = v - one.x;
    sum += one.y * (1 - d * d * one.z);
  }
  y[id] = sum;
}

// Instructions.
__global__ void quantise_bad(const float* x, int* out, int n) {  // to bytes, one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) ((signed char*)out)[id] = (signed char)max(-127, min(127, __float2int_rn(x[id] * 127)));
}
__global__ void quantise_fixed(const float* x, int* out, int n) {  // sixteen a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n / 16) return;
  int packed[4];
  for (int k = 0; k < 4; ++k) {
    const float4 v = ((const float4*)x)[4 * id + k];
    const auto byte = [](float f) { return max(-127, min(127, __float2int_rn(f * 127))) & 255; };
    packed[k] = byte(v.x) | byte(v.y) << 8 | byte(v.z) << 16 | byte(v.w) << 24;
  }
  ((int4*)out)[id] = make_int4(packed[0], packed[1], packed[2], packed[3]);
}
__global__ void append_bad(const __half* fresh, __half* cache, int n, int heads, int width, int room) {  // new keys into a cache, places by division
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int d = id % width, head = id / width % heads, row = id / width / heads;
  cache[((row / 16 * heads + head) * room + row % 16) * width + d] = fresh[id];
}
__global__ void append_fixed(const __half* fresh, __half* cache, int n, int heads, int width, int room) {  // by a grid of three dimensions
  const int d = threadIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y, row = blockIdx.x;
  if (d >= width || head >= heads) return;
  cache[((row / 16 * heads + head) * room + row % 16) * width + d] = fresh[(row * heads + head) * width + d];
}
__device__ unsigned mixed(unsigned v) {
  v ^= v >> 16, v *= 0x7feb352d, v ^= v >> 15, v *= 0x846ca68b;
  return v ^ v >> 16;
}
__global__ void dropout_bad(const float* x, float* y, int n) {  // random numbers from hashes, in double precision
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = mixed(id) * (1.0 / 4294967296.0) < 0.9 ? x[id] / 0.9 : 0;
}
__global__ void dropout_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = mixed(id) * (1.0f / 4294967296.0f) < 0.9f ? x[id] / 0.9f : 0;
}
__global__ void largest8_bad(const float* x, float* y, int n) {  // the eight largest of a thread's numbers, sorted in by position
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float best[8] = {};
  for (int k = id; k < n; k += all) {
    const float v = x[k];
    int at = 0;
    while (at < 8 && best[at] < v) ++at;
    for (int m = 1; m < at; ++m) best[m - 1] = best[m];
    if (at > 0) best[at - 1] = v;
  }
  float sum = 0;
  for (int m = 0; m < 8; ++m) sum += best[m] * (m + 1);
  y[id] = sum;
}
__global__ void largest8_fixed(const float* x, float* y, int n) {  // through all eight, without asking where
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float best[8] = {};
  for (int k = id; k < n; k += all) {
    float v = x[k];
#pragma unroll
    for (int m = 7; m >= 0; --m) {
      const float less = fminf(best[m], v);
      best[m] = fmaxf(best[m], v);
      v = less;
    }
  }
  float sum = 0;
  for (int m = 0; m < 8; ++m) sum += best[m] * (m + 1);
  y[id] = sum;
}
__global__ void taps_bad(const float* x, const float* w, float* y, int taps) {  // a filter whose length is known at run time only
  __shared__ float t[256 + 64], c[64];
  const int id = threadIdx.x, first = blockIdx.x * 256;
  t[id] = x[first + id];
  if (id < 64) t[256 + id] = x[min(first + 256 + id, (int)gridDim.x * 256 - 1)], c[id] = w[id];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) sum += c[k] * t[id + k];
  y[first + id] = sum;
}
__global__ void taps_fixed(const float* x, const float* w, float* y, int) {
  __shared__ float t[256 + 64], c[64];
  const int id = threadIdx.x, first = blockIdx.x * 256;
  t[id] = x[first + id];
  if (id < 64) t[256 + id] = x[min(first + 256 + id, (int)gridDim.x * 256 - 1)], c[id] = w[id];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += c[k] * t[id + k];
  y[first + id] = sum;
}
__global__ void words_bad(const int* length, const int* text, float* y, int n) {  // hashes of words, each as long as it is
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = 2166136261u;
  for (int k = 0; k < (length[id] & 127); ++k) hash = mixed(hash ^ text[k * 64 + id % 64]);
  y[id] = (float)hash;
}
__global__ void words_fixed(const int* length, const int* text, float* y, int n) {  // sorted by length: 32 alike in a warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = 2166136261u;
  for (int k = 0; k < (length[id / 32 * 32] & 127); ++k) hash = mixed(hash ^ text[k * 64 + id % 64]);
  y[id] = (float)hash;
}

// Shared memory, atomics, the shape of the launch.
__global__ void rowstat_bad(const float* x, float* y) {  // sums of a tile's rows, a thread each
  __shared__ float t[64][64];
  for (int k = threadIdx.x; k < 4096; k += 64) t[k / 64][k % 64] = x[blockIdx.x * 4096 + k];
  __syncthreads();
  float sum = 0, squares = 0;
  for (int k = 0; k < 64; ++k) sum += t[threadIdx.x][k], squares += t[threadIdx.x][k] * t[threadIdx.x][k];
  y[blockIdx.x * 64 + threadIdx.x] = squares - sum * sum / 64;
}
__global__ void rowstat_fixed(const float* x, float* y) {
  __shared__ float t[64][65];
  for (int k = threadIdx.x; k < 4096; k += 64) t[k / 64][k % 64] = x[blockIdx.x * 4096 + k];
  __syncthreads();
  float sum = 0, squares = 0;
  for (int k = 0; k < 64; ++k) sum += t[threadIdx.x][k], squares += t[threadIdx.x][k] * t[threadIdx.x][k];
  y[blockIdx.x * 64 + threadIdx.x] = squares - sum * sum / 64;
}
__global__ void bitonic_bad(const float* x, float* y) {  // sorts 1,024 numbers, a barrier a step
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  for (int size = 2; size <= 1024; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int other = id ^ stride;
      if (other > id) {
        const float a = t[id], b = t[other];
        if ((a > b) == ((id & size) == 0)) t[id] = b, t[other] = a;
      }
    }
  __syncthreads();
  y[blockIdx.x * 1024 + id] = t[id];
}
__global__ void bitonic_fixed(const float* x, float* y) {  // within a warp by shuffles
  __shared__ float t[1024];
  const int id = threadIdx.x;
  float v = x[blockIdx.x * 1024 + id];
  for (int size = 2; size <= 1024; size *= 2) {
    int stride = size / 2;
    for (; stride >= 32; stride /= 2) {
      __syncthreads();
      t[id] = v;
      __syncthreads();
      const float o = t[id ^ stride];
      v = ((id & stride) == 0) == ((id & size) == 0) ? fminf(v, o) : fmaxf(v, o);
    }
    for (; stride > 0; stride /= 2) {
      const float o = __shfl_xor_sync(~0u, v, stride);
      v = ((id & stride) == 0) == ((id & size) == 0) ? fminf(v, o) : fmaxf(v, o);
    }
  }
  y[blockIdx.x * 1024 + id] = v;
}
__global__ void digits_bad(const int* keys, unsigned* h, int n) {  // a radix sort's first step: sixteen counters a block
  __shared__ unsigned own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[keys[id] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
}
__global__ void digits_fixed(const int* keys, unsigned* h, int n) {  // sixteen counters a lane
  __shared__ unsigned own[16 * 32];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[(keys[id] & 15) * 32 + threadIdx.x % 32], 1u);
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int k = 0; k < 32; ++k) sum += own[threadIdx.x * 32 + (k + threadIdx.x) % 32];
    atomicAdd(&h[threadIdx.x], sum);
  }
}
__global__ void batch8_bad(const float* a, const float* b, float* c) {  // products of 8 x 8 matrices, a block each
  const int row = threadIdx.x / 8, column = threadIdx.x % 8, first = blockIdx.x * 64;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[first + row * 8 + k] * b[first + k * 8 + column];
  c[first + threadIdx.x] = sum;
}
__global__ void batch8_fixed(const float* a, const float* b, float* c) {  // four a block
  const int id = threadIdx.x % 64, row = id / 8, column = id % 8, first = (blockIdx.x * 4 + threadIdx.x / 64) * 64;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[first + row * 8 + k] * b[first + k * 8 + column];
  c[first + id] = sum;
}
__global__ void argmax_bad(const float* x, float* y, int n) {  // one block looks at all
  __shared__ float most[1024];
  __shared__ int where[1024];
  float best = -1;
  int at = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    if (x[k] > best) best = x[k], at = k;
  most[threadIdx.x] = best, where[threadIdx.x] = at;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s && most[threadIdx.x + s] > most[threadIdx.x]) most[threadIdx.x] = most[threadIdx.x + s], where[threadIdx.x] = where[threadIdx.x + s];
  }
  if (threadIdx.x == 0) y[2 * blockIdx.x] = most[0], y[2 * blockIdx.x + 1] = (float)where[0];
}
__global__ void argmax_fixed(const float* x, float* y, int n) {  // as many as the GPU holds, and their results later
  __shared__ float most[1024];
  __shared__ int where[1024];
  float best = -1;
  int at = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    if (x[k] > best) best = x[k], at = k;
  most[threadIdx.x] = best, where[threadIdx.x] = at;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s && most[threadIdx.x + s] > most[threadIdx.x]) most[threadIdx.x] = most[threadIdx.x + s], where[threadIdx.x] = where[threadIdx.x + s];
  }
  if (threadIdx.x == 0) y[2 * blockIdx.x] = most[0], y[2 * blockIdx.x + 1] = (float)where[0];
}
__device__ float walk(const float* x, const int* next, int id, int n) {  // lists of six, threads by places of random neighbours
  float sum = 0;
  int at = id;
  for (int k = 0; k < 6; ++k) at = next[at] & (n - 1), sum += x[at];
  return sum;
}
__global__ void lists_bad(const float* x, const int* next, float* y, int n) {  // shared memory for 8 times as much as is used
  extern __shared__ float t[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = walk(x, next, id, n);
  __syncthreads();
  y[id] = t[threadIdx.x ^ 1];
}
__global__ void lists_fixed(const float* x, const int* next, float* y, int n) {
  extern __shared__ float t[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = walk(x, next, id, n);
  __syncthreads();
  y[id] = t[threadIdx.x ^ 1];
}
__global__ void circle_bad(const float* x, float* y, int steps) {  // pi by random points, each from the one before
  unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int inside = 0;
  for (int k = 0; k < steps; ++k) {
    state = state * 1664525u + 1013904223u;
    const float u = (state >> 8) * 5.9604645e-8f;
    state = state * 1664525u + 1013904223u;
    const float v = (state >> 8) * 5.9604645e-8f;
    inside += u * u + v * v < 1;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = 4.0f * inside / steps + x[0] * 0;
}
__global__ void circle_fixed(const float* x, float* y, int steps) {  // four sequences side by side
  unsigned state[4];
  for (int m = 0; m < 4; ++m) state[m] = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + m + 1;
  int inside = 0;
  for (int k = 0; k < steps / 4; ++k) {
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      state[m] = state[m] * 1664525u + 1013904223u;
      const float u = (state[m] >> 8) * 5.9604645e-8f;
      state[m] = state[m] * 1664525u + 1013904223u;
      const float v = (state[m] >> 8) * 5.9604645e-8f;
      inside += u * u + v * v < 1;
    }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = 4.0f * inside / steps + x[0] * 0;
}
}
