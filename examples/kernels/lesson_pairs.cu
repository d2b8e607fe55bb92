// What courses on CUDA teach, as pairs of kernels: NAME_bad before the lesson and NAME_fixed after it.
extern "C" {
// Reductions: which threads add, where the sums lie, how much a thread adds.
__global__ void remainder_bad(const float* x, float* y) {  // every second, fourth, ... thread of a block adds
  __shared__ float t[256];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 256 + id];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (id % (2 * s) == 0) t[id] += t[id + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void remainder_fixed(const float* x, float* y) {  // the first half, quarter, ...
  __shared__ float t[256];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 256 + id];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (id < s) t[id] += t[id + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void spread_bad(const float* x, float* y) {  // the first threads add, what they add lies ever further apart
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  __syncthreads();
  for (int s = 1; s < 1024; s *= 2) {
    const int at = 2 * s * id;
    if (at < 1024) t[at] += t[at + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void spread_fixed(const float* x, float* y) {
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  __syncthreads();
  for (int s = 512; s > 0; s /= 2) {
    if (id < s) t[id] += t[id + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void interleaved_bad(float* x, float* y) {  // in place, in global memory, neighbours first
  float* data = x + blockIdx.x * 2048;
  const int at = 2 * threadIdx.x;
  for (int s = 1; s <= 1024; s *= 2) {
    if (threadIdx.x % s == 0) data[at] += data[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = data[0];
}
__global__ void interleaved_fixed(float* x, float* y) {  // in place, in global memory, halves first
  float* data = x + blockIdx.x * 2048;
  const int at = threadIdx.x;
  for (int s = 1024; s > 0; s /= 2) {
    if (threadIdx.x < s) data[at] += data[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = data[0];
}
__global__ void inplace_bad(float* x, float* y) {
  float* data = x + blockIdx.x * 2048;
  const int at = threadIdx.x;
  for (int s = 1024; s > 0; s /= 2) {
    if (threadIdx.x < s) data[at] += data[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = data[0];
}
__global__ void inplace_fixed(float* x, float* y) {  // the sums in shared memory
  __shared__ float t[1024];
  const int at = threadIdx.x;
  t[at] = x[blockIdx.x * 2048 + at] + x[blockIdx.x * 2048 + 1024 + at];
  for (int s = 512; s > 0; s /= 2) {
    __syncthreads();
    if (at < s) t[at] += t[at + s];
  }
  if (at == 0) y[blockIdx.x] = t[0];
}
__global__ void onestep_bad(const float* x, float* y) {  // a tree of ten barriers for an element a thread
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  for (int s = 512; s > 0; s /= 2) {
    __syncthreads();
    if (id < s) t[id] += t[id + s];
  }
  if (id == 0) atomicAdd(y, t[0]);
}
__global__ void onestep_fixed(const float* x, float* y, int n) {  // many elements a thread, shuffles within a warp
  __shared__ float t[32];
  const int id = threadIdx.x;
  float sum = 0;
  for (int k = blockIdx.x * blockDim.x + id; k < n; k += gridDim.x * blockDim.x) sum += x[k];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (id % 32 == 0) t[id / 32] = sum;
  __syncthreads();
  if (id >= 32) return;
  sum = id < blockDim.x / 32 ? t[id] : 0;
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (id == 0) atomicAdd(y, sum);
}
__global__ void steele_bad(const float* x, float* y) {  // an inclusive scan of every 512, two barriers a step
  __shared__ float t[512];
  const int id = threadIdx.x, at = blockIdx.x * 512 + id;
  t[id] = x[at];
  for (int s = 1; s < 512; s *= 2) {
    __syncthreads();
    const float left = id >= s ? t[id - s] : 0;
    __syncthreads();
    t[id] += left;
  }
  y[at] = t[id];
}
__global__ void steele_fixed(const float* x, float* y) {  // scans of warps, then of their sums
  __shared__ float t[16];
  const int id = threadIdx.x, lane = id % 32, at = blockIdx.x * 512 + id;
  float v = x[at];
  for (int s = 1; s < 32; s *= 2) {
    const float left = __shfl_up_sync(~0u, v, s);
    if (lane >= s) v += left;
  }
  if (lane == 31) t[id / 32] = v;
  __syncthreads();
  float before = lane < 16 ? t[lane] : 0;
  for (int s = 1; s < 16; s *= 2) {
    const float left = __shfl_up_sync(~0u, before, s);
    if (lane >= s) before += left;
  }
  const float all = __shfl_sync(~0u, before, id >= 32 ? id / 32 - 1 : 0);
  y[at] = id >= 32 ? v + all : v;
}

// Products of matrices and filters: coalesced, tiled, several results a thread.
__global__ void rowthread_bad(const float* a, const float* b, float* c,
                              int n) {  // neighbours in a warp take different rows
  const int r = blockIdx.x * 32 + threadIdx.x % 32, col = blockIdx.y * 32 + threadIdx.x / 32;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + col];
  c[r * n + col] = sum;
}
__global__ void rowthread_fixed(const float* a, const float* b, float* c, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + col];
  c[r * n + col] = sum;
}
__global__ void tile32_bad(const float* a, const float* b, float* c, int n) {  // one result a thread
  __shared__ float ta[32][32], tb[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    ta[ty][tx] = a[r * n + k0 + tx];
    tb[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[r * n + col] = sum;
}
__global__ void tile32_fixed(const float* a, const float* b, float* c, int n) {  // 8 x 8 results a thread
  __shared__ float ta[8][64], tb[8][64];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 8 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    for (int k = 0; k < 8; ++k) {
      ta[k][id] = a[(r0 + id) * n + k0 + k];
      tb[k][id] = b[(k0 + k) * n + c0 + id];
    }
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
      float left[8], right[8];
      for (int j = 0; j < 8; ++j) left[j] = ta[k][ty * 8 + j], right[j] = tb[k][tx + 8 * j];
      for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i) sum[j][i] += left[j] * right[i];
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i) c[(r0 + ty * 8 + j) * n + c0 + tx + 8 * i] = sum[j][i];
}
__global__ void tile16_bad(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    ta[ty][tx] = a[r * n + k0 + tx];
    tb[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[r * n + col] = sum;
}
__global__ void tile16_fixed(const float* a, const float* b, float* c, int n) {  // 4 x 4 results a thread
  __shared__ float ta[16][65], tb[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int k = id; k < 1024; k += 256) {
      ta[k % 16][k / 16] = a[(r0 + k / 16) * n + k0 + k % 16];
      tb[k / 64][k % 64] = b[(k0 + k / 64) * n + c0 + k % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float left[4], right[4];
      for (int j = 0; j < 4; ++j) left[j] = ta[k][ty + 16 * j], right[j] = tb[k][tx + 16 * j];
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) sum[j][i] += left[j] * right[i];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) c[(r0 + ty + 16 * j) * n + c0 + tx + 16 * i] = sum[j][i];
}
__global__ void tile64_bad(const double* a, const double* b, double* c, int n) {  // in double precision
  __shared__ double ta[16][16], tb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  double sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    ta[ty][tx] = a[r * n + k0 + tx];
    tb[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[r * n + col] = sum;
}
__global__ void tile64_fixed(const double* a, const double* b, double* c, int n) {
  __shared__ double ta[16][65], tb[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  double sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int k = id; k < 1024; k += 256) {
      ta[k % 16][k / 16] = a[(r0 + k / 16) * n + k0 + k % 16];
      tb[k / 64][k % 64] = b[(k0 + k / 64) * n + c0 + k % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      double left[4], right[4];
      for (int j = 0; j < 4; ++j) left[j] = ta[k][ty + 16 * j], right[j] = tb[k][tx + 16 * j];
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) sum[j][i] += left[j] * right[i];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) c[(r0 + ty + 16 * j) * n + c0 + tx + 16 * i] = sum[j][i];
}
__global__ void width_bad(const float* a, const float* b, float* c, int n,
                          int tile) {  // the tile's width is an argument
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
__global__ void width_fixed(const float* a, const float* b, float* c, int n) {
  constexpr int tile = 16;
  __shared__ float ta[tile * tile], tb[tile * tile];
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
__global__ void filter7_bad(const float* x, const float* w, float* y,
                            int width) {  // a tile in shared memory, one result a thread
  __shared__ float t[22][38], f[49];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 32 + tx, c0 = blockIdx.x * 32, r0 = blockIdx.y * 16;
  for (int k = id; k < 22 * 38; k += 512) {
    const int r = r0 + k / 38, c = c0 + k % 38;
    t[k / 38][k % 38] = r < width && c < width ? x[r * width + c] : 0;
  }
  if (id < 49) f[id] = w[id];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 7; ++j)
    for (int i = 0; i < 7; ++i) sum += t[ty + j][tx + i] * f[j * 7 + i];
  y[(r0 + ty) * width + c0 + tx] = sum;
}
__global__ void filter7_fixed(const float* x, const float* w, float* y,
                              int width) {  // eight results of a column a thread
  __shared__ float t[70][38], f[49];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 32 + tx, c0 = blockIdx.x * 32, r0 = blockIdx.y * 64;
  for (int k = id; k < 70 * 38; k += 256) {
    const int r = r0 + k / 38, c = c0 + k % 38;
    t[k / 38][k % 38] = r < width && c < width ? x[r * width + c] : 0;
  }
  if (id < 49) f[id] = w[id];
  __syncthreads();
  float sum[8] = {};
  for (int i = 0; i < 7; ++i) {
    float column[14], g[7];
    for (int j = 0; j < 14; ++j) column[j] = t[ty * 8 + j][tx + i];
    for (int j = 0; j < 7; ++j) g[j] = f[j * 7 + i];
    for (int k = 0; k < 8; ++k)
      for (int j = 0; j < 7; ++j) sum[k] += column[k + j] * g[j];
  }
  for (int k = 0; k < 8; ++k) y[(r0 + ty * 8 + k) * width + c0 + tx] = sum[k];
}
__global__ void plain_bad(const float* a, const float* b, float* c, int n) {  // no tiles at all
  const int r = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (r >= n || col >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + col];
  c[r * n + col] = sum;
}
__global__ void plain_fixed(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][65], tb[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int k = id; k < 1024; k += 256) {
      ta[k % 16][k / 16] = a[(r0 + k / 16) * n + k0 + k % 16];
      tb[k / 64][k % 64] = b[(k0 + k / 64) * n + c0 + k % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float left[4], right[4];
      for (int j = 0; j < 4; ++j) left[j] = ta[k][ty + 16 * j], right[j] = tb[k][tx + 16 * j];
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) sum[j][i] += left[j] * right[i];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) c[(r0 + ty + 16 * j) * n + c0 + tx + 16 * i] = sum[j][i];
}

// Double precision that nobody asked for, from integers.
__global__ void grey_bad(const unsigned char* rgb, unsigned char* grey, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grey[i] = 0.21 * rgb[3 * i] + 0.72 * rgb[3 * i + 1] + 0.07 * rgb[3 * i + 2];
}
__global__ void grey_fixed(const unsigned char* rgb, unsigned char* grey, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grey[i] = 0.21f * rgb[3 * i] + 0.72f * rgb[3 * i + 1] + 0.07f * rgb[3 * i + 2];
}
__global__ void samples_bad(const short* in, short* out, int n) {  // sound, made softer and cut off
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i] * 0.7071 + 0.5;
  out[i] = max(-30000, min(30000, v));
}
__global__ void samples_fixed(const short* in, short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i] * 0.7071f + 0.5f;
  out[i] = max(-30000, min(30000, v));
}
__global__ void lookup_bad(const int* in, int* out, int n) {  // a logarithmic scale of counts
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 100.0 * log(1.0 + (in[i] & 65535));
}
__global__ void lookup_fixed(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 100.0f * logf(1.0f + (in[i] & 65535));
}

// Blocks that are too small: the same kernel, larger blocks.
__global__ void sum32_bad(const float* x, const float* w, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + w[i & 4095];
}
__global__ void sum32_fixed(const float* x, const float* w, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + w[i & 4095];
}
__global__ void square8_bad(const float* x, float* y, int width) {  // blocks of 8 x 8 pixels
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < width && r < width) y[r * width + c] = 1.0f - x[r * width + c];
}
__global__ void square8_fixed(const float* x, float* y, int width) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < width && r < width) y[r * width + c] = 1.0f - x[r * width + c];
}
__global__ void blur3_bad(const float* x, float* y, int width) {  // blocks of 16 x 4
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= width - 1 || r >= width - 1) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += x[(r + j) * width + c + i];
  y[r * width + c] = sum / 9;
}
__global__ void blur3_fixed(const float* x, float* y, int width) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= width - 1 || r >= width - 1) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += x[(r + j) * width + c + i];
  y[r * width + c] = sum / 9;
}

// Layouts: coalescing and banks.
__global__ void turn32_bad(const float* x, float* y, int n) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) y[c * n + r + j] = x[(r + j) * n + c];
}
__global__ void turn32_fixed(const float* x, float* y, int n) {
  __shared__ float t[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void unpadded_bad(const float* x, float* y, int n) {
  __shared__ float t[32][32];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void unpadded_fixed(const float* x, float* y, int n) {
  __shared__ float t[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];
}
struct Body {
  float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void bodies_bad(const Body* b, float* y, int n) {  // three of eight fields
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy);
}
__global__ void bodies_fixed(const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = b[2 * n + i] * (b[i] * b[i] + b[n + i] * b[n + i]);
}
__global__ void chunk_bad(const float* x, float* y, int per) {  // every thread a run of its own
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < per; ++k) sum += x[t * per + k];
  y[t] = sum;
}
__global__ void chunk_fixed(const float* x, float* y, int per) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < per; ++k) sum += x[k * threads + t];
  y[t] = sum;
}
__global__ void softrow_bad(const float* x, float* y, int width) {  // a thread a row
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f, sum = 0;
  for (int k = 0; k < width; ++k) most = fmaxf(most, x[r * width + k]);
  for (int k = 0; k < width; ++k) sum += __expf(x[r * width + k] - most);
  for (int k = 0; k < width; ++k) y[r * width + k] = __expf(x[r * width + k] - most) / sum;
}
__global__ void softrow_fixed(const float* x, float* y, int width) {  // a block of 128 a row
  __shared__ float t[4];
  const int r = blockIdx.x, id = threadIdx.x;
  float most = -1e30f, sum = 0;
  for (int k = id; k < width; k += 128) most = fmaxf(most, x[r * width + k]);
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  if (id % 32 == 0) t[id / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(t[0], t[1]), fmaxf(t[2], t[3]));
  for (int k = id; k < width; k += 128) sum += __expf(x[r * width + k] - most);
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  __syncthreads();
  if (id % 32 == 0) t[id / 32] = sum;
  __syncthreads();
  sum = t[0] + t[1] + t[2] + t[3];
  for (int k = id; k < width; k += 128) y[r * width + k] = __expf(x[r * width + k] - most) / sum;
}

// Atomics.
__global__ void letters_bad(const unsigned char* text, unsigned* bins, int n) {  // a histogram in global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[(text[i] & 127) / 4], 1u);
}
__global__ void letters_fixed(const unsigned char* text, unsigned* bins, int n) {  // a block's own, added at the end
  __shared__ unsigned own[32];
  if (threadIdx.x < 32) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[(text[i] & 127) / 4], 1u);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void dot_bad(const float* x, const float* z, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[i % 16], x[i] * z[i]);
}
__global__ void dot_fixed(const float* x, const float* z, float* y, int n) {
  __shared__ float t[16];
  const int id = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + id; i < n; i += gridDim.x * blockDim.x) sum += x[i] * z[i];
  if (id < 16) t[id] = 0;
  __syncthreads();
  sum += __shfl_down_sync(~0u, sum, 16);
  if (id % 32 < 16) atomicAdd(&t[id % 16], sum);
  __syncthreads();
  if (id < 16) atomicAdd(&y[id], t[id]);
}

// Branches.
__global__ void evenodd_bad(const float* x, float* y, int n) {  // by lanes
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (threadIdx.x % 2)
    for (int k = 0; k < 40; ++k) v = sinf(v) + 0.1f;
  else
    for (int k = 0; k < 40; ++k) v = __expf(-v) * v + 0.3f;
  y[i] = v;
}
__global__ void evenodd_fixed(const float* x, float* y, int n) {  // by warps
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (threadIdx.x / 32 % 2)
    for (int k = 0; k < 40; ++k) v = sinf(v) + 0.1f;
  else
    for (int k = 0; k < 40; ++k) v = __expf(-v) * v + 0.3f;
  y[i] = v;
}
__global__ void triangle_bad(const float* x, float* y, int n) {  // a thread's loop as long as its number
  const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = (i * 37) % 128;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.99f + sinf(v);
  y[i] = v;
}
__global__ void triangle_fixed(const float* x, float* y, int n) {  // threads of a warp have the same length
  const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = (i / 32 * 37) % 128;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.99f + sinf(v);
  y[i] = v;
}

// Work a thread: vectors, constants, loads under way, registers.
__global__ void saxpy1_bad(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + y[i];
}
__global__ void saxpy1_fixed(const float4* x, float4* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = x[i];
  float4 b = y[i];
  b.x += 2.0f * a.x, b.y += 2.0f * a.y, b.z += 2.0f * a.z, b.w += 2.0f * a.w;
  y[i] = b;
}
__constant__ float taps[4096];
__global__ void stencil31_bad(const float* x, const float* w, float* y,
                              int n) {  // a filter of 31 taps in global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 31 > n) return;
  float sum = 0;
  for (int k = 0; k < 31; ++k) sum += w[k] * x[i + k];
  y[i] = sum;
}
__global__ void stencil31_fixed(const float* x, float* y, int n) {  // in constant memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 31 > n) return;
  float sum = 0;
  for (int k = 0; k < 31; ++k) sum += taps[k] * x[i + k];
  y[i] = sum;
}
__global__ void oneload_bad(const float* x, float* y, int per) {  // one load under way a thread, few threads
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < per; ++k) sum += x[k * threads + t];
  y[t] = sum;
}
__global__ void oneload_fixed(const float* x, float* y, int per) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < per; ++k) sum += x[k * threads + t];
  y[t] = sum;
}
__global__ void oneblock_bad(const float* x, float* y, int n) {  // a single block walks through everything
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * x[i];
}
__global__ void oneblock_fixed(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i];
}
__global__ void bigtile_bad(const float* x, float* y, int n) {  // shared memory for one block an SM
  extern __shared__ float t[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = 0.5f * (t[threadIdx.x] + t[threadIdx.x ^ 1]);
}
__global__ void bigtile_fixed(const float* x, float* y, int n) {
  extern __shared__ float t[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = 0.5f * (t[threadIdx.x] + t[threadIdx.x ^ 1]);
}
__global__ void accumulate_bad(const float* x, float* y, int n, int steps) {  // the sum lives in global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0;
  for (int k = 0; k < steps; ++k) y[i] += x[k * n + i];
}
__global__ void accumulate_fixed(const float* x, float* y, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < steps; ++k) sum += x[k * n + i];
  y[i] = sum;
}
__global__ void bodies2_bad(const float4* x, float4* y, int n) {  // all pairs, from global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = x[i];
  float4 pull = make_float4(0, 0, 0, 0);
  for (int k = 0; k < n; ++k) {
    const float4 o = x[k];
    const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    const float f = o.w * r * r * r;
    pull.x += f * dx, pull.y += f * dy, pull.z += f * dz;
  }
  y[i] = pull;
}
__global__ void bodies2_fixed(const float4* x, float4* y, int n) {  // tiles of 128 in shared memory
  __shared__ float4 t[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = x[i];
  float4 pull = make_float4(0, 0, 0, 0);
  for (int k0 = 0; k0 < n; k0 += 128) {
    __syncthreads();
    t[threadIdx.x] = x[k0 + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 128; ++k) {
      const float4 o = t[k];
      const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = o.w * r * r * r;
      pull.x += f * dx, pull.y += f * dy, pull.z += f * dz;
    }
  }
  y[i] = pull;
}
__global__ void wrap_bad(const float* x, float* y, int n,
                         int period) {  // a remainder by a number known only at run time
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int k = 0; k < 16; ++k) v += x[(i + k * 77) % period];
  y[i] = v;
}
__global__ void wrap_fixed(const float* x, float* y, int n, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int k = 0; k < 16; ++k) v += x[(i + k * 77) & mask];
  y[i] = v;
}
}
