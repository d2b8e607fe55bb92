// A tenth round, of kernels that people write first (histograms, scans, sorts, sparse products, filters, strings, graphs), as pairs:
// NAME_bad has one defect and NAME_fixed does not. Written before the model's answers were seen.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" {
__global__ void pixels_bad(const int* image, unsigned* bins) {  // a histogram of 256 shades, straight to memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[image[id] & 255], 1u);
}
__global__ void pixels_fixed(const int* image, unsigned* bins, int count) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x) atomicAdd(&own[image[id] & 255], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void offsets_bad(const int* degrees, int* starts, int each) {  // where each vertex's edges start: a thread a part of the graph
  const int part = blockIdx.x * blockDim.x + threadIdx.x;
  int at = 0;
  for (int v = 0; v < each; ++v) {
    starts[(size_t)part * each + v] = at;
    at += degrees[(size_t)part * each + v] & 15;
  }
}
__global__ void offsets_fixed(const int* degrees, int* starts, int each) {  // a warp a part
  const int part = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int before = 0;
  for (int v = lane; v < each; v += 32) {
    const int own = degrees[(size_t)part * each + v] & 15;
    int sum = own;
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += other;
    }
    starts[(size_t)part * each + v] = before + sum - own;
    before += __shfl_sync(~0u, sum, 31);
  }
}

__global__ void turn_ints_bad(const int* a, int* b, int rows, int columns) {  // a matrix of integers, turned
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  b[(size_t)c * rows + r] = a[(size_t)r * columns + c];
}
__global__ void turn_ints_fixed(const int* a, int* b, int rows, int columns) {
  __shared__ int tile[32][33];
  const int c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = a[(size_t)(r0 + k) * columns + c0 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) b[(size_t)(c0 + k) * rows + r0 + threadIdx.x] = tile[threadIdx.x][k];
}

__global__ void gemm_tile_bad(const float* a, const float* b, float* c, int n) {  // 16 by 16 tiles, a result a thread
  __shared__ float s[16][16], t[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[y][x] = a[row * n + k + x];
    t[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int e = 0; e < 16; ++e) sum += s[y][e] * t[e][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void gemm_tile_fixed(const float* a, const float* b, float* c, int n) {  // 64 by 64 tiles, 16 results a thread
  __shared__ float s[16][64], t[16][64];
  const int id = threadIdx.y * 16 + threadIdx.x, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int e = id; e < 1024; e += 256) {
      s[e % 16][e / 16] = a[(row + e / 16) * n + k + e % 16];
      t[e / 64][e % 64] = b[(k + e / 64) * n + col + e % 64];
    }
    __syncthreads();
    for (int e = 0; e < 16; ++e)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += s[e][threadIdx.y * 4 + i] * t[e][threadIdx.x + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + threadIdx.y * 4 + i) * n + col + threadIdx.x + 16 * j] = sum[i][j];
}

__global__ void rowsoft_bad(const float* x, float* y, int columns) {  // a thread a row
  const float* in = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * columns;
  float* out = y + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * columns;
  float most = in[0], sum = 0;
  for (int c = 1; c < columns; ++c) most = fmaxf(most, in[c]);
  for (int c = 0; c < columns; ++c) sum += __expf(in[c] - most);
  for (int c = 0; c < columns; ++c) out[c] = __expf(in[c] - most) / sum;
}
__global__ void rowsoft_fixed(const float* x, float* y, int columns) {  // a warp a row
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* in = x + (size_t)row * columns;
  float* out = y + (size_t)row * columns;
  float most = in[lane], sum = 0;
  for (int c = lane + 32; c < columns; c += 32) most = fmaxf(most, in[c]);
  for (int m = 16; m; m /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
  for (int c = lane; c < columns; c += 32) sum += __expf(in[c] - most);
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  for (int c = lane; c < columns; c += 32) out[c] = __expf(in[c] - most) / sum;
}

__global__ void boxcar_bad(const float* x, float* y, int window) {  // a moving mean: each result reads its whole window
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < window; ++k) sum += x[id + k];
  y[id] = sum / window;
}
__global__ void boxcar_fixed(const float* x, float* y, int window) {  // sums up to each number, once for 1,024 of them
  __shared__ float s[1024 + 64], totals[32];
  const int t = threadIdx.x, base = blockIdx.x * 1024, lane = t % 32;
  float v[4], sum = 0;
  for (int k = 0; k < 4; ++k) v[k] = sum += x[base + 4 * t + k];
  float upto = sum;
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  if (lane == 31) totals[t / 32] = upto;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) upto += totals[w];
  for (int k = 0; k < 4; ++k) s[4 * t + k + 1] = upto - sum + v[k];
  if (t == 0) s[0] = 0;
  __syncthreads();
  if (t < window) {
    float more = s[1024];
    for (int k = 0; k < t; ++k) more += x[base + 1024 + k];
    if (t > 0) s[1024 + t] = more;
  }
  __syncthreads();
  for (int k = t; k < 1024; k += 256) y[base + k] = (s[k + window] - s[k]) / window;
}

