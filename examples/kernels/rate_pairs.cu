// Pairs of kernels about what an SM issues and waits for, NAME_bad and NAME_fixed.
extern "C" {
__global__ void julia_bad(const float2* x, float* y, int n) {  // products and sums rounded apart
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i].x, b = x[i].y;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    float c = __fadd_rn(__fmul_rn(a, a), -__fmul_rn(b, b));
    b = __fadd_rn(__fmul_rn(a, b), 0.1f);
    a = __fadd_rn(__fmul_rn(c, 0.5f), 0.3f);
  }
  y[i] = a + b;
}
__global__ void julia_fixed(const float2* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i].x, b = x[i].y;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    float c = fmaf(a, a, -b * b);
    b = fmaf(a, b, 0.1f);
    a = fmaf(c, 0.5f, 0.3f);
  }
  y[i] = a + b;
}

extern "C++" template <bool fused>
__device__ void product_tile(const float* a, float* c, int n) {  // a tile of 64x64, 4x4 a thread
  __shared__ float ta[16][65], tb[16][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float s[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int u = t; u < 1024; u += 256) {
      ta[u % 16][u / 16] = a[(r0 + u / 16) * n + k0 + u % 16];
      tb[u / 64][u % 64] = a[(k0 + u / 64) * n + c0 + u % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          float p = ta[k][ty * 4 + i], q = tb[k][tx + 16 * j];
          s[i][j] = fused ? fmaf(p, q, s[i][j]) : __fadd_rn(s[i][j], __fmul_rn(p, q));
        }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(r0 + ty * 4 + i) * n + c0 + tx + 16 * j] = s[i][j];
}
__global__ void gemmtile_bad(const float* x, float* y, int n) { product_tile<false>(x, y, n); }
__global__ void gemmtile_fixed(const float* x, float* y, int n) { product_tile<true>(x, y, n); }

__device__ float settle(float v) {
#pragma unroll 1
  for (int k = 0; k < 100; ++k) v = __fdividef(v * v + 2.0f, 2.0f * v + 0.1f);
  return v;
}
__global__ void block48_bad(const float* x, float* y, int n) {  // blocks of a warp and a half
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = settle(x[i]);
}
__global__ void block48_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = settle(x[i]);
}

__global__ void block140_bad(const float* x, float* y, int w, int h) {  // blocks of 20x7
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h) y[r * w + c] = x[r * w + c] * 0.5f + 0.25f;
}
__global__ void block140_fixed(const float* x, float* y, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h) y[r * w + c] = x[r * w + c] * 0.5f + 0.25f;
}

__global__ void block8_bad(const double* d, double* e, int n) {  // eight threads a block
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = d[i];
  for (int k = 0; k < 24; ++k) v = v * v * 0.25 + 0.5;
  e[i] = v;
}
__global__ void block8_fixed(const double* d, double* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = d[i];
  for (int k = 0; k < 24; ++k) v = v * v * 0.25 + 0.5;
  e[i] = v;
}

