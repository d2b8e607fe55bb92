// Integers: shifts by any amount, saturation, differences, positions of bits.
#pragma once
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// A shift by at least the type's width leaves nothing, or the sign alone.
template <typename U>
inline __attribute__((always_inline)) U shift_left(U a, uint32_t by) {
  return by >= sizeof(U) * 8 ? U{0} : static_cast<U>(a << by);
}
template <typename T>
inline __attribute__((always_inline)) T shift_right(T a, uint32_t by) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (by < kBits ? by : kBits - 1));
  else return by < kBits ? static_cast<T>(a >> by) : T{0};
}

/// The nearest number of 32 bits.
inline __attribute__((always_inline)) int32_t saturated_word(int64_t v) {
  return static_cast<int32_t>(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

template <typename T>
inline __attribute__((always_inline)) std::make_unsigned_t<T> magnitude(T a) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a));
}
template <typename T>
inline __attribute__((always_inline)) std::make_unsigned_t<T> absolute_difference(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b));
}

/// The position of the highest bit that differs from the sign, from below or from above; all ones if there is none.
template <typename T>
inline __attribute__((always_inline)) uint32_t leading_bit(T a, bool from_above) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t kLast = sizeof(T) * 8 - 1;
  U x = static_cast<U>(a);
  if constexpr (std::is_signed_v<T>) x ^= static_cast<U>(a >> kLast);
  const auto above =
      static_cast<uint32_t>(sizeof(T) == 8 ? __builtin_clzll(x | 1) : __builtin_clz(static_cast<uint32_t>(x | 1)));
  return x == 0 ? ~0u : from_above ? above : kLast - above;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