__global__ void treesum_bad(const float* x, float* y) {  // the tree of a first lesson: every second thread, every fourth, ...
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void treesum_fixed(const float* x, float* y) {
  __shared__ float s[8];
  const int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(~0u, v, m);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t == 0) y[blockIdx.x] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

__global__ void bitonic_bad(const int* k, int* y) {  // blocks of 512 sorted in device memory
  int* at = y + (size_t)blockIdx.x * 512;
  const int t = threadIdx.x;
  at[t] = k[(size_t)blockIdx.x * 512 + t];
  __syncthreads();
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step; step /= 2) {
      const int other = t ^ step;
      if (other > t) {
        const int a = at[t], b = at[other];
        if ((a > b) == ((t & size) == 0)) at[t] = b, at[other] = a;
      }
      __syncthreads();
    }
}
__global__ void bitonic_fixed(const int* k, int* y) {
  __shared__ int at[512];
  const int t = threadIdx.x;
  at[t] = k[(size_t)blockIdx.x * 512 + t];
  __syncthreads();
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step; step /= 2) {
      const int other = t ^ step;
      if (other > t) {
        const int a = at[t], b = at[other];
        if ((a > b) == ((t & size) == 0)) at[t] = b, at[other] = a;
      }
      __syncthreads();
    }
  y[(size_t)blockIdx.x * 512 + t] = at[t];
}

__global__ void midpoint_bad(const int* x, int* y, int width, int ranks) {  // the median of 3 by 3 pixels by counting in an array
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  int v[9];
  for (int k = 0; k < 9; ++k) v[k] = x[(r + k / 3) * width + c + k % 3] & 255;
  for (int a = 0; a < 9; ++a) {
    int b = a;
    const int now = v[a];
    while (b > 0 && v[b - 1] > now) v[b] = v[b - 1], --b;
    v[b] = now;
  }
  y[r * width + c] = v[ranks];
}
__global__ void midpoint_fixed(const int* x, int* y, int width, int ranks) {  // a network in registers
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  int v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = x[(r + k / 3) * width + c + k % 3] & 255;
#pragma unroll
  for (int round = 0; round < 9; ++round)
#pragma unroll
    for (int k = round & 1; k < 8; k += 2) {
      const int low = min(v[k], v[k + 1]);
      v[k + 1] = max(v[k], v[k + 1]);
      v[k] = low;
    }
  int out = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) out = k == ranks ? v[k] : out;
  y[r * width + c] = out;
}

__global__ void spmv_bad(const int* columns, const float* values, const float* x, float* y, int each) {  // a thread a row of 48 numbers
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += values[(size_t)row * each + k] * x[columns[(size_t)row * each + k] & 4095];
  y[row] = sum;
}
__global__ void spmv_fixed(const int* columns, const float* values, const float* x, float* y, int each) {  // sixteen lanes a row
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  float sum = 0;
  for (int k = lane; k < each; k += 16) sum += values[(size_t)row * each + k] * x[columns[(size_t)row * each + k] & 4095];
  for (int m = 8; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (lane == 0) y[row] = sum;
}

__global__ void smooth_bad(const float* x, const float* w, float* y, int width, int radius) {  // a blur of a square window
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int dy = 0; dy <= 2 * radius; ++dy)
    for (int dx = 0; dx <= 2 * radius; ++dx) sum += w[dy] * w[dx] * x[(r + dy) * width + c + dx];
  y[r * width + c] = sum;
}
__global__ void smooth_fixed(const float* x, const float* w, float* y, int width, int radius) {  // rows, then columns
  __shared__ float rows[64][32];
  const int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32 + 2 * radius; r += 8) {
    float sum = 0;
    for (int dx = 0; dx <= 2 * radius; ++dx) sum += w[dx] * x[(r0 + r) * width + c + dx];
    rows[r][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) {
    float sum = 0;
    for (int dy = 0; dy <= 2 * radius; ++dy) sum += w[dy] * rows[r + dy][threadIdx.x];
    y[(r0 + r) * width + c] = sum;
  }
}