__global__ void meetings_bad(const float* x, float* y, int per) {  // a barrier after each addition, for nothing
  size_t first = (size_t)blockIdx.x * per * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < per; ++k) {
    s += sqrtf(x[first + k * blockDim.x]);
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void meetings_fixed(const float* x, float* y, int per) {
  size_t first = (size_t)blockIdx.x * per * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 4
  for (int k = 0; k < per; ++k) s += sqrtf(x[first + k * blockDim.x]);
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C++" template <int depth>
__device__ void product_depth(const float* a, float* c, int n) {  // as many barriers as the tile is shallow
  __shared__ float ta[16][depth + 1], tb[depth][16];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row = blockIdx.y * 16, col = blockIdx.x * 16;
  float s = 0;
  for (int k0 = 0; k0 < n; k0 += depth) {
    for (int u = t; u < 16 * depth; u += 256) {
      ta[u / depth][u % depth] = a[(row + u / depth) * n + k0 + u % depth];
      tb[u / 16][u % 16] = a[(k0 + u / 16) * n + col + u % 16];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) s += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[(row + ty) * n + col + tx] = s;
}
__global__ void shallow_bad(const float* x, float* y, int n) { product_depth<4>(x, y, n); }
__global__ void shallow_fixed(const float* x, float* y, int n) { product_depth<32>(x, y, n); }

__global__ void diffuse_bad(const float* x, float* y, int steps) {  // neighbours of one warp, a barrier for the whole block
  __shared__ float t[2][1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = x[i];
  for (int k = 0; k < steps; ++k) {
    t[k % 2][threadIdx.x] = v;
    __syncthreads();
    v = 0.5f * v + 0.25f * (t[k % 2][threadIdx.x - (lane > 0)] + t[k % 2][threadIdx.x + (lane < 31)]);
  }
  y[i] = v;
}
__global__ void diffuse_fixed(const float* x, float* y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = x[i];
  for (int k = 0; k < steps; ++k) {
    float left = __shfl_sync(~0u, v, lane > 0 ? lane - 1 : 0), right = __shfl_sync(~0u, v, lane < 31 ? lane + 1 : 31);
    v = 0.5f * v + 0.25f * (left + right);
  }
  y[i] = v;
}

__global__ void generator_bad(const int* i, int* j, int steps) {  // one stream of random numbers
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i[t];
#pragma unroll 8
  for (int k = 0; k < steps; ++k) v = (v ^ (v >> 13)) * 1664525u;
  j[t] = v;
}
__global__ void generator_fixed(const int* i, int* j, int steps) {  // four, a quarter as long
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v[4];
#pragma unroll
  for (int u = 0; u < 4; ++u) v[u] = i[t] + u;
#pragma unroll 8
  for (int k = 0; k < steps / 4; ++k)
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = (v[u] ^ (v[u] >> 13)) * 1664525u;
  j[t] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

__global__ void decay_bad(const float* x, float* y, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[t];
#pragma unroll 4
  for (int k = 0; k < steps; ++k) v = __expf(-v);
  y[t] = v;
}
__global__ void decay_fixed(const float* x, float* y, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[t], b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
  for (int k = 0; k < steps / 4; ++k) a = __expf(-a), b = __expf(-b), c = __expf(-c), d = __expf(-d);
  y[t] = a + b + c + d;
}

__global__ void rowdot_bad(const float* x, float* y, int per) {  // a load at a time
  size_t first = (size_t)blockIdx.x * per * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < per; ++k) s += x[first + k * blockDim.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void rowdot_fixed(const float* x, float* y, int per) {  // four loads at a time
  size_t first = (size_t)blockIdx.x * per * blockDim.x + threadIdx.x;
  float s[4] = {};
#pragma unroll 1
  for (int k = 0; k < per; k += 4)
#pragma unroll
    for (int u = 0; u < 4; ++u) s[u] += x[first + (k + u) * blockDim.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

__global__ void bias_bad(const float* x, const float* w, float* y, int n, int c, int h, int wide) {  // coordinates from a flat index
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int column = i % wide, row = i / wide % h, channel = i / wide / h % c, image = i / wide / h / c;
    y[i] = x[i] + w[channel] + w[row] + w[column] + w[image];
  }
}
__global__ void bias_fixed(const float* x, const float* w, float* y, int n, int c, int h, int wide) {  // from the grid
  int column = threadIdx.x, channel = blockIdx.y, image = blockIdx.z;
  for (int row = blockIdx.x; row < h; row += gridDim.x) {
    int i = ((image * c + channel) * h + row) * wide + column;
    y[i] = x[i] + w[channel] + w[row] + w[column] + w[image];
  }
}

__global__ void residues_bad(const int* i, int* j, int n, int m) {  // a remainder by a number that is a power of two
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned v = i[t], s = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) s += (v + k * k) % (unsigned)m;
  j[t] = s;
}
__global__ void residues_fixed(const int* i, int* j, int n, int m) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned v = i[t], s = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) s += (v + k * k) & (unsigned)(m - 1);
  j[t] = s;
}

__global__ void wide_index_bad(const float* x, float* y, size_t n, size_t wide) {  // 64-bit division of an index that needs 32
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * (float)(i / wide) + (float)(i % wide);
}
__global__ void wide_index_fixed(const float* x, float* y, size_t n, size_t wide) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, w = (unsigned)wide;
  if (i >= n) return;
  y[i] = x[i] * (float)(i / w) + (float)(i % w);
}
}  // extern "C"
