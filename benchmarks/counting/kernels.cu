// Kernels of the kinds that people write, for what counting costs: histograms, reductions, double precision, searches.
#include <cstdint>
using u64 = unsigned long long;
struct alignas(16) Body {
  double x, y, z, w;
};
extern "C" {
// histograms
__global__ void hist_u64(const unsigned* x, u64* h, int n) {
  __shared__ u64 t[256];
  t[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&t[x[i] & 255], (u64)x[i]);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}
__global__ void hist_f32(const unsigned* x, float* h, int n) {
  __shared__ float t[256];
  t[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&t[x[i] & 255], 1.0f);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}
__global__ void hist_weighted(const unsigned* x, unsigned* h, int n) {
  __shared__ unsigned t[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) t[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&t[x[i] & 1023], x[i] >> 20);
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 256) atomicAdd(&h[k], t[k]);
}
__global__ void hist_global(const unsigned* x, unsigned* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[x[i] & 4095], 1u);
}
__global__ void hist_global_f32(const unsigned* x, float* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[x[i] & 4095], 0.5f);
}
__global__ void hist_global_old(const unsigned* x, unsigned* h, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = atomicAdd(&h[x[i] & 63], x[i] & 3);
}
__global__ void shared_mixed(const unsigned* x, unsigned* out, int n) {
  __shared__ unsigned t[64];
  __shared__ int s[64];
  if (threadIdx.x < 64) t[threadIdx.x] = 0, s[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i];
  atomicMin(&s[v & 63], (int)v);
  atomicMax(&t[v >> 5 & 63], v);
  atomicOr(&t[v >> 9 & 63], 5u);
  atomicXor(&t[v & 31], v);
  unsigned a = atomicExch(&t[v >> 13 & 63], v), b = atomicCAS(&t[v & 63], a, v + 1), c = atomicInc(&t[v & 15], 77),
           d = atomicDec(&t[v & 7], 99);
  __syncthreads();
  out[i] = a + b + c + d + t[threadIdx.x & 63] + s[threadIdx.x & 63];
}
// reductions
__global__ void reduce_max(const int* x, int* out, int n) {
  __shared__ int m;
  if (threadIdx.x == 0) m = -2147483647;
  __syncthreads();
  int best = -2147483647;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) best = max(best, x[i]);
  atomicMax(&m, best);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, m);
}
__global__ void reduce_every_max(const int* x, int* out, int n) {
  __shared__ int m;
  if (threadIdx.x == 0) m = -2147483647;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&m, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, m);
}
__global__ void reduce_global_f32(const float* x, float* out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  for (int k = 16; k; k >>= 1) s += __shfl_xor_sync(~0u, s, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
__global__ void compact(const float* x, float* out, unsigned* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.25f) out[atomicAdd(count, 1u) & (n - 1)] = x[i];
}
__global__ void scatter_f64(const unsigned* x, double* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[x[i] & 1023], 1.0);
}
// FP64
__global__ void nbody_f64(const double* p, double* a, int n) {
  __shared__ Body t[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  double x = p[4 * i], y = p[4 * i + 1], z = p[4 * i + 2], ax = 0, ay = 0, az = 0;
  for (int b = 0; b < n; b += 128) {
    t[threadIdx.x] = ((const Body*)p)[b + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      double dx = t[j].x - x, dy = t[j].y - y, dz = t[j].z - z, r = dx * dx + dy * dy + dz * dz + 1e-3;
      double inv = rsqrt(r), w = t[j].w * inv * inv * inv;
      ax += w * dx;
      ay += w * dy;
      az += w * dz;
    }
    __syncthreads();
  }
  a[3 * i] = ax;
  a[3 * i + 1] = ay;
  a[3 * i + 2] = az;
}
__global__ void math_f64(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    y[i] = exp(v) / (1.0 + sqrt(v * v + 0.5)) + sin(v) + log(1.0 + v * v);
  }
}
__global__ void stencil_f64(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}
__global__ void gemm_f64(const double* a, const double* b, double* c, int n) {
  __shared__ double ta[16][16], tb[16][16];
  int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  double s = 0;
  for (int k = 0; k < n; k += 16) {
    ta[threadIdx.y][threadIdx.x] = a[r * n + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + q];
    __syncthreads();
    for (int j = 0; j < 16; ++j) s += ta[threadIdx.y][j] * tb[j][threadIdx.x];
    __syncthreads();
  }
  c[r * n + q] = s;
}
// divergence
__global__ void tree_search(const int* keys, const int* q, int* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int at = 0, want = q[i], depth = 0;
  while (at < n) {
    int k = keys[at];
    if (k == want) break;
    at = 2 * at + (k < want ? 2 : 1);
    ++depth;
  }
  out[i] = at < n ? at : -depth;
}
__global__ void binary_search(const int* keys, const int* q, int* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int lo = 0, hi = n, want = q[i];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (keys[mid] < want)
      lo = mid + 1;
    else
      hi = mid;
  }
  out[i] = lo;
}
__global__ void collatz(const unsigned* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = (x[i] & 1023) + 1;
  int steps = 0;
  while (v != 1 && steps < 200) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v >>= 1;
    ++steps;
  }
  out[i] = steps;
}
__global__ void mandelbrot(int* out, int w, int limit) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / w, r = 0, i = 0;
  int k = 0;
  while (k < limit && r * r + i * i < 4.0f) {
    float t = r * r - i * i + cr;
    i = 2 * r * i + ci;
    r = t;
    ++k;
  }
  out[y * w + x] = k;
}
__global__ void switchy(const unsigned* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] * 1e-9f;
  switch (x[i] & 7) {
    case 0:
      v = sinf(v);
      break;
    case 1:
      v = sqrtf(v);
      break;
    case 2:
      v = v * v + 3;
      break;
    case 3:
      v = 1 / (v + 1);
      break;
    case 4:
      v = expf(v);
      break;
    case 5:
      v = v - 2;
      break;
    case 6:
      v = logf(v + 1);
      break;
    default:
      v = -v;
  }
  y[i] = v;
}
}
