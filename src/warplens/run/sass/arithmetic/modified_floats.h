// Single-precision arithmetic on 32 lanes with its modifiers: rounding, flushing of denormal numbers, a clamp to [0,
// 1].
#pragma once
#include "warplens/run/sass/arithmetic/rounding.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/rounding.h"
#include "warplens/simt/lanes/special.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// Op::mode, from where all words of single-precision arithmetic have it.
inline uint32_t float_mode(const Word& word) {
  return word.bits(78, 2) | (word.bit(77) ? kClampsFloat : 0) | (word.bit(80) ? kFlushesFloat : 0);
}

inline constexpr auto kSum = [](float a, float b, float) { return a + b; };
inline constexpr auto kProduct = [](float a, float b, float) { return a * b; };
inline constexpr auto kFused = [](float a, float b, float c) { return __builtin_fmaf(a, b, c); };

/// A source: 32 lanes, with their sign modifiers.
struct FloatSource {
  const uint32_t* lanes;
  SignMask sign;
};

/// f(a, b, c) of each lane.
template <typename F>
inline __attribute__((always_inline)) Lanes modified_floats(const FloatSource& a, const FloatSource& b,
                                                            const FloatSource& c, uint32_t mode, F f) {
  const bool saturate = mode & kClampsFloat, flushes = mode & kFlushesFloat;
  const auto source = [=](const FloatSource& s, int i) {
    const float value = as_float(s.sign(s.lanes[i]));
    return flushes ? simt::flush(value) : value;
  };
  const auto finish = [=](float x) { return as_bits(simt::finished(x, flushes, saturate)); };
  Lanes out;
  if (!(mode & kRoundingMode)) {
    for (int i = 0; i < kLanes; ++i) out.value[i] = finish(f(source(a, i), source(b, i), source(c, i)));
    return out;
  }
  {
    const RoundingScope scope(rounding_of(mode));
    // The compiler does not know of rounding modes: sources are read and results written between these two.
    asm volatile("" : : "r"(a.lanes), "r"(b.lanes), "r"(c.lanes) : "memory");
    for (int i = 0; i < kLanes; ++i) out.value[i] = as_bits(f(source(a, i), source(b, i), source(c, i)));
    asm volatile("" : : "r"(out.value) : "memory");
  }
  for (uint32_t& lane : out.value) lane = finish(as_float(lane));
  return out;
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
