// A ninth round (point clouds, detection, language models, simulations), as pairs: NAME_bad has one defect and NAME_fixed does not. Written
// as people write them, before the model's answers were seen.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" {
__global__ void ball_bad(const float* queries, const float* points, float* y, int count) {  // neighbours of a query among all points
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float qx = queries[3 * id], qy = queries[3 * id + 1], qz = queries[3 * id + 2];
  int near = 0;
  for (int j = 0; j < count; ++j) {
    const float dx = points[3 * j] - qx, dy = points[3 * j + 1] - qy, dz = points[3 * j + 2] - qz;
    near += dx * dx + dy * dy + dz * dz < 0.04f;
  }
  y[id] = near;
}
__global__ void ball_fixed(const float* queries, const float* points, float* y, int count) {
  __shared__ float4 tile[256];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float qx = queries[3 * id], qy = queries[3 * id + 1], qz = queries[3 * id + 2];
  int near = 0;
  for (int j = 0; j < count; j += 256) {
    const float* from = points + 3 * (j + threadIdx.x);
    __syncthreads();
    tile[threadIdx.x] = make_float4(from[0], from[1], from[2], 0);
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
      const float dx = tile[k].x - qx, dy = tile[k].y - qy, dz = tile[k].z - qz;
      near += dx * dx + dy * dy + dz * dz < 0.04f;
    }
  }
  y[id] = near;
}

__global__ void group_bad(const float* x, float* y, int points, int channels) {  // (points, channels) to (channels, points), written with a stride
  const int id = blockIdx.x * blockDim.x + threadIdx.x, c = id % channels, p = id / channels;
  y[(size_t)c * points + p] = fmaxf(x[(size_t)p * channels + c], 0.1f);
}
__global__ void group_fixed(const float* x, float* y, int points, int channels) {
  __shared__ float tile[32][33];
  const int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = x[(size_t)(p0 + k) * channels + c0 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) y[(size_t)(c0 + k) * points + p0 + threadIdx.x] = fmaxf(tile[threadIdx.x][k], 0.1f);
}

__global__ void boxes_bad(const float* boxes, float* areas) {  // corners of boxes, four floats each, as they come
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float* b = boxes + 16 * (size_t)id;  // four corners of a turned box, in order, and its class and score
  areas[id] = 0.5f * fabsf(b[0] * b[3] - b[2] * b[1] + b[2] * b[5] - b[4] * b[3] + b[4] * b[7] - b[6] * b[5] + b[6] * b[1] - b[0] * b[7]);
}
__global__ void boxes_fixed(const float* boxes, float* areas, int count) {  // the same, an array for each number
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float b[8];
  for (int k = 0; k < 8; ++k) b[k] = boxes[(size_t)k * count + id];
  areas[id] = 0.5f * fabsf(b[0] * b[3] - b[2] * b[1] + b[2] * b[5] - b[4] * b[3] + b[4] * b[7] - b[6] * b[5] + b[6] * b[1] - b[0] * b[7]);
}

__global__ void nhwc_bad(const float* x, float* y, int pixels) {  // channels turned in shared memory
  __shared__ float tile[32][32];
  const int p0 = blockIdx.x * 32;
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = x[(size_t)(p0 + k) * 32 + threadIdx.x] * 0.5f;
  __syncthreads();
  for (int turn = 0; turn < 4; ++turn) {
    for (int k = threadIdx.y; k < 32; k += 8) {
      const float v = tile[threadIdx.x][(k + turn) % 32];
      y[(size_t)((k + turn) % 32) * pixels + p0 + threadIdx.x] = v + turn;
    }
  }
}
__global__ void nhwc_fixed(const float* x, float* y, int pixels) {
  __shared__ float tile[32][33];
  const int p0 = blockIdx.x * 32;
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = x[(size_t)(p0 + k) * 32 + threadIdx.x] * 0.5f;
  __syncthreads();
  for (int turn = 0; turn < 4; ++turn) {
    for (int k = threadIdx.y; k < 32; k += 8) {
      const float v = tile[threadIdx.x][(k + turn) % 32];
      y[(size_t)((k + turn) % 32) * pixels + p0 + threadIdx.x] = v + turn;
    }
  }
}

