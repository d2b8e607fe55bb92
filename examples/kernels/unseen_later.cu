// A second lot of kernels, chosen after the counters of unseen_memory.cu and unseen_compute.cu had been mended, and before anybody
// knew how these would compare. benchmarks/gpu/unseen.py has their launches.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

__constant__ unsigned crc_table[256] = {0x77073096u, 0xee0e612cu, 0x990951bau, 0x076dc419u, 0x706af48fu, 0xe963a535u, 0x9e6495a3u, 0x0edb8832u};
struct Best { float value; int at; };
__device__ float worst_loss;
__device__ int lock;

extern "C" {
__global__ void gemm_registers(const float* a, const float* b, float* c, int n) {  // 64 x 64 tiles, 4 x 4 a thread, float4 loads
  __shared__ float ta[16][68]; __shared__ float4 tb[16][16];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float s[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    float4 v = *reinterpret_cast<const float4*>(a + (blockIdx.y * 64 + threadIdx.x / 4) * n + k0 + threadIdx.x % 4 * 4);
    int r = threadIdx.x / 4, q = threadIdx.x % 4 * 4;
    ta[q][r] = v.x, ta[q + 1][r] = v.y, ta[q + 2][r] = v.z, ta[q + 3][r] = v.w;
    tb[ty][tx] = *reinterpret_cast<const float4*>(b + (k0 + ty) * n + blockIdx.x * 64 + tx * 4);
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float4 w = tb[k][tx];
      for (int i = 0; i < 4; ++i) { float u = ta[k][ty * 4 + i]; s[i][0] += u * w.x; s[i][1] += u * w.y; s[i][2] += u * w.z; s[i][3] += u * w.w; }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(c + (blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4) = make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
}
__global__ void softmax_block(const float* x, float* y, int cols) {
  __shared__ float t[256];
  const float* r = x + blockIdx.x * cols;
  float m = -1e30f, s = 0;
  for (int c = threadIdx.x; c < cols; c += 256) { float v = r[c], big = fmaxf(m, v); s = s * __expf(m - big) + __expf(v - big); m = big; }
  t[threadIdx.x] = m;
  for (int o = 128; o; o /= 2) { __syncthreads(); if (threadIdx.x < o) t[threadIdx.x] = fmaxf(t[threadIdx.x], t[threadIdx.x + o]); }
  __syncthreads();
  float top = t[0];
  __syncthreads();
  t[threadIdx.x] = s * __expf(m - top);
  for (int o = 128; o; o /= 2) { __syncthreads(); if (threadIdx.x < o) t[threadIdx.x] += t[threadIdx.x + o]; }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 256) y[blockIdx.x * cols + c] = __expf(r[c] - top) / t[0];
}
__global__ void rms_norm(const __nv_bfloat162* x, const float* g, __nv_bfloat162* y, int pairs) {
  __shared__ float part[4];
  float s = 0;
  for (int c = threadIdx.x; c < pairs; c += 128) { float2 v = __bfloat1622float2(x[blockIdx.x * pairs + c]); s += v.x * v.x + v.y * v.y; }
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  float inv = rsqrtf((part[0] + part[1] + part[2] + part[3]) / (2 * pairs) + 1e-5f);
  for (int c = threadIdx.x; c < pairs; c += 128) {
    float2 v = __bfloat1622float2(x[blockIdx.x * pairs + c]);
    y[blockIdx.x * pairs + c] = __floats2bfloat162_rn(v.x * inv * g[2 * c], v.y * inv * g[2 * c + 1]);
  }
}
__global__ void rotary(const __half2* x, __half2* y, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i / pairs, p = i % pairs;
  float angle = at * exp2f(-13.287712f * p / pairs), s, c;
  sincosf(angle, &s, &c);
  float2 v = __half22float2(x[i]);
  y[i] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}
__global__ void embedding(const unsigned* token, const float4* table, float4* y, int words) {  // a warp a row
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float4* row = table + (token[w] & 1023) * words;
  for (int c = lane; c < words; c += 32) y[w * words + c] = row[c];
}
__global__ void cross_entropy(const float* x, const unsigned* label, float* loss, int cols) {  // a warp a row
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  float m = -1e30f, s = 0;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, x[r * cols + c]);
  for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  for (int c = lane; c < cols; c += 32) s += expf(x[r * cols + c] - m);
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) atomicAdd(loss, logf(s) + m - x[r * cols + label[r] % cols]);
}
__global__ void adam(float* w, const float* g, float* m, float* v, int n, float rate) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float d = g[i], a = 0.9f * m[i] + 0.1f * d, b = 0.999f * v[i] + 0.001f * d * d;
    m[i] = a; v[i] = b; w[i] -= rate * (a / 0.1f) / (sqrtf(b / 0.001f) + 1e-8f);
  }
}
__global__ void max_pool(const float* x, float* y, unsigned char* from, int w, int h) {  // 2 x 2 windows
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, best = 0;
  if (c >= w / 2 || r >= h / 2) return;
  float top = -1e30f;
  for (int k = 0; k < 4; ++k) { float v = x[(2 * r + k / 2) * w + 2 * c + k % 2]; if (v > top) top = v, best = k; }
  y[r * (w / 2) + c] = top; from[r * (w / 2) + c] = best;
}
__global__ void arg_max(const float* x, float* value, int* at, int n) {
  __shared__ Best t[8];
  Best b{-1e30f, -1};
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) if (x[i] > b.value) b = {x[i], i};
  for (int o = 16; o; o /= 2) {
    float v = __shfl_down_sync(~0u, b.value, o); int k = __shfl_down_sync(~0u, b.at, o);
    if (v > b.value || (v == b.value && k < b.at)) b = {v, k};
  }
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = b;
  __syncthreads();
  if (threadIdx.x == 0) { for (int k = 1; k < 8; ++k) if (t[k].value > b.value) b = t[k]; value[blockIdx.x] = b.value; at[blockIdx.x] = b.at; }
}
__global__ void top_four(const float* x, float* y, int cols) {  // a thread a row keeps its four largest
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float t[4] = {-1e30f, -1e30f, -1e30f, -1e30f};
  for (int c = 0; c < cols; ++c) {
    float v = x[r * cols + c];
    if (v <= t[3]) continue;
    t[3] = v;
    for (int k = 3; k > 0 && t[k] > t[k - 1]; --k) { float u = t[k]; t[k] = t[k - 1]; t[k - 1] = u; }
  }
  for (int k = 0; k < 4; ++k) y[r * 4 + k] = t[k];
}
__global__ void quantise(const float4* x, char4* y, float* scale, int n) {  // a warp shares a scale
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  float m = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
  for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float s = 127 / fmaxf(m, 1e-6f);
  y[i] = make_char4(__float2int_rn(v.x * s), __float2int_rn(v.y * s), __float2int_rn(v.z * s), __float2int_rn(v.w * s));
  if (threadIdx.x % 32 == 0) scale[i / 32] = 1 / s;
}
__global__ void dequantise4(const unsigned* x, __half2* y, int n) {  // eight 4-bit numbers a word
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  for (int k = 0; k < 4; ++k) {
    unsigned h = (v >> 4 * k & 0x000f000fu) | 0x64006400u;
    y[4 * i + k] = __hsub2(*reinterpret_cast<__half2*>(&h), __floats2half2_rn(1032, 1032));
  }
}
__global__ void transpose_swizzled(const float4* x, float4* y, int n) {  // n: float4 a row; 32 x 32 floats, banks by exclusive or
  __shared__ float t[32][32];
  int q = threadIdx.x, r = threadIdx.y;  // 8 x 32
  float4 v = x[(blockIdx.y * 32 + r) * n + blockIdx.x * 8 + q];
  float f[4] = {v.x, v.y, v.z, v.w};
  for (int k = 0; k < 4; ++k) t[4 * q + k][r ^ (4 * q + k)] = f[k];
  __syncthreads();
  for (int k = 0; k < 4; ++k) f[k] = t[r][(4 * q + k) ^ r];
  y[(blockIdx.x * 32 + r) * n + blockIdx.y * 8 + q] = make_float4(f[0], f[1], f[2], f[3]);
}
__global__ void attention_wmma(const __half* q, const __half* k, const __half* v, float* o, int n) {  // 16 queries a warp, 64 wide
  __shared__ __half p[16][24]; __shared__ float s[16][20], out[16][68];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fv;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fs, fo[4];
  for (int c = 0; c < 4; ++c) wmma::fill_fragment(fo[c], 0.0f);
  int lane = threadIdx.x; float sum = 0;
  for (int j = 0; j < n; j += 16) {
    wmma::fill_fragment(fs, 0.0f);
    for (int c = 0; c < 64; c += 16) {
      wmma::load_matrix_sync(fa, q + blockIdx.x * 1024 + c, 64);
      wmma::load_matrix_sync(fb, k + j * 64 + c, 64);
      wmma::mma_sync(fs, fa, fb, fs);
    }
    wmma::store_matrix_sync(&s[0][0], fs, 20, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < 256; e += 32) { float w = __expf(s[e / 16][e % 16] * 0.125f); p[e / 16][e % 16] = __float2half(w); sum += w; }
    __syncwarp();
    wmma::load_matrix_sync(fa, &p[0][0], 24);
    for (int c = 0; c < 4; ++c) { wmma::load_matrix_sync(fv, v + j * 64 + c * 16, 64); wmma::mma_sync(fo[c], fa, fv, fo[c]); }
  }
  for (int c = 0; c < 4; ++c) wmma::store_matrix_sync(&out[0][c * 16], fo[c], 68, wmma::mem_row_major);
  __syncwarp();
  for (int e = lane; e < 1024; e += 32) o[blockIdx.x * 1024 + e] = out[e / 64][e % 64] / (1 + sum);
}
__global__ void gemm_pipelined(const __half* a, const __half* b, float* c, int n) {  // cp.async into padded tiles, two stages, wmma
  __shared__ alignas(16) __half ta[2][32][24]; __shared__ alignas(16) __half tb[2][16][40];
  int t = threadIdx.x, warp = t / 32;  // 128 threads, 32 x 32 of C
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  auto fetch = [&](int k, int stage) {
    if (t < 64) __pipeline_memcpy_async(&ta[stage][t / 2][t % 2 * 8], a + (blockIdx.y * 32 + t / 2) * n + k + t % 2 * 8, 16);
    else __pipeline_memcpy_async(&tb[stage][(t - 64) / 4][t % 4 * 8], b + (k + (t - 64) / 4) * n + blockIdx.x * 32 + t % 4 * 8, 16);
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int k = 0, stage = 0; k < n; k += 16, stage ^= 1) {
    if (k + 16 < n) fetch(k + 16, stage ^ 1); else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    wmma::load_matrix_sync(fa, &ta[stage][warp / 2 * 16][0], 24);
    wmma::load_matrix_sync(fb, &tb[stage][0][warp % 2 * 16], 40);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncthreads();
  }
  wmma::store_matrix_sync(c + (blockIdx.y * 32 + warp / 2 * 16) * n + blockIdx.x * 32 + warp % 2 * 16, fc, n, wmma::mem_row_major);
}
__global__ void producer_consumer(const float* x, float* y, int rounds) {  // two warps fill, two use, by named barriers
  __shared__ float t[2][64];
  int warp = threadIdx.x / 32; float s = 0;
  for (int r = 0; r < rounds; ++r) {
    int stage = r & 1;
    if (warp < 2) {
      if (r >= 2) asm volatile("bar.sync %0, 128;" :: "r"(3 + stage));
      t[stage][threadIdx.x] = x[(blockIdx.x * rounds + r) * 64 + threadIdx.x];
      asm volatile("bar.arrive %0, 128;" :: "r"(1 + stage) : "memory");
    } else {
      asm volatile("bar.sync %0, 128;" :: "r"(1 + stage) : "memory");
      s += t[stage][threadIdx.x - 64] + t[stage][127 - threadIdx.x];
      if (r + 2 < rounds) asm volatile("bar.arrive %0, 128;" :: "r"(3 + stage) : "memory");
    }
  }
  if (warp >= 2) y[blockIdx.x * 64 + threadIdx.x - 64] = s;
}
__global__ void float_max(const float* x, float* y, int n) {  // a compare-and-swap of one's own for each thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* at = reinterpret_cast<int*>(y + i); int old = *at;
  while (__int_as_float(old) < x[i]) { int seen = atomicCAS(at, old, __float_as_int(x[i])); if (seen == old) break; old = seen; }
  y[n + i] = x[i] * 2;
}
__global__ void warp_max(const float* x, float* y) {  // one warp a block, all lanes on one address
  int i = blockIdx.x * 32 + threadIdx.x; float v = x[i];
  int* at = reinterpret_cast<int*>(y + blockIdx.x); int old = *at;
  while (__int_as_float(old) < v) { int seen = atomicCAS(at, old, __float_as_int(v)); if (seen == old) break; old = seen; }
  y[4096 + i] = v + 1;
}
__global__ void conv1d(const float* x, const float* w, float* y, int n, int taps) {
  extern __shared__ float room[];
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = threadIdx.x; k < 256 + taps - 1; k += 256) room[k] = blockIdx.x * 256 + k < n ? x[blockIdx.x * 256 + k] : 0;
  __syncthreads();
  float s = 0;
  for (int k = 0; k < taps; ++k) s += room[threadIdx.x + k] * w[k];
  y[i] = s;
}
__global__ void depthwise(const float* x, const float* w, float* y, int size) {  // 3 x 3, a channel a plane of the grid
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, p = blockIdx.z;
  if (c >= size || r >= size) return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int rr = r + k / 3 - 1, cc = c + k % 3 - 1;
    if (rr >= 0 && rr < size && cc >= 0 && cc < size) s += x[(p * size + rr) * size + cc] * w[p * 9 + k];
  }
  y[(p * size + r) * size + c] = s;
}
__global__ void crc(const unsigned char* x, unsigned* y, int bytes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned h = ~0u;
  for (int k = 0; k < bytes; ++k) h = crc_table[(h ^ x[i * bytes + k]) & 255] ^ h >> 8;
  y[i] = ~h;
}
__global__ void base64(const unsigned char* x, uchar4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[3 * i] << 16 | x[3 * i + 1] << 8 | x[3 * i + 2]; unsigned char out[4];
  for (int k = 0; k < 4; ++k) { unsigned d = v >> (18 - 6 * k) & 63; out[k] = d < 26 ? 'A' + d : d < 52 ? 'a' + d - 26 : d < 62 ? '0' + d - 52 : d == 62 ? '+' : '/'; }
  y[i] = make_uchar4(out[0], out[1], out[2], out[3]);
}
__global__ void search_text(const unsigned char* x, int* y, int n) {  // early exits at each byte
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  const unsigned char want[4] = {7, 19, 33, 2};
  if (i + 4 > n) return;
  for (; k < 4; ++k) if ((x[i + k] & 63) > want[k] + 20) break;
  if (k == 4) atomicAdd(y, 1);
  y[1 + i] = k;
}
__global__ void morton(const unsigned* x, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto spread = [](unsigned v) { v &= 1023; v = (v | v << 16) & 0x030000ffu; v = (v | v << 8) & 0x0300f00fu; v = (v | v << 4) & 0x030c30c3u; return (v | v << 2) & 0x09249249u; };
  y[i] = spread(x[i]) | spread(x[i] >> 10) << 1 | spread(x[i] >> 20) << 2;
}
__global__ void inverse3(const float* m, float* y, int n) {  // 3 x 3 matrices, nine floats each
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[9];
  for (int k = 0; k < 9; ++k) a[k] = m[9 * i + k] + (k % 4 == 0);
  float d = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]), e = 1 / d;
  y[9 * i] = (a[4] * a[8] - a[5] * a[7]) * e; y[9 * i + 1] = (a[2] * a[7] - a[1] * a[8]) * e; y[9 * i + 2] = (a[1] * a[5] - a[2] * a[4]) * e;
  y[9 * i + 3] = (a[5] * a[6] - a[3] * a[8]) * e; y[9 * i + 4] = (a[0] * a[8] - a[2] * a[6]) * e; y[9 * i + 5] = (a[2] * a[3] - a[0] * a[5]) * e;
  y[9 * i + 6] = (a[3] * a[7] - a[4] * a[6]) * e; y[9 * i + 7] = (a[1] * a[6] - a[0] * a[7]) * e; y[9 * i + 8] = (a[0] * a[4] - a[1] * a[3]) * e;
}
__global__ void spheres(const float4* s, float* y, int n, int w) {  // the nearest hit of a ray a pixel
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float dx = (c - w / 2) * 0.01f, dy = (r - w / 2) * 0.01f, l = rsqrtf(dx * dx + dy * dy + 1), near_ = 1e30f; dx *= l; dy *= l;
  for (int k = 0; k < n; ++k) {
    float4 p = s[k]; float b = p.x * dx + p.y * dy + (p.z + 2) * l, q = b * b - (p.x * p.x + p.y * p.y + (p.z + 2) * (p.z + 2) - p.w * p.w);
    if (q > 0) { float t = b - sqrtf(q); if (t > 0 && t < near_) near_ = t; }
  }
  y[r * w + c] = near_;
}
__global__ void monte_carlo(unsigned* y, int tries) {
  unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 1, inside = 0;
  for (int k = 0; k < tries; ++k) {
    h = h * 1664525u + 1013904223u; float a = (h >> 8) * 5.9604645e-8f; h = h * 1664525u + 1013904223u; float b = (h >> 8) * 5.9604645e-8f;
    if (a * a + b * b <= 1) ++inside;
  }
  inside = __reduce_add_sync(~0u, inside);
  if (threadIdx.x % 32 == 0) atomicAdd(y + (blockIdx.x & 7), inside);
}
__global__ void relax(float* x, int n, int colour) {  // red and black points in turn
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= n - 1 || r >= n - 1 || (c + r & 1) != colour) return;
  x[r * n + c] = 0.25f * (x[r * n + c - 1] + x[r * n + c + 1] + x[(r - 1) * n + c] + x[(r + 1) * n + c]);
}
__global__ void frontier(const unsigned* edges, unsigned* distance, int n, unsigned level) {  // eight neighbours a node
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (i % 37 && distance[i] != level)) return;
  for (int k = 0; k < 8; ++k) { unsigned to = edges[i * 8 + k] % n; if (atomicMax(distance + to, level + 1) == 0) edges += 0; }
}
__global__ void complex_product(const double2* x, const double2* y, double2* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { double2 a = x[i], b = y[n - 1 - i]; z[i] = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
}
__global__ void segments(const float* x, float* y, int n) {  // reductions of 16 lanes, and blocks of 96 threads
  int i = blockIdx.x * 96 + threadIdx.x; float v = i < n ? x[i] : 0;
  for (int o = 8; o; o /= 2) v += __shfl_down_sync(~0u, v, o, 16);
  if (threadIdx.x % 16 == 0 && i < n) y[i / 16] = v;
  v = __shfl_sync(~0u, v, (threadIdx.x * 3) & 15, 16);
  if (i < n) y[n + i] = v;
}
__global__ void lookup(const unsigned* u, const float* x, float* y, int n) {  // a table in shared memory, asked at random
  __shared__ float t[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) t[k] = x[k];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { unsigned v = u[i]; float f = (v & 1023) / 1024.0f; int k = v >> 10 & 2046; y[i] = t[k] + f * (t[k + 1] - t[k]); }
}
__global__ void scatter_wide(const unsigned* u, const float4* x, float4* y, float2* z, int n) {  // 16 bytes to where the lane's number says, some lanes off
  __shared__ float4 t[256]; __shared__ float2 s[256];
  int i = blockIdx.x * 256 + threadIdx.x; unsigned v = u[i];
  if (v & 3) { t[v >> 8 & 255] = x[i]; s[v >> 4 & 255] = make_float2(1, v); }
  __syncthreads();
  if (v & 5) y[i] = t[v >> 16 & 255];
  if (v & 6) z[i] = s[v >> 20 & 255];
}
}  // extern "C"

