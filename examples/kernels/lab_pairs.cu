// What labs and public exercises teach, as pairs: NAME_bad before the lesson and NAME_fixed after it.
#include <cuda_fp16.h>
__constant__ float centres[256];
extern "C" {
// Sums and rows.
__global__ void blocksum_bad(const float* x, float* y) {  // all threads of a block add to one place in shared memory
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const float* from = x + (size_t)blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1024; k += 256) atomicAdd(&sum, from[k]);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
__global__ void blocksum_fixed(const float* x, float* y) {  // each thread its own, then a warp by shuffles
  __shared__ float sums[8];
  const float* from = x + (size_t)blockIdx.x * 1024;
  float sum = 0;
  for (int k = threadIdx.x; k < 1024; k += 256) sum += from[k];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) sum += sums[k];
    y[blockIdx.x] = sum;
  }
}
__global__ void softwarp_bad(const float* x, float* y, int width) {  // a softmax, a warp a row: largest, sum, result, each from memory
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* from = x + (size_t)row * width;
  float most = -1e30f, sum = 0;
  for (int c = lane; c < width; c += 32) most = fmaxf(most, from[c]);
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  for (int c = lane; c < width; c += 32) sum += __expf(from[c] - most);
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  for (int c = lane; c < width; c += 32) y[(size_t)row * width + c] = __expf(from[c] - most) / sum;
}
__global__ void softwarp_fixed(const float* x, float* y, int width) {  // kept in registers
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* from = x + (size_t)row * width;
  float v[64], most = -1e30f, sum = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) most = fmaxf(most, v[k] = from[lane + 32 * k]);
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
#pragma unroll
  for (int k = 0; k < 64; ++k) sum += v[k] = __expf(v[k] - most);
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
#pragma unroll
  for (int k = 0; k < 64; ++k) y[(size_t)row * width + lane + 32 * k] = v[k] / sum;
}
__global__ void lnorm_bad(const float* x, const float* w, float* y, int width) {  // a layer norm, a thread a row
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float* from = x + (size_t)row * width;
  float mean = 0, var = 0;
  for (int c = 0; c < width; ++c) mean += from[c];
  mean /= width;
  for (int c = 0; c < width; ++c) var += (from[c] - mean) * (from[c] - mean);
  const float scale = rsqrtf(var / width + 1e-5f);
  for (int c = 0; c < width; ++c) y[(size_t)row * width + c] = (from[c] - mean) * scale * w[c];
}
__global__ void lnorm_fixed(const float* x, const float* w, float* y, int width) {  // a warp a row
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* from = x + (size_t)row * width;
  float mean = 0, var = 0;
  for (int c = lane; c < width; c += 32) mean += from[c];
  for (int s = 16; s > 0; s /= 2) mean += __shfl_xor_sync(~0u, mean, s);
  mean /= width;
  for (int c = lane; c < width; c += 32) var += (from[c] - mean) * (from[c] - mean);
  for (int s = 16; s > 0; s /= 2) var += __shfl_xor_sync(~0u, var, s);
  const float scale = rsqrtf(var / width + 1e-5f);
  for (int c = lane; c < width; c += 32) y[(size_t)row * width + c] = (from[c] - mean) * scale * w[c];
}
__global__ void biasgrad_bad(const float* x, float* o, int rows, int width) {  // sums of columns, a block a column
  __shared__ float sums[8];
  float sum = 0;
  for (int r = threadIdx.x; r < rows; r += blockDim.x) sum += x[(size_t)r * width + blockIdx.x];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) sum += sums[k];
    o[blockIdx.x] = sum;
  }
}
__global__ void biasgrad_fixed(const float* x, float* o, int rows, int width) {  // a block 32 columns, a warp a row
  __shared__ float sums[8][32];
  const int col = blockIdx.x * 32 + threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int r = blockIdx.y * 8 + warp; r < rows; r += 8 * gridDim.y) sum += x[(size_t)r * width + col];
  sums[warp][threadIdx.x % 32] = sum;
  __syncthreads();
  if (warp == 0) {
    for (int k = 1; k < 8; ++k) sum += sums[k][threadIdx.x];
    atomicAdd(&o[col], sum);
  }
}
__global__ void posgrad_bad(const float* x, float* o, int n) {  // gradients of 1,024 numbers, an atomic for every token
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) atomicAdd(&o[id & 1023], x[id]);
}
__global__ void posgrad_fixed(const float* x, float* o, int n) {  // a thread adds up many tokens first
  const int col = blockIdx.x * blockDim.x + threadIdx.x & 1023, part = (blockIdx.x * blockDim.x + threadIdx.x) >> 10;
  const int parts = gridDim.x * blockDim.x >> 10;
  float sum = 0;
  for (int r = part; r < n >> 10; r += parts) sum += x[(size_t)r * 1024 + col];
  atomicAdd(&o[col], sum);
}
__global__ void cumrows_bad(const float* x, float* y, int width) {  // running sums of rows, a thread a row
  const size_t row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < width; ++c) y[row * width + c] = sum += x[row * width + c];
}
__global__ void cumrows_fixed(const float* x, float* y, int width) {  // a warp a row
  const size_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  float before = 0;
  for (int c = lane; c < width; c += 32) {
    float v = x[row * width + c];
    for (int s = 1; s < 32; s *= 2) {
      const float other = __shfl_up_sync(~0u, v, s);
      if (lane >= s) v += other;
    }
    y[row * width + c] = before + v;
    before += __shfl_sync(~0u, v, 31);
  }
}
__global__ void top4_bad(const float* x, float* y, int width) {  // the four largest of a row, a pass for each
  __shared__ float tops[8];
  const float* from = x + (size_t)blockIdx.x * width;
  float limit = 1e30f;
  for (int t = 0; t < 4; ++t) {
    float most = -1e30f;
    for (int c = threadIdx.x; c < width; c += 256) {
      const float v = from[c];
      if (v < limit) most = fmaxf(most, v);
    }
    for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
    if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = most;
    __syncthreads();
    for (int k = 0; k < 8; ++k) most = fmaxf(most, tops[k]);
    __syncthreads();
    limit = most;
    if (threadIdx.x == 0) y[blockIdx.x * 4 + t] = most;
  }
}
__global__ void top4_fixed(const float* x, float* y, int width) {  // the row is kept in registers
  __shared__ float tops[8];
  const float* from = x + (size_t)blockIdx.x * width;
  float v[32], limit = 1e30f;
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = from[threadIdx.x + 256 * k];
  for (int t = 0; t < 4; ++t) {
    float most = -1e30f;
#pragma unroll
    for (int k = 0; k < 32; ++k)
      if (v[k] < limit) most = fmaxf(most, v[k]);
    for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
    if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = most;
    __syncthreads();
    for (int k = 0; k < 8; ++k) most = fmaxf(most, tops[k]);
    __syncthreads();
    limit = most;
    if (threadIdx.x == 0) y[blockIdx.x * 4 + t] = most;
  }
}

