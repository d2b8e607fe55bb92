// Half-precision numbers as the processor converts them: exactly to wider numbers; from them to the nearest, ties to
// even.
#pragma once
#include <cstdint>

namespace warplens {

#if defined(__x86_64__)
using Half = _Float16;
#else
using Half = __fp16;  // for other processors GCC has _Float16 from version 13 on
#endif

inline __attribute__((always_inline)) float half_value(uint32_t bits) {
  return static_cast<float>(__builtin_bit_cast(Half, static_cast<uint16_t>(bits)));
}
template <typename T>
inline __attribute__((always_inline)) uint16_t half_bits(T value) {
  return __builtin_bit_cast(uint16_t, static_cast<Half>(value));
}

}  // namespace warplens
