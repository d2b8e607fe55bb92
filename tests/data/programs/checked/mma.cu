// Matrix instructions of a warp, every type that the architecture has, against sums on the host.
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include "check.h"
using namespace nvcuda;
static uint32_t s_ = 12345; static int small() { return int(rnd(s_) % 9) - 4; }
template <class T> struct Of { static T from(int x) { return T(float(x) * 0.5f); } static double to(T x) { return double(float(x)); } };
template <> struct Of<int8_t> { static int8_t from(int x) { return int8_t(x * 7); } static double to(int8_t x) { return x; } };
template <> struct Of<uint8_t> { static uint8_t from(int x) { return uint8_t(x * 7 + 30); } static double to(uint8_t x) { return x; } };
template <> struct Of<double> { static double from(int x) { return x * 0.37; } static double to(double x) { return x; } };
template <> struct Of<float> { static float from(int x) { return x * 0.5f; } static double to(float x) { return x; } };
template <> struct Of<int> { static int from(int x) { return x * 11; } static double to(int x) { return x; } };
template <class T, class U, class A, int M, int N, int K, class LA, class LB> __global__ void product(const U* a, const U* b, const A* c, A* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa; wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb; wmma::fragment<wmma::accumulator, M, N, K, A> fc;
  wmma::load_matrix_sync(fa, a, std::is_same_v<LA, wmma::row_major> ? K : M); wmma::load_matrix_sync(fb, b, std::is_same_v<LB, wmma::row_major> ? N : K); wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  if constexpr (std::is_same_v<T, wmma::precision::tf32>) { for (auto& x : fa.x) x = wmma::__float_to_tf32(x); for (auto& x : fb.x) x = wmma::__float_to_tf32(x); }
  wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(d, fc, N, wmma::mem_row_major);
}
template <class T, class U, class A, int M, int N, int K, class LA, class LB> void one(const char* name) {
  std::vector<U> a(M * K), b(K * N); std::vector<A> c(M * N); for (auto& x : a) x = Of<U>::from(small()); for (auto& x : b) x = Of<U>::from(small()); for (auto& x : c) x = Of<A>::from(small());
  Dev<U> da(a), db(b); Dev<A> dc(c), dd(M * N); product<T, U, A, M, N, K, LA, LB><<<1, 32>>>(da, db, dc, dd); auto d = dd.get(); double worst = 0;
  for (int i = 0; i < M; ++i) for (int j = 0; j < N; ++j) { double sum = Of<A>::to(c[i * N + j]); for (int k = 0; k < K; ++k) sum += Of<U>::to(a[std::is_same_v<LA, wmma::row_major> ? i * K + k : k * M + i]) * Of<U>::to(b[std::is_same_v<LB, wmma::row_major> ? k * N + j : j * K + k]); worst = std::max(worst, std::fabs(sum - Of<A>::to(d[i * N + j]))); }
  EXPECT(name, worst < 1e-9); show("  digest", d);
}
template <class T, class U, class A, int M, int N, int K> void layouts(const char* n) { char t[64]; auto go = [&](const char* l) { snprintf(t, 64, "%s %dx%dx%d %s", n, M, N, K, l); return t; };
  one<T, U, A, M, N, K, wmma::row_major, wmma::col_major>(go("row col")); one<T, U, A, M, N, K, wmma::row_major, wmma::row_major>(go("row row")); one<T, U, A, M, N, K, wmma::col_major, wmma::col_major>(go("col col")); one<T, U, A, M, N, K, wmma::col_major, wmma::row_major>(go("col row")); }
