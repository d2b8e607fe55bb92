// Kernels of many shapes whose counters and times were read on an H200, to hold counters and time estimates against.
// Inputs are plain (0, 1, 2, ... or ones), so that any program can launch them alike.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

__device__ unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }

extern "C" {
__global__ void stencil5(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2) y[i] = 0.1f * x[i - 2] + 0.2f * x[i - 1] + 0.4f * x[i] + 0.2f * x[i + 1] + 0.1f * x[i + 2];
}
__global__ void copy4(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void gather(const float* x, float* y, int n, int range) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[hash(i) % range];
}
__global__ void nbody(const float4* p, float4* a, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int j0 = 0; j0 < n; j0 += 128) {
    tile[threadIdx.x] = p[j0 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[j].w * r * r * r;
      ax += f * dx; ay += f * dy; az += f * dz;
    }
    __syncthreads();
  }
  a[i] = make_float4(ax, ay, az, 0);
}
__global__ void bitonic(float* x) {
  __shared__ float s[1024];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = x[base + t]; s[t + 512] = x[base + t + 512];
  for (int k = 2; k <= 1024; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      int i = 2 * t - (t & (j - 1)), o = i + j;
      bool up = (i & k) == 0;
      float a = s[i], b = s[o];
      if ((a > b) == up) { s[i] = b; s[o] = a; }
    }
  __syncthreads();
  x[base + t] = s[t]; x[base + t + 512] = s[t + 512];
}
__global__ void gemv(const float* a, const float* x, float* y, int n) {  // a warp a row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float s = 0;
  for (int c = lane; c < n; c += 32) s += a[row * n + c] * x[c];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[row] = s;
}
__global__ void scan_block(const float* x, float* y) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = x[i];
  for (int o = 1; o < 256; o <<= 1) {
    __syncthreads();
    float v = t >= o ? s[t - o] : 0;
    __syncthreads();
    s[t] += v;
  }
  y[i] = s[t];
}
__global__ void half_axpy(const half2* x, half2* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(x[i], __float2half2_rn(0.5f), y[i]);
}
__global__ void red_random(unsigned* h, int n, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[hash(i) & mask], 1u);
}
__global__ void atom_float(float* h, float* y, int n, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = atomicAdd(&h[hash(i) & mask], 1.0f);
}
__global__ void shared_atomic(unsigned* h, int n, int mask) {
  __shared__ unsigned s[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[hash(i) & mask], 2u);
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) if (s[k]) atomicAdd(&h[k], s[k]);
}
__global__ void mandelbrot(float* y, int width) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2 + 3.0f * px / width, cy = -1.5f + 3.0f * py / width, a = 0, b = 0;
  int k = 0;
  for (; k < 200 && a * a + b * b < 4; ++k) { float t = a * a - b * b + cx; b = 2 * a * b + cy; a = t; }
  y[py * width + px] = k;
}
__global__ void divide_modulo(const int* x, int* y, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = 0;
  for (int k = 1; k <= 16; ++k) s += (x[i] + k) / (d + k) + (x[i] + k) % (d + 2 * k);
  y[i] = s;
}
__global__ void async_tile(const float4* x, float4* y, int tiles) {
  __shared__ float4 s[2][256];
  int t = threadIdx.x;
  const float4* mine = x + (size_t)blockIdx.x * tiles * 256;
  __pipeline_memcpy_async(&s[0][t], &mine[t], 16);
  __pipeline_commit();
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &mine[(k + 1) * 256 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = s[k & 1][255 - t];
    sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = sum;
}
__global__ void convolution(const float* x, const float* w, float* y, int width) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int i = 0; i < 5; ++i) for (int j = 0; j < 5; ++j) {
    int rr = min(max(r + i - 2, 0), width - 1), cc = min(max(c + j - 2, 0), width - 1);
    s += w[i * 5 + j] * x[rr * width + cc];
  }
  y[r * width + c] = s;
}
__global__ void exponentials(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] * 1e-7f;
  for (int k = 0; k < 32; ++k) v = __expf(-v) + __sinf(v);
  y[i] = v;
}
__global__ void doubles(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  for (int k = 0; k < 64; ++k) v = v * 0.999 + 0.5;
  y[i] = v;
}
__global__ void wide_shared(const float4* x, float4* y, int stride) {
  __shared__ float4 s[512];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = x[i]; s[t + 256] = x[i];
  __syncthreads();
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < 16; ++k) { float4 v = s[(t * stride + k) & 511]; sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w; }
  y[i] = sum;
}
__global__ void reduce_tree(const float* x, float* y, int n) {
  __shared__ float s[512];
  float v = 0;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) v += x[i];
  s[threadIdx.x] = v;
  for (int o = 256; o; o >>= 1) { __syncthreads(); if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o]; }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
__global__ void pointer_chase(const int* next, int* y, int steps) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < steps; ++k) at = next[(at * 797 + 13) & 0xfffff];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void odd_block(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i]) / (1.0f + x[i]);
}
__global__ void empty(int) {}
}