// Narrow numbers.
__global__ void dot8_bad(const int* k, int* i, int n) {  // products of bytes, one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const signed char *a = (const signed char*)k, *b = (const signed char*)(k + (1 << 23));
  if (id >= n) return;
  int sum = 0;
  for (int c = 0; c < 16; ++c) sum += a[id * 16 + c] * b[id * 16 + c];
  i[id] = sum;
}
__global__ void dot8_fixed(const int* k, int* i, int n) {  // four at once
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int4 a = ((const int4*)k)[id], b = ((const int4*)(k + (1 << 23)))[id];
  i[id] = __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, 0))));
}
__global__ void halfpoly_bad(const __half* p, __half* q, int count) {  // a polynomial of halves, one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const __half v = p[id];
  __half sum = v;
#pragma unroll 8
  for (int k = 0; k < count; ++k) sum = __hfma(sum, v, __float2half(0.25f));
  q[id] = sum;
}
__global__ void halfpoly_fixed(const __half* p, __half* q, int count) {  // two at once
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 v = ((const __half2*)p)[id];
  __half2 sum = v;
#pragma unroll 8
  for (int k = 0; k < count; ++k) sum = __hfma2(sum, v, __float2half2_rn(0.25f));
  ((__half2*)q)[id] = sum;
}
__global__ void nibbles_bad(const int* k, __half* q, int n) {  // weights of four bits, a byte a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const unsigned char b = ((const unsigned char*)k)[id];
  q[2 * id] = __int2half_rn((b & 15) - 8);
  q[2 * id + 1] = __int2half_rn((b >> 4) - 8);
}
__global__ void nibbles_fixed(const int* k, __half* q, int n) {  // four bytes a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * id >= n) return;
  const unsigned word = ((const unsigned*)k)[id];
  __half2 out[4];
#pragma unroll
  for (int b = 0; b < 4; ++b) out[b] = __halves2half2(__int2half_rn(int(word >> 8 * b & 15) - 8), __int2half_rn(int(word >> (8 * b + 4) & 15) - 8));
  ((int4*)q)[id] = *(int4*)out;
}
__global__ void bits_bad(const int* k, int* i, int n) {  // a thread a bit, a byte for it
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) ((unsigned char*)i)[id] = k[id >> 5] >> (id & 31) & 1;
}
__global__ void bits_fixed(const int* k, int* i, int n) {  // four bits
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * id >= n) return;
  const unsigned four = (unsigned)k[id >> 3] >> (4 * (id & 7)) & 15;
  i[id] = (four * 0x00204081u) & 0x01010101u;
}

