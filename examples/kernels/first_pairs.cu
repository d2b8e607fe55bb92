// Kernels of other sets whose first finding is not the lesson that they teach, NAME_bad, and with that first finding mended, NAME_fixed: does
// what stands first bring what it promises?
#include <cuda_fp16.h>
#include <mma.h>

__device__ float warp_sum(float v) {
  for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(~0u, v, s);
  return v;
}
__device__ float warp_most(float v) {
  for (int s = 16; s > 0; s /= 2) v = fmaxf(v, __shfl_down_sync(~0u, v, s));
  return v;
}

extern "C" {
// Trees with bank conflicts: shuffles in place of barriers.
__global__ void tree_bad(const float* x, float* y, int rounds) {
  __shared__ float t[512];
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    t[threadIdx.x] = x[(blockIdx.x * rounds + r) * 512 + threadIdx.x];
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
      int at = 2 * step * threadIdx.x;
      if (at < 512) t[at] += t[at + step];
      __syncthreads();
    }
    all += t[0];
    __syncthreads();
  }
  y[blockIdx.x * 512 + threadIdx.x] = all;
}
__global__ void tree_fixed(const float* x, float* y, int rounds) {
  __shared__ float t[2][17];
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    const float v = warp_sum(x[(blockIdx.x * rounds + r) * 512 + threadIdx.x]);
    if (threadIdx.x % 32 == 0) t[r % 2][threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < 16; ++w) sum += t[r % 2][w];
    all += sum;
  }
  y[blockIdx.x * 512 + threadIdx.x] = all;
}
__global__ void fold_bad(const float* x, float* y) {
  __shared__ float part[512];
  const int t = threadIdx.x;
  part[t] = fmaxf(x[blockIdx.x * 1024 + t], x[blockIdx.x * 1024 + 512 + t]);
  __syncthreads();
  for (int s = 1; s < 512; s *= 2) {
    const int at = 2 * s * t;
    if (at < 512) part[at] = fmaxf(part[at], part[at + s]);
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
__global__ void fold_fixed(const float* x, float* y) {
  __shared__ float part[16];
  const int t = threadIdx.x;
  const float v = warp_most(fmaxf(x[blockIdx.x * 1024 + t], x[blockIdx.x * 1024 + 512 + t]));
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    const float all = warp_most(t < 16 ? part[t] : 0);
    if (t == 0) y[blockIdx.x] = all;
  }
}

// A load at a time: several under way.
__global__ void filters_bad(const float4* x, float4* y, int turns) {
  extern __shared__ float4 t[];
  int all = gridDim.x * blockDim.x;
  for (int k = 0; k < turns; ++k) {
    int i = k * all + blockIdx.x * blockDim.x + threadIdx.x;
    t[threadIdx.x] = x[i];
    float4 v = t[threadIdx.x];
    y[i] = make_float4(v.x + v.y, v.y + v.z, v.z + v.w, v.w + v.x);
  }
}
__global__ void filters_fixed(const float4* __restrict__ x, float4* __restrict__ y, int turns) {
  const int all = gridDim.x * blockDim.x;
  for (int k = 0; k < turns; k += 4) {
    const int i = k * all + blockIdx.x * blockDim.x + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = x[i + u * all];
#pragma unroll
    for (int u = 0; u < 4; ++u)
      y[i + u * all] = make_float4(v[u].x + v[u].y, v[u].y + v[u].z, v[u].z + v[u].w, v[u].w + v[u].x);
  }
}
__global__ void meetings_bad(const float* x, float* y, int per) {
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
  const size_t first = (size_t)blockIdx.x * per * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < per; k += 4) {
    float v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = x[first + (k + u) * blockDim.x];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      s += sqrtf(v[u]);
      __syncthreads();
    }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// One element at a time: four neighbours.
__global__ void rowdot_bad(const float* x, float* y, int per) {
  size_t first = (size_t)blockIdx.x * per * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < per; ++k) s += x[first + k * blockDim.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void rowdot_fixed(const float* x, float* y, int per) {
  const float4* from = (const float4*)(x + (size_t)blockIdx.x * per * blockDim.x) + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < per / 4; ++k) {
    const float4 v = from[k * blockDim.x];
    s += v.x + v.y + v.z + v.w;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void kahan_bad(const float* x, float* y, int count) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0, lost = 0;
  for (int k = 0; k < count; ++k) {
    const float v = x[id + k * step] - lost, t = sum + v;
    lost = (t - sum) - v;
    sum = t;
  }
  y[id] = sum;
}
__global__ void kahan_fixed(const float* x, float* y, int count) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0, lost = 0;
  for (int k = 0; k < count / 4; ++k) {
    const float4 four = ((const float4*)x)[id + k * step];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const float v = (u == 0 ? four.x : u == 1 ? four.y : u == 2 ? four.z : four.w) - lost, t = sum + v;
      lost = (t - sum) - v;
      sum = t;
    }
  }
  y[id] = sum;
}
__global__ void exchange_bad(const float* x, float* y, int rows) {
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
  __shared__ float t[2048];
  for (int k = 0; k < rows; k += 4) {
    const int from = (blockIdx.x * rows + k) * 512, at = 4 * threadIdx.x;
    *(float4*)(t + at) = *(const float4*)(x + from + at);
    __syncthreads();
    const float4 v = *(const float4*)(t + at);
    *(float4*)(y + from + at) = make_float4(v.y - v.x, v.x - v.y, v.w - v.z, v.z - v.w);
    __syncthreads();
  }
}
__global__ void block140_bad(const float* x, float* y, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h) y[r * w + c] = x[r * w + c] * 0.5f + 0.25f;
}
__global__ void block140_fixed(const float* x, float* y, int w, int h) {
  const int c = 4 * (blockIdx.x * blockDim.x + threadIdx.x), r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h) return;
  const float4 v = *(const float4*)(x + r * w + c);
  *(float4*)(y + r * w + c) = make_float4(v.x * 0.5f + 0.25f, v.y * 0.5f + 0.25f, v.z * 0.5f + 0.25f, v.w * 0.5f + 0.25f);
}
__global__ void append_bad(const __half* fresh, __half* cache, int n, int heads, int width, int room) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int d = id % width, head = id / width % heads, row = id / width / heads;
  cache[((row / 16 * heads + head) * room + row % 16) * width + d] = fresh[id];
}
__global__ void append_fixed(const __half* fresh, __half* cache, int n, int heads, int width, int room) {
  const int id = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (id >= n) return;
  const int d = id % width, head = id / width % heads, row = id / width / heads;
  *(float4*)(cache + ((row / 16 * heads + head) * room + row % 16) * width + d) = *(const float4*)(fresh + id);
}

