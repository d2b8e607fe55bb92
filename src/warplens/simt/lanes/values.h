// Values in the lanes of a warp. Code for lanes is compiled once for each instruction set, in an inline namespace of
// its own (WARPLENS_ISA_NAME). So the linker never uses a copy made for another processor.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warplens/simt/warp_size.h"

#ifndef WARPLENS_ISA_NAME
#define WARPLENS_ISA_NAME baseline
#endif

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// How a value of type T is in a lane: 4 bytes for anything up to 32 bits, else 8.
template <typename T>
using Stored = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <typename To, typename From>
inline __attribute__((always_inline)) To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

template <typename T>
inline __attribute__((always_inline)) T get(Stored<T> stored) {
  if constexpr (std::is_floating_point_v<T>) return bits_as<T>(stored);
  else return static_cast<T>(stored);
}

template <typename T>
inline __attribute__((always_inline)) Stored<T> put(T value) {
  if constexpr (std::is_floating_point_v<T>) return bits_as<Stored<T>>(value);
  else return static_cast<Stored<T>>(static_cast<std::make_unsigned_t<T>>(value));
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