// Functions.
__global__ void julia_bad(float* y, int side) {  // a fractal whose constants are doubles
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float a = 1.5 * (side / 2 - c) / (side / 2), b = 1.5 * (side / 2 - r) / (side / 2);
  int k = 0;
  for (; k < 100 && a * a + b * b < 1000.0; ++k) {
    const float next = a * a - b * b - 0.8;
    b = 2.0 * a * b + 0.156;
    a = next;
  }
  y[r * side + c] = k;
}
__global__ void julia_fixed(float* y, int side) {  // floats
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float a = 1.5f * (side / 2 - c) / (side / 2), b = 1.5f * (side / 2 - r) / (side / 2);
  int k = 0;
  for (; k < 100 && a * a + b * b < 1000.0f; ++k) {
    const float next = a * a - b * b - 0.8f;
    b = 2.0f * a * b + 0.156f;
    a = next;
  }
  y[r * side + c] = k;
}
__global__ void dft_bad(const float* x, float* y) {  // transforms of 64 numbers, each factor computed where it is needed
  const int id = blockIdx.x * blockDim.x + threadIdx.x, f = id & 63;
  const float* from = x + (id & ~63);
  float re = 0, im = 0;
  for (int t = 0; t < 64; ++t) {
    float s, c;
    sincosf(-6.2831853f * f * t / 64, &s, &c);
    re += from[t] * c;
    im += from[t] * s;
  }
  y[id] = re * re + im * im;
}
__global__ void dft_fixed(const float* x, float* y) {  // 64 factors, computed once a block
  __shared__ float re_of[64], im_of[64];
  const int id = blockIdx.x * blockDim.x + threadIdx.x, f = id & 63;
  if (threadIdx.x < 64) sincosf(-6.2831853f * threadIdx.x / 64, &im_of[threadIdx.x], &re_of[threadIdx.x]);
  __syncthreads();
  const float* from = x + (id & ~63);
  float re = 0, im = 0;
  for (int t = 0; t < 64; ++t) {
    re += from[t] * re_of[f * t & 63];
    im += from[t] * im_of[f * t & 63];
  }
  y[id] = re * re + im * im;
}
__global__ void rope_bad(const float* x, float* y, int width) {  // rotary embeddings, angles by powers and sines
  const int id = blockIdx.x * blockDim.x + threadIdx.x, half = width / 2, at = id / half, c = id % half;
  const float angle = at * powf(10000.0f, -2.0f * c / width);
  const float a = x[2 * id], b = x[2 * id + 1];
  y[2 * id] = a * cosf(angle) - b * sinf(angle);
  y[2 * id + 1] = a * sinf(angle) + b * cosf(angle);
}
__global__ void rope_fixed(const float* x, float* y, int width) {  // quick functions
  const int id = blockIdx.x * blockDim.x + threadIdx.x, half = width / 2, at = id / half, c = id % half;
  const float angle = at * exp2f(-26.575424759f * c / width);
  const float2 v = ((const float2*)x)[id];
  float s, co;
  __sincosf(angle, &s, &co);
  ((float2*)y)[id] = make_float2(v.x * co - v.y * s, v.x * s + v.y * co);
}
__global__ void shares_bad(const float* x, float* y, int count) {  // every term divided by the same number
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id], whole = v + 3;
  float sum = 0;
  for (int k = 1; k <= count; ++k) sum += (v + k) / whole;
  y[id] = sum;
}
__global__ void shares_fixed(const float* x, float* y, int count) {  // multiplied by its reciprocal
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id], share = 1 / (v + 3);
  float sum = 0;
  for (int k = 1; k <= count; ++k) sum += (v + k) * share;
  y[id] = sum;
}

