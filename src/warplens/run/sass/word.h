// One machine instruction of compute capability 7.0 and later: 128 bits.
#pragma once
#include <cstdint>

namespace warplens::simt::sass_machine {

struct Word {
  uint64_t low = 0, high = 0;

  /// `count` (1..32) bits from bit `at` (0..127).
  uint32_t bits(int at, int count) const {
    const uint64_t mask = (uint64_t{1} << count) - 1;
    if (at >= 64) return static_cast<uint32_t>(high >> (at - 64) & mask);
    uint64_t value = low >> at;
    if (at + count > 64) value |= high << (64 - at);
    return static_cast<uint32_t>(value & mask);
  }
  bool bit(int at) const { return bits(at, 1) != 0; }
  int32_t signed_bits(int at, int count) const {
    return static_cast<int32_t>(bits(at, count) << (32 - count)) >> (32 - count);
  }
  uint32_t opcode() const { return bits(0, 9); }  // without the form
  uint32_t form() const { return bits(9, 3); }    // what the operands are: registers, immediate, constant, uniform
};

}  // namespace warplens::simt::sass_machine