// Divisions by a block's size, known only at run time.
__global__ void tiles276_bad(const float* x, float* y, int turns) {
  extern __shared__ float shared[];
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  float v = x[i];
  shared[threadIdx.x] = v;
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < turns; ++k) v = v * 0.5f + shared[(threadIdx.x + k) % blockDim.x];
  y[i] = v;
}
__global__ void tiles276_fixed(const float* x, float* y, int turns) {
  extern __shared__ float shared[];
  const int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  float v = x[i];
  shared[threadIdx.x] = v;
  __syncthreads();
#pragma unroll 1
  for (int k = 0, at = threadIdx.x; k < turns; ++k) {
    v = v * 0.5f + shared[at];
    if (++at == blockDim.x) at = 0;
  }
  y[i] = v;
}

// Functions to the last bit: the quick ones.
__global__ void evenodd_bad(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (threadIdx.x % 2)
    for (int k = 0; k < 40; ++k) v = sinf(v) + 0.1f;
  else
    for (int k = 0; k < 40; ++k) v = __expf(-v) * v + 0.3f;
  y[i] = v;
}
__global__ void evenodd_fixed(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (threadIdx.x % 2)
    for (int k = 0; k < 40; ++k) v = __sinf(v) + 0.1f;
  else
    for (int k = 0; k < 40; ++k) v = __expf(-v) * v + 0.3f;
  y[i] = v;
}
__global__ void triangle_bad(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = (i * 37) % 128;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.99f + sinf(v);
  y[i] = v;
}
__global__ void triangle_fixed(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = (i * 37) % 128;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.99f + __sinf(v);
  y[i] = v;
}
__global__ void gamma_bad(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0031308 ? 1.055 * powf(x[i], 1.0f / 2.4f) - 0.055 : 12.92 * x[i];
}
__global__ void gamma_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0.0031308 ? 1.055 * __powf(x[i], 1.0f / 2.4f) - 0.055 : 12.92 * x[i];
}