__global__ void experts_of_bad(const int* tokens, int* y) {  // a thread counts its tokens' experts: 16 counters in a row
  __shared__ int counts[128 * 16];
  const int t = threadIdx.x;
  for (int e = 0; e < 16; ++e) counts[16 * t + e] = 0;
  for (int k = 0; k < 64; ++k) counts[16 * t + (tokens[blockIdx.x * 8192 + 128 * k + t] & 15)]++;
  __syncthreads();
  if (t < 16) {
    int all = 0;
    for (int k = 0; k < 128; ++k) all += counts[16 * k + t];
    y[blockIdx.x * 16 + t] = all;
  }
}
__global__ void experts_of_fixed(const int* tokens, int* y) {
  __shared__ int counts[128 * 16];
  const int t = threadIdx.x;
  for (int e = 0; e < 16; ++e) counts[128 * e + t] = 0;
  for (int k = 0; k < 64; ++k) counts[128 * (tokens[blockIdx.x * 8192 + 128 * k + t] & 15) + t]++;
  __syncthreads();
  int all = 0;
  const int e = t / 8;
  for (int k = t % 8; k < 128; k += 8) all += counts[128 * e + k];
  for (int m = 4; m; m /= 2) all += __shfl_xor_sync(~0u, all, m);
  if (t % 8 == 0) y[blockIdx.x * 16 + e] = all;
}

__device__ float gelu_of(float v) { return 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v))); }
__device__ float mish_of(float v) { return v * tanhf(log1pf(expf(v))); }
__global__ void activations_bad(const float* x, float* y) {  // an activation for every other channel
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < 6; ++k) {
    if (id % 4 == 0) v = gelu_of(v);
    else if (id % 4 == 1) v = mish_of(v);
    else if (id % 4 == 2) v = v / (1 + expf(-v));
    else v = v * fminf(fmaxf(v + 3, 0.0f), 6.0f) / 6;
  }
  y[id] = v;
}
__global__ void activations_fixed(const float* x, float* y) {  // an activation for each warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, kind = threadIdx.x / 32 % 4;
  const int at = id / 128 * 128 + lane * 4 + kind;
  float v = x[at];
  for (int k = 0; k < 6; ++k) {
    if (kind == 0) v = gelu_of(v);
    else if (kind == 1) v = mish_of(v);
    else if (kind == 2) v = v / (1 + expf(-v));
    else v = v * fminf(fmaxf(v + 3, 0.0f), 6.0f) / 6;
  }
  y[at] = v;
}

__global__ void embedback_bad(const int* tokens, const float* grads, float* table) {  // gradients of 32 words, 32 numbers each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&table[(tokens[id / 32] & 31) * 32 + id % 32], grads[id]);
}
__global__ void embedback_fixed(const int* tokens, const float* grads, float* table, int count) {
  __shared__ float sums[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) sums[k] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x)
    atomicAdd(&sums[(tokens[id / 32] & 31) * 32 + id % 32], grads[id]);
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) atomicAdd(&table[k], sums[k]);
}

__global__ void losses_bad(const float* x, float* out) {  // a loss of all elements, each added by itself
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float d = x[id] - 0.5f;
  atomicAdd(out, fabsf(d) < 0.25f ? 2 * d * d : fabsf(d) - 0.125f);
}
__global__ void losses_fixed(const float* x, float* out, int count) {
  float sum = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x) {
    const float d = x[id] - 0.5f;
    sum += fabsf(d) < 0.25f ? 2 * d * d : fabsf(d) - 0.125f;
  }
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void cooled_bad(const float* x, float* y) {  // a step of temperature with constants of doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < 8; ++k) v = v + 0.125 * (0.36 - v) - 0.01 * v * v;
  y[id] = v;
}
__global__ void cooled_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < 8; ++k) v = v + 0.125f * (0.36f - v) - 0.01f * v * v;
  y[id] = v;
}

__global__ void turned_bad(const float* x, float* out, int dim) {  // angles of positions, then a rotation
  const int id = blockIdx.x * blockDim.x + threadIdx.x, pos = id / (dim / 2), k = id % (dim / 2);
  const float angle = pos * powf(10000.0f, -2.0f * k / dim), c = cosf(angle), s = sinf(angle), a = x[2 * id], b = x[2 * id + 1];
  out[2 * id] = a * c - b * s;
  out[2 * id + 1] = a * s + b * c;
}
__global__ void turned_fixed(const float* x, float* out, int dim) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, pos = id / (dim / 2), k = id % (dim / 2);
  const float angle = pos * exp2f(-13.2877124f * 2 * k / dim);
  float s, c;
  __sincosf(angle, &s, &c);
  const float a = x[2 * id], b = x[2 * id + 1];
  out[2 * id] = a * c - b * s;
  out[2 * id + 1] = a * s + b * c;
}

