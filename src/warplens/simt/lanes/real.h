// Floating-point details that NVIDIA GPUs and x86 do not share: flushing, NaN, minimum and maximum.
#pragma once
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/modifiers.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

inline __attribute__((always_inline)) float flush(float x) {
  const uint32_t bits = bits_as<uint32_t>(x);
  return bits_as<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
template <bool kFlush>
inline __attribute__((always_inline)) float maybe_flush(float x) {
  if constexpr (kFlush) return flush(x);
  else return x;
}

/// f32 arithmetic gives one NaN; f64 arithmetic keeps the payload of an operand, quieted.
inline __attribute__((always_inline)) float canonical(float x) { return x == x ? x : bits_as<float>(0x7fffffffu); }

inline __attribute__((always_inline)) float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline __attribute__((always_inline)) double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// Clamped to [0, 1]; NaN becomes +0.
template <typename T>
inline __attribute__((always_inline)) T saturated(T x) {
  const T low = x > T{0} ? x : T{0};
  return low < T{1} ? low : T{1};
}

/// A result of f32 arithmetic: denormal numbers flushed, clamped to [0, 1].
inline __attribute__((always_inline)) float finished(float x, bool flushes, bool clamps) {
  const float flushed = flushes ? flush(x) : x;
  return clamps ? saturated(flushed) : canonical(flushed);
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
