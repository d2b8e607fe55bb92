// Approximations of the special-function unit, computed in double precision and rounded: within the bounds of the ISA.
#pragma once
#include "warplens/simt/lanes/real.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

inline constexpr double kLn2 = 0.69314718055994530942, kTwoPi = 6.28318530717958647692;

inline __attribute__((always_inline)) double nearest(double x) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: the sum has no bits below one
  return (x + kMagic) - kMagic;
}

/// 2^x for |x| < 1000, to 1e-11.
inline __attribute__((always_inline)) double power_of_two(double x) {
  const double n = nearest(x), f = (x - n) * kLn2;
  double p = 1.0 / 39916800;
  p = p * f + 1.0 / 3628800;
  p = p * f + 1.0 / 362880;
  p = p * f + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  const int64_t exponent = static_cast<int32_t>(n);
  return p * bits_as<double>((exponent + 1023) << 52);
}

inline __attribute__((always_inline)) float ex2(float x) {
  const double wide = x;
  const double above = wide > -200 ? wide : -200, clamped = above < 200 ? above : 200;  // of a NaN, a number
  return x == x ? static_cast<float>(power_of_two(clamped)) : bits_as<float>(0x7fffffffu);
}

inline __attribute__((always_inline)) float lg2(float x) {
  const int64_t bits = bits_as<int64_t>(static_cast<double>(x));
  int64_t exponent = ((bits >> 52) & 0x7ff) - 1023;
  double m = bits_as<double>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  const bool upper = m > 1.41421356237309504880;
  m = upper ? m * 0.5 : m;
  exponent += upper ? 1 : 0;
  const double t = (m - 1) / (m + 1), s = t * t;
  double p = 1.0 / 15;
  p = p * s + 1.0 / 13;
  p = p * s + 1.0 / 11;
  p = p * s + 1.0 / 9;
  p = p * s + 1.0 / 7;
  p = p * s + 1.0 / 5;
  p = p * s + 1.0 / 3;
  p = p * s + 1.0;
  const float value = static_cast<float>(static_cast<int32_t>(exponent) + 2.0 / kLn2 * t * p);
  const float special = x == 0 ? -__builtin_inff() : x > 0 ? x : bits_as<float>(0x7fffffffu);
  return x > 0 && x < __builtin_inff() ? value : special;
}

/// The fraction of a number of turns: -0.5 to 0.5.
inline __attribute__((always_inline)) double part_of_turn(float turns) {
  const double wide = turns;
  return __builtin_fabs(wide) < 4503599627370496.0 ? wide - nearest(wide) : 0.0;
}

/// The hardware multiplies by 1/(2 pi) in f32, towards zero, and looks up the sine of that part of a turn.
inline __attribute__((always_inline)) float turns(float x) {
  const double product = static_cast<double>(x) * static_cast<double>(0.15915494f);
  const float near = static_cast<float>(product);
  const bool over = __builtin_fabs(static_cast<double>(near)) > __builtin_fabs(product);
  return bits_as<float>(bits_as<uint32_t>(near) - (over ? 1u : 0u));
}

/// sin(2 pi y) for |y| <= 0.5.
inline __attribute__((always_inline)) double sine_of_turn(double y) {
  const double folded = y > 0.25 ? 0.5 - y : y < -0.25 ? -0.5 - y : y;
  const double r = folded * kTwoPi, s = r * r;
  double p = 1.0 / 355687428096000.0;
  p = p * s - 1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s - 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s - 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s - 1.0 / 6.0;
  p = p * s + 1.0;
  return p * r;
}

inline __attribute__((always_inline)) float sine_of_turns(float t) {
  return static_cast<float>(sine_of_turn(part_of_turn(flush(t))));  // as an H200 does, .ftz or not
}
inline __attribute__((always_inline)) float cosine_of_turns(float t) {
  const double quarter = part_of_turn(t) + 0.25;
  return static_cast<float>(sine_of_turn(quarter > 0.5 ? quarter - 1.0 : quarter));
}
inline __attribute__((always_inline)) float sine(float x) {
  const float value = sine_of_turns(turns(x));
  return __builtin_fabsf(x) < __builtin_inff() ? value : bits_as<float>(0x7fffffffu);
}
inline __attribute__((always_inline)) float cosine(float x) {
  const float value = cosine_of_turns(turns(x));
  return __builtin_fabsf(x) < __builtin_inff() ? value : bits_as<float>(0x7fffffffu);
}

inline __attribute__((always_inline)) float tanh_(float x) {
  const double a = __builtin_fabs(static_cast<double>(x)), s = a * a;
  const double small = a * (1 + s * (-1.0 / 3 + s * (2.0 / 15 + s * (-17.0 / 315 + s * (62.0 / 2835)))));
  const double capped = a < 40 ? a : 40;  // of a NaN, a number
  const double large = 1 - 2 / (power_of_two(capped * (2 / kLn2)) + 1);
  const float value = static_cast<float>(a < 0.1 ? small : large);
  const float signed_value =
      bits_as<float>((bits_as<uint32_t>(value) & 0x7fffffffu) | (bits_as<uint32_t>(x) & 0x80000000u));
  return x == x ? signed_value : bits_as<float>(0x7fffffffu);
}

inline __attribute__((always_inline)) float rsqrt(float x) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}

/// The f64 approximations read and write only the high 32 bits.
inline __attribute__((always_inline)) double upper_half(double x) {
  return bits_as<double>(bits_as<uint64_t>(x) & 0xffffffff00000000u);
}
inline __attribute__((always_inline)) double flush64(double x) {
  const uint64_t bits = bits_as<uint64_t>(x);
  return bits_as<double>((bits & 0x7ff0000000000000u) == 0 ? bits & 0x8000000000000000u : bits);
}

inline __attribute__((always_inline)) float reciprocal(float x) { return 1.0f / x; }
inline __attribute__((always_inline)) float root(float x) { return __builtin_sqrtf(x); }

/// Where the unit would flush, ptxas scales: 2^x as the square of 2^(x/2), the logarithm of 2^24 x less 24.
inline __attribute__((always_inline)) float ex2_of_any(float x) {
  const bool small = x < -126.0f;
  const float value = ex2(small ? x * 0.5f : x);
  return small ? value * value : value;
}
inline __attribute__((always_inline)) float lg2_of_any(float x) {
  const bool small = __builtin_fabsf(x) < 0x1p-126f;
  return small ? lg2(x * 0x1p24f) - 24.0f : lg2(x);
}

/// How ptxas divides: by a product with the reciprocal, which the unit flushes where it is a denormal number. Both
/// sides are scaled out of there first, for div.approx on one side only and with .ftz, which flushes denormal divisors,
/// on none.
struct Division {
  bool full, flushes;
  float flushed(float x) const { return flushes ? flush(x) : x; }
  float scale(float b) const {
    const float magnitude = __builtin_fabsf(b);
    const float above = full && magnitude > 0x1p126f ? 0.25f : 1.0f;
    return !flushes && magnitude < 0x1p-126f ? 0x1p24f : above;
  }
  float numerator(float a, float b) const { return flushed(flushed(a) * scale(b)); }
  float reciprocal_of(float b) const { return flush(reciprocal(flush(b * scale(b)))); }
  float quotient(float a, float b) const { return flushed(numerator(a, b) * reciprocal_of(b)); }
};

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
