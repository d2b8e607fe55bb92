// Pairs of kernels about counters, arrays a thread keeps, and values that all threads read, NAME_bad and NAME_fixed.
extern "C" {
__device__ int warp_sum(int v) {
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  return v;
}
__device__ float warp_sum_f(float v) {
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  return v;
}

__global__ void above_bad(const float* x, unsigned* h, int n) {  // how many are above a half
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.5f) atomicAdd(h, 1u);
}
__global__ void above_fixed(const float* x, unsigned* h, int n) {
  __shared__ int part[8];
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] > 0.5f;
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) s = warp_sum(threadIdx.x < 8 ? part[threadIdx.x] : 0);
  if (threadIdx.x == 0) atomicAdd(h, (unsigned)s);
}

__global__ void histogram_bad(const int* i, unsigned* h, int n) {  // 256 bins in global memory
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&h[i[k] & 255], 1u);
}
__global__ void histogram_fixed(const int* i, unsigned* h, int n) {
  __shared__ unsigned t[256];
  t[threadIdx.x] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&t[i[k] & 255], 1u);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}

__global__ void dot_bad(const float* x, float* o, int n) {  // a sum of products, an atomic a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(o, x[i] * x[n + i]);
}
__global__ void dot_fixed(const float* x, float* o, int n) {
  __shared__ float part[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = warp_sum_f(i < n ? x[i] * x[n + i] : 0);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) s = warp_sum_f(threadIdx.x < 8 ? part[threadIdx.x] : 0);
  if (threadIdx.x == 0) atomicAdd(o, s);
}

__global__ void blocktotal_bad(const int* i, int* j, int tiles) {  // all threads of a block add to one word of shared memory
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  for (int k = 0; k < tiles; ++k) atomicAdd(&s, i[(blockIdx.x * tiles + k) * blockDim.x + threadIdx.x] >> threadIdx.x % 8);
  __syncthreads();
  if (threadIdx.x == 0) j[blockIdx.x] = s;
}
__global__ void blocktotal_fixed(const int* i, int* j, int tiles) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  int v = 0;
  for (int k = 0; k < tiles; ++k) v += i[(blockIdx.x * tiles + k) * blockDim.x + threadIdx.x] >> threadIdx.x % 8;
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) atomicAdd(&s, v);
  __syncthreads();
  if (threadIdx.x == 0) j[blockIdx.x] = s;
}

__global__ void append_bad(const float* x, float* y, unsigned* h, int n) {  // each that is kept asks for its place
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (v > 0.75f) y[atomicAdd(h, 1u) & (n - 1)] = v;
}
__global__ void append_fixed(const float* x, float* y, unsigned* h, int n) {  // a block asks once
  __shared__ unsigned count[8], base;
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float v = i < n ? x[i] : 0;
  bool keep = v > 0.75f;
  unsigned mask = __ballot_sync(~0u, keep);
  if (lane == 0) count[warp] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned s = 0;
    for (int k = 0; k < 8; ++k) {
      unsigned c = count[k];
      count[k] = s;
      s += c;
    }
    base = atomicAdd(h, s);
  }
  __syncthreads();
  if (keep) y[(base + count[warp] + __popc(mask & ((1u << lane) - 1))) & (n - 1)] = v;
}

__global__ void hubs_bad(const float* x, const int* i, float* o, int n) {  // sums by key, 64 keys
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicAdd(&o[i[k] & 63], x[k]);
}
__global__ void hubs_fixed(const float* x, const int* i, float* o, int n) {
  __shared__ float t[64];
  if (threadIdx.x < 64) t[threadIdx.x] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&t[i[k] & 63], x[k]);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&o[threadIdx.x], t[threadIdx.x]);
}

__global__ void fir8_bad(const float* x, float* y, int steps) {  // the last eight in a ring
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float ring[8] = {};
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    ring[k & 7] = x[k * all + t];
    float s = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) s += ring[(k - j) & 7] * (0.5f / (j + 1));
    y[k * all + t] = s;
  }
}
__global__ void fir8_fixed(const float* x, float* y, int steps) {  // shifted through registers
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float last[8] = {};
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    float s = 0;
#pragma unroll
    for (int j = 7; j > 0; --j) last[j] = last[j - 1];
    last[0] = x[k * all + t];
#pragma unroll
    for (int j = 0; j < 8; ++j) s += last[j] * (0.5f / (j + 1));
    y[k * all + t] = s;
  }
}

