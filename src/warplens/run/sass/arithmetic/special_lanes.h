// Special functions of 32 lanes: the results of simt/lanes/special.h, bit for bit, in half the time. A double-precision
// value is computed in fewer steps, within 2^-42 of that one. It rounds to the same float, unless it is that close to
// the middle between two.
#pragma once
#if defined(__AVX512F__)
#include <immintrin.h>

#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/special.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

using Doubles8 = __m512d;
inline Doubles8 all(double x) { return _mm512_set1_pd(x); }
inline Doubles8 fuse(Doubles8 a, Doubles8 b, Doubles8 c) { return _mm512_fmadd_pd(a, b, c); }
inline Doubles8 whole(Doubles8 x) {
  constexpr double kMagic = 6755399441055744.0;  // see simt::nearest
  return _mm512_sub_pd(_mm512_add_pd(x, all(kMagic)), all(kMagic));
}

/// The polynomial with these coefficients, the highest first.
template <size_t kCount>
inline __attribute__((always_inline)) Doubles8 polynomial(const double (&c)[kCount], Doubles8 x) {
  Doubles8 sum = all(c[0]);
  for (size_t k = 1; k < kCount; ++k) sum = fuse(sum, x, all(c[k]));
  return sum;
}
/// 1 / x, to the last bits.
inline Doubles8 inverse(Doubles8 x) {
  Doubles8 y = _mm512_rcp14_pd(x);
  for (int k = 0; k < 2; ++k) y = fuse(y, _mm512_fnmadd_pd(x, y, all(1)), y);
  return y;
}

struct PowerOfTwo {
  static constexpr bool kFlushes = true;
  static Doubles8 of(Doubles8 x) {
    // ln(2)^k / k!
    static constexpr double kTerms[] = {7.0549116208011234e-09,
                                        1.0178086009239700e-07,
                                        1.3215486790144307e-06,
                                        1.5252733804059841e-05,
                                        1.5403530393381609e-04,
                                        1.3333558146428443e-03,
                                        9.6181291076284770e-03,
                                        5.5504108664821580e-02,
                                        2.4022650695910072e-01,
                                        6.9314718055994531e-01,
                                        1.0};
    const Doubles8 in = _mm512_min_pd(_mm512_max_pd(x, all(-200)), all(200)), n = whole(in);
    const Doubles8 value = _mm512_scalef_pd(polynomial(kTerms, _mm512_sub_pd(in, n)), n);
    return _mm512_mask_mov_pd(value, _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q), x);
  }
};

struct Logarithm {
  static constexpr bool kFlushes = true;
  static Doubles8 of(Doubles8 x) {
    static constexpr double kTerms[] = {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0};
    Doubles8 m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero), exponent = _mm512_getexp_pd(x);
    const __mmask8 upper = _mm512_cmp_pd_mask(m, all(1.41421356237309504880), _CMP_GT_OQ);
    m = _mm512_mask_mul_pd(m, upper, m, all(0.5));
    exponent = _mm512_mask_add_pd(exponent, upper, exponent, all(1));
    const Doubles8 t = _mm512_mul_pd(_mm512_sub_pd(m, all(1)), inverse(_mm512_add_pd(m, all(1))));
    const Doubles8 series = polynomial(kTerms, _mm512_mul_pd(t, t));
    Doubles8 value = fuse(_mm512_mul_pd(t, all(2.0 / simt::kLn2)), series, exponent);
    value = _mm512_mask_mov_pd(value, _mm512_cmp_pd_mask(x, all(0), _CMP_EQ_OQ), all(-__builtin_inf()));
    value = _mm512_mask_mov_pd(value, _mm512_cmp_pd_mask(x, all(0), _CMP_NGE_UQ), all(__builtin_nan("")));
    return _mm512_mask_mov_pd(value, _mm512_cmp_pd_mask(x, all(__builtin_inf()), _CMP_EQ_OQ), x);
  }
};

struct InverseRoot {
  static constexpr bool kFlushes = true;
  static Doubles8 of(Doubles8 x) {
    const Doubles8 first = _mm512_rsqrt14_pd(x), half = _mm512_mul_pd(x, all(0.5));
    Doubles8 y = first;
    for (int k = 0; k < 2; ++k) y = fuse(y, _mm512_fnmadd_pd(_mm512_mul_pd(half, y), y, all(0.5)), y);
    // For 0, infinity and invalid inputs, the first is right.
    const __mmask8 has =
        _mm512_cmp_pd_mask(x, all(0), _CMP_GT_OQ) & _mm512_cmp_pd_mask(x, all(__builtin_inf()), _CMP_LT_OQ);
    return _mm512_mask_mov_pd(first, has, y);
  }
};

