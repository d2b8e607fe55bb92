// Kernels of many kinds whose counters an H200 gave, chosen before anybody knew how the emulated ones would compare: memory.
// benchmarks/gpu/unseen.py has their launches.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

struct Particle { float x, y, z; int id; float mass; };      // 20 bytes
struct Mixed { double energy; int kind; short a, b; double spin; };  // 24 bytes
__constant__ float weights[256] = {0.5f, 0.25f, 0.125f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
__device__ unsigned tickets;

extern "C" {
__global__ void stencil2d(const float* x, float* y, int n) {  // 16 x 16 tiles with a halo
  __shared__ float t[18][18];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
    int rr = (int)blockIdx.y * 16 - 1 + k / 18, cc = (int)blockIdx.x * 16 - 1 + k % 18;
    t[k / 18][k % 18] = rr >= 0 && rr < n && cc >= 0 && cc < n ? x[rr * n + cc] : 0.0f;
  }
  __syncthreads();
  int i = threadIdx.y + 1, j = threadIdx.x + 1;
  y[r * n + c] = 0.5f * t[i][j] + 0.125f * (t[i - 1][j] + t[i + 1][j] + t[i][j - 1] + t[i][j + 1]);
}
__global__ void stencil3d(const float* x, float* y, int n) {  // marches along z, planes in registers and shared memory
  __shared__ float t[10][34];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, i = threadIdx.y + 1, j = threadIdx.x + 1;
  float below = 0, here = x[r * n + c];
  for (int z = 0; z < n; ++z) {
    float above = z + 1 < n ? x[((z + 1) * n + r) * n + c] : 0;
    t[i][j] = here;
    if (threadIdx.y == 0) t[0][j] = r > 0 ? x[(z * n + r - 1) * n + c] : 0;
    if (threadIdx.y == 7) t[9][j] = r + 1 < n ? x[(z * n + r + 1) * n + c] : 0;
    if (threadIdx.x == 0) t[i][0] = c > 0 ? x[(z * n + r) * n + c - 1] : 0;
    if (threadIdx.x == 31) t[i][33] = c + 1 < n ? x[(z * n + r) * n + c + 1] : 0;
    __syncthreads();
    y[(z * n + r) * n + c] = 6 * here - below - above - t[i - 1][j] - t[i + 1][j] - t[i][j - 1] - t[i][j + 1];
    __syncthreads();
    below = here, here = above;
  }
}
__global__ void blelloch(const int* x, int* y) {  // with its bank conflicts
  __shared__ int t[512];
  int k = threadIdx.x, at = blockIdx.x * 512, offset = 1;
  t[2 * k] = x[at + 2 * k] & 15, t[2 * k + 1] = x[at + 2 * k + 1] & 15;
  for (int d = 256; d > 0; d >>= 1, offset *= 2) {
    __syncthreads();
    if (k < d) t[offset * (2 * k + 2) - 1] += t[offset * (2 * k + 1) - 1];
  }
  if (k == 0) t[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (k < d) {
      int a = offset * (2 * k + 1) - 1, b = offset * (2 * k + 2) - 1, v = t[a];
      t[a] = t[b], t[b] += v;
    }
  }
  __syncthreads();
  y[at + 2 * k] = t[2 * k], y[at + 2 * k + 1] = t[2 * k + 1];
}
__global__ void scan_shuffle(const float* x, float* y) {
  __shared__ float sums[8];
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = x[i];
  for (int o = 1; o < 32; o *= 2) { float u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0 && lane < 8) {
    float s = sums[lane];
    for (int o = 1; o < 8; o *= 2) { float u = __shfl_up_sync(0xff, s, o); if (lane >= o) s += u; }
    sums[lane] = s;
  }
  __syncthreads();
  y[i] = v + (warp ? sums[warp - 1] : 0);
}
__global__ void sort_keys(unsigned long long* x) {  // bitonic, 8-byte keys in shared memory
  __shared__ unsigned long long t[512];
  int k = threadIdx.x;
  t[k] = x[blockIdx.x * 512 + k];
  for (int size = 2; size <= 512; size *= 2)
    for (int j = size / 2; j > 0; j /= 2) {
      __syncthreads();
      int other = k ^ j;
      if (other > k && (t[k] > t[other]) == ((k & size) == 0)) { unsigned long long v = t[k]; t[k] = t[other]; t[other] = v; }
    }
  __syncthreads();
  x[blockIdx.x * 512 + k] = t[k];
}
__global__ void make_rows(int* rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = i * 2654435761u;
  if (i <= n) rows[i] = 12 * i + (h >> 29);
}
__global__ void spmv_scalar(const int* rows, const unsigned* cols, const float* v, const float* x, float* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0;
  for (int k = rows[r]; k < rows[r + 1]; ++k) s += v[k] * x[cols[k] & 0xffff];
  y[r] = s;
}
__global__ void spmv_vector(const int* rows, const unsigned* cols, const float* v, const float* x, float* y, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (r >= n) return;
  float s = 0;
  for (int k = rows[r] + warp.thread_rank(); k < rows[r + 1]; k += 32) s += v[k] * x[cols[k] & 0xffff];
  for (int o = 16; o; o /= 2) s += warp.shfl_down(s, o);
  if (warp.thread_rank() == 0) y[r] = s;
}
__global__ void triples(const float3* x, float3* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float3 v = x[i]; float l = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-6f); y[i] = make_float3(v.x * l, v.y * l, v.z * l); }
}
__global__ void particles(Particle* p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { Particle q = p[i]; q.x += dt * q.mass; q.z -= dt * q.y; q.id += 1; p[i] = q; }
}
__global__ void mixed(const Mixed* m, double* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) e[i] = m[i].energy * m[i].spin + m[i].a - m[i].b;
}
__global__ void bytes(const unsigned char* x, unsigned char* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = min(255, x[i] * 5 / 4 + 3);
}
__global__ void rgb_to_grey(const uchar3* x, unsigned char* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { uchar3 c = x[i]; y[i] = (77 * c.x + 150 * c.y + 29 * c.z) >> 8; }
}
__global__ void sobel(const unsigned char* x, unsigned char* y, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= w - 1 || r >= h - 1) return;
  const unsigned char* p = x + r * w + c;
  int gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[w - 1];
  int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w];
  y[r * w + c] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}
