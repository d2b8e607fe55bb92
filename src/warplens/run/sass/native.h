// The effects of instructions, for compiling them to this computer's code (see translation.h), encoded in Op::mode.
#pragma once
#include <cstdint>

namespace warplens::simt::sass_machine {

enum class Native : uint8_t {
  kNone,                 // only its handler knows
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
  kCompareFloats,  // mode: of single precision, below
  kCompareDoubles,
  kFloatSum,       // a + b
  kFloatSumThird,  // a + c
  kFloatProduct,   // a * b
  kFloatFused,     // a * b + c
  kHalfSum,        // two numbers of 16 bits each: a + b; mode: below
  kHalfSumThird,   // a + c
  kHalfProduct,    // a * b
  kHalfFused,      // a * b + c
  kFloatSelect,    // p ? a : b
  kFloatExtreme,   // the smaller if p holds, else the larger; a number beats NaN
  kReciprocal,     // of b, and the root: numbers too small for whole precision are 0 before and after
  kRoot,
  kRounded,        // b, to a whole number; mode: how
  kFromInteger,    // b as a float; mode: signed, and << 1 the rounding
  kFromPart,       // bytes of b from bit `offset` on; mode: signed, and their bits << 1
  kToInteger,      // b to 32 bits; mode: signed, and << 1 whether to the nearest
  kToDouble,       // the float b
  kDoubleSum,      // a + c, to the nearest as all doubles here
  kDoubleProduct,  // a * b
  kDoubleFused,
  kMoveWords,         // b, size_bytes of it
  kMultiplyAddCarry,  // a * b + c and a carry p in
  kMultiplyAddHigh,   // the high word of 64 bits; mode: signed
  kShiftWide,         // of the pair a, c, by b; mode: below
  kPermuteBytes,      // of a and c; mode: a selector for each byte
  kMagnitude,         // of the integer b
  kShuffle,           // a of the lanes in d; the predicate says for which of mode
  kBranch,
  kBeginRegion,  // its lanes will meet at the convergence barrier `mode`
  kEndRegion,    // where they do
  // Memory, to the end.
  kLoadGlobal,
  kStoreGlobal,
  kLoadShared,
  kStoreShared
};

/// Op::mode of shifts.
inline constexpr uint32_t kShiftSigned = 1, kShift32 = 2, kShiftWrap = 4, kShiftRight = 8, kShiftHigh = 16;

/// Op::mode of single precision: a rounding mode, results clamped to [0, 1], denormal numbers flushed on both sides.
inline constexpr uint32_t kRoundingMode = 3, kClampsFloat = 4, kFlushesFloat = 8;

/// Op::mode of pairs of 16-bit numbers: whether they are bfloat16, and how each source's halves are chosen, by its
/// number.
inline constexpr uint32_t kBfloat = 0x100;
enum Swizzle : uint32_t { kBoth = 0, kSingleNumber = 1, kLowTwice = 2, kHighTwice = 3, kCrossed = 4 };
inline __attribute__((always_inline)) uint32_t swizzles(uint32_t a, uint32_t b, uint32_t c) {
  return (a | b << 3 | c << 6) << 16;
}
inline __attribute__((always_inline)) Swizzle swizzle(uint32_t mode, uint32_t source) {
  return static_cast<Swizzle>(mode >> (16 + 3 * source) & 7);
}

/// Op::mode of integer arithmetic.
inline constexpr uint32_t kExtended = 1, kNegateA = 2, kNegateB = 4, kNegateC = 8, kSigned = 16, kHigh = 32,
                          kSignExtendA = 64;

}  // namespace warplens::simt::sass_machine
