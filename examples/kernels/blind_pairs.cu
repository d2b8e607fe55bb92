// Pairs of kernels of every kind of finding, NAME_bad and NAME_fixed, written and measured before anything was tuned and kept back till the end.
extern "C" {
struct Vertex {
  float4 position, normal;
};
__global__ void normals_bad(const Vertex* x, float4* y, int n) {  // half of every record
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i].normal;
  float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-6f);
  y[i] = make_float4(v.x * s, v.y * s, v.z * s, v.w);
}
__global__ void normals_fixed(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-6f);
  y[i] = make_float4(v.x * s, v.y * s, v.z * s, v.w);
}

__global__ void upright_bad(const float* x, float* y, int w) {  // blocks two wide and 128 high
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  y[r * w + c] = x[r * w + c] * 3.0f - 1.0f;
}
__global__ void upright_fixed(const float* x, float* y, int w) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  y[r * w + c] = x[r * w + c] * 3.0f - 1.0f;
}

__global__ void ownbins_bad(const int* i, int* j, int per) {  // 16 counters a thread, one after the other
  __shared__ int t[256 * 16];
  for (int b = 0; b < 16; ++b) t[threadIdx.x * 16 + b] = 0;
  for (int k = 0; k < per; ++k) ++t[threadIdx.x * 16 + (i[(blockIdx.x * per + k) * 256 + threadIdx.x] & 15)];
  int most = 0;
  for (int b = 0; b < 16; ++b) most = max(most, t[threadIdx.x * 16 + b]);
  j[blockIdx.x * 256 + threadIdx.x] = most;
}
__global__ void ownbins_fixed(const int* i, int* j, int per) {
  __shared__ int t[256 * 16];
  for (int b = 0; b < 16; ++b) t[b * 256 + threadIdx.x] = 0;
  for (int k = 0; k < per; ++k) ++t[(i[(blockIdx.x * per + k) * 256 + threadIdx.x] & 15) * 256 + threadIdx.x];
  int most = 0;
  for (int b = 0; b < 16; ++b) most = max(most, t[b * 256 + threadIdx.x]);
  j[blockIdx.x * 256 + threadIdx.x] = most;
}

__global__ void box9_bad(const float* x, float* y, int w) {  // 81 loads a pixel
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c + 8 >= w || r + 8 >= w) return;
  float s = 0;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 9; ++i) s += x[(r + j) * w + c + i];
  y[r * w + c] = s;
}
__global__ void box9_fixed(const float* x, float* y, int w) {  // rows, then columns, in shared memory
  __shared__ float t[16][40], rows[16][32];
  int c0 = blockIdx.x * 32, r0 = blockIdx.y * 8, id = threadIdx.y * 32 + threadIdx.x;
  for (int k = id; k < 16 * 40; k += 256) t[k / 40][k % 40] = r0 + k / 40 < w && c0 + k % 40 < w ? x[(r0 + k / 40) * w + c0 + k % 40] : 0;
  __syncthreads();
  for (int k = threadIdx.y; k < 16; k += 8) {
    float s = 0;
    for (int i = 0; i < 9; ++i) s += t[k][threadIdx.x + i];
    rows[k][threadIdx.x] = s;
  }
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 9; ++j) s += rows[threadIdx.y + j][threadIdx.x];
  int c = c0 + threadIdx.x, r = r0 + threadIdx.y;
  if (c + 8 < w && r + 8 < w) y[r * w + c] = s;
}

__global__ void project_bad(const float* a, const float* b, float* c, int depth) {  // a tall matrix times 256x64
  int col = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < depth; ++k) s += a[row * depth + k] * b[k * 64 + col];
  c[row * 64 + col] = s;
}
__global__ void project_fixed(const float* a, const float* b, float* c, int depth) {  // 64 rows a block, 4x4 a thread
  __shared__ float ta[64][17], tb[16][64];
  int t = threadIdx.y * 64 + threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.x * 64;
  float s[4][4] = {};
  for (int k0 = 0; k0 < depth; k0 += 16) {
    for (int u = t; u < 1024; u += 256) ta[u / 16][u % 16] = a[(r0 + u / 16) * depth + k0 + u % 16], tb[u / 64][u % 64] = b[(k0 + u / 64) * 64 + u % 64];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) s[i][j] += ta[ty * 4 + i][k] * tb[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(r0 + ty * 4 + i) * 64 + tx + 16 * j] = s[i][j];
}