// Memory.
__global__ void assign_bad(const float* x, const float* w, float* y, int centroids) {  // nearest of 64 centres of four numbers, from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = ((const float4*)x)[id];
  float best = 1e30f;
  int which = 0;
  for (int c = 0; c < centroids; ++c) {
    const float a = v.x - w[4 * c], b = v.y - w[4 * c + 1], d = v.z - w[4 * c + 2], e = v.w - w[4 * c + 3];
    const float far = a * a + b * b + d * d + e * e;
    if (far < best) best = far, which = c;
  }
  y[id] = which;
}
__global__ void assign_fixed(const float* x, const float* w, float* y, int centroids) {  // from constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = ((const float4*)x)[id];
  float best = w ? 1e30f : 0;
  int which = 0;
  for (int c = 0; c < centroids; ++c) {
    const float a = v.x - centres[4 * c], b = v.y - centres[4 * c + 1], d = v.z - centres[4 * c + 2], e = v.w - centres[4 * c + 3];
    const float far = a * a + b * b + d * d + e * e;
    if (far < best) best = far, which = c;
  }
  y[id] = which;
}
__global__ void merge_bad(const float* x, float* y) {  // a thread merges two lists of 16, element by element
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float *a = x + (size_t)id * 32, *b = a + 16;
  int i = 0, j = 0;
  for (int k = 0; k < 32; ++k) {
    const bool first = j >= 16 || (i < 16 && a[i] <= b[j]);
    y[(size_t)id * 32 + k] = first ? a[i++] : b[j++];
  }
}
__global__ void merge_fixed(const float* x, float* y) {  // from and to a tile in shared memory
  __shared__ float in[64 * 33], out[64 * 33];
  const size_t first_of = (size_t)blockIdx.x * 64 * 32;
  for (int k = threadIdx.x; k < 64 * 32; k += 64) in[k / 32 * 33 + k % 32] = x[first_of + k];
  __syncthreads();
  const float *a = in + threadIdx.x * 33, *b = a + 16;
  int i = 0, j = 0;
  for (int k = 0; k < 32; ++k) {
    const bool first = j >= 16 || (i < 16 && a[i] <= b[j]);
    out[threadIdx.x * 33 + k] = first ? a[i++] : b[j++];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 64 * 32; k += 64) y[first_of + k] = out[k / 32 * 33 + k % 32];
}
__global__ void mats3_bad(const float* x, float* y) {  // products of 3 x 3 matrices, one after another in memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float *a = x + (size_t)id * 18, *b = a + 9;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) y[(size_t)id * 9 + 3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}
__global__ void mats3_fixed(const float* x, float* y) {  // the same element of all matrices side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float a[9], b[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) a[k] = x[(size_t)k * n + id], b[k] = x[(size_t)(k + 9) * n + id];
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int c = 0; c < 3; ++c) y[(size_t)(3 * r + c) * n + id] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}
__global__ void gauss_bad(const float* x, float* y, int size) {  // elimination of small systems whose size is told when launched
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float a[6][7];
  for (int r = 0; r < size; ++r)
    for (int c = 0; c <= size; ++c) a[r][c] = x[(r * 7 + c) * n + id] + (r == c) * 4;
  for (int p = 0; p < size; ++p)
    for (int r = p + 1; r < size; ++r) {
      const float f = __fdividef(a[r][p], a[p][p]);
      for (int c = p; c <= size; ++c) a[r][c] -= f * a[p][c];
    }
  y[id] = a[size - 1][size] / a[size - 1][size - 1];
}
__global__ void gauss_fixed(const float* x, float* y, int size) {  // a constant
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float a[6][7];
#pragma unroll
  for (int r = 0; r < 6; ++r)
#pragma unroll
    for (int c = 0; c <= 6; ++c) a[r][c] = x[(r * 7 + c) * n + id] + (r == c) * 4;
#pragma unroll
  for (int p = 0; p < 6; ++p)
#pragma unroll
    for (int r = p + 1; r < 6; ++r) {
      const float f = __fdividef(a[r][p], a[p][p]);
#pragma unroll
      for (int c = p; c <= 6; ++c) a[r][c] -= f * a[p][c];
    }
  y[id] = a[5][6] / a[5][5];
}
__global__ void dice_bad(unsigned* k, float* y, int throws) {  // the state of a generator and the count stay in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = 0;
  for (int t = 0; t < throws; ++t) {
    k[id] = k[id] * 1664525u + 1013904223u;
    if (k[id] >> 29 < 2) y[id] += 1;
  }
}
__global__ void dice_fixed(unsigned* k, float* y, int throws) {  // in registers
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = k[id];
  float count = 0;
  for (int t = 0; t < throws; ++t) {
    state = state * 1664525u + 1013904223u;
    if (state >> 29 < 2) count += 1;
  }
  k[id] = state;
  y[id] = count;
}
__global__ void attend_bad(const float* x, float* y, int keys) {  // attention, a thread a query, keys and values from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float q[16], out[16] = {}, sum = 0;
#pragma unroll
  for (int d = 0; d < 16; ++d) q[d] = x[(size_t)id * 16 + d];
  for (int k = 0; k < keys; ++k) {
    float s = 0;
#pragma unroll
    for (int d = 0; d < 16; ++d) s += q[d] * x[k * 16 + d];
    const float e = __expf(s * 0.25f - 4);
    sum += e;
#pragma unroll
    for (int d = 0; d < 16; ++d) out[d] += e * x[(keys + k) * 16 + d];
  }
#pragma unroll
  for (int d = 0; d < 16; ++d) y[(size_t)id * 16 + d] = out[d] / sum;
}
__global__ void attend_fixed(const float* x, float* y, int keys) {  // through tiles in shared memory
  __shared__ float4 tile[2][32 * 4];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float q[16], out[16] = {}, sum = 0;
#pragma unroll
  for (int d = 0; d < 16; ++d) q[d] = x[(size_t)id * 16 + d];
  for (int first = 0; first < keys; first += 32) {
    __syncthreads();
    for (int t = threadIdx.x; t < 256; t += blockDim.x) tile[t / 128][t % 128] = ((const float4*)x)[(t / 128 * keys + first) * 4 + t % 128];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float *key = (const float*)&tile[0][k * 4], *value = (const float*)&tile[1][k * 4];
      float s = 0;
#pragma unroll
      for (int d = 0; d < 16; ++d) s += q[d] * key[d];
      const float e = __expf(s * 0.25f - 4);
      sum += e;
#pragma unroll
      for (int d = 0; d < 16; ++d) out[d] += e * value[d];
    }
  }
