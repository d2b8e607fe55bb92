// Whole numbers of floating-point ones.
#pragma once
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/modifiers.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

template <typename S>
inline __attribute__((always_inline)) S whole(S x, uint32_t mode) {
  if constexpr (sizeof(S) == 4)
    return mode == kNearest ? __builtin_rintf(x)
           : mode == kZero  ? __builtin_truncf(x)
           : mode == kDown  ? __builtin_floorf(x)
                            : __builtin_ceilf(x);
  else
    return mode == kNearest ? __builtin_rint(x)
           : mode == kZero  ? __builtin_trunc(x)
           : mode == kDown  ? __builtin_floor(x)
                            : __builtin_ceil(x);
}

/// Beyond the range: the nearest end of it; NaN: 0 from f32 to 32 bits, else the smallest negative number's bits.
template <typename D, typename S>
inline __attribute__((always_inline)) D to_integer(S x) {
  constexpr S kOver = static_cast<S>(sizeof(D) == 8 ? (std::is_signed_v<D> ? 0x1p63 : 0x1p64)
                                                    : (std::is_signed_v<D> ? 0x1p31 : 0x1p32));
  constexpr S kUnder = std::is_signed_v<D> ? -kOver : S{0};
  constexpr D kMost = std::is_signed_v<D> ? static_cast<D>(~(std::make_unsigned_t<D>(1) << (sizeof(D) * 8 - 1)))
                                          : static_cast<D>(~D{0});
  constexpr D kLeast = std::is_signed_v<D> ? static_cast<D>(std::make_unsigned_t<D>(1) << (sizeof(D) * 8 - 1)) : D{0};
  constexpr D kNan =
      sizeof(D) == 8 || sizeof(S) == 8 ? static_cast<D>(std::make_unsigned_t<D>(1) << (sizeof(D) * 8 - 1)) : D{0};
  const bool inside = x > kUnder && x < kOver;
  const D value = static_cast<D>(inside ? x : S{0});
  return inside ? value : x >= kOver ? kMost : x <= kUnder ? kLeast : kNan;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