__global__ void blend_bad(const unsigned char* x, unsigned char* y, int n) {  // four channels, a byte at a time
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int c = 0; c < 4; ++c) y[4 * i + c] = (x[4 * i + c] + x[4 * (n + i) + c]) / 2;
}
__global__ void blend_fixed(const uchar4* x, uchar4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 a = x[i], b = x[n + i];
  y[i] = make_uchar4((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2, (a.w + b.w) / 2);
}

__global__ void top_bad(const int* i, unsigned* h, int n) {  // one largest value for all
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicMax(h + (i[k] & 1), (unsigned)i[k]);
}
__global__ void top_fixed(const int* i, unsigned* h, int n) {
  unsigned most[2] = {};
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    unsigned v = i[k];
    if (v & 1) most[1] = max(most[1], v);
    else most[0] = max(most[0], v);
  }
  for (int u = 0; u < 2; ++u) {
    most[u] = __reduce_max_sync(~0u, most[u]);
    if (threadIdx.x % 32 == 0) atomicMax(h + u, most[u]);
  }
}

__global__ void degrees_bad(const int* i, unsigned* h, int n) {  // edges to 1,024 nodes
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicAdd(&h[i[k] & 1023], 1u);
}
__global__ void degrees_fixed(const int* i, unsigned* h, int n) {
  __shared__ unsigned t[1024];
  for (int b = threadIdx.x; b < 1024; b += blockDim.x) t[b] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&t[i[k] & 1023], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 1024; b += blockDim.x) atomicAdd(&h[b], t[b]);
}

__global__ void window7_bad(const float* x, float* y, int n) {  // the middle of seven, by insertion
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 6 >= n) return;
  float v[7];
#pragma unroll 1
  for (int k = 0; k < 7; ++k) {
    float w = x[i + k];
    int at = k;
    for (; at > 0 && v[at - 1] > w; --at) v[at] = v[at - 1];
    v[at] = w;
  }
  y[i] = v[3];
}
__global__ void window7_fixed(const float* x, float* y, int n) {  // by exchanges of registers
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 6 >= n) return;
  float v[7];
#pragma unroll
  for (int k = 0; k < 7; ++k) v[k] = x[i + k];
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 6; b > a; --b) {
      float low = fminf(v[b - 1], v[b]), high = fmaxf(v[b - 1], v[b]);
      v[b - 1] = low, v[b] = high;
    }
  y[i] = v[3];
}

extern "C++" __device__ __forceinline__ void moments(const double* d, double* e, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double s[36];
#pragma unroll
  for (int k = 0; k < 36; ++k) s[k] = 0;
#pragma unroll 1
  for (int u = 0; u < steps; ++u) {
    double v = d[u * gridDim.x * blockDim.x + t], p = v;
#pragma unroll
    for (int k = 0; k < 36; ++k) s[k] += p * (k + 1), p = k % 6 == 5 ? v : p * v;
  }
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 36; ++k) sum += s[k] * s[35 - k];
  e[t] = sum;
}
__global__ void __launch_bounds__(256, 4) moments_bad(const double* d, double* e, int steps) { moments(d, e, steps); }  // 64 registers
__global__ void __launch_bounds__(256, 2) moments_fixed(const double* d, double* e, int steps) { moments(d, e, steps); }

__constant__ float cube[27] = {1, 2, 1, 2, 4, 2, 1, 2, 1, 2, 4, 2, 4, 8, 4, 2, 4, 2, 1, 2, 1, 2, 4, 2, 1, 2, 1};
__global__ void cube3_bad(const float* x, const float* w, float* y, int s) {  // weights of a volume's filter, from global memory
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z, i = (z * s + r) * s + c;
  if (c + 2 >= s || r + 2 >= s || z + 2 >= s) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 27; ++k) sum += w[k] * x[i + (k / 9 * s + k / 3 % 3) * s + k % 3];
  y[i] = sum;
}
__global__ void cube3_fixed(const float* x, const float*, float* y, int s) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z, i = (z * s + r) * s + c;
  if (c + 2 >= s || r + 2 >= s || z + 2 >= s) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 27; ++k) sum += cube[k] * x[i + (k / 9 * s + k / 3 % 3) * s + k % 3];
  y[i] = sum;
}

__device__ float relax(float v) {
#pragma unroll 1
  for (int k = 0; k < 80; ++k) v = sqrtf(v * 0.5f + 0.3f);
  return v;
}
__global__ void eighth_bad(const float* x, float* y, int n) {  // every eighth element is dear
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = i % 8 == 0 ? relax(v) : v;
}
__global__ void eighth_fixed(const float* x, float* y, int n) {  // every eighth warp
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = i / 32 % 8 == 0 ? relax(v) : v;
}

__global__ void filters_bad(const float4* x, float4* y, int turns) {  // 72 KiB of shared memory for 96 threads
  extern __shared__ float4 t[];
  int all = gridDim.x * blockDim.x;
  for (int k = 0; k < turns; ++k) {
    int i = k * all + blockIdx.x * blockDim.x + threadIdx.x;
    t[threadIdx.x] = x[i];
    float4 v = t[threadIdx.x];
    y[i] = make_float4(v.x + v.y, v.y + v.z, v.z + v.w, v.w + v.x);
  }
}
__global__ void filters_fixed(const float4* x, float4* y, int turns) {
  extern __shared__ float4 t[];
  int all = gridDim.x * blockDim.x;
  for (int k = 0; k < turns; ++k) {
    int i = k * all + blockIdx.x * blockDim.x + threadIdx.x;
    t[threadIdx.x] = x[i];
    float4 v = t[threadIdx.x];
    y[i] = make_float4(v.x + v.y, v.y + v.z, v.z + v.w, v.w + v.x);
  }
}

