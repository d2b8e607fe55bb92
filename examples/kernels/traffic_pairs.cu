// Pairs of kernels about memory, NAME_bad and NAME_fixed: records, volumes, sparse rows, tiles, counters, tables.
#include <cuda_fp16.h>

extern "C" {
struct Body {
  float x, y, z, vx, vy, vz, m;
};
__global__ void bodies_bad(const Body* b, float* y, int n) {  // seven floats a record, three written
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Body v = b[i];
  y[3 * i] = v.x + 0.01f * v.vx;
  y[3 * i + 1] = v.y + 0.01f * v.vy;
  y[3 * i + 2] = v.z + 0.01f * v.vz;
}
__global__ void bodies_fixed(const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int c = 0; c < 3; ++c) y[c * n + i] = b[c * n + i] + 0.01f * b[(c + 3) * n + i];
}

__global__ void slices_bad(const float* x, float* y, int w) {  // neighbours lie a plane apart
  int c = blockIdx.z, r = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.x * blockDim.x + threadIdx.x;
  int i = (z * w + r) * w + c;
  y[i] = 2.0f * x[i] + 1.0f;
}
__global__ void slices_fixed(const float* x, float* y, int w) {
  int z = blockIdx.z, r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  int i = (z * w + r) * w + c;
  y[i] = 2.0f * x[i] + 1.0f;
}

__global__ void sparse_bad(const float* x, const int* i, const float* w, float* y, int rows) {  // a thread a row of 32
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < 32; ++k) s += x[r * 32 + k] * w[i[r * 32 + k] & 4095];
  y[r] = s;
}
__global__ void sparse_fixed(const float* x, const int* i, const float* w, float* y, int rows) {  // a warp a row
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, k = threadIdx.x % 32;
  if (r >= rows) return;
  float s = x[r * 32 + k] * w[i[r * 32 + k] & 4095];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (k == 0) y[r] = s;
}

__global__ void chunks_bad(const long long* x, long long* y, int per) {  // a thread's share lies together
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  long long s = 0;
  for (int k = 0; k < per; ++k) s ^= x[i * per + k];
  y[i] = s;
}
__global__ void chunks_fixed(const long long* x, long long* y, int per) {  // a block's share, in turns
  size_t first = (size_t)blockIdx.x * blockDim.x * per;
  long long s = 0;
  for (int k = 0; k < per; ++k) s ^= x[first + k * blockDim.x + threadIdx.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void permute_bad(const __half* p, __half* q, int w) {  // [b][r][c] -> [b][c][r]
  int c = blockIdx.x * 32 + threadIdx.x, b = blockIdx.z;
  for (int k = 0; k < 32; k += 8) {
    int r = blockIdx.y * 32 + threadIdx.y + k;
    q[(b * w + c) * w + r] = p[(b * w + r) * w + c];
  }
}
__global__ void permute_fixed(const __half* p, __half* q, int w) {
  __shared__ __half t[32][34];
  int b = blockIdx.z;
  for (int k = threadIdx.y; k < 32; k += 8) t[k][threadIdx.x] = p[(b * w + blockIdx.y * 32 + k) * w + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) q[(b * w + blockIdx.x * 32 + k) * w + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][k];
}

__global__ void spread_bad(const float* x, float* y, int n) {  // one float of eight is written
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[8 * i] = x[i] * x[i];
}
__global__ void spread_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

__global__ void messy_bad(const float* x, float* y, int n) {  // a field of a record, a double constant, an odd block
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.1 * x[16 * i + 3] + x[16 * i + 4];
}
__global__ void messy_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.1 * x[i] + x[n + i];
}

__global__ void product_nt_bad(const float* x, float* y, int n) {  // a b^T, the second tile read down a column
  __shared__ float ta[32][32], tb[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  float s = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    ta[ty][tx] = x[(blockIdx.y * 32 + ty) * n + k0 + tx];
    tb[ty][tx] = x[(blockIdx.x * 32 + ty) * n + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 32; ++k) s += ta[ty][k] * tb[tx][k];
    __syncthreads();
  }
  y[(blockIdx.y * 32 + ty) * n + blockIdx.x * 32 + tx] = s;
}
__global__ void product_nt_fixed(const float* x, float* y, int n) {
  __shared__ float ta[32][32], tb[32][33];
  int tx = threadIdx.x, ty = threadIdx.y;
  float s = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    ta[ty][tx] = x[(blockIdx.y * 32 + ty) * n + k0 + tx];
    tb[ty][tx] = x[(blockIdx.x * 32 + ty) * n + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 32; ++k) s += ta[ty][k] * tb[tx][k];
    __syncthreads();
  }
  y[(blockIdx.y * 32 + ty) * n + blockIdx.x * 32 + tx] = s;
}

