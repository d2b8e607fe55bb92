// How two values lie to each other, of numbers and integers.
#pragma once
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// Bits, so that any combination can be tested. Integers are never unordered.
enum Relation : uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

/// True if one of the bits of `kHow` describes their relation.
template <uint32_t kHow, typename T>
inline __attribute__((always_inline)) bool holds(T x, T y) {
  if constexpr (kHow & kUnordered) return !holds<15 - kHow>(x, y);
  else if constexpr (kHow == 0) return false;
  else if constexpr (kHow == kLess) return x < y;
  else if constexpr (kHow == kEqual) return x == y;
  else if constexpr (kHow == (kLess | kEqual)) return x <= y;
  else if constexpr (kHow == kGreater) return x > y;
  else if constexpr (kHow == (kLess | kGreater)) return (x < y) | (x > y);
  else if constexpr (kHow == (kEqual | kGreater)) return x >= y;
  else if constexpr (std::is_floating_point_v<T>) return (x == x) & (y == y);
  else return true;
}

/// The bit that holds.
template <typename T>
inline uint32_t relation_of(T x, T y) {
  return x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