__global__ void __launch_bounds__(768) grid2d_bad(const float* x, float* y, int turns) {  // 12x23 blocks of 768, two at once on an SM
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll 4
  for (int k = 0; k < turns; ++k) v = v * 0.98f + 0.01f;
  y[i] = v;
}
__global__ void __launch_bounds__(96) grid2d_fixed(const float* x, float* y, int turns) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll 4
  for (int k = 0; k < turns; ++k) v = v * 0.98f + 0.01f;
  y[i] = v;
}

__global__ void sweep_bad(const float* x, float* y, int n) {  // 48 blocks of 128
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i] + 1.0f;
}
__global__ void sweep_fixed(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i] + 1.0f;
}

__global__ void gamma_bad(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0031308 ? 1.055 * powf(x[i], 1.0f / 2.4f) - 0.055 : 12.92 * x[i];
}
__global__ void gamma_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0031308f ? 1.055f * powf(x[i], 1.0f / 2.4f) - 0.055f : 12.92f * x[i];
}

__global__ void attractor_bad(const float* x, float* y, int steps) {  // three equations, products and sums apart
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float a = x[i], b = x[n + i], c = x[2 * n + i];
  for (int k = 0; k < steps; ++k) {
    float da = __fmul_rn(10.0f, __fadd_rn(b, -a)), db = __fadd_rn(__fmul_rn(a, __fadd_rn(28.0f, -c)), -b);
    float dc = __fadd_rn(__fmul_rn(a, b), -__fmul_rn(2.66f, c));
    a = __fadd_rn(a, __fmul_rn(0.005f, da)), b = __fadd_rn(b, __fmul_rn(0.005f, db)), c = __fadd_rn(c, __fmul_rn(0.005f, dc));
  }
  y[i] = a + b + c;
}
__global__ void attractor_fixed(const float* x, float* y, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float a = x[i], b = x[n + i], c = x[2 * n + i];
  for (int k = 0; k < steps; ++k) {
    float da = 10.0f * (b - a), db = fmaf(a, 28.0f - c, -b), dc = fmaf(a, b, -2.66f * c);
    a = fmaf(0.005f, da, a), b = fmaf(0.005f, db, b), c = fmaf(0.005f, dc, c);
  }
  y[i] = a + b + c;
}

__global__ void block36_bad(const float* x, float* y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = __sinf(v) + 0.5f;
  y[i] = v;
}
__global__ void block36_fixed(const float* x, float* y, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = __sinf(v) + 0.5f;
  y[i] = v;
}

__global__ void exchange_bad(const float* x, float* y, int rows) {  // two barriers a row, though a thread reads what its warp wrote
  __shared__ float t[512];
  for (int k = 0; k < rows; ++k) {
    int i = (blockIdx.x * rows + k) * 512 + threadIdx.x;
    t[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = t[threadIdx.x ^ 1] - t[threadIdx.x];
    __syncthreads();
  }
}
__global__ void exchange_fixed(const float* x, float* y, int rows) {
  for (int k = 0; k < rows; ++k) {
    int i = (blockIdx.x * rows + k) * 512 + threadIdx.x;
    float v = x[i];
    y[i] = __shfl_xor_sync(~0u, v, 1) - v;
  }
}

__global__ void hashes_bad(const unsigned long long* x, unsigned long long* y, int steps) {  // a chain of 64-bit products
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long v = x[t];
#pragma unroll 4
  for (int k = 0; k < steps; ++k) v = (v ^ (v >> 29)) * 0xbf58476d1ce4e5b9ull;
  y[t] = v;
}
__global__ void hashes_fixed(const unsigned long long* x, unsigned long long* y, int steps) {  // two chains, half as long
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long v = x[t], w = v + 1;
#pragma unroll 4
  for (int k = 0; k < steps / 2; ++k) v = (v ^ (v >> 29)) * 0xbf58476d1ce4e5b9ull, w = (w ^ (w >> 29)) * 0xbf58476d1ce4e5b9ull;
  y[t] = v ^ w;
}

__global__ void delay_bad(const float* x, float* y, int taps, int length) {  // a place in a ring by a remainder
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) s += x[(t * 7 + k * 64) % length];
  y[t] = s;
}
__global__ void delay_fixed(const float* x, float* y, int taps, int length) {  // by a comparison
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t * 7 % length;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) {
    s += x[at];
    at += 64;
    if (at >= length) at -= length;
  }
  y[t] = s;
}
}  // extern "C"
