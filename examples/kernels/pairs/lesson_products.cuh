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
