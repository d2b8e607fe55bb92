// Integers of 16 and 8 bits packed in words, conversions of every float to every other, products of tiles of doubles:
// what their machine code leaves must be what the PTX leaves.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define OF_TWO(X)                                                                                                 \
  X(__vadd2)                                                                                                      \
  X(__vadd4) X(__vsub2) X(__vsub4) X(__vaddss2) X(__vaddus2) X(__vsubus4) X(__vavgs2) X(__vavgu4) X(__vabsdiffs2) \
      X(__vabsdiffs4) X(__vabsdiffu2) X(__vabsdiffu4) X(__vsads2) X(__vsads4) X(__vsadu2) X(__vsadu4) X(__vmaxs2) \
          X(__vmaxs4) X(__vmaxu2) X(__vmins2) X(__vminu2) X(__vminu4) X(__vcmpgts2) X(__vcmpgtu4) X(__vseteq2)    \
              X(__vimax_s16x2_relu) X(__vimin_s16x2_relu)
#define OF_THREE(X)                                                                                            \
  X(__vimax3_s16x2)                                                                                            \
  X(__vimin3_s16x2) X(__vimax3_u16x2) X(__vimin3_u16x2) X(__vimax3_s16x2_relu) X(__vimin3_s16x2_relu)          \
      X(__viaddmax_s16x2) X(__viaddmin_s16x2) X(__viaddmax_u16x2) X(__viaddmin_u16x2) X(__viaddmax_s16x2_relu) \
          X(__viaddmin_s16x2_relu)

extern "C" __global__ void pairs(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned x = a[i], y = b[i], z = c[i];
#define X(function) *out = function(x, y), out += n;
  out += i;
  OF_TWO(X)
#undef X
#define X(function) *out = function(x, y, z), out += n;
  OF_THREE(X)
  bool high, low;
  const unsigned most = __vibmax_s16x2(x, y, &high, &low);
  *out = most + (high ? 3 : 0) + (low ? 7 : 0);
}

template <typename T>
__device__ unsigned bits(T value) {
  unsigned long long all = 0;
  memcpy(&all, &value, sizeof value);
  return static_cast<unsigned>(all) ^ static_cast<unsigned>(all >> 32) * 31;
}
template <typename T>
__device__ T as(unsigned low, unsigned high) {
  const unsigned long long all = low | static_cast<unsigned long long>(high) << 32;
  T value;
  memcpy(&value, &all, sizeof value);
  return value;
}

extern "C" __global__ void narrowed(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto h = as<__half>(a[i], 0);
  const auto f = as<__nv_bfloat16>(a[i], 0);
  const long long whole = as<long long>(b[i], a[i]);
  out += i;
#define OUT(value) *out = bits(value), out += n;
  OUT(__half2ll_rz(h))
  OUT(__half2ull_rz(h)) OUT(__half2char_rz(h)) OUT(__half2uchar_rz(h)) OUT(__half2ushort_rz(h)) OUT(__bfloat162ll_rz(f))
      OUT(__bfloat162ull_rz(f)) OUT(__bfloat162char_rz(f)) OUT(__bfloat162ushort_rz(f)) OUT(__bfloat162int_ru(f))
          OUT(__bfloat162uint_rz(f)) OUT(__ll2half_rn(whole)) OUT(__ll2bfloat16_rn(whole)) OUT(__ull2half_rn(whole))
              OUT(__ull2bfloat16_rn(whole)) OUT(__double2half(as<double>(b[i], a[i])))
                  OUT(__double2bfloat16(as<double>(b[i], a[i])))
#if __CUDA_ARCH__ >= 900
                      unsigned short half;
  asm("cvt.rn.f16.bf16 %0, %1;" : "=h"(half) : "h"(static_cast<unsigned short>(a[i])));
  OUT(half)
#endif
}

/// Of each warp, the shapes that sm_90 has besides 8x8x4.
extern "C" __global__ void double_tiles(const double* a, const double* b, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double c[4] = {a[i], b[i], a[i] + 1, b[i] - 1};
#if __CUDA_ARCH__ >= 900
#define C "{%0, %1, %2, %3}"
#define IN_PLACE "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
#define TWO(x, at) "d"(x[i + at]), "d"(x[i + at + 1])
#define MMA(shape) "mma.sync.aligned." shape ".row.col.f64.f64.f64.f64 "
  asm(MMA("m16n8k4") C ", {%4, %5}, {%6}, " C ";" : IN_PLACE : TWO(a, 0), "d"(b[i]));
  asm(MMA("m16n8k8") C ", {%4, %5, %6, %7}, {%8, %9}, " C ";" : IN_PLACE : TWO(a, 0), TWO(a, 2), TWO(b, 0));
  asm(MMA("m16n8k16") C ", {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, " C ";"
      : IN_PLACE
      : TWO(a, 0), TWO(a, 2), TWO(a, 4), TWO(a, 6), TWO(b, 0), TWO(b, 2));
#endif
  for (int k = 0; k < 4; ++k) out[4 * i + k] = c[k];
}