template <class T, class U, class A> void shapes(const char* n) { layouts<T, U, A, 16, 16, 16>(n); layouts<T, U, A, 32, 8, 16>(n); layouts<T, U, A, 8, 32, 16>(n); }
// mma.sync: fragments by the PTX manual. AK, BK: elements of a register.
enum Kind { kF16, kBf16, kTf32, kF64, kS8, kU8, kS4, kB1, kE4, kE5 };
template <int KIND> __global__ void raw(const uint32_t* a, const uint32_t* b, uint32_t* d) {
  const int l = threadIdx.x;
#define A4 "r"(a[l * 4]), "r"(a[l * 4 + 1]), "r"(a[l * 4 + 2]), "r"(a[l * 4 + 3])
#define B2 "r"(b[l * 2]), "r"(b[l * 2 + 1])
#define F4(op) { float c[4] = {1, 2, 3, 4}; asm volatile(op " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : A4, B2); for (int i = 0; i < 4; ++i) d[l * 4 + i] = __float_as_uint(c[i]); }
#define I4(op) { int c[4] = {1, 2, 3, 4}; asm volatile(op " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : A4, B2); for (int i = 0; i < 4; ++i) d[l * 4 + i] = c[i]; }
  if constexpr (KIND == kF16) F4("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") 
  else if constexpr (KIND == kBf16) F4("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
  else if constexpr (KIND == kTf32) F4("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
  else if constexpr (KIND == kS8) I4("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
  else if constexpr (KIND == kU8) I4("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32")
  else if constexpr (KIND == kS4) I4("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32")
  else if constexpr (KIND == kB1) I4("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc")
#if __CUDA_ARCH__ >= 890
  else if constexpr (KIND == kE4) F4("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32")
  else if constexpr (KIND == kE5) F4("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32")
#endif
}
static double f16(uint32_t b) { __half_raw r; r.x = b; return __half2float(__half(r)); }
static double bf(uint32_t b) { return __builtin_bit_cast(float, b << 16); }
static double fp8(uint32_t b, bool e5) { __half_raw r = __nv_cvt_fp8_to_halfraw(b, e5 ? __NV_E5M2 : __NV_E4M3); return __half2float(__half(r)); }
static double value(int kind, bool isb, uint32_t w, int e) { switch (kind) { case kF16: return f16(w >> 16 * e & 0xffff); case kBf16: return bf(w >> 16 * e & 0xffff); case kTf32: return __builtin_bit_cast(float, w & 0xffffe000); case kS8: return int8_t(w >> 8 * e); case kU8: return isb ? int8_t(w >> 8 * e) : uint8_t(w >> 8 * e); case kS4: return isb ? double(w >> 4 * e & 15) : double(int(w << (28 - 4 * e)) >> 28); case kB1: return w >> e & 1; case kE4: return fp8(w >> 8 * e & 255, isb); default: return fp8(w >> 8 * e & 255, !isb); } }
template <int KIND, int PER, int K> void raw_test(const char* name, int least) {
  int major, minor; OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0)); OK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0)); if (major * 10 + minor < least) return;
  std::vector<uint32_t> a(128), b(64); auto word = [&](bool isb) { uint32_t w = 0; for (int e = 0; e < PER; ++e) { int x = small(); uint32_t bits; switch (KIND) { case kF16: { __half_raw r = __float2half(x * 0.5f); bits = r.x; break; } case kBf16: bits = __builtin_bit_cast(uint32_t, x * 0.5f) >> 16; break; case kTf32: bits = __builtin_bit_cast(uint32_t, x * 0.25f); break; case kS8: case kU8: bits = uint8_t(x * 13); break; case kS4: bits = x & 15; break; case kB1: bits = rnd(s_) & 1; break; case kE4: bits = __nv_cvt_float_to_fp8(x * 0.5f, __NV_SATFINITE, isb ? __NV_E5M2 : __NV_E4M3); break; default: bits = __nv_cvt_float_to_fp8(x * 0.5f, __NV_SATFINITE, isb ? __NV_E4M3 : __NV_E5M2); } w |= bits << (e * (32 / PER)) ; } return w; };
  for (auto& x : a) x = word(false); for (auto& x : b) x = word(true);
  Dev<uint32_t> da(a), db(b), dd(128); raw<KIND><<<1, 32>>>(da, db, dd); auto d = dd.get(); double worst = 0; const int half = K / 2;
  for (int l = 0; l < 32; ++l) for (int i = 0; i < 4; ++i) { const int row = l / 4 + (i / 2) * 8, col = (l % 4) * 2 + i % 2; double sum = i + 1;
    for (int k = 0; k < K; ++k) { const int kk = k % half, hi = k / half, thread = kk / PER, e = kk % PER; sum += value(KIND, false, a[((row % 8) * 4 + thread) * 4 + row / 8 + 2 * hi], e) * value(KIND, true, b[(col * 4 + thread) * 2 + hi], e); }
    const double got = KIND == kS8 || KIND == kU8 || KIND == kS4 || KIND == kB1 ? double(int(d[l * 4 + i])) : double(__builtin_bit_cast(float, d[l * 4 + i])); worst = std::max(worst, std::fabs(got - sum)); }
  EXPECT(name, worst < 1e-9); show("  digest", d);
}
__global__ void f64s(const double* a, const double* b, double* d) { const int l = threadIdx.x; double c0 = 1, c1 = 2; asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c0), "+d"(c1) : "d"(a[l]), "d"(b[l])); d[2 * l] = c0, d[2 * l + 1] = c1; }
int main() {
  shapes<__half, __half, float>("f16 f32"); shapes<__nv_bfloat16, __nv_bfloat16, float>("bf16"); shapes<int8_t, int8_t, int>("s8"); shapes<uint8_t, uint8_t, int>("u8"); layouts<wmma::precision::tf32, float, float, 16, 16, 8>("tf32"); layouts<double, double, double, 8, 8, 4>("f64");
  raw_test<kF16, 2, 16>("mma f16", 80); raw_test<kBf16, 2, 16>("mma bf16", 80); raw_test<kTf32, 1, 8>("mma tf32", 80); raw_test<kS8, 4, 32>("mma s8", 80); raw_test<kU8, 4, 32>("mma u8 s8", 80); raw_test<kS4, 8, 64>("mma s4 u4", 80); raw_test<kB1, 32, 256>("mma b1", 80); raw_test<kE4, 4, 32>("mma e4m3", 89); raw_test<kE5, 4, 32>("mma e5m2", 89);
  { std::vector<double> a(32), b(32); for (auto& x : a) x = small() * 0.3; for (auto& x : b) x = small() * 0.7; Dev<double> da(a), db(b), dd(64); f64s<<<1, 32>>>(da, db, dd); auto d = dd.get(); double w = 0; for (int l = 0; l < 32; ++l) for (int i = 0; i < 2; ++i) { double s = 1 + i; for (int k = 0; k < 4; ++k) s = std::fma(a[l / 4 * 4 + k], b[((l % 4) * 2 + i) * 4 + k], s); w = std::max(w, std::fabs(s - d[2 * l + i])); } EXPECT("mma f64", w < 1e-12); }
  return done();
}
