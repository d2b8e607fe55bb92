// f16 and bf16 values as bits. Conversions to f32 are exact; from f32 they round to nearest, ties to even.
#pragma once
#include "warplens/simt/lanes/real.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

struct F16 {
  static constexpr bool kCanonical = true;  // a conversion to f32 gives the one NaN
  static constexpr uint32_t kExponent = 0x7c00, kMagnitude = 0x7fff;
  static inline __attribute__((always_inline)) float widen(uint32_t h) {
    const uint32_t magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
    const uint32_t normal = (magnitude << 13) + (112u << 23);
    const uint32_t special = normal + (112u << 23);
    const uint32_t small = bits_as<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
    return bits_as<float>((magnitude >= 0x7c00 ? special : magnitude < 0x400 ? small : normal) | sign);
  }
  static inline __attribute__((always_inline)) uint32_t narrow(float f) {
    const uint32_t bits = bits_as<uint32_t>(f), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
    const uint32_t small = bits_as<uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1)) >> 13;
    const uint32_t finite = magnitude < 0x38800000u ? small : normal;
    return magnitude > 0x7f800000u ? 0x7fffu : sign | (magnitude >= 0x47800000u ? 0x7c00u : finite);
  }
};

struct Bf16 {
  static constexpr bool kCanonical = false;
  static constexpr uint32_t kExponent = 0x7f80, kMagnitude = 0x7fff;
  static inline __attribute__((always_inline)) float widen(uint32_t h) { return bits_as<float>(h << 16); }
  static inline __attribute__((always_inline)) uint32_t narrow(float f) {
    const uint32_t bits = bits_as<uint32_t>(f);
    return f == f ? (bits + 0x7fff + ((bits >> 16) & 1)) >> 16 : 0x7fffu;
  }
};

inline __attribute__((always_inline)) float from_half(uint32_t bits, bool bfloat) {
  return bfloat ? Bf16::widen(bits) : F16::widen(bits);
}
inline __attribute__((always_inline)) uint32_t to_half(float value, bool bfloat) {
  return bfloat ? Bf16::narrow(value) : F16::narrow(value);
}

/// x rounded to f32 so that rounding it once more, to a narrower type, rounds x correctly (round to odd).
inline __attribute__((always_inline)) float odd_float(double x) {
  const float near = static_cast<float>(x);
  const double left = x - static_cast<double>(near);
  const uint32_t bits = bits_as<uint32_t>(near);
  const bool inexact = left != 0 && __builtin_fabs(x) < __builtin_inf();
  const bool away = (left > 0) == (x > 0);
  return inexact && !(bits & 1) ? bits_as<float>(away ? bits + 1 : bits - 1) : near;
}

/// a * b + c rounded to odd in double; a * b must be exact.
inline __attribute__((always_inline)) double odd_fma(double a, double b, double c) {
  const double p = a * b, s = p + c, back = s - p, error = (p - (s - back)) + (c - back);
  const uint64_t bits = bits_as<uint64_t>(s);
  const bool inexact = error != 0 && __builtin_fabs(s) < __builtin_inf();
  const bool away = (error > 0) == (s > 0);
  return inexact && !(bits & 1) ? bits_as<double>(away ? bits + 1 : bits - 1) : s;
}

/// Sums, products and both of values that were 16 bits wide, so that rounding the result once more rounds it correctly.
inline constexpr auto kHalfSum = [](float a, float b) { return a + b; };
inline constexpr auto kHalfDifference = [](float a, float b) { return a - b; };
inline constexpr auto kHalfProduct = [](float a, float b) { return odd_float(static_cast<double>(a) * b); };
inline constexpr auto kHalfFused = [](float a, float b, float c) { return odd_float(odd_fma(a, b, c)); };

template <typename H>
inline __attribute__((always_inline)) uint32_t flushed_half(uint32_t h) {
  return (h & H::kExponent) == 0 ? h & 0x8000u : h;
}
/// A source, by kFtz of `flags`.
template <typename H>
inline __attribute__((always_inline)) uint32_t flushed_if(uint32_t h, uint32_t flags) {
  return flags & kFtz ? flushed_half<H>(h & 0xffff) : h & 0xffff;
}
/// A result, by kFtz, kSat and kRelu.
template <typename H>
inline __attribute__((always_inline)) uint32_t narrowed(float value, uint32_t flags) {
  uint32_t h = H::narrow(value) & 0xffff;
  if (flags & kFtz) h = flushed_half<H>(h);
  if (flags & kSat) h = H::narrow(saturated(H::widen(h)));
  if (flags & kRelu) h = (h & 0x8000) && value == value ? 0 : h;
  return h;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