__global__ void columns_of_bad(const float* x, float* y, int height, int width, int window) {  // im2col: every index is taken apart
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int ow = width - window + 1, oh = height - window + 1;
  const int c = id % ow, r = id / ow % oh, kx = id / ow / oh % window, ky = id / ow / oh / window % window, ch = id / ow / oh / window / window;
  y[id] = x[(size_t)(ch * height + r + ky) * width + c + kx];
}
__global__ void columns_of_fixed(const float* x, float* y, int height, int width, int window) {  // a grid of them
  const int ow = width - window + 1, oh = height - window + 1;
  const int c = threadIdx.x, r = blockIdx.x, k = blockIdx.y, kx = k % window, ky = k / window, ch = blockIdx.z;
  if (c < ow) y[((size_t)(ch * window * window + k) * oh + r) * ow + c] = x[(size_t)(ch * height + r + ky) * width + c + kx];
}

__global__ void farthest_bad(const float* x, float* y, int count) {  // distances to a point, by few blocks
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x) {
    const float d = x[id] - 0.3f;
    y[id] = fminf(y[id], d * d);
  }
}
__global__ void farthest_fixed(const float* x, float* y, int count) { for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x) { const float d = x[id] - 0.3f; y[id] = fminf(y[id], d * d); } }

__global__ void heads_of_bad(const float* x, float* y) {  // a head of 64 numbers for each block of two warps
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * 1.5f + 0.25f;
}
__global__ void heads_of_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * 1.5f + 0.25f;
}

__global__ void patches_of_bad(const float* x, float* y, int rows) {  // patches of 7 x 7, a block each
  const int t = threadIdx.x, p = blockIdx.x;
  float v = x[(size_t)p * 49 + t];
  for (int k = 0; k < 24; ++k) v = v * 0.98f + 0.01f * v * v;
  y[(size_t)p * 49 + t] = v;
}
__global__ void patches_of_fixed(const float* x, float* y, int count) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  float v = x[id];
  for (int k = 0; k < 24; ++k) v = v * 0.98f + 0.01f * v * v;
  y[id] = v;
}

__global__ void bytes_of_bad(const unsigned char* x, float* y) {  // a picture of bytes, normalised
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * (1 / 127.5f) - 1;
}
__global__ void bytes_of_fixed(const unsigned char* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const uchar4 v = reinterpret_cast<const uchar4*>(x)[id];
  reinterpret_cast<float4*>(y)[id] = make_float4(v.x * (1 / 127.5f) - 1, v.y * (1 / 127.5f) - 1, v.z * (1 / 127.5f) - 1, v.w * (1 / 127.5f) - 1);
}

__global__ void residual_bad(const __half* a, __half* b, float scale) {  // a residual of halves, one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  b[id] = __float2half(__half2float(b[id]) + scale * __half2float(a[id]));
}
__global__ void residual_fixed(const __half* a, __half* b, float scale) {  // eight at a time
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 u = reinterpret_cast<const uint4*>(a)[id];
  uint4 v = reinterpret_cast<uint4*>(b)[id];
  const __half2* from = reinterpret_cast<const __half2*>(&u);
  __half2* to = reinterpret_cast<__half2*>(&v);
  for (int k = 0; k < 4; ++k) {
    const float2 p = __half22float2(from[k]), q = __half22float2(to[k]);
    to[k] = __floats2half2_rn(q.x + scale * p.x, q.y + scale * p.y);
  }
  reinterpret_cast<uint4*>(b)[id] = v;
}

__global__ void steps_of_bad(const float* x, float* y, int steps) {  // each thread has its own element of shared memory, and waits anyway
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  for (int k = 0; k < steps; ++k) {
    __syncthreads();
    s[t] = s[t] * 0.99f + 0.01f;
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = s[t];
}
__global__ void steps_of_fixed(const float* x, float* y, int steps) {
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int k = 0; k < steps; ++k) v = v * 0.99f + 0.01f;
  y[blockIdx.x * 256 + threadIdx.x] = v;
}

__global__ void series_of_bad(const float* x, float* y, int terms) {  // a sum of a series, each term from the one before
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < terms; ++k) sum = sum * v + 0.5f;
  y[id] = sum;
}
__global__ void series_of_fixed(const float* x, float* y, int terms) {  // four series of every fourth term
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id], v4 = v * v * v * v;
  float a = 0, b = 0, c = 0, d = 0;
