// 16-bit floating-point formats as the low bits of a word.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "warplens/simt/lanes/values.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

inline float from_half(uint32_t bits, bool bfloat) {
  if (bfloat) return std::bit_cast<float>(bits << 16);
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value;
  if (exponent == 31) {
    value = std::bit_cast<float>(0x7f800000u | fraction << 13);
  } else if (exponent == 0) {
    value = static_cast<float>(fraction) * 0x1p-24f;
  } else {
    value = std::bit_cast<float>((exponent + 112) << 23 | fraction << 13);
  }
  return bits & 0x8000 ? -value : value;
}

/// Round to nearest, ties to even.
inline uint32_t to_half(float value, bool bfloat) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000;
  if (std::isnan(value)) return 0x7fff;
  if (bfloat) return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const float size = std::fabs(value);
  if (size >= 65520.0f) return sign | 0x7c00;
  if (size < 0x1p-14f) return sign | static_cast<uint32_t>(std::nearbyint(size * 0x1p24f));
  const uint32_t rest = bits & 0x7fffffff, rounded = rest + 0xfff + (rest >> 13 & 1);
  return sign | ((rounded >> 13) - (112 << 10));
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