// A window of global memory: a tile in shared memory.
__global__ void nine_bad(const float* x, const float* w, float* y, int side) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) sum += w[9 * r + c] * x[min(row + r, side - 1) * side + min(column + c, side - 1)];
  y[row * side + column] = sum;
}
__global__ void nine_fixed(const float* x, const float* w, float* y, int side) {
  __shared__ float tile[16][40];
  const int column = blockIdx.x * 32, row = blockIdx.y * 8;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 16 * 40; k += 256)
    tile[k / 40][k % 40] = x[min(row + k / 40, side - 1) * side + min(column + k % 40, side - 1)];
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) sum += w[9 * r + c] * tile[threadIdx.y + r][threadIdx.x + c];
  y[(row + threadIdx.y) * side + column + threadIdx.x] = sum;
}
// Numbers of global memory that every warp reads: constant memory.
__global__ void mixture_bad(const float* x, const float* w, float* y, int n) {
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
__constant__ float bells[72];
__global__ void mixture_fixed(const float* x, const float* w, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = w ? 0 : 1;
  const float v = x[id];
  for (int k = 0; k < 24; ++k) {
    const float d = v - bells[3 * k];
    sum += bells[3 * k + 1] * (1 - d * d * bells[3 * k + 2]);
  }
  y[id] = sum;
}
// 32 blocks: four times as many, of a warp each.
__global__ void forces_bad(const float* x, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float px = x[t], py = x[n + t], fx = 0, fy = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    float dx = x[k] - px, dy = x[n + k] - py, q = rsqrtf(dx * dx + dy * dy + 0.01f) * x[2 * n + k];
    fx += dx * q, fy += dy * q;
  }
  y[t] = fx, y[n + t] = fy;
}
__global__ void forces_fixed(const float* x, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float px = x[t], py = x[n + t], fx = 0, fy = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    float dx = x[k] - px, dy = x[n + k] - py, q = rsqrtf(dx * dx + dy * dy + 0.01f) * x[2 * n + k];
    fx += dx * q, fy += dy * q;
  }
  y[t] = fx, y[n + t] = fy;
}
// A product of halves, an element a thread: tensor cores, as a first version has them.
__global__ void product16_bad(const __half* p, __half* q, int n) {
  const __half* b = p + n * n;
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; ++k) s += __half2float(p[r * n + k]) * __half2float(b[k * n + c]);
  q[r * n + c] = __float2half(s);
}
__global__ void product16_fixed(const __half* p, __half* q, int n) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) float out[8][256];
  const int warp = threadIdx.x / 32, r = (blockIdx.y * 2 + warp / 4) * 16, c = (blockIdx.x * 4 + warp % 4) * 16;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(a, p + r * n + k, n);
    load_matrix_sync(b, p + n * n + k * n + c, n);
    mma_sync(sum, a, b, sum);
  }
  store_matrix_sync(out[warp], sum, 16, mem_row_major);
  __syncwarp();
  for (int k = threadIdx.x % 32; k < 256; k += 32) q[(r + k / 16) * n + c + k % 16] = __float2half(out[warp][k]);
}
// A tile whose width is an argument: four by four results a thread.
__global__ void width_bad(const float* a, const float* b, float* c, int n, int tile) {
  extern __shared__ float shared[];
  float *ta = shared, *tb = shared + tile * tile;
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += tile) {
    ta[ty * tile + tx] = a[r * n + k0 + tx];
    tb[ty * tile + tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += ta[ty * tile + k] * tb[k * tile + tx];
    __syncthreads();
  }
  c[r * n + col] = sum;
}
__global__ void width_fixed(const float* a, const float* b, float* c, int n, int tile) {
  extern __shared__ float shared[];
  float *ta = shared, *tb = shared + 4 * tile * tile;
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 4 * tile, col = blockIdx.x * 4 * tile;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += tile) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      ta[(u * tile + ty) * tile + tx] = a[(r + u * tile + ty) * n + k0 + tx];
      tb[ty * 4 * tile + u * tile + tx] = b[(k0 + ty) * n + col + u * tile + tx];
    }
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      float left[4], right[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) left[u] = ta[(u * tile + ty) * tile + k], right[u] = tb[k * 4 * tile + u * tile + tx];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) c[(r + i * tile + ty) * n + col + j * tile + tx] = sum[i][j];
}
}
