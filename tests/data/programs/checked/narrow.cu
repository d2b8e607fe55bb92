// Conversions to and from 16, 8, 6 and 4 bits against the host code of the same headers, over all inputs of 16 bits.
// The host gives other NaNs of doubles than a GPU, so the H100 prints "FAILED" too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "check.h"
struct O {
  uint32_t v[40];
};
__host__ __device__ inline uint32_t bits(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
__host__ __device__ inline float fl(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}
__host__ __device__ inline uint16_t hb(__half h) { return __half_raw(h).x; }
__host__ __device__ inline uint16_t bb(__nv_bfloat16 h) { return __nv_bfloat16_raw(h).x; }
__host__ __device__ void from_float(uint32_t u, uint32_t w, uint32_t* o) {
  float f = fl(u), g = fl(w);
  int k = 0;
  float2 fg = make_float2(f, g);
  o[k++] = hb(__float2half_rn(f));
  o[k++] = hb(__float2half_rz(f));
  o[k++] = hb(__float2half_rd(f));
  o[k++] = hb(__float2half_ru(f));
  o[k++] = bb(__float2bfloat16_rn(f));
  o[k++] = bb(__float2bfloat16_rz(f));
  o[k++] = bb(__float2bfloat16_rd(f));
  o[k++] = bb(__float2bfloat16_ru(f));
  o[k++] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
  o[k++] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3);
  o[k++] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
  o[k++] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2);
  o[k++] = __nv_cvt_float2_to_fp8x2(fg, __NV_SATFINITE, __NV_E4M3);
  o[k++] = __nv_cvt_float2_to_fp8x2(fg, __NV_SATFINITE, __NV_E5M2);
  o[k++] = __nv_cvt_float_to_fp6(f, __NV_E2M3, cudaRoundNearest);
  o[k++] = __nv_cvt_float_to_fp6(f, __NV_E3M2, cudaRoundNearest);
  o[k++] = __nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest);
  o[k++] = __nv_cvt_float2_to_fp4x2(fg, __NV_E2M1, cudaRoundNearest);
  o[k++] = __nv_cvt_float2_to_fp6x2(fg, __NV_E3M2, cudaRoundNearest);
  o[k++] = __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundZero);
  o[k++] = __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf);
  o[k++] = __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundZero);
  o[k++] = __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundPosInf);
  double d = (double)f * 1.0000000001;
  o[k++] = hb(__double2half(d));
  o[k++] = bb(__double2bfloat16(d));
  o[k++] = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E4M3);
  o[k++] = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E5M2);
  o[k++] = __nv_cvt_double_to_fp6(d, __NV_E3M2, cudaRoundNearest);
  o[k++] = __nv_cvt_double_to_fp4(d, __NV_E2M1, cudaRoundNearest);
}
__host__ __device__ void from_16(uint16_t x, uint32_t* o) {
  __half h = __ushort_as_half(x);
  __nv_bfloat16 b = __ushort_as_bfloat16(x);
  int k = 0;
  __half_raw hr;
  hr.x = x;
  __nv_bfloat16_raw br;
  br.x = x;
  o[k++] = bits(__half2float(h));
  o[k++] = bits(__bfloat162float(b));

#ifdef __CUDA_ARCH__
  o[k++] = __half2int_rn(h);
  o[k++] = __half2int_rz(h);
  o[k++] = __half2int_rd(h);
  o[k++] = __half2int_ru(h);
  o[k++] = __half2uint_rn(h);
  o[k++] = __half2uint_rz(h);
  o[k++] = (uint16_t)__half2short_rn(h);
  o[k++] = __half2ushort_rz(h);
  o[k++] = (uint32_t)__half2ll_rn(h);
  o[k++] = (uint32_t)(__half2ull_ru(h));
#else
  for (int j = 0; j < 10; ++j) o[k++] = 0xabababab;
#endif

#ifdef __CUDA_ARCH__
  o[k++] = __bfloat162int_rn(b);
  o[k++] = __bfloat162int_rz(b);
  o[k++] = __bfloat162uint_rn(b);
  o[k++] = (uint16_t)__bfloat162short_rd(b);
  o[k++] = (uint32_t)(__bfloat162ll_rz(b) >> 32);
  o[k++] = (uint32_t)__bfloat162ull_rn(b);
#else
  for (int j = 0; j < 6; ++j) o[k++] = 0xabababab;
#endif

#ifdef __CUDA_ARCH__
  o[k++] = hb(__int2half_rn((int)x * 37 - 99999));
  o[k++] = hb(__uint2half_rz(x * 65537u));
  o[k++] = hb(__ll2half_rn((long long)x * x * x));
  o[k++] = bb(__int2bfloat16_rn((int)x * 30011));
  o[k++] = bb(__uint2bfloat16_ru(x * 65537u));
  o[k++] = bb(__ll2bfloat16_rn((long long)x * x * x * -1));
  o[k++] = hb(__short2half_rd((short)x));
  o[k++] = bb(__ushort2bfloat16_rz(x));
#else
  for (int j = 0; j < 8; ++j) o[k++] = 0xabababab;
#endif

  o[k++] = __nv_cvt_halfraw_to_fp8(hr, __NV_SATFINITE, __NV_E4M3);
  o[k++] = __nv_cvt_halfraw_to_fp8(hr, __NV_SATFINITE, __NV_E5M2);
  o[k++] = __nv_cvt_bfloat16raw_to_fp8(br, __NV_SATFINITE, __NV_E4M3);
  o[k++] = __nv_cvt_bfloat16raw_to_fp8(br, __NV_NOSAT, __NV_E5M2);
  o[k++] = __nv_cvt_halfraw_to_fp6(hr, __NV_E2M3, cudaRoundNearest);
  o[k++] = __nv_cvt_bfloat16raw_to_fp4(br, __NV_E2M1, cudaRoundNearest);
  o[k++] = __nv_cvt_bfloat16raw_to_e8m0(br, __NV_SATFINITE, cudaRoundPosInf);
  o[k++] = __nv_cvt_halfraw_to_fp4(hr, __NV_E2M1, cudaRoundNearest);
}
__host__ __device__ void from_8(uint16_t x, uint32_t* o) {
  int k = 0;
  __half2_raw r;
  o[k++] = __nv_cvt_fp8_to_halfraw(x, __NV_E4M3).x;
  o[k++] = __nv_cvt_fp8_to_halfraw(x, __NV_E5M2).x;
  r = __nv_cvt_fp8x2_to_halfraw2(x, __NV_E4M3);
  o[k++] = r.x | r.y << 16;
  r = __nv_cvt_fp8x2_to_halfraw2(x, __NV_E5M2);
  o[k++] = r.x | r.y << 16;
  o[k++] = __nv_cvt_fp6_to_halfraw(x & 63, __NV_E2M3).x;
  o[k++] = __nv_cvt_fp6_to_halfraw(x & 63, __NV_E3M2).x;
  r = __nv_cvt_fp6x2_to_halfraw2(x & 0x3f3f, __NV_E3M2);
  o[k++] = r.x | r.y << 16;
  o[k++] = __nv_cvt_fp4_to_halfraw(x & 15, __NV_E2M1).x;
  r = __nv_cvt_fp4x2_to_halfraw2(x & 255, __NV_E2M1);
  o[k++] = r.x | r.y << 16;
  o[k++] = __nv_cvt_e8m0_to_bf16raw(x & 255).x;
  __nv_bfloat162_raw b = __nv_cvt_e8m0x2_to_bf162raw(x);
  o[k++] = b.x | b.y << 16;
}
__global__ void k32(const uint32_t* a, O* o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n - 1) from_float(a[t], a[t + 1], o[t].v);
}
__global__ void k16(O* o) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  from_16(t, o[t].v);
}
__global__ void k8(O* o) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  from_8(t, o[t].v);
}
template <class F>
void compare(const char* name, std::vector<O>& got, int n, F f) {
  int wrong[40] = {};
  for (int i = 0; i < n; ++i) {
    O w = {};
    f(i, w.v);
    for (int k = 0; k < 40; ++k)
      if (w.v[k] != 0xabababab && w.v[k] != got[i].v[k] && wrong[k]++ == 0)
        printf("%s field %d input %x want %x got %x\n", name, k, i, w.v[k], got[i].v[k]);
  }
  for (int k = 0; k < 40; ++k)
    if (wrong[k]) printf("%s field %d wrong %d\n", name, k, wrong[k]), ++g_bad;
  show(name, got);
  for (int k = 0; k < 40; ++k) {
    std::vector<uint32_t> c;
    for (auto& g : got) c.push_back(g.v[k]);
    char m[40];
    sprintf(m, "%s %d", name, k);
    show(m, c);
  }
}
int main() {
  std::vector<uint32_t> a;
  uint32_t s = 99;
  for (int i = 0; i < 65536; i += 3)
    a.push_back((uint32_t)i << 16), a.push_back((i << 16) | 0x8000), a.push_back((i << 16) | (rnd(s) & 0xffff));
  for (int e = 90; e < 160; ++e)
    for (int m = 0; m < 32; ++m)
      for (uint32_t d : {0u, 1u, 0xffffffffu})
        a.push_back(((e << 23) | (m << 18)) + d), a.push_back((((e << 23) | (m << 18)) + d) | 0x80000000);
  int n = a.size();
  Dev<uint32_t> A(a);
  {
    Dev<O> o(n);
    k32<<<(n + 127) / 128, 128>>>(A, o, n);
    auto v = o.get();
    compare("from f32", v, n - 1, [&](int i, uint32_t* w) { from_float(a[i], a[i + 1], w); });
  }
  {
    Dev<O> o(65536);
    k16<<<512, 128>>>(o);
    auto v = o.get();
    compare("from 16 bits", v, 65536, [&](int i, uint32_t* w) { from_16(i, w); });
  }
  {
    Dev<O> o(65536);
    k8<<<512, 128>>>(o);
    auto v = o.get();
    compare("from 8 bits", v, 65536, [&](int i, uint32_t* w) { from_8(i, w); });
  }
  return done();
}