__global__ void edges_kept_bad(const float* x, float* y, int width) {  // a bilateral filter: constants are doubles
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  const float mid = x[(r + 1) * width + c + 1];
  float sum = 0, all = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      const float v = x[(r + dy) * width + c + dx];
      const float weight = __expf(-(v - mid) * (v - mid) / (2 * 0.1 * 0.1));
      sum += weight * v, all += weight;
    }
  y[r * width + c] = sum / all;
}
__global__ void edges_kept_fixed(const float* x, float* y, int width) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  const float mid = x[(r + 1) * width + c + 1];
  float sum = 0, all = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      const float v = x[(r + dy) * width + c + dx];
      const float weight = __expf(-(v - mid) * (v - mid) / (2 * 0.1f * 0.1f));
      sum += weight * v, all += weight;
    }
  y[r * width + c] = sum / all;
}

__global__ void gravity_bad(const float* x, float* y, int bodies) {  // the third power of a distance by powf
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float px = x[3 * id], py = x[3 * id + 1], pz = x[3 * id + 2];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < bodies; ++j) {
    const float dx = x[3 * j] - px, dy = x[3 * j + 1] - py, dz = x[3 * j + 2] - pz;
    const float force = 1 / powf(dx * dx + dy * dy + dz * dz + 0.01f, 1.5f);
    ax += force * dx, ay += force * dy, az += force * dz;
  }
  y[id] = ax + ay + az;
}
__global__ void gravity_fixed(const float* x, float* y, int bodies) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float px = x[3 * id], py = x[3 * id + 1], pz = x[3 * id + 2];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < bodies; ++j) {
    const float dx = x[3 * j] - px, dy = x[3 * j + 1] - py, dz = x[3 * j + 2] - pz;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), force = inverse * inverse * inverse;
    ax += force * dx, ay += force * dy, az += force * dz;
  }
  y[id] = ax + ay + az;
}

__global__ void capitals_bad(const unsigned char* text, unsigned char* out) {  // a character a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char c = text[id];
  out[id] = c >= 'a' && c <= 'z' ? c - 32 : c;
}
__global__ void capitals_fixed(const uchar4* text, uchar4* out) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const auto up = [](unsigned char c) -> unsigned char { return c >= 'a' && c <= 'z' ? c - 32 : c; };
  const uchar4 c = text[id];
  out[id] = make_uchar4(up(c.x), up(c.y), up(c.z), up(c.w));
}

__global__ void words_bad(const int* k, int* y) {  // hashes of words of different lengths, a word a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x, length = 1 + (k[id] & 127);
  unsigned hash = 2166136261u;
  for (int j = 0; j < length; ++j) hash = (hash ^ (k[id] >> (j & 15) & 255)) * 16777619u;
  y[id] = hash;
}
__global__ void words_fixed(const int* k, int* y) {  // the same, words of like length side by side
  __shared__ unsigned char order[256];
  __shared__ int start[128];
  const int t = threadIdx.x, base = blockIdx.x * 256, mine = k[base + t] & 127;
  if (t < 128) start[t] = 0;
  __syncthreads();
  const int place = atomicAdd(&start[mine], 1);
  __syncthreads();
  if (t < 32) {
    int sum = 0, own[4];
    for (int j = 0; j < 4; ++j) own[j] = sum, sum += start[4 * t + j];
    int upto = sum;
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(~0u, upto, step);
      if (t >= step) upto += other;
    }
    for (int j = 0; j < 4; ++j) start[4 * t + j] = upto - sum + own[j];
  }
  __syncthreads();
  order[start[mine] + place] = t;
  __syncthreads();
  const int id = base + order[t], length = 1 + (k[id] & 127), word = k[id];
  unsigned hash = 2166136261u;
  for (int j = 0; j < length; ++j) hash = (hash ^ (word >> (j & 15) & 255)) * 16777619u;
  y[id] = hash;
}