__global__ void solve4_bad(const float* x, float* y, int n) {  // systems of four equations, loops as they are
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[4][5];
#pragma unroll 1
  for (int r = 0; r < 4; ++r)
#pragma unroll 1
    for (int c = 0; c < 5; ++c) a[r][c] = x[(r * 5 + c) * n + t] + (r == c ? 4.0f : 0.0f);
#pragma unroll 1
  for (int p = 0; p < 4; ++p)
#pragma unroll 1
    for (int r = 0; r < 4; ++r) {
      if (r == p) continue;
      float f = a[r][p] / a[p][p];
#pragma unroll 1
      for (int c = p; c < 5; ++c) a[r][c] -= f * a[p][c];
    }
#pragma unroll 1
  for (int r = 0; r < 4; ++r) y[r * n + t] = a[r][4] / a[r][r];
}
__global__ void solve4_fixed(const float* x, float* y, int n) {  // unrolled
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[4][5];
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int c = 0; c < 5; ++c) a[r][c] = x[(r * 5 + c) * n + t] + (r == c ? 4.0f : 0.0f);
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      if (r == p) continue;
      float f = a[r][p] / a[p][p];
#pragma unroll
      for (int c = p; c < 5; ++c) a[r][c] -= f * a[p][c];
    }
#pragma unroll
  for (int r = 0; r < 4; ++r) y[r * n + t] = a[r][4] / a[r][r];
}

extern "C++" __device__ __forceinline__ void accumulate48(const float* x, float* y, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) s[k] = k;
#pragma unroll 1
  for (int u = 0; u < steps; ++u) {
    float v = x[u * gridDim.x * blockDim.x + t];
#pragma unroll
    for (int k = 0; k < 48; ++k) s[k] = s[k] * 0.99f + v * (k + 1);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += s[k] * s[47 - k];
  y[t] = sum;
}
__global__ void __launch_bounds__(512, 4) accumulate_bad(const float* x, float* y, int steps) { accumulate48(x, y, steps); }  // 32 registers
__global__ void __launch_bounds__(512, 1) accumulate_fixed(const float* x, float* y, int steps) { accumulate48(x, y, steps); }

__constant__ float blur5[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
__global__ void filter5_bad(const float* x, const float* w, float* y, int s) {  // weights from global memory
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c + 4 >= s || r + 4 >= s) return;
  float sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) sum += w[j * 5 + i] * x[(r + j) * s + c + i];
  y[r * s + c] = sum;
}
__global__ void filter5_fixed(const float* x, const float*, float* y, int s) {  // in constant memory
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c + 4 >= s || r + 4 >= s) return;
  float sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) sum += blur5[j * 5 + i] * x[(r + j) * s + c + i];
  y[r * s + c] = sum;
}

__constant__ float dense[256] = {0.25f, -0.5f, 1.0f};
__global__ void layer_bad(const float* x, const float* w, float* y, int n) {  // 16 values times a matrix that all threads read
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float in[16];
  for (int k = 0; k < 16; ++k) in[k] = x[k * n + t];
#pragma unroll 1
  for (int r = 0; r < 16; ++r) {
    float s = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) s += w[r * 16 + k] * in[k];
    y[r * n + t] = fmaxf(s, 0.0f);
  }
}
__global__ void layer_fixed(const float* x, const float*, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float in[16];
  for (int k = 0; k < 16; ++k) in[k] = x[k * n + t];
#pragma unroll 1
  for (int r = 0; r < 16; ++r) {
    float s = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) s += dense[r * 16 + k] * in[k];
    y[r * n + t] = fmaxf(s, 0.0f);
  }
}

__global__ void forces_bad(const float* x, float* y, int n) {  // each body against all, from global memory
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float px = x[t], py = x[n + t], fx = 0, fy = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    float dx = x[k] - px, dy = x[n + k] - py, q = rsqrtf(dx * dx + dy * dy + 0.01f) * x[2 * n + k];
    fx += dx * q, fy += dy * q;
  }
  y[t] = fx, y[n + t] = fy;
}
__global__ void forces_fixed(const float* x, float* y, int n) {  // a tile of bodies in shared memory
  __shared__ float4 tile[128];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float px = x[t], py = x[n + t], fx = 0, fy = 0;
  for (int first = 0; first < n; first += 128) {
    int k = first + threadIdx.x;
    __syncthreads();
    tile[threadIdx.x] = make_float4(x[k], x[n + k], x[2 * n + k], 0);
    __syncthreads();
#pragma unroll 8
    for (int u = 0; u < 128; ++u) {
      float4 v = tile[u];
      float dx = v.x - px, dy = v.y - py, q = rsqrtf(dx * dx + dy * dy + 0.01f) * v.z;
      fx += dx * q, fy += dy * q;
    }
  }
  y[t] = fx, y[n + t] = fy;
}
}  // extern "C"