// Which half or quarter warps of wide accesses go together: the lanes on and their addresses by `kind`, at random for each block.
__device__ unsigned mixed(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__device__ bool lane_of(int kind, int* unit) {
  unsigned lane = threadIdx.x, seed = blockIdx.x * 64, step = kind & 1 ? 2 : 1;
  unsigned pair = step == 1 ? lane >> 1 : (lane >> 2 << 1 | (lane & 1)), h = mixed(seed + 7 * pair + 1000);
  bool on = mixed(seed + lane) & (kind & 8 ? 1 : 3);
  if (kind & 4) h = kind & 2 ? mixed(seed) : mixed(seed + lane + 77);  // all on one address; everybody elsewhere
  *unit = (h + (!on && (kind & 2) && !(kind & 4) ? 5 : 0)) & 255;      // lanes that are off point where their partners do, or not
  return on;
}
template <class T> __device__ void load_pairs(T* y, int kind) {
  __shared__ T t[256];
  for (int k = threadIdx.x; k < 256; k += 32) t[k] = y[k];
  __syncwarp();
  int unit; T v = y[threadIdx.x];
  if (lane_of(kind, &unit)) v = t[unit];
  y[256 + blockIdx.x * 32 + threadIdx.x] = v;
}
template <class T> __device__ void store_pairs(T* y, int kind) {
  __shared__ T t[256];
  for (int k = threadIdx.x; k < 256; k += 32) t[k] = y[k];
  __syncwarp();
  int unit; T v = y[threadIdx.x];
  if (lane_of(kind, &unit)) t[unit] = v;
  __syncwarp();
  y[256 + blockIdx.x * 32 + threadIdx.x] = t[threadIdx.x];
}
extern "C" {
__global__ void load8(double* y, int kind) { load_pairs(y, kind); }
__global__ void store8(double* y, int kind) { store_pairs(y, kind); }
__global__ void load16(float4* y, int kind) { load_pairs(y, kind); }
__global__ void store16(float4* y, int kind) { store_pairs(y, kind); }
}  // extern "C"