__global__ void eccentric_bad(const int* distances, unsigned* most) {  // the largest of all distances
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(most, (unsigned)distances[id] & 0xffff | (unsigned)id << 16 & 0x70000000u);
}
__global__ void eccentric_fixed(const int* distances, unsigned* most, int count) {
  unsigned own = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < count; id += gridDim.x * blockDim.x)
    own = max(own, (unsigned)distances[id] & 0xffff | (unsigned)id << 16 & 0x70000000u);
  own = __reduce_max_sync(~0u, own);
  if (threadIdx.x % 32 == 0) atomicMax(most, own);
}

__global__ void dice_pi_bad(float* y, int throws) {  // throws of darts, a warp a block
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = id * 747796405u + 2891336453u;
  int hits = 0;
  for (int k = 0; k < throws; ++k) {
    s = s * 1664525u + 1013904223u;
    const float a = (s >> 8) * 5.9604645e-8f;
    s = s * 1664525u + 1013904223u;
    const float b = (s >> 8) * 5.9604645e-8f;
    hits += a * a + b * b < 1;
  }
  y[id] = hits;
}
__global__ void dice_pi_fixed(float* y, int throws) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = id * 747796405u + 2891336453u;
  int hits = 0;
  for (int k = 0; k < throws; ++k) {
    s = s * 1664525u + 1013904223u;
    const float a = (s >> 8) * 5.9604645e-8f;
    s = s * 1664525u + 1013904223u;
    const float b = (s >> 8) * 5.9604645e-8f;
    hits += a * a + b * b < 1;
  }
  y[id] = hits;
}

__global__ void colonies_bad(const int* x, int* y, int width) {  // Conway's game in blocks of 6 by 6
  const int c = blockIdx.x * 6 + threadIdx.x, r = blockIdx.y * 6 + threadIdx.y;
  int near = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      if (dx != 1 || dy != 1) near += x[(r + dy) * width + c + dx] & 1;
  y[r * width + c] = near == 3 || (near == 2 && (x[(r + 1) * width + c + 1] & 1));
}
__global__ void colonies_fixed(const int* x, int* y, int width) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  int near = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      if (dx != 1 || dy != 1) near += x[(r + dy) * width + c + dx] & 1;
  y[r * width + c] = near == 3 || (near == 2 && (x[(r + 1) * width + c + 1] & 1));
}

__global__ void matvec_bad(const float* a, const float* x, float* y, int columns, int rows) {  // eight blocks for all rows, a warp a row
  const int lane = threadIdx.x % 32;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += gridDim.x * blockDim.x / 32) {
    float sum = 0;
    for (int c = lane; c < columns; c += 32) sum += a[(size_t)row * columns + c] * x[c];
    for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
    if (lane == 0) y[row] = sum;
  }
}
__global__ void matvec_fixed(const float* a, const float* x, float* y, int columns, int rows) {
  const int lane = threadIdx.x % 32;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += gridDim.x * blockDim.x / 32) {
    float sum = 0;
    for (int c = lane; c < columns; c += 32) sum += a[(size_t)row * columns + c] * x[c];
    for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
    if (lane == 0) y[row] = sum;
  }
}

__global__ void pooled_bad(const float* x, float* y, int height, int width, int channels) {  // 2 by 2 maxima, all by one index
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = id % width, r = id / width % height, ch = id / width / height % channels, image = id / width / height / channels;
  const float* in = x + ((size_t)(image * channels + ch) * 2 * height + 2 * r) * 2 * width + 2 * c;
  y[id] = fmaxf(fmaxf(in[0], in[1]), fmaxf(in[2 * width], in[2 * width + 1]));
}
__global__ void pooled_fixed(const float* x, float* y, int height, int width, int channels) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z;
  const float* in = x + ((size_t)plane * 2 * height + 2 * r) * 2 * width + 2 * c;
  y[((size_t)plane * height + r) * width + c] = fmaxf(fmaxf(in[0], in[1]), fmaxf(in[2 * width], in[2 * width + 1]));
}