__global__ void bitrev_bad(const float* x, float* y, int tiles) {
  __shared__ float t[1024];
  for (int k = 0; k < tiles; ++k) {
    size_t i = ((size_t)blockIdx.x * tiles + k) * 1024 + threadIdx.x;
    t[__brev(threadIdx.x) >> 22] = x[i];
    __syncthreads();
    y[i] = t[threadIdx.x];
    __syncthreads();
  }
}
__global__ void bitrev_fixed(const float* x, float* y, int tiles) {  // a word more after every 32
  __shared__ float t[1024 + 32];
  for (int k = 0; k < tiles; ++k) {
    size_t i = ((size_t)blockIdx.x * tiles + k) * 1024 + threadIdx.x;
    unsigned to = __brev(threadIdx.x) >> 22;
    t[to + to / 32] = x[i];
    __syncthreads();
    y[i] = t[threadIdx.x + threadIdx.x / 32];
    __syncthreads();
  }
}

extern "C++" template <int pitch>
__device__ void row_prefix(const float* x, float* y) {  // 64 rows of 32, a thread each
  __shared__ float t[64 * pitch];
  size_t first = (size_t)blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048; k += 64) t[k / 32 * pitch + k % 32] = x[first + k];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 32; ++k) t[threadIdx.x * pitch + k] = s += t[threadIdx.x * pitch + k];
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += 64) y[first + k] = t[k / 32 * pitch + k % 32];
}
__global__ void prefixes_bad(const float* x, float* y) { row_prefix<32>(x, y); }
__global__ void prefixes_fixed(const float* x, float* y) { row_prefix<33>(x, y); }

__global__ void stencil7_bad(const float* x, float* y, int w) {  // a point a thread, seven loads
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
  if (c == 0 || r == 0 || z == 0 || c == w - 1 || r == w - 1 || z == w - 1) return;
  int i = (z * w + r) * w + c;
  y[i] = x[i - 1] + x[i + 1] + x[i - w] + x[i + w] + x[i - w * w] + x[i + w * w] - 6.0f * x[i];
}
__global__ void stencil7_fixed(const float* x, float* y, int w) {  // 16 planes a block, its column of the volume in registers
  __shared__ float t[10][34];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int z = blockIdx.z * 16, i = (z * w + r) * w + c, plane = w * w;
  float below = z ? x[i - plane] : 0, here = x[i];
  for (int k = 0; k < 16; ++k, ++z, i += plane) {
    float above = z + 1 < w ? x[i + plane] : 0;
    __syncthreads();
    t[ty][tx] = here;
    if (threadIdx.x == 0 && c) t[ty][0] = x[i - 1];
    if (threadIdx.x == 31 && c < w - 1) t[ty][33] = x[i + 1];
    if (threadIdx.y == 0 && r) t[0][tx] = x[i - w];
    if (threadIdx.y == 7 && r < w - 1) t[9][tx] = x[i + w];
    __syncthreads();
    if (c && r && z && c < w - 1 && r < w - 1 && z < w - 1)
      y[i] = t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] + below + above - 6.0f * here;
    below = here, here = above;
  }
}

__global__ void product64_bad(const double* a, double* c, int n) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  double s = 0;
  for (int k = 0; k < n; ++k) s += a[row * n + k] * a[k * n + col];
  c[row * n + col] = s;
}
__global__ void product64_fixed(const double* a, double* c, int n) {  // a tile of 32x32, 2x2 a thread
  __shared__ double ta[32][33], tb[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  double s[2][2] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int u = ty * 16 + tx; u < 1024; u += 256) {
      ta[u / 32][u % 32] = a[(r0 + u / 32) * n + k0 + u % 32];
      tb[u / 32][u % 32] = a[(k0 + u / 32) * n + c0 + u % 32];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) s[i][j] += ta[ty + 16 * i][k] * tb[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) c[(r0 + ty + 16 * i) * n + c0 + tx + 16 * j] = s[i][j];
}

