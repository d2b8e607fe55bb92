// What instructions do, for who makes this computer's own code of them (see translation.h), and how Op::mode says it.
#pragma once
#include <cstdint>

namespace warplens::simt::sass_machine {

enum class Native : uint8_t {
  kNone,                 // its handler alone knows
  kConstant,             // Op::known
  kMove,                 // b
  kSelect,               // p ? a : b
  kAdd3,                 // a + b + c
  kAddCarry,             // the same with one carry out and carries p and q in
  kMultiplyAdd,          // a * b + c
  kMultiplyAddWide,      // 64 bits, of signed numbers
  kMultiplyAddUnsigned,  // 64 bits, of unsigned ones
  kShiftAdd,             // (a << offset) + b
  kShiftAddCarry,
  kShiftAddHigh,      // the high word of the pair a, c shifted so, and b; a carry p in
  kLogic,             // mode: the table
  kLogicTested,       // and whether it is not 0
  kShiftLeft,         // a << b
  kShiftRight,        // c >> b
  kShiftRightSigned,  // the same, filled with the sign
  kExtreme,           // the smaller where p holds, else the larger; mode: signed
  kCompareIntegers,
  kCompareFloats,
  kFloatSum,       // a + b
  kFloatSumThird,  // a + c
  kFloatProduct,   // a * b
  kFloatFused,     // a * b + c
  kBranch
};

/// Op::mode of integer arithmetic.
inline constexpr uint32_t kExtended = 1, kNegateA = 2, kNegateB = 4, kNegateC = 8, kSigned = 16, kHigh = 32,
                          kSignExtendA = 64;

}  // namespace warplens::simt::sass_machine
