// Layout.
__global__ void ell_bad(const float* values, const int* columns, const float* x, float* y, int rows) {  // 32 numbers of a row side by side
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += values[row * 32 + k] * x[columns[row * 32 + k] & 4095];
  y[row] = sum;
}
__global__ void ell_fixed(const float* values, const int* columns, const float* x, float* y, int rows) {  // ELLPACK: column by column
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += values[k * rows + row] * x[columns[k * rows + row] & 4095];
  y[row] = sum;
}
__global__ void floyd_bad(const float* d, float* out, int n, int k) {  // a step of Floyd and Warshall, threads down a column
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) out[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void floyd_fixed(const float* d, float* out, int n, int k) {  // along a row
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) out[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void embed_bad(const int* token, const float* table, float* out, int tokens) {  // a thread a token
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  const float* row = table + (token[t] & 32767) * 64;
  for (int k = 0; k < 64; ++k) out[t * 64 + k] = row[k];
}
__global__ void embed_fixed(const int* token, const float* table, float* out, int tokens) {  // sixteen threads a token
  const int id = blockIdx.x * blockDim.x + threadIdx.x, t = id / 16, part = id % 16;
  if (t >= tokens) return;
  ((float4*)out)[t * 16 + part] = ((const float4*)table)[(token[t] & 32767) * 16 + part];
}
__global__ void nhwc_bad(const float* x, float* y, int area) {  // pictures of 64 channels, plane by plane, to pixel by pixel
  const int at = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, picture = blockIdx.z;
  y[(picture * area + at) * 64 + c] = x[(picture * 64 + c) * area + at];
}
__global__ void nhwc_fixed(const float* x, float* y, int area) {
  __shared__ float t[32][33];
  const int at = blockIdx.x * 32, c = blockIdx.y * 32, picture = blockIdx.z;
  for (int k = threadIdx.y; k < 32; k += 8) t[k][threadIdx.x] = x[(picture * 64 + c + k) * area + at + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) y[(picture * area + at + k) * 64 + c + threadIdx.x] = t[threadIdx.x][k];
}

// Reuse.
__global__ void average_bad(const float* x, float* y, int n) {  // of 32 neighbours
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += x[min(id + k, n - 1)];
  y[id] = sum / 32;
}
__global__ void average_fixed(const float* x, float* y, int n) {  // a thread slides its window over eight of them, the block's in shared memory
  __shared__ float t[9 * 288];  // a word left out after eight
  const int first = blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048 + 32; k += 256) t[k + k / 8] = x[min(first + k, n - 1)];
  __syncthreads();
  float sum = 0, out[8];
  const int own = 8 * threadIdx.x;
#pragma unroll
  for (int k = 0; k < 31; ++k) sum += t[9 * threadIdx.x + k + k / 8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sum += t[9 * threadIdx.x + (k + 31) + (k + 31) / 8];
    out[k] = sum / 32;
    sum -= t[9 * threadIdx.x + k];
  }
  for (int k = 0; k < 2; ++k) ((float4*)y)[(first + own) / 4 + k] = make_float4(out[4 * k], out[4 * k + 1], out[4 * k + 2], out[4 * k + 3]);
}
__global__ void star_bad(const float* x, float* y, int n) {  // finite differences of eighth order in three dimensions
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i < 4 || j < 4 || k < 4 || i >= n - 4 || j >= n - 4 || k >= n - 4) return;
  const float* at = x + (k * n + j) * n + i;
  float sum = -2.847f * 3 * at[0];
#pragma unroll
  for (int r = 1; r <= 4; ++r)
    sum += (r == 1 ? 1.6f : r == 2 ? -0.2f : r == 3 ? 0.0254f : -0.00179f) * (at[r] + at[-r] + at[r * n] + at[-r * n] + at[r * n * n] + at[-r * n * n]);
  y[(k * n + j) * n + i] = sum;
}
__global__ void star_fixed(const float* x, float* y, int n) {  // up through the planes: one in shared memory, nine numbers of the column in registers
  __shared__ float t[16][40];
  const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, from = 4 + blockIdx.z * 30;
  const bool inside = i >= 4 && j >= 4 && i < n - 4 && j < n - 4;
  const float* column = x + j * n + i;
  float v[9];
#pragma unroll
  for (int r = 0; r < 8; ++r) v[r + 1] = column[(from - 4 + r) * n * n];
  for (int k = from; k < min(from + 30, n - 4); ++k) {
#pragma unroll
    for (int r = 0; r < 8; ++r) v[r] = v[r + 1];
    v[8] = column[(k + 4) * n * n];
    __syncthreads();
    t[threadIdx.y + 4][threadIdx.x + 4] = v[4];
    const float* plane = x + k * n * n;
    if (threadIdx.y < 4) {
      t[threadIdx.y][threadIdx.x + 4] = plane[max(j - 4, 0) * n + i];
      t[threadIdx.y + 12][threadIdx.x + 4] = plane[min(j + 8, n - 1) * n + i];
    }
    if (threadIdx.x < 4) {
      t[threadIdx.y + 4][threadIdx.x] = plane[j * n + max(i - 4, 0)];
      t[threadIdx.y + 4][threadIdx.x + 36] = plane[j * n + min(i + 32, n - 1)];
    }
    __syncthreads();
    const float* at = &t[threadIdx.y + 4][threadIdx.x + 4];
    float sum = -2.847f * 3 * v[4];
#pragma unroll
    for (int r = 1; r <= 4; ++r)
      sum += (r == 1 ? 1.6f : r == 2 ? -0.2f : r == 3 ? 0.0254f : -0.00179f) * (at[r] + at[-r] + at[r * 40] + at[-r * 40] + v[4 + r] + v[4 - r]);
    if (inside) y[(k * n + j) * n + i] = sum;
  }
}
__global__ void nearest_bad(const float* a, const float* b, float* out, int n) {  // all distances of points with 32 coordinates, one by one
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 32; ++k) {
    const float d = a[k * n + i] - b[k * n + j];
    sum += d * d;
  }
  out[i * n + j] = sum;
}
__global__ void nearest_fixed(const float* a, const float* b, float* out, int n) {  // sixteen a thread, points in shared memory
  __shared__ float s[32][64], t[32][64];
  const int id = threadIdx.y * 16 + threadIdx.x;
  for (int k = id; k < 2048; k += 256) {
    s[k / 64][k % 64] = a[(k / 64) * n + blockIdx.y * 64 + k % 64];
    t[k / 64][k % 64] = b[(k / 64) * n + blockIdx.x * 64 + k % 64];
  }
  __syncthreads();
  float sum[4][4] = {};
#pragma unroll 4
  for (int k = 0; k < 32; ++k) {
    float u[4], v[4];
    for (int r = 0; r < 4; ++r) u[r] = s[k][threadIdx.y * 4 + r], v[r] = t[k][threadIdx.x + 16 * r];
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) sum[r][c] += (u[r] - v[c]) * (u[r] - v[c]);
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out[(blockIdx.y * 64 + threadIdx.y * 4 + r) * n + blockIdx.x * 64 + threadIdx.x + 16 * c] = sum[r][c];
}
__global__ void scores_bad(const float* q, const float* k, float* s, int n) {  // queries by keys of 64 numbers, a result a thread
  __shared__ float a[32][33], b[32][33];
  const int i = blockIdx.y * 32, j = blockIdx.x * 32;
  float sum = 0;
  for (int d = 0; d < 64; d += 32) {
    a[threadIdx.y][threadIdx.x] = q[(i + threadIdx.y) * 64 + d + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = k[(j + threadIdx.y) * 64 + d + threadIdx.x];
    __syncthreads();
    for (int e = 0; e < 32; ++e) sum += a[threadIdx.y][e] * b[threadIdx.x][e];
    __syncthreads();
  }
  s[(i + threadIdx.y) * n + j + threadIdx.x] = 0.125f * sum;
}
__global__ void scores_fixed(const float* q, const float* k, float* s, int n) {  // sixteen results a thread
  __shared__ float a[32][65], b[32][65];
  const int i = blockIdx.y * 64, j = blockIdx.x * 64, id = threadIdx.y * 16 + threadIdx.x;
  float sum[4][4] = {};
  for (int d = 0; d < 64; d += 32) {
    for (int m = id; m < 2048; m += 256) {
      a[m % 32][m / 32] = q[(i + m / 32) * 64 + d + m % 32];
      b[m % 32][m / 32] = k[(j + m / 32) * 64 + d + m % 32];
    }
    __syncthreads();
#pragma unroll 8
    for (int e = 0; e < 32; ++e) {
      float u[4], v[4];
      for (int r = 0; r < 4; ++r) u[r] = a[e][threadIdx.y + 16 * r], v[r] = b[e][threadIdx.x + 16 * r];
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * v[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) s[(i + threadIdx.y + 16 * r) * n + j + threadIdx.x + 16 * c] = 0.125f * sum[r][c];
}
__global__ void mixture_bad(const float* x, const float* w, float* y, int n) {  // 24 Gaussians, their numbers in global memory
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
__global__ void mixture_fixed(const float* x, const float* w, float* y, int n) {  // in shared memory, a Gaussian a load
  __shared__ float4 g[24];
  if (threadIdx.x < 24) g[threadIdx.x] = make_float4(w[3 * threadIdx.x], w[3 * threadIdx.x + 1], w[3 * threadIdx.x + 2], 0);
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = 0;
  const float v = x[id];
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    const float4 one = g[k];
    const float d = v - one.x;
    sum += one.y * (1 - d * d * one.z);
  }
  y[id] = sum;
}