__global__ void fir_bad(const float* x, const float* w, float* y, int taps) {  // a filter whose length the compiler does not know
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
#pragma unroll 1
  for (int k = 0; k < taps; ++k) v = fmaf(v, 0.999f, 0.5f * k);
  y[id] = v;
}
__global__ void fir_fixed(const float* x, const float* w, float* y, int taps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
#pragma unroll
  for (int k = 0; k < 48; ++k) v = fmaf(v, 0.999f, 0.5f * k);
  y[id] = v;
}

__constant__ unsigned sbox[1024];
__global__ void cipher_bad(const int* k, int* y) {  // substitutions by a table in constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id];
  for (int round = 0; round < 10; ++round) v = v * 9 + round + (sbox[v & 255] ^ sbox[256 + (v >> 8 & 255)]);
  y[id] = v;
}
__global__ void cipher_fixed(const int* k, int* y) {
  __shared__ unsigned own[512];
  for (int j = threadIdx.x; j < 512; j += blockDim.x) own[j] = sbox[j];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id];
  for (int round = 0; round < 10; ++round) v = v * 9 + round + (own[v & 255] ^ own[256 + (v >> 8 & 255)]);
  y[id] = v;
}

__global__ void haar_bad(const float* x, float* y) {  // a wavelet's steps in place: strides of 2, 4, 8, ...
  __shared__ float s[1024];
  const int t = threadIdx.x;
  for (int j = t; j < 1024; j += 128) s[j] = x[(size_t)blockIdx.x * 1024 + j];
  __syncthreads();
  for (int turn = 0; turn < 8; ++turn) {
    for (int step = 1; step <= 64; step *= 2) {
      for (int j = t; j < 512 / step; j += 128) {
        const float a = s[2 * step * j], b = s[2 * step * j + step];
        s[2 * step * j] = (a + b) * 0.5f, s[2 * step * j + step] = (a - b) * 0.5f;
      }
      __syncthreads();
    }
  }
  for (int j = t; j < 1024; j += 128) y[(size_t)blockIdx.x * 1024 + j] = s[j];
}
__global__ void haar_fixed(const float* x, float* y) {  // with a gap after every 32 numbers
  __shared__ float s[1024 + 32];
  const auto at = [](int j) { return j + j / 32; };
  const int t = threadIdx.x;
  for (int j = t; j < 1024; j += 128) s[at(j)] = x[(size_t)blockIdx.x * 1024 + j];
  __syncthreads();
  for (int turn = 0; turn < 8; ++turn) {
    for (int step = 1; step <= 64; step *= 2) {
      for (int j = t; j < 512 / step; j += 128) {
        const float a = s[at(2 * step * j)], b = s[at(2 * step * j + step)];
        s[at(2 * step * j)] = (a + b) * 0.5f, s[at(2 * step * j + step)] = (a - b) * 0.5f;
      }
      __syncthreads();
    }
  }
  for (int j = t; j < 1024; j += 128) y[(size_t)blockIdx.x * 1024 + j] = s[at(j)];
}

__global__ void __launch_bounds__(1024) moments_bad(const float* x, float* y, int rounds) {  // 64 sums a thread, 1,024 threads a block
  float sum[64];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 64; ++k) sum[k] = x[id + k];
  for (int r = 0; r < rounds; ++r) {
    const float v = x[(id + r * 4096) & 0xfffff];
#pragma unroll
    for (int k = 0; k < 64; ++k) sum[k] = fmaf(sum[k], v, sum[(k + 7) & 63]);
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) all += sum[k];
  y[id] = all;
}
__global__ void __launch_bounds__(256) moments_fixed(const float* x, float* y, int rounds) {
  float sum[64];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 64; ++k) sum[k] = x[id + k];
  for (int r = 0; r < rounds; ++r) {
    const float v = x[(id + r * 4096) & 0xfffff];
#pragma unroll
    for (int k = 0; k < 64; ++k) sum[k] = fmaf(sum[k], v, sum[(k + 7) & 63]);
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) all += sum[k];
  y[id] = all;
}

