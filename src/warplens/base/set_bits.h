// The numbers of the bits that are set, the lowest first: `for (const uint32_t lane : set_bits(mask))`.
#pragma once
#include <bit>
#include <cstdint>

namespace warplens {

/// Always inlined: code for one kind of processor uses it too.
struct SetBits {
  struct Iterator {
    uint32_t left;
    __attribute__((always_inline)) uint32_t operator*() const { return static_cast<uint32_t>(std::countr_zero(left)); }
    __attribute__((always_inline)) void operator++() { left &= left - 1; }
    __attribute__((always_inline)) bool operator!=(const Iterator& end) const { return left != end.left; }
  };
  uint32_t mask;
  __attribute__((always_inline)) Iterator begin() const { return {mask}; }
  __attribute__((always_inline)) Iterator end() const { return {0}; }
};

inline __attribute__((always_inline)) SetBits set_bits(uint32_t mask) { return {mask}; }

}  // namespace warplens
