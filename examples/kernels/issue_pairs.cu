// Pairs of kernels about grids, branches and arithmetic, NAME_bad and NAME_fixed.
extern "C" {
__device__ float turns_of(float v, int n, float a, float b) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) v = __expf(-v * a) + b;
  return v;
}
__global__ void branchy_bad(const float* x, float* y, int n) {  // two dear ways, chosen by the value
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (v < 0.5f)
    v = turns_of(v, 64, 0.5f, 0.25f);
  else
    v = turns_of(v, 64, 0.75f, 0.125f) + 1.0f;
  y[i] = v;
}
__global__ void branchy_fixed(const float* x, float* y, int n) {  // one way, with chosen constants
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  bool low = v < 0.5f;
  y[i] = turns_of(v, 64, low ? 0.5f : 0.75f, low ? 0.25f : 0.125f) + (low ? 0.0f : 1.0f);
}

__global__ void triangle_bad(const float* x, float* y, int n) {  // each lane has more to do than the one before
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int turns = 8 * (i % 32 + 1);
#pragma unroll 4
  for (int k = 0; k < turns; ++k) v = v * 0.99f + 0.01f;
  y[i] = v;
}
__global__ void triangle_fixed(const float* x, float* y, int n) {  // as many turns in all, each lane alike
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
#pragma unroll 4
  for (int k = 0; k < 132; ++k) v = v * 0.99f + 0.01f;
  y[i] = v;
}

__global__ void leader_bad(const float* x, float* y) {  // the first lane sums for its warp
  __shared__ float t[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    float s = 0;
    for (int k = 0; k < 32; ++k) s += t[threadIdx.x + k];
    y[i / 32] = s;
  }
}
__global__ void leader_fixed(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[i];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) y[i / 32] = s;
}

__global__ void opcodes_bad(const float* x, float* y, int n) {  // a small interpreter, a program a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  unsigned code = i * 2654435761u;
#pragma unroll 1
  for (int k = 0; k < 16; ++k, code = code * 1664525u + 1013904223u) {
    switch (code >> 30) {
      case 0: v = __sinf(v) + v * v - 0.5f; break;
      case 1: v = __expf(-v * v) * 0.7f; break;
      case 2: v = sqrtf(v * v + 1.0f) - v; break;
      default: v = __logf(v * v + 1.0f) / (v * v + 2.0f); break;
    }
  }
  y[i] = v;
}
__global__ void opcodes_fixed(const float* x, float* y, int n) {  // a program a warp
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  unsigned code = i / 32 * 2654435761u;
#pragma unroll 1
  for (int k = 0; k < 16; ++k, code = code * 1664525u + 1013904223u) {
    switch (code >> 30) {
      case 0: v = __sinf(v) + v * v - 0.5f; break;
      case 1: v = __expf(-v * v) * 0.7f; break;
      case 2: v = sqrtf(v * v + 1.0f) - v; break;
      default: v = __logf(v * v + 1.0f) / (v * v + 2.0f); break;
    }
  }
  y[i] = v;
}

__global__ void hops_bad(const int* i, int* j, int hops) {  // a walk through a table, with shared memory that nothing needs
  extern __shared__ int hold[];
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 0xfffff;
  if (hops < 0) hold[threadIdx.x] = at;
#pragma unroll 1
  for (int k = 0; k < hops; ++k) at = i[at] & 0xfffff;
  j[t] = at;
}
__global__ void hops_fixed(const int* i, int* j, int hops) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 0xfffff;
#pragma unroll 1
  for (int k = 0; k < hops; ++k) at = i[at] & 0xfffff;
  j[t] = at;
}

extern "C++" template <int words>
__device__ void smooth_rows(const float* x, float* y, int s) {  // eight threads across, a row at a time, the last few kept
  __shared__ float kept[words];
  int c = blockIdx.x * 32 + threadIdx.x % 32, r0 = blockIdx.y * 64 + threadIdx.x / 32 * 32;
  float a = 0;
#pragma unroll 1
  for (int r = r0; r < r0 + 32; ++r) {
    float* slot = kept + (r % 4) * 64 + threadIdx.x;
    a = 0.75f * a + 0.25f * x[r * s + c];
    *slot = a;
    y[r * s + c] = kept[((r + 1) % 4) * 64 + threadIdx.x] * (r >= r0 + 3) + a;
  }
}
__global__ void smooth_bad(const float* x, float* y, int s) { smooth_rows<12000>(x, y, s); }
__global__ void smooth_fixed(const float* x, float* y, int s) { smooth_rows<256>(x, y, s); }