__global__ void followers_bad(const int* k, const float* x, float* y) {  // pointers followed; much shared memory is asked for and hardly used
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = k[id] & 0xffffff;
  for (int step = 0; step < 6; ++step) at = k[(at ^ step * 40503) & 0x7fffff] & 0xffffff;
  room[threadIdx.x] = x[at];
  y[id] = room[threadIdx.x];
}
__global__ void followers_fixed(const int* k, const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = k[id] & 0xffffff;
  for (int step = 0; step < 6; ++step) at = k[(at ^ step * 40503) & 0x7fffff] & 0xffffff;
  y[id] = x[at];
}

__global__ void checksum_bad(const int* k, int* y, int length) {  // a thread a message, one chain
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float crc = id;
  for (int j = 0; j < length; ++j) crc = crc * 0.75f + (float)(id ^ j);
  y[id] = (int)crc;
}
__global__ void checksum_fixed(const int* k, int* y, int length) {  // four chains, put together at the end
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float crc[4] = {(float)id, 0, 0, 0};
  for (int j = 0; j < length; j += 4)
#pragma unroll
    for (int e = 0; e < 4; ++e) crc[e] = crc[e] * 0.31640625f + (float)(id ^ (j + e));
  y[id] = (int)((crc[0] * 0.421875f + crc[1] * 0.5625f) + (crc[2] * 0.75f + crc[3]));
}

__global__ void cubic_bad(const float* x, float* y, int turns) {  // products and sums kept apart
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], w = x[id + 1], u = v + w;
  for (int k = 0; k < turns; ++k) {
    v = __fadd_rn(__fmul_rn(v, 0.98f), 0.01f);
    w = __fadd_rn(__fmul_rn(w, 0.97f), v);
    u = __fadd_rn(__fmul_rn(u, 0.5f), w);
  }
  y[id] = u;
}
__global__ void cubic_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], w = x[id + 1], u = v + w;
  for (int k = 0; k < turns; ++k) {
    v = fmaf(v, 0.98f, 0.01f);
    w = fmaf(w, 0.97f, v);
    u = fmaf(u, 0.5f, w);
  }
  y[id] = u;
}

