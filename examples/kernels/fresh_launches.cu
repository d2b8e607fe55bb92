// Launches that a model is judged by: first versions of kernels, then products on tensor cores, clusters, asynchronous copies and
// loops of barriers. benchmarks/gpu/launch_sets.py has their sizes.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math.h>
#include <mma.h>

#include <cstdint>
namespace cg = cooperative_groups;
using namespace nvcuda;

struct Particle { float x, y, z, vx, vy, vz, m, pad; };
#define SHARED(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))
__device__ inline void copy16(void* to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(to)), "l"(from)); }
__device__ inline void commit() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ inline void leave_under_way() { asm volatile("cp.async.wait_group %0;" ::"n"(N)); }
__device__ inline void bulk(void* to, const void* from, unsigned bytes, uint64_t* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SHARED(barrier)), "r"(bytes));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from),
               "r"(bytes), "r"(SHARED(barrier)) : "memory");
}
__device__ inline void begin(uint64_t* barrier) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SHARED(barrier)) : "memory"); }
__device__ inline void wait_for(uint64_t* barrier, unsigned phase) {
  asm volatile("{\n.reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::"r"(SHARED(barrier)),
               "r"(phase) : "memory");
}
/// A matrix descriptor without a swizzle: cores of 8 by 16 bytes, one behind the other along k.
__device__ inline uint64_t tile_at(const void* at, uint32_t leading, uint32_t stride) {
  return (SHARED(at) & 0x3ffff) >> 4 | static_cast<uint64_t>(leading >> 4) << 16 | static_cast<uint64_t>(stride >> 4) << 32;
}
__device__ inline void four_matrices(uint32_t* v, const void* at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(SHARED(at)));
}
__device__ inline void two_turned(uint32_t* v, const void* at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(SHARED(at)));
}
__device__ inline void multiply(float* d, const uint32_t* a, const uint32_t* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" {
// one thread a row
__global__ void layernorm_rows(const float* x, const float* g, const float* b, float* y, int rows, int d) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float mean = 0, var = 0;
  for (int i = 0; i < d; i++) mean += x[r * d + i];
  mean /= d;
  for (int i = 0; i < d; i++) { float t = x[r * d + i] - mean; var += t * t; }
  var /= d;
  for (int i = 0; i < d; i++) y[r * d + i] = (x[r * d + i] - mean) / sqrtf(var + 1e-5f) * g[i] + b[i];
}
// softmax, block a row, three passes, tree
__global__ void softmax_block(const float* x, float* y, int d) {
  __shared__ float red[256];
  const float* in = x + blockIdx.x * d; float* out = y + blockIdx.x * d;
  float m = -1e30f;
  for (int i = threadIdx.x; i < d; i += blockDim.x) m = fmaxf(m, in[i]);
  red[threadIdx.x] = m; __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]); __syncthreads(); }
  m = red[0]; __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < d; i += blockDim.x) sum += expf(in[i] - m);
  red[threadIdx.x] = sum; __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s]; __syncthreads(); }
  sum = red[0];
  for (int i = threadIdx.x; i < d; i += blockDim.x) out[i] = expf(in[i] - m) / sum;
}
// transpose
__global__ void transpose_plain(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) y[i * n + j] = x[j * n + i];
}
// matmul, row from threadIdx.x
__global__ void matmul_rowx(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
  c[row * n + col] = s;
}
// matmul fp16, one result a thread
__global__ void matmul_half(const __half* a, const __half* b, __half* c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k++) s += __half2float(a[row * n + k]) * __half2float(b[k * n + col]);
  c[row * n + col] = __float2half(s);
}
// histogram of bytes
__global__ void histogram_global(const unsigned char* x, unsigned* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[x[i]], 1u);
}
// k-means assignment, points row-major
__global__ void kmeans_assign(const float* p, const float* c, int* label, int n, int k, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f; int who = 0;
  for (int j = 0; j < k; j++) {
    float s = 0;
    for (int q = 0; q < d; q++) { float t = p[i * d + q] - c[j * d + q]; s += t * t; }
    if (s < best) { best = s; who = j; }
  }
  label[i] = who;
}
// decode attention, a block a head, thread a key
__global__ void decode_scores(const float* q, const float* k, float* s, int keys, int d) {
  int head = blockIdx.x;
  for (int t = threadIdx.x; t < keys; t += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < d; i++) sum += q[head * d + i] * k[(head * keys + t) * d + i];
    s[head * keys + t] = sum / sqrtf((float)d);
  }
}
// loss: every thread adds
__global__ void mse_atomic(const float* a, const float* b, float* loss, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float t = a[i] - b[i]; atomicAdd(loss, t * t / n); }
}
// rotary positions with pow, sin, cos
__global__ void rope(float* x, int tokens, int d) {
  int t = blockIdx.x, i = threadIdx.x;
  if (2 * i >= d) return;
  float f = t * powf(10000.0f, -2.0f * i / d), c = cosf(f), s = sinf(f);
  float a = x[t * d + 2 * i], b = x[t * d + 2 * i + 1];
  x[t * d + 2 * i] = a * c - b * s; x[t * d + 2 * i + 1] = a * s + b * c;
}
// quantise with doubles
__global__ void quantise(const float* x, signed char* y, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { double v = x[i] / scale; v = v > 127.0 ? 127.0 : v < -128.0 ? -128.0 : v; y[i] = (signed char)rint(v); }
}
// n-body, array of structures
__global__ void nbody(const Particle* p, float* acc, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
    float r = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float f = p[j].m / (r * r * r);
    ax += f * dx; ay += f * dy; az += f * dz;
  }
  acc[3 * i] = ax; acc[3 * i + 1] = ay; acc[3 * i + 2] = az;
}
// move particles
__global__ void move(Particle* p, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i].x += p[i].vx * dt; p[i].y += p[i].vy * dt; p[i].z += p[i].vz * dt; }
}
// cumulative sum, a thread a row
__global__ void cumsum_rows(const float* x, float* y, int rows, int d) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int i = 0; i < d; i++) { s += x[r * d + i]; y[r * d + i] = s; }
}
// convolution of images, weights in global memory
__global__ void conv5(const float* x, const float* w, float* y, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int r = -2; r <= 2; r++) for (int c = -2; c <= 2; c++) {
    int a = min(max(i + c, 0), width - 1), b = min(max(j + r, 0), height - 1);
    s += x[b * width + a] * w[(r + 2) * 5 + c + 2];
  }
  y[j * width + i] = s;
}
// tiled transpose with conflicts, 32x32 threads
__global__ void transpose_tile(const float* x, float* y, int n) {
  __shared__ float t[32][32];
  t[threadIdx.y][threadIdx.x] = x[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  y[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
// batch-norm statistics, block a channel
__global__ void bn_stats(const float* x, float* mean, float* var, int batch, int channels, int hw) {
  __shared__ float a[256], b[256];
  float s = 0, q = 0; int c = blockIdx.x;
  for (int n = 0; n < batch; n++) for (int i = threadIdx.x; i < hw; i += blockDim.x) { float v = x[(n * channels + c) * hw + i]; s += v; q += v * v; }
  a[threadIdx.x] = s; b[threadIdx.x] = q; __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < 256; i++) { s += a[i]; q += b[i]; } mean[c] = s / (batch * hw); var[c] = q / (batch * hw) - (s / (batch * hw)) * (s / (batch * hw)); }
}
// grayscale, bytes in threes
__global__ void gray(const unsigned char* rgb, unsigned char* g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) g[i] = 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2];
}
// top 8 of a row, arrays a thread
__global__ void top8(const float* x, float* y, int rows, int d) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float best[8]; for (int k = 0; k < 8; k++) best[k] = -1e30f;
  for (int i = 0; i < d; i++) {
    float v = x[i * rows + r];
    int k = 7; if (v <= best[7]) continue;
    while (k > 0 && best[k - 1] < v) { best[k] = best[k - 1]; k--; }
    best[k] = v;
  }
  for (int k = 0; k < 8; k++) y[k * rows + r] = best[k];
}
// mandelbrot
__global__ void mandel(int* out, int w, int h, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.0 + 3.0 * i / w, cy = -1.5 + 3.0 * j / h, x = 0, y = 0; int k = 0;
  while (x * x + y * y < 4.0 && k < most) { float t = x * x - y * y + cx; y = 2.0 * x * y + cy; x = t; k++; }
  out[j * w + i] = k;
}
// hillis-steele scan of a block
__global__ void scan_block(const float* x, float* y) {
  __shared__ float t[512];
  int i = threadIdx.x; t[i] = x[blockIdx.x * 512 + i]; __syncthreads();
  for (int s = 1; s < 512; s *= 2) { float v = i >= s ? t[i - s] : 0; __syncthreads(); t[i] += v; __syncthreads(); }
  y[blockIdx.x * 512 + i] = t[i];
}
// reduction with modulo
__global__ void sum_modulo(const float* x, float* y) {
  __shared__ float t[256];
  int i = threadIdx.x; t[i] = x[blockIdx.x * 256 + i]; __syncthreads();
  for (int s = 1; s < 256; s *= 2) { if (i % (2 * s) == 0) t[i] += t[i + s]; __syncthreads(); }
  if (i == 0) y[blockIdx.x] = t[0];
}
// pairwise distances
__global__ void cdist(const float* a, const float* b, float* d, int n, int m, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int q = 0; q < k; q++) { float t = a[i * k + q] - b[j * k + q]; s += t * t; }
  d[i * m + j] = sqrtf(s);
}
// collatz, lengths differ
__global__ void collatz(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = (x[i] & 65535) + 1; int k = 0;
  while (v != 1 && k < 200) { v = v & 1 ? 3 * v + 1 : v / 2; k++; }
  y[i] = k;
}
// embedding rows, a thread a token
__global__ void embed(const int* tok, const float* table, float* out, int n, int d) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  for (int i = 0; i < d; i++) out[t * d + i] = table[(tok[t] & 4095) * d + i];
}
// gelu
__global__ void gelu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float v = x[i]; y[i] = 0.5 * v * (1.0 + tanh(sqrt(2.0 / 3.14159265358979) * (v + 0.044715 * v * v * v))); }
}
// one block for everything
__global__ void dot_one(const float* a, const float* b, float* o, int n) {
  __shared__ float t[1024];
  float s = 0; for (int i = threadIdx.x; i < n; i += 1024) s += a[i] * b[i];
  t[threadIdx.x] = s; __syncthreads();
  for (int k = 512; k > 0; k /= 2) { if (threadIdx.x < k) t[threadIdx.x] += t[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) *o = t[0];
}
// index arithmetic by division
__global__ void permute4(const float* x, float* y, int a, int b, int c, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int w = i % d, r = i / d, q = r % c, s = r / c, p = s % b, o = s / b;
  y[((o * c + q) * b + p) * d + w] = x[i];
}
// game of life, bytes
__global__ void life(const unsigned char* x, unsigned char* y, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
  for (int r = -1; r <= 1; r++) for (int c = -1; c <= 1; c++) if (r || c) n += x[((j + r + h) % h) * w + (i + c + w) % w];
  y[j * w + i] = n == 3 || (n == 2 && x[j * w + i]);
}
// gemv, a thread a row
__global__ void gemv(const float* a, const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0; for (int c = 0; c < cols; c++) s += a[r * cols + c] * x[c];
  if (r < rows) y[r] = s;
}
// lstm cell, four gates side by side
__global__ void lstm(const float* g, const float* c0, float* c1, float* h1, int batch, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * n) return;
  int b = i / n, k = i % n;
  float a = 1 / (1 + expf(-g[b * 4 * n + k])), f = 1 / (1 + expf(-g[b * 4 * n + n + k])), z = tanhf(g[b * 4 * n + 2 * n + k]), o = 1 / (1 + expf(-g[b * 4 * n + 3 * n + k]));
  float c = f * c0[i] + a * z; c1[i] = c; h1[i] = o * tanhf(c);
}
// A product of halves, fragments from global memory, a warp 16 by 16.
__global__ void wmma_global(const __half* a, const __half* b, float* c, int n, int k) {
  const int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int e = 0; e < k; e += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g;
    wmma::load_matrix_sync(f, a + row * k + e, k);
    wmma::load_matrix_sync(g, b + e * n + col, n);
    wmma::mma_sync(sum, f, g, sum);
  }
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}
// Tiles of 128 by 64 in shared memory, eight warps of 32 by 32, bfloat16.
__global__ void wmma_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, int k) {
  __shared__ __align__(32) __nv_bfloat16 as[128][40], bs[32][72];
  const int t = threadIdx.x, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& line : sum) for (auto& s : line) wmma::fill_fragment(s, 0.0f);
  for (int e = 0; e < k; e += 32) {
    for (int j = t; j < 512; j += 256) *(uint4*)&as[j / 4][j % 4 * 8] = *(const uint4*)&a[(blockIdx.y * 128 + j / 4) * k + e + j % 4 * 8];
    *(uint4*)&bs[t / 8][t % 8 * 8] = *(const uint4*)&b[(e + t / 8) * n + blockIdx.x * 64 + t % 8 * 8];
    __syncthreads();
    for (int q = 0; q < 32; q += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> f[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> g[2];
      for (int s = 0; s < 2; ++s) wmma::load_matrix_sync(f[s], &as[row + 16 * s][q], 40), wmma::load_matrix_sync(g[s], &bs[q][col + 16 * s], 72);
      for (int s = 0; s < 2; ++s) for (int d = 0; d < 2; ++d) wmma::mma_sync(sum[s][d], f[s], g[d], sum[s][d]);
    }
    __syncthreads();
  }
  for (int s = 0; s < 2; ++s) for (int d = 0; d < 2; ++d)
    wmma::store_matrix_sync(&c[(blockIdx.y * 128 + row + 16 * s) * n + blockIdx.x * 64 + col + 16 * d], sum[s][d], n, wmma::mem_row_major);
}
// Bytes, 64 by 64 a block.
__global__ void wmma_bytes(const signed char* a, const signed char* b, int* c, int n, int k) {
  __shared__ __align__(32) signed char as[64][48], bs[64][48];
  const int t = threadIdx.x, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum[2][2];
  for (auto& line : sum) for (auto& s : line) wmma::fill_fragment(s, 0);
  for (int e = 0; e < k; e += 32) {
    *(uint4*)&as[t / 2][t % 2 * 16] = *(const uint4*)&a[(blockIdx.y * 64 + t / 2) * k + e + t % 2 * 16];
    *(uint4*)&bs[t / 2][t % 2 * 16] = *(const uint4*)&b[(blockIdx.x * 64 + t / 2) * k + e + t % 2 * 16];
    __syncthreads();
    for (int q = 0; q < 32; q += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> f[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> g[2];
      for (int s = 0; s < 2; ++s) wmma::load_matrix_sync(f[s], &as[row + 16 * s][q], 48), wmma::load_matrix_sync(g[s], &bs[col + 16 * s][q], 48);
      for (int s = 0; s < 2; ++s) for (int d = 0; d < 2; ++d) wmma::mma_sync(sum[s][d], f[s], g[d], sum[s][d]);
    }
    __syncthreads();
  }
  for (int s = 0; s < 2; ++s) for (int d = 0; d < 2; ++d)
    wmma::store_matrix_sync(&c[(blockIdx.y * 64 + row + 16 * s) * n + blockIdx.x * 64 + col + 16 * d], sum[s][d], n, wmma::mem_row_major);
}
// Doubles, a warp 8 by 8, from global memory.
__global__ void wmma_double(const double* a, const double* b, double* c, int n, int k) {
  const int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 4 * 8, col = blockIdx.x * 32 + warp % 4 * 8;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::fill_fragment(sum, 0.0);
  for (int e = 0; e < k; e += 4) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> g;
    wmma::load_matrix_sync(f, a + row * k + e, k);
    wmma::load_matrix_sync(g, b + e * n + col, n);
    wmma::mma_sync(sum, f, g, sum);
  }
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}
// mma.sync on tiles of 128 by 128 by 32, copied asynchronously, two under way; eight warps of 64 by 32.
__global__ void __launch_bounds__(256) mma_two_stages(const __half* a, const __half* b, float* c, int n, int k) {
  __shared__ __align__(16) __half as[2][128][40], bs[2][32][136];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = warp / 4 * 64, col = warp % 4 * 32;
  float sum[4][4][4] = {};
  const auto load = [&](int stage, int e) {
    for (int j = t; j < 512; j += 256) copy16(&as[stage][j / 4][j % 4 * 8], &a[(blockIdx.y * 128 + j / 4) * k + e + j % 4 * 8]);
    for (int j = t; j < 512; j += 256) copy16(&bs[stage][j / 16][j % 16 * 8], &b[(e + j / 16) * n + blockIdx.x * 128 + j % 16 * 8]);
    commit();
  };
  load(0, 0);
  for (int e = 0, stage = 0; e < k; e += 32, stage ^= 1) {
    if (e + 32 < k) load(stage ^ 1, e + 32), leave_under_way<1>();
    else leave_under_way<0>();
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 32; q += 16) {
      uint32_t f[4][4], g[4][2];
#pragma unroll
      for (int s = 0; s < 4; ++s) four_matrices(f[s], &as[stage][row + s * 16 + lane % 16][q + lane / 16 * 8]);
#pragma unroll
      for (int s = 0; s < 4; ++s) two_turned(g[s], &bs[stage][q + lane % 16][col + s * 8]);
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int d = 0; d < 4; ++d) multiply(sum[s][d], f[s], g[d]);
    }
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s) for (int d = 0; d < 4; ++d) {
    float* at = &c[(blockIdx.y * 128 + row + s * 16 + lane / 4) * n + blockIdx.x * 128 + col + d * 8 + lane % 4 * 2];
    *(float2*)at = make_float2(sum[s][d][0], sum[s][d][1]);
    *(float2*)(at + 8 * n) = make_float2(sum[s][d][2], sum[s][d][3]);
  }
}
// A warp group, 64 by 32 results a block, tiles by the engine of copies, no swizzle: rows of 8 by 16 bytes are copied one by one.
__global__ void __launch_bounds__(128) group_product(const __half* a, const __half* b, float* c, int n, int k) {
  __shared__ alignas(128) uint4 as[512], bs[256];  // 64 and 32 rows of 64 halves
  float d[16] = {};
  for (int e = 0; e < k; e += 64) {
    for (int j = threadIdx.x; j < 512; j += 128) as[j / 64 * 64 + j % 8 * 8 + j / 8 % 8] = ((const uint4*)(a + (blockIdx.y * 64 + j / 8) * k + e))[j % 8];
    for (int j = threadIdx.x; j < 256; j += 128) bs[j / 64 * 64 + j % 8 * 8 + j / 8 % 8] = ((const uint4*)(b + (blockIdx.x * 32 + j / 8) * k + e))[j % 8];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < 4; ++step)
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1, 0, 0;"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
                     "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                   : "l"(tile_at(as + step * 16, 128, 1024)), "l"(tile_at(bs + step * 16, 128, 1024)));
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  const int lane = threadIdx.x % 32, row = blockIdx.y * 64 + threadIdx.x / 32 * 16 + lane / 4;
  for (int j = 0; j < 4; ++j) {
    float* at = &c[row * n + blockIdx.x * 32 + j * 8 + lane % 4 * 2];
    at[0] = d[j * 4], at[1] = d[j * 4 + 1], at[8 * n] = d[j * 4 + 2], at[8 * n + 1] = d[j * 4 + 3];
  }
}
// Attention of one head of 64 by tensor cores: scores of 64 queries with all keys, their largest and their sum alone.
__global__ void scores_statistics(const __half* q, const __half* k, float* out, int keys) {
  __shared__ __align__(32) __half qs[64][72], ks[64][72];
  __shared__ __align__(32) float s[64][68];
  const int t = threadIdx.x, warp = t / 32;
  for (int j = t; j < 512; j += 128) *(uint4*)&qs[j / 8][j % 8 * 8] = ((const uint4*)q)[blockIdx.x * 512 + j];
  float most = -1e30f, sum = 0;
  for (int first = 0; first < keys; first += 64) {
    __syncthreads();
    for (int j = t; j < 512; j += 128) *(uint4*)&ks[j / 8][j % 8 * 8] = ((const uint4*)k)[first * 8 + j];
    __syncthreads();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> d[4];
    for (auto& f : d) wmma::fill_fragment(f, 0.0f);
    for (int e = 0; e < 64; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
      wmma::load_matrix_sync(f, &qs[warp * 16][e], 72);
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
        wmma::load_matrix_sync(g, &ks[j * 16][e], 72);
        wmma::mma_sync(d[j], f, g, d[j]);
      }
    }
    for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(&s[warp * 16][j * 16], d[j], 68, wmma::mem_row_major);
    __syncthreads();
    if (t < 64) for (int j = 0; j < 64; ++j) {
      const float v = s[t][j], now = fmaxf(most, v);
      sum = sum * __expf(most - now) + __expf(v - now), most = now;
    }
  }
  if (t < 64) out[(blockIdx.x * 64 + t) * 2] = most, out[(blockIdx.x * 64 + t) * 2 + 1] = sum;
}
// Rows too long for a block: a cluster of eight shares one, sums meet in shared memory of all.
__global__ void __cluster_dims__(8, 1, 1) cluster_rows(const float* x, float* y, int d) {
  __shared__ float part[8], whole;
  cg::cluster_group cluster = cg::this_cluster();
  const int row = blockIdx.x / 8, rank = cluster.block_rank(), each = d / 8;
  const float* in = x + (size_t)row * d + rank * each;
  float sum = 0;
  for (int j = threadIdx.x; j < each; j += 256) sum += in[j] * in[j];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { sum = 0; for (int j = 0; j < 8; ++j) sum += part[j]; whole = sum; }
  cluster.sync();
  float all = 0;
  for (int r = 0; r < 8; ++r) all += *cluster.map_shared_rank(&whole, r);
  cluster.sync();
  const float scale = rsqrtf(all / d + 1e-6f);
  for (int j = threadIdx.x; j < each; j += 256) y[(size_t)row * d + rank * each + j] = in[j] * scale;
}
// Bins shared out over a cluster of four, counted in each other's shared memory.
__global__ void __cluster_dims__(4, 1, 1) cluster_bins(const unsigned* k, unsigned* out, int each) {
  __shared__ unsigned bins[1024];
  cg::cluster_group cluster = cg::this_cluster();
  for (int j = threadIdx.x; j < 1024; j += 256) bins[j] = 0;
  cluster.sync();
  for (int j = 0; j < each; ++j) {
    const unsigned v = k[(blockIdx.x * each + j) * 256 + threadIdx.x] & 4095;
    atomicAdd(cluster.map_shared_rank(&bins[v & 1023], v >> 10), 1u);
  }
  cluster.sync();
  for (int j = threadIdx.x; j < 1024; j += 256) out[blockIdx.x * 1024 + j] = bins[j];
}
// A bar of 8 x 256 points over a cluster; ends come from the neighbours' shared memory.
__global__ void __cluster_dims__(8, 1, 1) cluster_heat(const float* x, float* y, int steps) {
  __shared__ float at[2][256];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, rank = cluster.block_rank();
  at[0][t] = x[blockIdx.x * 256 + t];
  cluster.sync();
  for (int s = 0; s < steps; ++s) {
    const float* now = at[s & 1];
    float left = 0, right = 0;
    if (t) left = now[t - 1];
    else if (rank) left = cluster.map_shared_rank(now, rank - 1)[255];
    if (t < 255) right = now[t + 1];
    else if (rank < 7) right = cluster.map_shared_rank(now, rank + 1)[0];
    at[1 - (s & 1)][t] = now[t] * 0.5f + (left + right) * 0.25f;
    cluster.sync();
  }
  y[blockIdx.x * 256 + t] = at[steps & 1][t];
}
// A table of 8,192 numbers over a cluster of four, looked up at any place.
__global__ void __cluster_dims__(4, 1, 1) cluster_table(const unsigned* k, const float* x, float* y, int each) {
  __shared__ float table[2048];
  cg::cluster_group cluster = cg::this_cluster();
  for (int j = threadIdx.x; j < 2048; j += 512) table[j] = x[cluster.block_rank() * 2048 + j];
  cluster.sync();
  float sum = 0;
  for (int j = 0; j < each; ++j) {
    const unsigned v = k[(blockIdx.x * each + j) * 512 + threadIdx.x];
    sum += *cluster.map_shared_rank(&table[v & 2047], v >> 11 & 3);
  }
  cluster.sync();
  y[blockIdx.x * 512 + threadIdx.x] = sum;
}
// Sums of a stream that is copied asynchronously, four tiles under way.
__global__ void copied_stream(const float4* x, float* y, int tiles) {
  __shared__ float4 room[4][256];
  const int t = threadIdx.x;
  const float4* from = x + (size_t)blockIdx.x * tiles * 256 + t;
  for (int j = 0; j < 3; ++j) copy16(&room[j][t], from + j * 256), commit();
  float sum = 0;
  for (int j = 0; j < tiles; ++j) {
    if (j + 3 < tiles) copy16(&room[(j + 3) & 3][t], from + (j + 3) * 256);
    commit();
    leave_under_way<3>();
    const float4 v = room[j & 3][t];
    sum += v.x * v.y + v.z * v.w;
  }
  y[blockIdx.x * 256 + t] = sum;
}
// Tiles of 8 KB by the engine of copies, two under way, then arithmetic on each.
__global__ void engine_stream(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float room[2][2048];
  __shared__ uint64_t full[2];
  const int t = threadIdx.x;
  const float* from = x + (size_t)blockIdx.x * tiles * 2048;
  if (t == 0) begin(&full[0]), begin(&full[1]);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  if (t == 0) for (int j = 0; j < 2; ++j) bulk(room[j], from + j * 2048, 8192, &full[j]);
  float sum = 0;
  for (int j = 0; j < tiles; ++j) {
    wait_for(&full[j & 1], j >> 1 & 1);
    for (int e = t; e < 2048; e += 256) sum = sum * 0.5f + room[j & 1][e];
    __syncthreads();
    if (t == 0 && j + 2 < tiles) bulk(room[j & 1], from + (j + 2) * 2048, 8192, &full[j & 1]);
  }
  y[blockIdx.x * 256 + t] = sum;
}
// A product of floats in tiles of 64 by 64 by 16 that are copied asynchronously, three stages.
__global__ void copied_product(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float as[3][64][20], bs[3][16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float sum[4][4] = {};
  const auto load = [&](int stage, int e) {
    if (e < k) {
      copy16(&as[stage][t / 4][t % 4 * 4], &a[(blockIdx.y * 64 + t / 4) * k + e + t % 4 * 4]);
      copy16(&bs[stage][t / 16][t % 16 * 4], &b[(e + t / 16) * n + blockIdx.x * 64 + t % 16 * 4]);
    }
    commit();
  };
  load(0, 0), load(1, 16);
  for (int e = 0, stage = 0; e < k; e += 16, stage = (stage + 1) % 3) {
    load((stage + 2) % 3, e + 32);
    leave_under_way<2>();
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 16; ++q) {
      float u[4], v[4];
#pragma unroll
      for (int s = 0; s < 4; ++s) u[s] = as[stage][ty * 4 + s][q], v[s] = bs[stage][q][tx * 4 + s];
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int d = 0; d < 4; ++d) sum[s][d] += u[s] * v[d];
    }
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s) for (int d = 0; d < 4; ++d) c[(blockIdx.y * 64 + ty * 4 + s) * n + blockIdx.x * 64 + tx * 4 + d] = sum[s][d];
}
// Elimination of a matrix of 64 by 64 a block, a barrier a pivot.
__global__ void eliminate(const float* x, float* y) {
  __shared__ float m[64][65];
  for (int j = threadIdx.x; j < 4096; j += blockDim.x) m[j / 64][j % 64] = x[blockIdx.x * 4096 + j] + (j / 64 == j % 64 ? 64.0f : 0.0f);
  __syncthreads();
  for (int p = 0; p < 63; ++p) {
    const float inverse = 1.0f / m[p][p];
    for (int r = p + 1 + threadIdx.x / 32; r < 64; r += blockDim.x / 32) {
      const float f = m[r][p] * inverse;
      for (int c = p + 1 + threadIdx.x % 32; c < 64; c += 32) m[r][c] -= f * m[p][c];
    }
    __syncthreads();
  }
  for (int j = threadIdx.x; j < 4096; j += blockDim.x) y[blockIdx.x * 4096 + j] = m[j / 64][j % 64];
}
// Shortest ways among 64 places, a graph a block.
__global__ void ways(const float* x, float* y) {
  __shared__ float d[64][64];
  for (int j = threadIdx.x; j < 4096; j += 1024) d[j / 64][j % 64] = x[blockIdx.x * 4096 + j];
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    for (int j = threadIdx.x; j < 4096; j += 1024) d[j / 64][j % 64] = fminf(d[j / 64][j % 64], d[j / 64][k] + d[k][j % 64]);
    __syncthreads();
  }
  for (int j = threadIdx.x; j < 4096; j += 1024) y[blockIdx.x * 4096 + j] = d[j / 64][j % 64];
}
// Fourier transforms of 1,024 points, ten stages in shared memory.
__global__ void fourier(const float2* x, float2* y) {
  __shared__ float2 s[1024];
  for (int j = threadIdx.x; j < 1024; j += 512) s[__brev(j) >> 22] = x[blockIdx.x * 1024 + j];
  __syncthreads();
  for (int half = 1; half < 1024; half *= 2) {
    const int j = threadIdx.x % half, at = threadIdx.x / half * 2 * half + j;
    float sn, cs;
    __sincosf(-3.14159265f * j / half, &sn, &cs);
    const float2 a = s[at], b = s[at + half];
    const float2 v = {b.x * cs - b.y * sn, b.x * sn + b.y * cs};
    s[at] = {a.x + v.x, a.y + v.y};
    s[at + half] = {a.x - v.x, a.y - v.y};
    __syncthreads();
  }
  for (int j = threadIdx.x; j < 1024; j += 512) y[blockIdx.x * 1024 + j] = s[j];
}
// A wave on a string, one barrier a step, any number of threads.
__global__ void strings(const float* x, float* y, int steps) {
  extern __shared__ float at[];
  const int t = threadIdx.x, n = blockDim.x;
  float was = x[blockIdx.x * n + t], now = was;
  for (int s = 0; s < steps; ++s) {
    float* here = at + (s & 1) * n;
    here[t] = now;
    __syncthreads();
    const float sides = (t ? here[t - 1] : 0) + (t < n - 1 ? here[t + 1] : 0);
    const float next = 0.5f * sides + now - was;
    was = now, now = next;
  }
  y[blockIdx.x * n + t] = now;
}
// Sorting of 2,048 numbers a block.
__global__ void sorted_blocks(const int* x, int* y) {
  __shared__ int s[2048];
  for (int j = threadIdx.x; j < 2048; j += 1024) s[j] = x[blockIdx.x * 2048 + j];
  __syncthreads();
  for (int k = 2; k <= 2048; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      const int a = threadIdx.x / j * 2 * j + threadIdx.x % j, b = a + j;
      const int u = s[a], v = s[b];
      if ((u > v) == ((a & k) == 0)) s[a] = v, s[b] = u;
      __syncthreads();
    }
  for (int j = threadIdx.x; j < 2048; j += 1024) y[blockIdx.x * 2048 + j] = s[j];
}
}