#pragma unroll 8
  for (int k = 0; k < terms; k += 4) {
    a = a * v4 + 0.5f;
    b = b * v4 + 0.5f;
    c = c * v4 + 0.5f;
    d = d * v4 + 0.5f;
  }
  y[id] = a + v * (b + v * (c + v * d));
}

__global__ void beam_bad(const float* x, float* y) {  // the eight best of 64 scores, in an array that is indexed at run time
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float best[8];
  int filled = 0;
  for (int k = 0; k < 64; ++k) {
    const float v = x[(size_t)k * gridDim.x * blockDim.x + id];
    int at = filled;
    while (at > 0 && best[at - 1] < v) --at;
    if (at == 8) continue;
    if (filled < 8) ++filled;
    for (int j = filled - 1; j > at; --j) best[j] = best[j - 1];
    best[at] = v;
  }
  float sum = 0;
  for (int k = 0; k < filled; ++k) sum += best[k];
  y[id] = sum;
}
__global__ void beam_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float best[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) best[k] = -1;
  for (int k = 0; k < 64; ++k) {
    float v = x[(size_t)k * gridDim.x * blockDim.x + id];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float high = fmaxf(best[j], v);
      v = fminf(best[j], v);
      best[j] = high;
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += best[k];
  y[id] = sum;
}

__global__ void standard_bad(const float* x, float* y, int n) {  // a row's mean, its variance, then the row again: three passes
  __shared__ float parts[16];
  const float* row = x + (size_t)blockIdx.x * n;
  const auto total = [&](float v) {
    for (int m = 16; m; m /= 2) v += __shfl_xor_sync(~0u, v, m);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int k = 0; k < blockDim.x / 32; ++k) v += parts[k];
    return v;
  };
  float sum = 0, squares = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) sum += row[k];
  const float mean = total(sum) / n;
  for (int k = threadIdx.x; k < n; k += blockDim.x) squares += (row[k] - mean) * (row[k] - mean);
  const float scale = rsqrtf(total(squares) / n + 1e-5f);
  for (int k = threadIdx.x; k < n; k += blockDim.x) y[(size_t)blockIdx.x * n + k] = (row[k] - mean) * scale;
}
__global__ void standard_fixed(const float* x, float* y, int n) {  // rows of 16,384 by 512 threads: 32 numbers of each in registers
  __shared__ float parts[16];
  const float* row = x + (size_t)blockIdx.x * n;
  const auto total = [&](float v) {
    for (int m = 16; m; m /= 2) v += __shfl_xor_sync(~0u, v, m);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int k = 0; k < blockDim.x / 32; ++k) v += parts[k];
    return v;
  };
  float v[32], sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += v[k] = row[k * 512 + threadIdx.x];
  const float mean = total(sum) / n;
#pragma unroll
  for (int k = 0; k < 32; ++k) squares += (v[k] - mean) * (v[k] - mean);
  const float scale = rsqrtf(total(squares) / n + 1e-5f);
#pragma unroll
  for (int k = 0; k < 32; ++k) y[(size_t)blockIdx.x * n + k * 512 + threadIdx.x] = (v[k] - mean) * scale;
}

__global__ void scores_of_bad(const float* q, float* y, int n) {  // a product in tiles of 16 x 16, a result a thread
  __shared__ float a[16][16], b[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    a[ty][tx] = q[(size_t)r * n + k + tx];
    b[ty][tx] = q[(size_t)(k + ty) * n + c];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += a[ty][j] * b[j][tx];
    __syncthreads();
  }
  y[(size_t)r * n + c] = sum;
}
__global__ void scores_of_fixed(const float* q, float* y, int n) {  // tiles of 64 x 64, 4 x 4 results a thread
  __shared__ float a[16][68], b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int j = t; j < 1024; j += 256) a[j % 16][j / 16] = q[(size_t)(r0 + j / 16) * n + k + j % 16];
    for (int j = t; j < 1024; j += 256) b[j / 64][j % 64] = q[(size_t)(k + j / 64) * n + c0 + j % 64];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const float4 u = *reinterpret_cast<const float4*>(&a[j][4 * ty]), v = *reinterpret_cast<const float4*>(&b[j][4 * tx]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int o = 0; o < 4; ++o) sum[m][o] += us[m] * vs[o];
    }
    __syncthreads();
  }
  for (int m = 0; m < 4; ++m)
    for (int o = 0; o < 4; ++o) y[(size_t)(r0 + 4 * ty + m) * n + c0 + 4 * tx + o] = sum[m][o];
}