__global__ void dense_half_bad(const __half* a, const __half* b, float* c, int n) {  // a layer of halves: tiles of 32 by 32, four results a thread
  __shared__ __half s[32][32], t[32][32];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32 + x;
  float sum[4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int r = y; r < 32; r += 8) {
      s[r][x] = a[(row + r) * n + k + x];
      t[r][x] = b[(k + r) * n + col];
    }
    __syncthreads();
    for (int e = 0; e < 32; ++e) {
      const float v = __half2float(t[e][x]);
      for (int r = 0; r < 4; ++r) sum[r] += __half2float(s[y + 8 * r][e]) * v;
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) c[(row + y + 8 * r) * n + col] = sum[r];
}
__global__ void dense_half_fixed(const __half* a, const __half* b, float* c, int n) {  // a warp 32 by 32 results by tensor cores
  __shared__ __align__(32) __half s[64][40], t[32][72];
  const int id = threadIdx.x, warp = id / 32, row = blockIdx.y * 64, col = blockIdx.x * 64, wr = warp / 2 * 32, wc = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int e = id; e < 256; e += 128) {
      *(uint4*)&s[e / 4][e % 4 * 8] = *(const uint4*)&a[(row + e / 4) * n + k + e % 4 * 8];
      *(uint4*)&t[e / 8][e % 8 * 8] = *(const uint4*)&b[(k + e / 8) * n + col + e % 8 * 8];
    }
    __syncthreads();
    for (int e = 0; e < 32; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> u[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v[2];
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(u[i], &s[wr + 16 * i][e], 40), wmma::load_matrix_sync(v[i], &t[e][wc + 16 * i], 72);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], u[i], v[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::store_matrix_sync(&c[(row + wr + 16 * i) * n + col + wc + 16 * j], sum[i][j], n, wmma::mem_row_major);
}

__global__ void norms_bad(const float* x, float* y, int vectors) {  // lengths of vectors, a tree with barriers for each
  __shared__ float s[256];
  const int t = threadIdx.x;
  for (int v = 0; v < vectors; ++v) {
    const float a = x[((size_t)blockIdx.x * vectors + v) * 256 + t];
    s[t] = a * a;
    __syncthreads();
    for (int step = 128; step; step /= 2) {
      if (t < step) s[t] += s[t + step];
      __syncthreads();
    }
    if (t == 0) y[blockIdx.x * vectors + v] = sqrtf(s[0]);
    __syncthreads();
  }
}
__global__ void norms_fixed(const float* x, float* y, int vectors) {  // a warp a vector
  const int lane = threadIdx.x % 32;
  for (int v = threadIdx.x / 32; v < vectors; v += 8) {
    float sum = 0;
    for (int k = lane; k < 256; k += 32) {
      const float a = x[((size_t)blockIdx.x * vectors + v) * 256 + k];
      sum += a * a;
    }
    for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
    if (lane == 0) y[blockIdx.x * vectors + v] = sqrtf(sum);
  }
}

__global__ void nearest_bad(const float* points, const float* centres, float* y, int dims, int count) {  // distances of all points to all centres
  const int c = blockIdx.x * 16 + threadIdx.x, p = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int d = 0; d < dims; ++d) {
    const float off = points[p * dims + d] - centres[c * dims + d];
    sum += off * off;
  }
  y[(size_t)p * count + c] = sum;
}
__global__ void nearest_fixed(const float* points, const float* centres, float* y, int dims, int count) {  // tiles, 16 results a thread
  __shared__ float s[16][65], t[16][65];
  const int id = threadIdx.y * 16 + threadIdx.x, p0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int d = 0; d < dims; d += 16) {
    for (int e = id; e < 1024; e += 256) {
      s[e % 16][e / 16] = points[(p0 + e / 16) * dims + d + e % 16];
      t[e % 16][e / 16] = centres[(c0 + e / 16) * dims + d + e % 16];
    }
    __syncthreads();
    for (int e = 0; e < 16; ++e)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          const float off = s[e][threadIdx.y + 16 * i] - t[e][threadIdx.x + 16 * j];
          sum[i][j] += off * off;
        }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) y[(size_t)(p0 + threadIdx.y + 16 * i) * count + c0 + threadIdx.x + 16 * j] = sum[i][j];
}

__global__ void finale_bad(const float* x, float* y, int turns) {  // 140 blocks for 132 places
  extern __shared__ float room[];
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < turns; ++k) v = __sinf(v) + 0.5f * v;
  room[threadIdx.x] = v;
  y[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}
__global__ void finale_fixed(const float* x, float* y, int turns) {
  extern __shared__ float room[];
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < turns; ++k) v = __sinf(v) + 0.5f * v;
  room[threadIdx.x] = v;
  y[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

__global__ void heat3_bad(const float* x, float* y, int n) {  // seven points of a cube of cells, a cell a thread
  const int c = blockIdx.x * 32 + threadIdx.x + 1, r = blockIdx.y * 8 + threadIdx.y + 1, p = blockIdx.z + 1;
  const float* at = x + ((size_t)p * n + r) * n + c;
  y[((size_t)p * n + r) * n + c] = 0.4f * at[0] + 0.1f * (at[-1] + at[1] + at[-n] + at[n] + at[-n * n] + at[n * n]);
}
__global__ void heat3_fixed(const float* x, float* y, int n) {  // a column of cells a thread
  const int c = blockIdx.x * 32 + threadIdx.x + 1, r = blockIdx.y * 8 + threadIdx.y + 1, p0 = blockIdx.z * 31 + 1;
  const float* at = x + ((size_t)p0 * n + r) * n + c;
  float below = at[-n * n], here = at[0];
  for (int p = 0; p < 31; ++p, at += n * n) {
    const float above = at[n * n];
    y[((size_t)(p0 + p) * n + r) * n + c] = 0.4f * here + 0.1f * (at[-1] + at[1] + at[-n] + at[n] + below + above);
    below = here, here = above;
  }
}
}
