// One vector register as a type, for loops that keep their sums in a register.
#pragma once
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "warplens/base/set_bits.h"
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

#if defined(__AVX512F__)
inline constexpr int kWidth = 16;
#elif defined(__AVX2__)
inline constexpr int kWidth = 8;
#else
inline constexpr int kWidth = 4;
#endif
typedef float Floats __attribute__((vector_size(kWidth * 4)));
typedef int32_t Ints __attribute__((vector_size(kWidth * 4)));
typedef uint32_t Unsigned __attribute__((vector_size(kWidth * 4)));
typedef int16_t Shorts __attribute__((vector_size(kWidth * 4)));

template <typename V>
inline __attribute__((always_inline)) V load(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename V>
inline __attribute__((always_inline)) void store(void* to, V value) {
  std::memcpy(to, &value, sizeof value);
}
inline __attribute__((always_inline)) Ints limited(Ints value, int32_t low, int32_t high) {
  const Ints least = Ints{} + low, most = Ints{} + high;
  value = value < least ? least : value;
  return value > most ? most : value;
}

/// Cut to integers. Unsigned, because sums wrap around in lanes that are out of range, whose results are unused.
inline __attribute__((always_inline)) Unsigned to_whole(Floats value) {
  return bits_as<Unsigned>(__builtin_convertvector(value, Ints));
}

/// Four values of 4 bytes, again and again.
template <typename V>
inline __attribute__((always_inline)) V repeat_four(const void* from) {
#if defined(__AVX512F__)
  return bits_as<V>(_mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(static_cast<const __m128i*>(from))));
#elif defined(__AVX2__)
  return bits_as<V>(_mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(from))));
#else
  return load<V>(from);
#endif
}

/// Moves words of the mask's lanes between a run in memory and a register; the memory of other lanes is untouched.
inline __attribute__((always_inline)) void load_run(uint32_t* to, const void* from, uint32_t mask) {
#if defined(__AVX512F__)
  for (uint32_t i = 0; i < kLanes; i += 16) {
    const auto some = static_cast<__mmask16>(mask >> i);
    const __m512i before = _mm512_loadu_si512(to + i);
    _mm512_storeu_si512(to + i, _mm512_mask_loadu_epi32(before, some, static_cast<const uint32_t*>(from) + i));
  }
#else
  for (const uint32_t i : set_bits(mask)) std::memcpy(to + i, static_cast<const char*>(from) + 4 * i, 4);
#endif
}
inline __attribute__((always_inline)) void store_run(void* to, const uint32_t* from, uint32_t mask) {
#if defined(__AVX512F__)
  for (uint32_t i = 0; i < kLanes; i += 16)
    _mm512_mask_storeu_epi32(static_cast<uint32_t*>(to) + i, static_cast<__mmask16>(mask >> i),
                             _mm512_loadu_si512(from + i));
#else
  for (const uint32_t i : set_bits(mask)) std::memcpy(static_cast<char*>(to) + 4 * i, from + i, 4);
#endif
}

/// In each four lanes the value of lane kFrom of them.
template <int kFrom>
inline __attribute__((always_inline)) Ints spread_in_fours(Ints v) {
  constexpr int k = kFrom;
#if defined(__AVX512F__)
  return __builtin_shufflevector(v, v, k, k, k, k, k + 4, k + 4, k + 4, k + 4, k + 8, k + 8, k + 8, k + 8, k + 12,
                                 k + 12, k + 12, k + 12);
#elif defined(__AVX2__)
  return __builtin_shufflevector(v, v, k, k, k, k, k + 4, k + 4, k + 4, k + 4);
#else
  return __builtin_shufflevector(v, v, k, k, k, k);
#endif
}

/// As floats, cut to 24 bits.
inline __attribute__((always_inline)) Floats cut_to_floats(Ints v) {
#if defined(__AVX512F__)
  constexpr int kCut = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
  return bits_as<Floats>(_mm512_maskz_cvt_roundepi32_ps(0xffff, bits_as<__m512i>(v), kCut));
#else
  Floats out;
  for (int i = 0; i < kWidth; ++i) {
    const uint64_t wide = bits_as<uint64_t>(static_cast<double>(v[i]));
    out[i] = static_cast<float>(bits_as<double>(wide & (~uint64_t{0} << 29)));
  }
  return out;
#endif
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