__global__ void bilinear(const uchar4* x, uchar4* y, int w, int h, float scale) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h) return;
  float fx = c * scale, fy = r * scale;
  int x0 = (int)fx % (w - 1), y0 = (int)fy % (h - 1);
  float ax = fx - floorf(fx), ay = fy - floorf(fy);
  uchar4 a = x[y0 * w + x0], b = x[y0 * w + x0 + 1], d = x[(y0 + 1) * w + x0], e = x[(y0 + 1) * w + x0 + 1];
  auto mix = [&](float p, float q, float s, float t) { return (unsigned char)((p * (1 - ax) + q * ax) * (1 - ay) + (s * (1 - ax) + t * ax) * ay); };
  y[r * w + c] = make_uchar4(mix(a.x, b.x, d.x, e.x), mix(a.y, b.y, d.y, e.y), mix(a.z, b.z, d.z, e.z), 255);
}
__global__ void rows1001(const float* x, float* y, int rows) {  // a warp a row; no row begins where a sector does
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r < rows) for (int c = lane; c < 1001; c += 32) y[r * 1001 + c] = 2 * x[r * 1001 + c] + 1;
}
__global__ void wide_strided(const double2* x, double2* y, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { double2 v = x[(i * stride) % n]; y[i] = make_double2(v.y, v.x); }
}
__global__ void shared_wide(double* y, int stride) {  // 8- and 16-byte accesses, some lanes off
  __shared__ double t[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i] = i;
  __syncthreads();
  double s = 0;
  for (int k = 0; k < 8; ++k) {
    s += t[(threadIdx.x * stride + k) & 1023];
    if (threadIdx.x % 3) { double2 v = reinterpret_cast<double2*>(t)[(threadIdx.x * stride + k) & 511]; s += v.x - v.y; }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void shared_bytes(const unsigned char* x, unsigned* y) {
  __shared__ unsigned char t[1024];
  __shared__ unsigned short u[1024];
  for (int k = 0; k < 4; ++k) { int i = threadIdx.x + 256 * k; t[i] = x[blockIdx.x * 1024 + i]; u[(i * 5) & 1023] = t[i] * 3; }
  __syncthreads();
  unsigned s = 0;
  for (int k = 0; k < 16; ++k) s += t[(threadIdx.x * 4 + k) & 1023] + u[(threadIdx.x * 2 + k) & 1023];
  y[blockIdx.x * 256 + threadIdx.x] = s;
}
__global__ void constants(const unsigned* u, float* y, int taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < taps; ++k) s += weights[k] + weights[(u[i] + k) & 255];
  y[i] = s;
}
__global__ void hints(const float* x, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __stcs(y + i, __ldg(x + i) + __ldcs(b + i) + __ldcg(x + n - 1 - i));
}
__global__ void volatile_flags(volatile int* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { int s = 0; for (int k = 0; k < 4; ++k) s += v[(i + k * 32) % n] & 1; v[i] = v[i] + 2 * (s > 4); }
}
__global__ void local_stack(const unsigned* u, int* y, int n) {  // a stack of bytes and one of doubles, indexed at run time
  unsigned char stack[64]; double d[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x, top = 0, s = 0;
  if (i >= n) return;
  for (int k = 0; k < 16; ++k) d[k] = k + i;
  unsigned h = u[i];
  for (int k = 0; k < 48; ++k, h = h * 1664525u + 1013904223u) {
    if (h >> 31 || top == 0) { stack[top++ & 63] = h >> 16; d[h >> 9 & 15] += 1; }
    else s += stack[--top & 63] + (int)d[h >> 5 & 15];
  }
  y[i] = s;
}
__global__ void async_two_stage(const float* x, float* y, int tiles) {  // 16-byte and 4-byte asynchronous copies
  __shared__ alignas(16) float t[2][512];
  __shared__ float w[2][128];
  const float* from = x + blockIdx.x * tiles * 512;
  auto fetch = [&](int k) {
    __pipeline_memcpy_async(&t[k & 1][threadIdx.x * 4], from + k * 512 + threadIdx.x * 4, 16);
    __pipeline_memcpy_async(&w[k & 1][threadIdx.x], from + k * 512 + ((threadIdx.x * 3) & 511), 4);
    __pipeline_commit();
  };
  fetch(0);
  float s = 0;
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) fetch(k + 1); else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    s += t[k & 1][(threadIdx.x * 7) & 511] * w[k & 1][127 - threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = s;
}
__global__ void dynamic_parts(const float* x, float* y, int n) {  // two arrays and padding in dynamic shared memory
  extern __shared__ float room[];
  float* a = room; int* b = reinterpret_cast<int*>(room + blockDim.x + 1);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[threadIdx.x] = x[i % n]; b[threadIdx.x * 2] = threadIdx.x ^ 5; b[threadIdx.x * 2 + 1] = i;
  __syncthreads();
  y[i % n] = a[b[threadIdx.x * 2] % blockDim.x] + b[threadIdx.x * 2 + 1];
}
__global__ void atomics_global(const unsigned* u, unsigned* h, unsigned long long* w, double* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = u[i], b = v & 1023;
  atomicMin(h + b, v); atomicMax(h + 1024 + b, v); atomicAnd(h + 2048 + b, v | 1); atomicOr(h + 3072 + b, v); atomicXor(h + 4096 + b, v);
  atomicAdd(w + (v >> 8 & 511), (unsigned long long)v); atomicMax(w + 512 + (v >> 8 & 511), (unsigned long long)v);
  atomicAdd(d + (v >> 4 & 255), 1.0);
}
__global__ void atomics_returned(const unsigned* u, unsigned* h, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = u[i], b = v & 4095, s = atomicAdd(h + b, 3u) & 1;
  s += atomicExch(h + 4096 + b, v) & 1; s += atomicInc(h + 8192 + b, 77) & 1; s += atomicDec(h + 12288 + b, 77) & 1; s += atomicCAS(h + 16384 + b, 0u, v) & 1;
  y[i] = s;
}
__global__ void atomics_half(const unsigned* u, __half2* h, float* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && u[i] % 3) { atomicAdd(h + (u[i] & 511), __floats2half2_rn(1, 2)); atomicAdd(f + (threadIdx.x & 7), 1.0f); }
}
__global__ void atomics_shared(const unsigned* u, float* y, int n) {
  __shared__ float f[64]; __shared__ int m[64]; __shared__ unsigned long long w[64]; __shared__ double d[32]; __shared__ unsigned c[64];
  int k = threadIdx.x;
  if (k < 64) f[k] = 0, m[k] = 0, w[k] = 0, c[k] = 0;
  if (k < 32) d[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + k; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = u[i];
    atomicMax(&m[v & 63], (int)(v >> 1)); atomicAdd(&w[v >> 6 & 63], 1ull); atomicOr(&c[v >> 12 & 63], v); atomicAdd(&f[k & 63], 1.0f); atomicAdd(&d[k & 31], 0.5);
  }
  __syncthreads();
  if (k < 64) y[blockIdx.x * 64 + k] = f[k] + m[k] + w[k] + c[k] + d[k & 31];
}
__global__ void match_histogram(const unsigned* u, unsigned* h, int n) {  // one atomic for every distinct value of a warp
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = u[i] & 15, peers = __match_any_sync(__activemask(), v);
  if (__ffs(peers) - 1 == (int)(threadIdx.x % 32)) atomicAdd(h + v, __popc(peers));
}
__global__ void compact(const unsigned* u, unsigned* out, unsigned* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && u[i] % 5 == 0;
  if (keep) {
    auto g = cg::coalesced_threads();
    unsigned at = 0;
    if (g.thread_rank() == 0) at = atomicAdd(count, g.size());
    out[g.shfl(at, 0) + g.thread_rank()] = u[i];
  }
}
__global__ void radix_count(const unsigned* u, unsigned* out, int shift) {  // 4-bit digits by ballots
  __shared__ unsigned t[8][16];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned digit = u[blockIdx.x * 256 + threadIdx.x] >> shift & 15, rank = 0;
  for (unsigned d = 0; d < 16; ++d) {
    unsigned mask = __ballot_sync(~0u, digit == d);
    if (digit == d) rank = __popc(mask & ((1u << lane) - 1));
    if (lane == 0) t[warp][d] = __popc(mask);
  }
  __syncthreads();
  unsigned before = 0;
  for (int w = 0; w < warp; ++w) before += t[w][digit];
  out[blockIdx.x * 256 + threadIdx.x] = before + rank;
}
__global__ void last_block(const float* x, float* part, float* out, int n) {  // the last block to finish adds what the others left
  __shared__ float t[8]; __shared__ bool last;
  float s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) s += t[k];
    part[blockIdx.x] = s;
    __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    s = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0;
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out, s);
  }
}
__global__ void binary_search(const unsigned* u, const int* sorted, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, key = u[i] & 0xfffff, low = 0, high = n;
  while (low < high) { int mid = (low + high) / 2; if (sorted[mid] < key) low = mid + 1; else high = mid; }
  y[i] = low;
}
__global__ void hash_insert(const unsigned* u, unsigned* table, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = u[i] | 1, at = key * 2654435761u >> 16, probes = 0;
  for (;;) {
    unsigned old = atomicCAS(table + at, 0u, key);
    if (old == 0 || old == key) break;
    at = (at + 1) & 0xffff, ++probes;
  }
  y[i] = probes & 1;
}
__global__ void transpose_bytes(const uchar4* x, uchar4* y, int n) {  // n: bytes of a row
  __shared__ unsigned char t[32][36];
  int w = n / 4, c = blockIdx.x * 8 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  uchar4 v = x[r * w + c];
  unsigned char* row = t[threadIdx.y] + threadIdx.x * 4;
  row[0] = v.x, row[1] = v.y, row[2] = v.z, row[3] = v.w;
  __syncthreads();
  int k = threadIdx.x * 4;
  y[(blockIdx.x * 32 + threadIdx.y) * w + blockIdx.y * 8 + threadIdx.x] = make_uchar4(t[k][threadIdx.y], t[k + 1][threadIdx.y], t[k + 2][threadIdx.y], t[k + 3][threadIdx.y]);
}
}  // extern "C"
