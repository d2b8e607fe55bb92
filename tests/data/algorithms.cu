// Kernels whose algorithm could be another one, and honest ones that look like them: algorithms_test.py.
extern "C" __global__ void sq_naive(const float* x, const float* y, float* out, int m, int n, int k) {
  int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  float s = 0;
  for (int t = 0; t < k; ++t) { float d = x[i * k + t] - y[j * k + t]; s += d * d; }
  out[i * n + j] = s;
}
extern "C" __global__ void sq_tiled(const float* x, const float* y, float* out, int m, int n, int k) {
  __shared__ float a[16][17], b[16][17];
  int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  float s = 0;
  for (int t = 0; t < k; t += 16) {
    a[threadIdx.y][threadIdx.x] = x[i * k + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = y[(blockIdx.x * 16 + threadIdx.y) * k + t + threadIdx.x];
    __syncthreads();
    for (int u = 0; u < 16; ++u) { float d = a[threadIdx.y][u] - b[threadIdx.x][u]; s += d * d; }
    __syncthreads();
  }
  out[i * n + j] = sqrtf(s);
}
// A row in registers, the centres in shared memory, as k-means has them.
extern "C" __global__ void sq_kmeans(const float* x, const float* c, int* out, int m, int n) {
  extern __shared__ float s[];
  for (int t = threadIdx.x; t < n * 32; t += blockDim.x) s[t] = c[t];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float row[32];
  for (int t = 0; t < 32; ++t) row[t] = x[i * 32 + t];
  float best = 1e30f; int at = 0;
  for (int j = 0; j < n; ++j) {
    float sum = 0;
    #pragma unroll
    for (int t = 0; t < 32; ++t) { float d = row[t] - s[j * 32 + t]; sum += d * d; }
    if (sum < best) { best = sum; at = j; }
  }
  out[i] = at;
}
// Honest: each number is part of one difference, or all differences share the mean.
extern "C" __global__ void mse(const float* x, const float* y, float* out, int n) {
  float s = 0;
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) { float d = x[t] - y[t]; s += d * d; }
  atomicAdd(out, s);
}
extern "C" __global__ void variance(const float* x, float* out, int k) {
  const float* r = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * k;
  float m = 0; for (int t = 0; t < k; ++t) m += r[t]; m /= k;
  float s = 0; for (int t = 0; t < k; ++t) { float d = r[t] - m; s += d * d; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s / k;
}
extern "C" __global__ void nbody(const float4* p, float4* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 q = p[i]; float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    float4 b = p[j]; float dx = b.x - q.x, dy = b.y - q.y, dz = b.z - q.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f); float f = b.w * r * r * r;
    ax += f * dx; ay += f * dy; az += f * dz;
  }
  a[i] = make_float4(ax, ay, az, 0);
}
// Windows.
#define CLAMP(v, hi) min(max(v, 0), hi - 1)
extern "C" __global__ void box2d(const float* in, float* out, int w, int h, int r) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = -r; dy <= r; ++dy) for (int dx = -r; dx <= r; ++dx) s += in[CLAMP(y + dy, h) * w + CLAMP(x + dx, w)];
  out[y * w + x] = s / ((2 * r + 1) * (2 * r + 1));
}
extern "C" __global__ void gauss15(const float* __restrict__ in, const float* __restrict__ k, float* out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = -7; dy <= 7; ++dy) for (int dx = -7; dx <= 7; ++dx)
    s += k[dy + 7] * k[dx + 7] * in[CLAMP(y + dy, h) * w + CLAMP(x + dx, w)];
  out[y * w + x] = s;
}
// A window that is shorter than the turns that the compiler does at once.
extern "C" __global__ void gauss_short(const float* in, const float* k, float* out, int w, int radius) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = 0; dy <= 2 * radius; ++dy) for (int dx = 0; dx <= 2 * radius; ++dx) s += k[dy] * k[dx] * in[(y + dy) * w + x + dx];
  out[y * w + x] = s;
}
// Weights that the compiler multiplies: a product of two, and one that is none.
extern "C" __global__ void gauss7_constants(const float* in, float* out, int w) {
  const float k[4] = {0.4f, 0.24f, 0.054f, 0.0044f};
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = 0; dy < 7; ++dy) for (int dx = 0; dx < 7; ++dx) s += k[dy < 3 ? 3 - dy : dy - 3] * k[dx < 3 ? 3 - dx : dx - 3] * in[(y + dy) * w + x + dx];
  out[y * w + x] = s;
}
extern "C" __global__ void sharpen5_constants(const float* in, float* out, int w) {
  const float k[5] = {0.3f, 0.2f, 0.11f, 0.07f, 0.013f};  // by the distance from the middle along both axes together
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = 0; dy < 5; ++dy) for (int dx = 0; dx < 5; ++dx) s += k[(dy < 2 ? 2 - dy : dy - 2) + (dx < 2 ? 2 - dx : dx - 2)] * in[(y + dy) * w + x + dx];
  out[y * w + x] = s;
}
extern "C" __global__ void conv2d(const float* __restrict__ in, const float* __restrict__ k, float* out, int w, int h, int r) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = -r; dy <= r; ++dy) for (int dx = -r; dx <= r; ++dx)
    s += k[(dy + r) * (2 * r + 1) + dx + r] * in[CLAMP(y + dy, h) * w + CLAMP(x + dx, w)];
  out[y * w + x] = s;
}
extern "C" __global__ void box1d(const float* in, float* out, int n, int r) {
  int x = blockIdx.x * 256 + threadIdx.x;
  float s = 0;
  for (int d = -r; d <= r; ++d) s += in[CLAMP(x + d, n)];
  out[x] = s;
}
extern "C" __global__ void colsum(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * 256 + threadIdx.x;
  float s = 0;
  for (int y = 0; y < h; ++y) s += in[y * w + x];
  out[x] = s;
}
extern "C" __global__ void bilateral(const float* __restrict__ in, const float* __restrict__ k, float* out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0, n = 0, c = in[y * w + x];
  for (int dy = -3; dy <= 3; ++dy) for (int dx = -3; dx <= 3; ++dx) {
    float v = in[CLAMP(y + dy, h) * w + CLAMP(x + dx, w)];
    float g = k[dy + 3] * k[dx + 3] * __expf(-(v - c) * (v - c));
    s += g * v; n += g;
  }
  out[y * w + x] = s / n;
}
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  float s = 0;
  for (int t = 0; t < k; ++t) s += a[i * k + t] * b[t * n + j];
  c[i * n + j] = s;
}
extern "C" __global__ void pool2(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int dy = 0; dy < 4; ++dy) for (int dx = 0; dx < 4; ++dx) s += in[(4 * y + dy) * w + 4 * x + dx];
  out[y * (w / 4) + x] = s / 16;
}
// Running results.
extern "C" __global__ void cumsum(const float* x, float* out, int n) {
  const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  float s = 0;
  for (int t = 0; t < n; ++t) { s += x[at + t]; out[at + t] = s; }
}
extern "C" __global__ void ema(const float* x, float* out, int n, float a) {
  const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  float s = 0;
  for (int t = 0; t < n; ++t) { s = a * s + x[at + t]; out[at + t] = s; }
}
extern "C" __global__ void cummax(const int* x, int* out, int n) {
  int s = -2147483647;
  for (int t = 0; t < n; ++t) { s = max(s, x[t]); out[t] = s; }
}
// Each result is the sum of what comes before it.
extern "C" __global__ void row_starts(const int* degrees, int* starts, int n) {
  const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  int s = 0;
  for (int t = 0; t < n; ++t) { starts[at + t] = s; s += degrees[at + t] & 15; }
}
extern "C" __global__ void rnn(const float* x, float* out, int n, float a) {
  const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  float s = 0;
  for (int t = 0; t < n; ++t) { s = tanhf(a * s + x[at + t]); out[at + t] = s; }
}
extern "C" __global__ void cumsum_columns(const float* x, float* out, int n, int w) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int t = 0; t < n; ++t) { s += x[(size_t)t * w + c]; out[(size_t)t * w + c] = s; }
}
extern "C" __global__ void saxpy(const float* x, float* y, int n, float a) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) y[t] = a * x[t] + y[t];
}
// Two passes.
extern "C" __global__ void logsumexp(const float* x, float* out, int n) {
  const float* r = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  float m = -1e30f; int at = 0;
  for (int t = 0; t < n; ++t) if (r[t] > m) { m = r[t]; at = t; }
  float s = 0;
  for (int t = 0; t < n; ++t) s += expf(r[t] - m);
  out[blockIdx.x * blockDim.x + threadIdx.x] = m + logf(s) + at;
}