__global__ void project_of_bad(const __half* p, float* y, int n) {  // halves, multiplied by floats' units
  __shared__ __half a[16][16], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    a[ty][tx] = p[(size_t)r * n + k + tx];
    b[ty][tx] = p[(size_t)(k + ty) * n + c];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += __half2float(a[ty][j]) * __half2float(b[j][tx]);
    __syncthreads();
  }
  y[(size_t)r * n + c] = sum;
}
__global__ void project_of_fixed(const __half* p, float* y, int n) {  // by the tensor cores, 64 x 64 a block of four warps
  __shared__ __half a[64][72], b[64][72];
  const int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
  for (auto& s : sum) wmma::fill_fragment(s, 0.0f);
  for (int k = 0; k < n; k += 64) {
    for (int j = t; j < 512; j += 128) {
      const int row = j / 8, at = j % 8 * 8;
      *reinterpret_cast<uint4*>(&a[row][at]) = *reinterpret_cast<const uint4*>(&p[(size_t)(r0 + row) * n + k + at]);
      *reinterpret_cast<uint4*>(&b[row][at]) = *reinterpret_cast<const uint4*>(&p[(size_t)(k + row) * n + c0 + at]);
    }
    __syncthreads();
    for (int j = 0; j < 64; j += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
      wmma::load_matrix_sync(fa, &a[16 * w][j], 72);
      for (int m = 0; m < 4; ++m) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fb, &b[j][16 * m], 72);
        wmma::mma_sync(sum[m], fa, fb, sum[m]);
      }
    }
    __syncthreads();
  }
  for (int m = 0; m < 4; ++m) wmma::store_matrix_sync(&y[(size_t)(r0 + 16 * w) * n + c0 + 16 * m], sum[m], n, wmma::mem_row_major);
}

__global__ void causal_bad(const float* x, const float* w, float* y, int taps) {  // a causal convolution whose width only the caller knows
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) sum += w[k] * x[id + k];
  y[id] = sum;
}
__global__ void causal_fixed(const float* x, const float* w, float* y, int taps) {  // 16 taps
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += w[k] * x[id + k];
  y[id] = sum;
}

__global__ void similar_bad(const float* x, const float* w, float* y, int side) {  // a window of 9 x 9, weights from a table of nine
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < 9; ++j)
    for (int k = 0; k < 9; ++k) sum += w[j] * w[k] * x[(size_t)(r + j) * side + c + k];
  y[(size_t)r * side + c] = sum;
}
__global__ void similar_fixed(const float* x, const float* w, float* y, int side) {
  __shared__ float rows[40][32];
  const int tx = threadIdx.x, c = blockIdx.x * 32 + tx, r0 = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 40; r += 8) {
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += w[k] * x[(size_t)(r0 + r) * side + c + k];
    rows[r][tx] = sum;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) {
    float sum = 0;
    for (int j = 0; j < 9; ++j) sum += w[j] * rows[r + j][tx];
    y[(size_t)(r0 + r) * side + c] = sum;
  }
}

__global__ void decays_bad(const float* x, float* y, int n) {  // a running mean of each row, a thread a row
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += x[(size_t)r * n + k];
    y[(size_t)r * n + k] = sum;
  }
}
__global__ void decays_fixed(const float* x, float* y, int n) {  // a warp a row, 32 numbers at a time
  const int lane = threadIdx.x % 32;
  const size_t row = (size_t)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * n;
  float before = 0;
  for (int k = lane; k < n; k += 32) {
    float v = x[row + k];
    for (int m = 1; m < 32; m *= 2) {
      const float other = __shfl_up_sync(~0u, v, m);
      if (lane >= m) v += other;
    }
    v += before;
    y[row + k] = v;
    before = __shfl_sync(~0u, v, 31);
  }
}

