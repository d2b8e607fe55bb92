// Registers are in two banks, even and odd ones, and a bank delivers one a cycle. Registers marked .reuse come from an
// operand cache. Measured on an H200: benchmarks/gpu/register_banks.py.
#pragma once
#include <array>
#include <cstdint>

#include "warplens/isa/sass/instructions.h"

namespace warplens::sass {

/// Walks through code in its order.
class RegisterBanks {
 public:
  /// Cycles that an instruction of the FP32 pipe waits for its registers, beyond its issue cycle. A bank may lag one
  /// register behind. Instructions of other pipes, which take two cycles or more, let the banks catch up.
  uint32_t waits(const Instruction& instruction, const Word& word);

 private:
  static constexpr uint32_t kNone = 255;
  std::array<uint32_t, 3> kept_{kNone, kNone, kNone};  // by place: a, bits 32 to 39, bits 64 to 71
  std::array<uint32_t, 2> behind_{};                   // registers that a bank has still to deliver
};

}  // namespace warplens::sass
