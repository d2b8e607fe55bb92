// One machine instruction of compute capability 7.0 and later: 128 bits.
#pragma once
#include <cstdint>

namespace warplens::sass {

/// The positions of arithmetic operands: b, or c, is at bits 32 to 63, and the other one is the register at bit 64.
enum class Form : uint8_t { kRegisters = 1, kImmediateC, kConstantC, kImmediateB, kConstantB, kUniformB, kUniformC };

/// Of copies by the copy engine.
enum class BulkSpaces : uint8_t { kNone, kFromGlobal, kToGlobal, kInCluster };

struct Word {
  uint64_t low = 0, high = 0;
  bool operator==(const Word&) const = default;

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

  uint32_t code() const { return bits(0, 9); }  // the opcode without the form
  uint32_t form() const { return bits(9, 3); }  // the operands' form: see Form, for arithmetic
  bool is(Form f) const { return form() == static_cast<uint32_t>(f); }
  /// Do bits 32 to 63 hold c, in place of b?
  bool holds_c_low() const { return is(Form::kImmediateC) || is(Form::kConstantC) || is(Form::kUniformC); }
  bool has_immediate() const { return is(Form::kImmediateC) || is(Form::kImmediateB); }

  // Registers; 255 is none.
  uint32_t target() const { return bits(16, 8); }
  uint32_t source_a() const { return bits(24, 8); }
  uint32_t source_low() const { return bits(32, 8); }   // b, or c: see holds_c_low
  uint32_t source_high() const { return bits(64, 8); }  // the other one
  uint32_t immediate() const { return bits(32, 32); }

  // Signs of sources: a's at 72 and 73, the lower half's at 63 and 62, the other one's at 75 and 74.
  bool negates_low() const { return !has_immediate() && bit(63); }
  bool negates_high() const { return bit(75); }
  bool negates_a() const { return bit(72); }
  bool negates_b() const { return holds_c_low() ? negates_high() : negates_low(); }
  bool negates_c() const { return holds_c_low() ? negates_low() : negates_high(); }

  /// Of loads and stores: 8 and 16 bits with and without sign, 32, 64, 128.
  uint32_t width_code() const { return bits(73, 3); }
  BulkSpaces bulk_spaces() const { return static_cast<BulkSpaces>(bits(73, 2)); }
};

}  // namespace warplens::sass