__global__ void probes_bad(const int* i, const float* x, float* y, int n) {  // four random reads a thread, one after the other
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int at = i[t] & 0x3fffff;
  float v = x[at];
  for (int k = 0; k < 3; ++k) v += x[at = (at * 5 + (int)(v * 1024)) & 0x3fffff];
  y[t] = v;
}
__global__ void probes_fixed(const int* i, const float* x, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int at = i[t] & 0x3fffff;
  float v = x[at];
  for (int k = 0; k < 3; ++k) v += x[at = (at * 5 + (int)(v * 1024)) & 0x3fffff];
  y[t] = v;
}

__device__ int flat_block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__global__ void __launch_bounds__(1024, 2) ragged_bad(const float* x, float* y, int turns) {  // 270 blocks, 264 at once
  int i = flat_block() * blockDim.x + threadIdx.x;
  y[i] = turns_of(x[i], turns, 0.5f, 0.1f);
}
__global__ void __launch_bounds__(128) ragged_fixed(const float* x, float* y, int turns) {
  int i = flat_block() * blockDim.x + threadIdx.x;
  y[i] = turns_of(x[i], turns, 0.5f, 0.1f);
}

__global__ void tiles276_bad(const float* x, float* y, int turns) {  // two blocks an SM for their shared memory: 1.05 waves
  extern __shared__ float t[];
  int i = flat_block() * blockDim.x + threadIdx.x;
  float v = x[i];
  t[threadIdx.x] = v;
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < turns; ++k) v = v * 0.5f + t[(threadIdx.x + k) % blockDim.x];
  y[i] = v;
}
__global__ void tiles276_fixed(const float* x, float* y, int turns) {
  extern __shared__ float t[];
  int i = flat_block() * blockDim.x + threadIdx.x;
  float v = x[i];
  t[threadIdx.x] = v;
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < turns; ++k) v = v * 0.5f + t[(threadIdx.x + k) % blockDim.x];
  y[i] = v;
}

__global__ void columnmax_bad(const float* x, float* y, int rows, int columns) {  // a thread a column, four blocks
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float m = -1e30f;
  for (int r = 0; r < rows; ++r) m = fmaxf(m, x[(size_t)r * columns + c]);
  y[c] = m;
}
__global__ void columnmax_fixed(const float* x, float* y, int rows, int columns) {  // parts of columns
  int c = blockIdx.x * blockDim.x + threadIdx.x, part = rows / gridDim.y, first = blockIdx.y * part;
  float m = -1e30f;
  for (int r = first; r < first + part; ++r) m = fmaxf(m, x[(size_t)r * columns + c]);
  y[blockIdx.y * columns + c] = m;
}

__global__ void alone_bad(const float* x, float* y, int n) {  // one block for everything
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = sqrtf(x[i]) * 3.0f;
}
__global__ void alone_fixed(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = sqrtf(x[i]) * 3.0f;
}

__global__ void logistic_bad(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0 / (1.0 + exp(-4.0 * x[i]));
}
__global__ void logistic_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-4.0f * x[i]));
}

__global__ void harmonics_bad(const float* x, float* y, int n) {  // a constant with no f in a loop
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0;
#pragma unroll 4
  for (int k = 1; k <= 32; ++k) s += 0.1 * __sinf(k * v);
  y[i] = s;
}
__global__ void harmonics_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0;
#pragma unroll 4
  for (int k = 1; k <= 32; ++k) s += 0.1f * __sinf(k * v);
  y[i] = s;
}

__global__ void distance_bad(const float2* x, float* y, int n) {  // along a great circle, in double
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 a = x[i];
  double s = sin(a.x * 0.5), c = sin(a.y * 0.5);
  y[i] = 2.0 * asin(sqrt(s * s + cos((double)a.x) * cos((double)a.y) * c * c * 0.5));
}
__global__ void distance_fixed(const float2* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 a = x[i];
  float s = sinf(a.x * 0.5f), c = sinf(a.y * 0.5f);
  y[i] = 2.0f * asinf(sqrtf(s * s + cosf(a.x) * cosf(a.y) * c * c * 0.5f));
}
}  // extern "C"
