// Kernels of many kinds whose counters an H200 gave, chosen before anybody knew how the emulated ones would compare: arithmetic and flow.
// benchmarks/gpu/unseen.py has their launches.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ float f_square(float v) { return v * v; }
__device__ __noinline__ float f_root(float v) { return sqrtf(fabsf(v)); }
__device__ __noinline__ float f_half(float v) { return 0.5f * v + 1; }
__device__ float (*const table[3])(float) = {f_square, f_root, f_half};
struct Shape { __device__ virtual float area(float s) const = 0; };
struct Square : Shape { __device__ float area(float s) const override { return s * s; } };
struct Disc : Shape { __device__ float area(float s) const override { return 3.14159f * s * s; } };

template <class A, class B, class C> __device__ void product(const void* a, const void* b, void* c, int k, int lda, int ldb, int ldc, C fc, A fa, B fb) {
  wmma::fill_fragment(fc, 0);
  for (int i = 0; i < k; ++i) {
    wmma::load_matrix_sync(fa, reinterpret_cast<const typename A::storage_element_type*>(a), lda);
    wmma::load_matrix_sync(fb, reinterpret_cast<const typename B::storage_element_type*>(b), ldb);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(reinterpret_cast<typename C::storage_element_type*>(c), fc, ldc, wmma::mem_row_major);
}

extern "C" {
__global__ void half_math(const __half2* x, __half2* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 v = x[i], s = __float2half2_rn(0.25f);
  s = __hfma2(v, s, v); s = __hmul2(s, v); s = __hadd2(s, __float2half2_rn(1.0f)); s = __hmax2(s, __hneg2(v));
  s = h2exp(s); s = __h2div(s, __hadd2(v, __float2half2_rn(2.0f)));
  y[i] = __hsub2(s, h2sqrt(__habs2(v)));
}
__global__ void half_scalar(const __half* x, __half* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { __half v = x[i]; y[i] = v * v + __half(0.5f) * v > __half(0.1f) ? hexp(v) : hsin(v); }
}
__global__ void bf16_math(const __nv_bfloat162* x, __nv_bfloat16* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat162 v = x[i], s = __hfma2(v, v, __float2bfloat162_rn(0.5f));
  s = __hadd2(s, v); s = __hmul2(s, __float2bfloat162_rn(1.5f));
  y[2 * i] = __low2bfloat16(s) + __float2bfloat16(1.0f); y[2 * i + 1] = hexp(__high2bfloat16(s));
}
__global__ void dot_bytes(const int* a, const int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (int k = i; k < n; k += gridDim.x * blockDim.x) s = __dp4a(a[k], b[k], s), s = __dp2a_lo(a[k], b[k], s);
  c[i] = s;
}
__global__ void murmur(const unsigned* x, unsigned* y, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = i;
  for (int k = 0; k < words; ++k) {
    unsigned v = x[k * gridDim.x * blockDim.x + i] * 0xcc9e2d51u;
    v = v << 15 | v >> 17; h ^= v * 0x1b873593u; h = h << 13 | h >> 19; h = h * 5 + 0xe6546b64u;
  }
  h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u;
  y[i] = h ^ h >> 16;
}
__global__ void wmma_shapes(const __half* a, const __half* b, float* c, int k) {
  using namespace wmma;
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  product(a, b, c + w * 512, k, 16, 16, 16, fragment<accumulator, 32, 8, 16, float>(), fragment<matrix_a, 32, 8, 16, half, row_major>(), fragment<matrix_b, 32, 8, 16, half, col_major>());
  product(a, b, c + w * 512 + 256, k, 16, 32, 32, fragment<accumulator, 8, 32, 16, float>(), fragment<matrix_a, 8, 32, 16, half, row_major>(), fragment<matrix_b, 8, 32, 16, half, row_major>());
}
__global__ void wmma_types(const unsigned* a, const unsigned* b, float* c, int k) {
  using namespace wmma;
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  product(a, b, c + w * 1024, k, 16, 16, 16, fragment<accumulator, 16, 16, 16, float>(), fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>(), fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major>());
  product(a, b, c + w * 1024 + 256, k, 8, 8, 16, fragment<accumulator, 16, 16, 8, float>(), fragment<matrix_a, 16, 16, 8, precision::tf32, row_major>(), fragment<matrix_b, 16, 16, 8, precision::tf32, col_major>());
  product(a, b, c + w * 1024 + 512, k, 16, 16, 16, fragment<accumulator, 16, 16, 16, int>(), fragment<matrix_a, 16, 16, 16, signed char, row_major>(), fragment<matrix_b, 16, 16, 16, signed char, col_major>());
  product(a, b, c + w * 1024 + 768, k, 4, 4, 8, fragment<accumulator, 8, 8, 4, double>(), fragment<matrix_a, 8, 8, 4, double, row_major>(), fragment<matrix_b, 8, 8, 4, double, col_major>());
}
__global__ void mma_shared(const __half* a, const __half* b, float* c, int rounds) {  // ldmatrix, m16n8k16, padded rows
  __shared__ __half ta[16][24], tb[16][24];
  int lane = threadIdx.x;
  float s[4] = {}; unsigned x[4], y[2];
  for (int r = 0; r < rounds; ++r) {
    for (int k = lane; k < 256; k += 32) ta[k / 16][k % 16] = a[(blockIdx.x * rounds + r) * 256 + k], tb[k / 16][k % 16] = b[r * 256 + k];
    __syncwarp();
    unsigned pa = (unsigned)__cvta_generic_to_shared(&ta[lane % 16][lane / 16 * 8]), pb = (unsigned)__cvta_generic_to_shared(&tb[lane % 16][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(pb));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    __syncwarp();
  }
  for (int k = 0; k < 4; ++k) c[(blockIdx.x * 32 + lane) * 4 + k] = s[k];
}
__global__ void mma_kinds(const unsigned* a, unsigned* c, int rounds) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x[4], h[2] = {}, f[4] = {}, t[4] = {}, d[4] = {};
  for (int k = 0; k < 4; ++k) x[k] = a[at * 4 + k] & 0x3fff3fffu;
  for (int r = 0; r < rounds; ++r) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};" : "+r"(h[0]), "+r"(h[1]) : "r"(x[0]), "r"(x[1]), "r"(x[2]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(f[0]), "+r"(f[1]), "+r"(f[2]), "+r"(f[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[1]), "r"(x[2]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(t[0]), "+r"(t[1]), "+r"(t[2]), "+r"(t[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[1]), "r"(x[2]));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[1]), "r"(x[2]));
  }
  for (int k = 0; k < 4; ++k) c[at * 4 + k] = h[k & 1] ^ f[k] ^ t[k] ^ d[k];
}
__global__ void collatz(const unsigned* u, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (u[i] & 7) == 0) return;
  unsigned v = (u[i] & 1023) + 1; int steps = 0;
  while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; ++steps; if (steps > 100) break; }
  y[i] = steps;
}
__global__ void machine(const unsigned* u, float* y, int n) {  // a switch in a loop
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned code = u[i]; float v = 1;
  for (int k = 0; k < 8; ++k, code >>= 3) switch (code & 7) {
    case 0: v += 1.5f; break;
    case 1: v *= 1.25f; break;
    case 2: v = sqrtf(v); break;
    case 3: v = v > 2 ? v - 2 : v + 3; break;
    case 4: v = sinf(v); break;
    case 5: v = 1 / (1 + v * v); break;
    case 6: v = __int_as_float(__float_as_int(v) ^ 0x1000); break;
    default: continue;
  }
  y[i] = v;
}
__global__ void recursion(const unsigned* u, int* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = fibonacci(u[i] % 9); }
__global__ void pointers(const unsigned* u, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[u[i] % 3](i * 0.01f) + table[blockIdx.x % 3](1.5f);
}
__global__ void virtuals(const unsigned* u, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Square s; Disc d;
  const Shape* shape = u[i % n] & 1 ? static_cast<const Shape*>(&s) : &d;
  if (i < n) y[i] = shape->area(i * 0.25f);
}
__global__ void bits_ptx(const unsigned* u, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = u[i], b, c, d, e;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(b) : "r"(a), "r"(a << 3), "r"(a >> 5));
  asm("prmt.b32 %0, %1, %2, 0x4321;" : "=r"(c) : "r"(a), "r"(b));
  asm("bfe.u32 %0, %1, %2, 7;" : "=r"(d) : "r"(a), "r"(a & 15));
  asm("bfi.b32 %0, %1, %2, 5, 9;" : "=r"(e) : "r"(b), "r"(c));
  unsigned long long w; asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(w) : "r"(a), "r"(c), "l"((unsigned long long)d));
  y[i] = __brev(e) ^ __clz(b) ^ __popc(c) ^ __ffs(d) ^ (unsigned)(w >> 17) ^ __funnelshift_l(a, b, c & 31) ^ __byte_perm(a, e, 0x1054) ^ __usad(a, b, d) ^ __vadd4(a, c);
}
__global__ void cubes(const float* x, float* y, int n) {  // three-dimensional blocks and grid, not all full
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, s = blockIdx.z * blockDim.z + threadIdx.z;
  if (c < n && r < n && s < n) y[(s * n + r) * n + c] = x[(c * n + r) * n + s] + 1;
}
__global__ void doubles_many(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i] + 1.5;
  y[i] = sqrt(v) / (1 + v * v) + exp(-v) * sin(3 * v) + pow(v, 0.3) + log(v) + fmod(v, 0.7) + floor(v * 10) + rsqrt(v) + cbrt(v);
}
__global__ void specials(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = sinf(v * 3) + cosf(v) + tanf(v) + powf(fabsf(v) + 0.1f, 1.7f) + logf(v + 1) + log1pf(v) + expm1f(v) + erff(v) + atan2f(v, 0.3f) + asinf(v) + tgammaf(v + 2) + cbrtf(v) + fmodf(v, 0.3f) + hypotf(v, 2) + exp10f(v) + normcdff(v);
}
__global__ void big_angles(const float* x, float* y, int n) {  // some lanes need the long reduction of the argument
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float s, c; sincosf(x[i] * (i % 5 ? 100.0f : 1e7f), &s, &c); y[i] = s * c; }
}
__global__ void divisions(const float* x, const float* b, float* y, int n) {  // with denormal operands now and then
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float d = i % 11 ? b[i] : b[i] * 1e-39f; y[i] = x[i] / d + sqrtf(x[i] + 0.5f) + 1 / (x[i] + 2) + __fdividef(x[i], 3.5f); }
}
__global__ void votes(const unsigned* u, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = u[i], s = __ballot_sync(~0u, v & 1);
  s += __any_sync(~0u, (v & 1023) == 5) + __all_sync(~0u, v & 0xff) + __match_any_sync(~0u, v & 7);
  int all; s += __match_all_sync(~0u, v >> 30, &all) + all;
  s += __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v) + __reduce_and_sync(~0u, v) + __reduce_xor_sync(~0u, v);
  if (v & 2) s ^= __ballot_sync(__activemask(), v & 4);
  if (__syncthreads_or(v == 77)) s += 1;
  y[i] = s + __syncthreads_count(v & 8);
}
__global__ void groups(const float* x, const int* u, float* y, int* z) {
  auto block = cg::this_thread_block(); auto warp = cg::tiled_partition<32>(block); auto eight = cg::tiled_partition<8>(warp);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  y[i] = cg::reduce(eight, v, cg::plus<float>()) + cg::reduce(warp, v, cg::greater<float>()) + eight.shfl_xor(v, 3);
  z[i] = cg::reduce(warp, u[i] & 0xff, cg::plus<int>());
  if (u[i] & 1) { auto g = cg::coalesced_threads(); z[i] += cg::reduce(g, u[i] & 7, cg::plus<int>()) + g.size(); }
  auto part = cg::labeled_partition(warp, u[i] & 3);
  z[i] += part.size();
}
__global__ void long_division(const unsigned* u, unsigned long long* y, int n, long long d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long v = (long long)u[i] << (i % 40);
  unsigned long long w = (unsigned long long)u[i] * 0x9e3779b97f4a7c15ull;
  y[i] = v / d + v % d + w / (u[i] % 1000 + 1) + (int)u[i] / (int)(u[i] % 100 + 1) + u[i] % 37 + __umulhi(u[i], 77u) + __mul64hi(v, d);
}
__global__ void mandelbrot64(int* y, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
  double re = c * 3.0 / n - 2, im = r * 3.0 / n - 1.5, a = 0, b = 0;
  while (k < 64 && a * a + b * b < 4) { double t = a * a - b * b + re; b = 2 * a * b + im; a = t; ++k; }
  y[r * n + c] = k;
}
__global__ void queens(int* y, int n) {  // backtracking with a stack in local memory
  int i = blockIdx.x * blockDim.x + threadIdx.x, at[12], row = 2, count = 0;
  at[0] = i % n, at[1] = i / n % n;
  if (at[0] == at[1] || at[0] - at[1] == 1 || at[1] - at[0] == 1) { y[i] = 0; return; }
  at[2] = -1;
  while (row >= 2) {
    bool fits = false;
    while (++at[row] < n) {
      fits = true;
      for (int k = 0; k < row; ++k) if (at[k] == at[row] || abs(at[k] - at[row]) == row - k) { fits = false; break; }
      if (fits) break;
    }
    if (!fits) { --row; continue; }
    if (row == n - 1) ++count; else at[++row] = -1;
  }
  y[i] = count;
}
__global__ void philox(unsigned* y, unsigned key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 c = make_uint4(i, 0, 0, 0); uint2 k = make_uint2(key, key ^ 0x1234u);
  for (int r = 0; r < 10; ++r) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0); k.x += 0x9E3779B9u; k.y += 0xBB67AE85u;
  }
  reinterpret_cast<uint4*>(y)[i] = c;
}
__global__ void insertion(const unsigned* u, unsigned* y) {
  unsigned a[16]; int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 16; ++k) a[k] = u[i * 16 + k];
  for (int k = 1; k < 16; ++k) { unsigned v = a[k]; int j = k; while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; --j; } a[j] = v; }
  for (int k = 0; k < 16; ++k) y[i * 16 + k] = a[k];
}
__global__ void edit_distance(const unsigned* u, int* y) {  // anti-diagonals of a 128 x 128 table in shared memory
  __shared__ int d[3][130]; __shared__ unsigned char a[128], b[128];
  int k = threadIdx.x;
  a[k] = u[blockIdx.x * 256 + k] & 3, b[k] = u[blockIdx.x * 256 + 128 + k] & 3;
  if (k == 0) d[0][0] = 0, d[1][0] = 1, d[1][1] = 1;
  __syncthreads();
  for (int s = 2; s <= 256; ++s) {
    int *now = d[s % 3], *one = d[(s + 2) % 3], *two = d[(s + 1) % 3], i = k + 1, j = s - i;
    if (j >= 1 && j <= 128) now[i] = min(min(one[i], one[i - 1]) + 1, two[i - 1] + (a[i - 1] != b[j - 1]));
    if (k == 0 && s <= 128) now[0] = s;
    if (j == 0) now[i] = i;
    __syncthreads();
  }
  if (k == 0) y[blockIdx.x] = d[256 % 3][128];
}
__global__ void fft256(const float2* x, float2* y) {  // radix 2, in shared memory
  __shared__ float2 t[256];
  int k = threadIdx.x;
  for (int h = 0; h < 2; ++h) t[__brev(k + 128 * h) >> 24] = x[blockIdx.x * 256 + k + 128 * h];
  for (int m = 1; m < 256; m *= 2) {
    __syncthreads();
    int j = k % m, at = k / m * 2 * m + j; float s, c;
    __sincosf(-3.14159265f * j / m, &s, &c);
    float2 a = t[at], b = t[at + m], w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    t[at] = make_float2(a.x + w.x, a.y + w.y); t[at + m] = make_float2(a.x - w.x, a.y - w.y);
  }
  __syncthreads();
  for (int h = 0; h < 2; ++h) y[blockIdx.x * 256 + k + 128 * h] = t[k + 128 * h];
}
__global__ void lu16(const float* x, float* y) {  // a 16 x 16 matrix a block
  __shared__ float a[16][17];
  int r = threadIdx.y, c = threadIdx.x;
  a[r][c] = x[blockIdx.x * 256 + r * 16 + c] + (r == c ? 8 : 0);
  for (int k = 0; k < 15; ++k) {
    __syncthreads();
    if (c == k && r > k) a[r][k] /= a[k][k];
    __syncthreads();
    if (r > k && c > k) a[r][c] -= a[r][k] * a[k][c];
  }
  y[blockIdx.x * 256 + r * 16 + c] = a[r][c];
}
__global__ void nearest(const float4* x, const float4* centres, int* y, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  if (i >= n) return;
  float4 p = x[i]; float least = 1e30f;
  for (int j = 0; j < k; ++j) {
    float4 c = centres[j]; float a = p.x - c.x, b = p.y - c.y, d = p.z - c.z, e = p.w - c.w, s = a * a + b * b + d * d + e * e;
    if (s < least) least = s, best = j;
  }
  y[i] = best;
}
__global__ void life(const unsigned* x, unsigned* y, int words, int rows) {  // 32 cells a word
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned out = 0;
  for (int bit = 0; bit < 32; ++bit) {
    int alive = 0;
    for (int dr = -1; dr <= 1; ++dr) for (int dc = -1; dc <= 1; ++dc) {
      int col = (c * 32 + bit + dc + words * 32) % (words * 32), row = (r + dr + rows) % rows;
      if (dr || dc) alive += x[row * words + col / 32] >> col % 32 & 1;
    }
    if (alive == 3 || (alive == 2 && x[r * words + c] >> bit & 1)) out |= 1u << bit;
  }
  y[r * words + c] = out;
}
__global__ void __launch_bounds__(256, 4) tridiagonal(const float* x, const float* b, float* y, int n, int m) {  // a thread a system, interleaved
  int i = blockIdx.x * blockDim.x + threadIdx.x; float c = 0, d = 0;
  for (int k = 0; k < m; ++k) { float w = 1 / (4 + b[k * n + i] - c); c = w; d = (x[k * n + i] - d) * w; y[k * n + i] = d; }
  float v = 0;
  for (int k = m - 1; k >= 0; --k) { v = y[k * n + i] - 0.25f * v; y[k * n + i] = v; }
}
__global__ void conversions(const float* x, const double* d, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] * 300; double w = d[i] * 1e6;
  y[i] = (unsigned char)(int)v + (short)v + __float2int_rn(v) + __double2int_rz(w) + (unsigned)(long long)w + (unsigned)((float)w > v) + __float2uint_ru(fabsf(v)) + __half_as_ushort(__float2half(v)) + (unsigned)__double2float_rd(w);
}
__global__ void odd_warps(const float* x, float* y) {  // blocks of 50 threads, divergence around shuffles
  int i = blockIdx.x * 50 + threadIdx.x; float v = x[i];
  if (threadIdx.x % 7 < 3) { v = v * 3 + __shfl_xor_sync(__activemask(), v, 1); v = v > 0 ? v / 7 : -v; } else v = fmaf(v, 0.3f, 1);
  __syncwarp(__activemask());
  y[i] = v;
}
}  // extern "C"