/// The sine of a number of turns; kCosine: a quarter later.
template <bool kCosine>
struct Wave {
  static constexpr bool kFlushes = false;
  static Doubles8 of(Doubles8 turns) {
    static constexpr double kTerms[] = {1.0 / 355687428096000.0,
                                        -1.0 / 1307674368000.0,
                                        1.0 / 6227020800.0,
                                        -1.0 / 39916800.0,
                                        1.0 / 362880.0,
                                        -1.0 / 5040.0,
                                        1.0 / 120.0,
                                        -1.0 / 6.0,
                                        1.0};
    const __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(turns), all(4503599627370496.0), _CMP_LT_OQ);
    Doubles8 y = _mm512_maskz_sub_pd(small, turns, whole(turns));
    if constexpr (kCosine) {
      y = _mm512_add_pd(y, all(0.25));
      y = _mm512_mask_sub_pd(y, _mm512_cmp_pd_mask(y, all(0.5), _CMP_GT_OQ), y, all(1));
    }
    Doubles8 folded = _mm512_mask_sub_pd(y, _mm512_cmp_pd_mask(y, all(0.25), _CMP_GT_OQ), all(0.5), y);
    folded = _mm512_mask_sub_pd(folded, _mm512_cmp_pd_mask(y, all(-0.25), _CMP_LT_OQ), all(-0.5), y);
    const Doubles8 r = _mm512_mul_pd(folded, all(simt::kTwoPi));
    const Doubles8 value = _mm512_mul_pd(polynomial(kTerms, _mm512_mul_pd(r, r)), r);
    const Doubles8 none = _mm512_sub_pd(turns, turns);  // for infinity and NaN
    return _mm512_mask_mov_pd(value, _mm512_cmp_pd_mask(none, none, _CMP_UNORD_Q), none);
  }
};

/// Lanes whose rounded result might differ. If results are flushed, far too small values become 0, so the CPU makes no
/// denormal numbers.
template <bool kFlushes>
inline uint32_t doubtful(Doubles8* value) {
  constexpr int64_t kFloatBits = 29, kMiddle = int64_t{1} << (kFloatBits - 1), kClose = 1024;
  const __m512i bits = _mm512_castpd_si512(*value),
                below = _mm512_and_si512(bits, _mm512_set1_epi64((int64_t{1} << kFloatBits) - 1)),
                apart = _mm512_sub_epi64(below, _mm512_set1_epi64(kMiddle - kClose));
  const __mmask8 close = _mm512_cmplt_epu64_mask(apart, _mm512_set1_epi64(2 * kClose));
  const Doubles8 magnitude = _mm512_abs_pd(*value);
  const __mmask8 small = _mm512_cmp_pd_mask(magnitude, all(0x1p-125), _CMP_LT_OQ);
  if constexpr (kFlushes) {
    const __mmask8 gone = _mm512_cmp_pd_mask(magnitude, all(0x1p-127), _CMP_LT_OQ);
    *value = _mm512_mask_and_pd(*value, gone, *value, all(-0.0));
    return static_cast<uint32_t>((close | small) & ~gone);
  }
  return static_cast<uint32_t>(close | (small & _mm512_cmp_pd_mask(magnitude, all(0), _CMP_NEQ_OQ)));
}

/// False, with nothing done, if a lane of `on` needs the longer way.
template <typename Function>
inline bool special_lanes(const uint32_t* from, const SignMask& sign, uint32_t on, Lanes* out) {
  const __m256i exponents = _mm256_set1_epi32(0x7f800000), signs = _mm256_set1_epi32(static_cast<int>(0x80000000u));
  const auto flushed = [&](__m256i x) {
    return Function::kFlushes ? _mm256_mask_and_epi32(x, _mm256_testn_epi32_mask(x, exponents), x, signs) : x;
  };
  uint32_t doubts = 0;
  for (int lane = 0; lane < kLanes; lane += 8) {
    if (!(on >> lane & 0xff)) continue;
    __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + lane));
    x = _mm256_xor_si256(_mm256_and_si256(x, _mm256_set1_epi32(static_cast<int>(sign.keep))),
                         _mm256_set1_epi32(static_cast<int>(sign.flip)));
    Doubles8 value = Function::of(_mm512_cvtps_pd(_mm256_castsi256_ps(flushed(x))));
    doubts |= doubtful<Function::kFlushes>(&value) << lane;
    const __m256 rounded = _mm256_castsi256_ps(flushed(_mm256_castps_si256(_mm512_cvtpd_ps(value))));
    const __mmask8 none = _mm256_cmp_ps_mask(rounded, rounded, _CMP_UNORD_Q);
    const __m256i bits = _mm256_mask_mov_epi32(_mm256_castps_si256(rounded), none, _mm256_set1_epi32(0x7fffffff));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out->value + lane), bits);
  }
  return (doubts & on) == 0;
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
#endif