__constant__ float kPalette[256] = {0.1f, 0.7f, 0.2f, 0.9f, 0.5f};
__global__ void palette_of_bad(const int* k, float* y) {  // colours of a table, at any place
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += kPalette[(k[id] >> (2 * j)) & 255];
  y[id] = sum;
}
__global__ void palette_of_fixed(const int* k, float* y) {
  __shared__ float table[256];
  table[threadIdx.x] = kPalette[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += table[(k[id] >> (2 * j)) & 255];
  y[id] = sum;
}

__global__ void path_bad(const float* cost, float* y, int steps) {  // the cheapest way through a grid, row by row, in device memory
  const int t = threadIdx.x, base = blockIdx.x * 1024;
  float *from = y + base, *to = y + gridDim.x * 1024 + base;
  from[t] = cost[base + t];
  for (int k = 1; k < steps; ++k) {
    __syncthreads();
    float least = from[t];
    if (t > 0) least = fminf(least, from[t - 1]);
    if (t < 511) least = fminf(least, from[t + 1]);
    to[t] = least + cost[(base + 37 * k + t) & 0xffffff];
    float* other = from;
    from = to;
    to = other;
  }
}
__global__ void path_fixed(const float* cost, float* y, int steps) {
  __shared__ float s[2][514];
  const int t = threadIdx.x, base = blockIdx.x * 1024;
  if (t == 0) s[0][0] = s[1][0] = s[0][513] = s[1][513] = 1e30f;
  s[0][t + 1] = cost[base + t];
  for (int k = 1; k < steps; ++k) {
    const float* from = s[(k - 1) % 2];
    __syncthreads();
    s[k % 2][t + 1] = fminf(from[t + 1], fminf(from[t], from[t + 2])) + cost[(base + 37 * k + t) & 0xffffff];
  }
  y[(steps % 2 ? 0 : gridDim.x * 1024) + base + t] = s[(steps - 1) % 2][t + 1];
}

__global__ void caches_bad(const int* k, const float* x, float* y, int n) {  // keys of a table, followed four times; few threads an SM
  extern __shared__ float unused[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = k[id] & (n - 1);
  for (int j = 0; j < 4; ++j) at = (k[at] ^ j) & (n - 1);
  if (at < 0) unused[threadIdx.x] = x[id];
  y[id] = x[at];
}
__global__ void caches_fixed(const int* k, const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = k[id] & (n - 1);
  for (int j = 0; j < 4; ++j) at = (k[at] ^ j) & (n - 1);
  y[id] = x[at];
}

__device__ void paced(const float* x, float* y, int steps) {
  extern __shared__ float s[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = a + 0.5f;
  s[threadIdx.x] = a;
  for (int k = 0; k < steps; ++k) {
    a = a * 0.999f + 0.001f * b;
    b = b * 0.998f + 0.002f * a;
  }
  y[id] = a + b + s[threadIdx.x];
}
__global__ void last_blocks_bad(const float* x, float* y, int steps) { paced(x, y, steps); }
__global__ void last_blocks_fixed(const float* x, float* y, int steps) { paced(x, y, steps); }

__global__ void __launch_bounds__(1024) held_bad(const float* x, float* y) {  // 48 sums of each thread, 64 registers for each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[72];
#pragma unroll
  for (int k = 0; k < 72; ++k) sum[k] = x[(id + 512 * k) & 0xfffff];
  for (int turn = 0; turn < 6; ++turn) {
#pragma unroll
    for (int k = 0; k < 72; ++k) sum[k] = sum[k] * 0.9f + sum[(k * 7 + 3) % 72];
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 72; ++k) all += sum[k];
  y[id] = all;
}
__global__ void __launch_bounds__(256) held_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[72];
#pragma unroll
  for (int k = 0; k < 72; ++k) sum[k] = x[(id + 512 * k) & 0xfffff];
  for (int turn = 0; turn < 6; ++turn) {
#pragma unroll
    for (int k = 0; k < 72; ++k) sum[k] = sum[k] * 0.9f + sum[(k * 7 + 3) % 72];
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 72; ++k) all += sum[k];
  y[id] = all;
}

__global__ void rounded_bad(const float* x, float* y, int terms) {  // products and sums, rounded one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = 0.1f, b = 0.2f, c = 0.3f, d = 0.4f;
  for (int k = 0; k < terms; ++k) {
    a = __fadd_rn(__fmul_rn(a, v), 0.5f);
    b = __fadd_rn(__fmul_rn(b, v), 0.25f);
    c = __fadd_rn(__fmul_rn(c, v), 0.125f);
    d = __fadd_rn(__fmul_rn(d, v), 0.0625f);
  }
  y[id] = a + b + c + d;
}
__global__ void rounded_fixed(const float* x, float* y, int terms) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = 0.1f, b = 0.2f, c = 0.3f, d = 0.4f;
  for (int k = 0; k < terms; ++k) {
    a = fmaf(a, v, 0.5f);
    b = fmaf(b, v, 0.25f);
    c = fmaf(c, v, 0.125f);
    d = fmaf(d, v, 0.0625f);
  }
  y[id] = a + b + c + d;
}
}
