// Minima and maxima: of numbers -0 is less than +0, and a number beats a NaN.
#pragma once
#include "warplens/simt/lanes/half.h"
#include "warplens/simt/lanes/real.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

template <bool kMaximum, typename T>
inline __attribute__((always_inline)) T extreme(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return kMaximum ? (a > b ? a : b) : (a < b ? a : b);
  } else {
    const bool first =
        kMaximum ? (a > b || (a == b && __builtin_signbit(b))) : (a < b || (a == b && __builtin_signbit(a)));
    return (first || !(b == b)) ? a : b;
  }
}
template <typename T>
inline __attribute__((always_inline)) T extreme(T a, T b, bool maximum) {
  return maximum ? extreme<true>(a, b) : extreme<false>(a, b);
}

/// .relu of integers.
template <typename T>
inline __attribute__((always_inline)) T at_least_zero(T x) {
  if constexpr (std::is_signed_v<T>) return x < 0 ? T{0} : x;
  else return x;
}

/// Of sources flushed and with their signs, by kNanResult and kXorSign of `flags`. `sign`: of their product before
/// signs were taken away or turned.
inline __attribute__((always_inline)) float extreme_by(float a, float b, bool maximum, uint32_t sign, uint32_t flags) {
  float r = extreme(a, b, maximum);
  if ((flags & kNanResult) && !(a == a && b == b)) r = bits_as<float>(0x7fffffffu);
  r = canonical(r);
  return (flags & kXorSign) && r == r ? bits_as<float>((bits_as<uint32_t>(r) & 0x7fffffffu) | sign) : r;
}

/// The same of 16 bits.
template <typename H>
inline __attribute__((always_inline)) uint32_t half_extreme_by(uint32_t a, uint32_t b, bool maximum, uint32_t sign,
                                                               uint32_t flags) {
  const bool nan_a = (a & H::kMagnitude) > H::kExponent, nan_b = (b & H::kMagnitude) > H::kExponent;
  if ((nan_a && nan_b) || ((flags & kNanResult) && (nan_a || nan_b))) return 0x7fff;
  const float x = H::widen(a), y = H::widen(b);
  const bool above = x > y || (x == y && (b & 0x8000)), below = x < y || (x == y && (a & 0x8000));
  const uint32_t r = !nan_a && (nan_b || (maximum ? above : below)) ? a : b;
  return flags & kXorSign ? (r & H::kMagnitude) | sign : r;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