#pragma unroll
  for (int d = 0; d < 16; ++d) y[(size_t)id * 16 + d] = out[d] / sum;
}
__global__ void cplx_bad(const float* x, float* y, int count) {  // complex numbers in shared memory, eight floats of a thread together
  __shared__ float kept[256 * 8];
  const int id = blockIdx.x * 256 + threadIdx.x, n = gridDim.x * 256;
  for (int k = 0; k < 8; ++k) kept[threadIdx.x * 8 + k] = x[k * n + id];
  float re = 1, im = 0;
  for (int t = 0; t < count; ++t) {
    const int at = threadIdx.x * 8 + (t & 3) * 2;
    const float a = kept[at], b = kept[at + 1], next = re * a - im * b;
    im = re * b + im * a;
    re = next * 0.5f + 0.25f;
  }
  y[id] = re + im;
}
__global__ void cplx_fixed(const float* x, float* y, int count) {  // the same of all threads together
  __shared__ float kept[8 * 256];
  const int id = blockIdx.x * 256 + threadIdx.x, n = gridDim.x * 256;
  for (int k = 0; k < 8; ++k) kept[k * 256 + threadIdx.x] = x[k * n + id];
  float re = 1, im = 0;
  for (int t = 0; t < count; ++t) {
    const int at = (t & 3) * 512 + threadIdx.x;
    const float a = kept[at], b = kept[at + 256], next = re * a - im * b;
    im = re * b + im * a;
    re = next * 0.5f + 0.25f;
  }
  y[id] = re + im;
}
__global__ void rows48_bad(const float* x, float* y) {  // a block of 256 threads for a row of 48
  const size_t at = (size_t)blockIdx.x * 48 + threadIdx.x;
  if (threadIdx.x < 48) y[at] = 2 * x[at] + 1;
}
__global__ void rows48_fixed(const float* x, float* y) {  // every thread has an element
  const size_t at = (size_t)blockIdx.x * 256 + threadIdx.x;
  y[at] = 2 * x[at] + 1;
}
__global__ void splat_bad(const float* x, float* y, int side) {  // every point adds to its nine neighbours
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  const float v = x[r * side + c];
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      if (r + a >= 0 && r + a < side && c + b >= 0 && c + b < side) atomicAdd(&y[(r + a) * side + c + b], v * (1 + a * b));
}
__global__ void splat_fixed(const float* x, float* y, int side) {  // every point gathers from them
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      if (r + a >= 0 && r + a < side && c + b >= 0 && c + b < side) sum += x[(r + a) * side + c + b] * (1 + a * b);
  y[r * side + c] += sum;
}
}