__global__ void boxsum_bad(const int* x, int* y, int n) {  // 33 loads a sum
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  if (i + 32 >= n) return;
  for (int k = 0; k <= 32; ++k) s += x[i + k];
  y[i] = s;
}
__global__ void boxsum_fixed(const int* x, int* y, int n) {  // eight sums a thread, each from the one before, in shared memory
  __shared__ int t[2048 + 256 + 64 + 8], out[2048 + 256];
  int first = blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2080; k += 256) t[k + k / 8] = first + k < n ? x[first + k] : 0;
  __syncthreads();
  int u = threadIdx.x * 8, s = 0;
  for (int k = u; k < u + 33; ++k) s += t[k + k / 8];
  for (int k = u; k < u + 8; ++k) {
    out[k + k / 8] = s;
    s += t[k + 33 + (k + 33) / 8] - t[k + k / 8];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += 256)
    if (first + k + 32 < n) y[first + k] = out[k + k / 8];
}

__device__ float block_sum(float v) {
  __shared__ float part[8];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int k = 0; k < 8; ++k) v += part[k];
  return v;
}
__global__ void layernorm_bad(const float* x, float* y, int w) {  // the row is read three times
  const float* row = x + (size_t)blockIdx.x * w;
  float s = 0, q = 0;
  for (int k = threadIdx.x; k < w; k += 256) s += row[k];
  float mean = block_sum(s) / w;
  for (int k = threadIdx.x; k < w; k += 256) q += (row[k] - mean) * (row[k] - mean);
  float scale = rsqrtf(block_sum(q) / w + 1e-5f);
  for (int k = threadIdx.x; k < w; k += 256) y[(size_t)blockIdx.x * w + k] = (row[k] - mean) * scale;
}
__global__ void layernorm_fixed(const float* x, float* y, int w) {  // once, and kept in registers
  const float* row = x + (size_t)blockIdx.x * w;
  float v[16], s = 0, q = 0;
  for (int k = 0; k < 16; ++k) s += v[k] = row[threadIdx.x + 256 * k];
  float mean = block_sum(s) / w;
  for (int k = 0; k < 16; ++k) q += (v[k] - mean) * (v[k] - mean);
  float scale = rsqrtf(block_sum(q) / w + 1e-5f);
  for (int k = 0; k < 16; ++k) y[(size_t)blockIdx.x * w + threadIdx.x + 256 * k] = (v[k] - mean) * scale;
}

__global__ void brighten_bad(const unsigned char* x, unsigned char* y, int n) {  // a byte a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < 235 ? x[i] + 20 : 255;
}
__global__ void brighten_fixed(const uint4* x, uint4* y, int n) {  // sixteen
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 16) return;
  uint4 v = x[i];
  unsigned add = 0x14141414;
  y[i] = make_uint4(__vaddus4(v.x, add), __vaddus4(v.y, add), __vaddus4(v.z, add), __vaddus4(v.w, add));
}

__global__ void relu16_bad(const __half* p, __half* q, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) q[i] = __hmax(p[i], __float2half(0.5f));
}
__global__ void relu16_fixed(const uint4* p, uint4* q, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x) {
    uint4 v = p[i];
    __half2* h = reinterpret_cast<__half2*>(&v);
    for (int k = 0; k < 4; ++k) h[k] = __hmax2(h[k], __float2half2_rn(0.5f));
    q[i] = v;
  }
}

__global__ void complex_bad(const float* x, float* y, int n) {  // real and imaginary part one after the other
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[2 * i], b = x[2 * i + 1], c = x[2 * (n + i)], d = x[2 * (n + i) + 1];
  y[2 * i] = a * c - b * d;
  y[2 * i + 1] = a * d + b * c;
}
__global__ void complex_fixed(const float2* x, float2* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 a = x[i], b = x[n + i];
  y[i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
}  // extern "C"
