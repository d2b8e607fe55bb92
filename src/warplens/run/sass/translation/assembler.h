// Writes machine code of x86-64 with AVX-512: the part that translations of kernels need.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace warplens::simt::sass_machine {

/// General registers by their numbers.
enum Gpr : uint8_t { kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15 };

/// Bytes at a register and an offset; not of rsp or r12, which are written in another way.
struct Place {
  Gpr base = kRax;
  int32_t offset = 0;
};

/// An instruction on 512 bits. Its map of opcodes (1: 0F, 2: 0F38, 3: 0F3A, 5 and 6: of half precision); its prefix (0,
/// 1: 66, 2: F3, 3: F2); its width; the bytes of memory that it moves; and whether it works on the lower 256 bits
/// alone.
struct VectorOp {
  uint8_t map, prefix, opcode;
  bool wide = false;
  uint8_t memory_bytes = 64;
  bool lower = false;
};

// clang-format off
inline constexpr VectorOp kLoadWords{1, 2, 0x6f}, kStoreWords{1, 2, 0x7f}, kCopyWords{1, 1, 0x6f},
    kBroadcast{2, 1, 0x7c}, kAddWords{1, 1, 0xfe}, kSubtractWords{1, 1, 0xfa}, kMultiplyWords{2, 1, 0x40},
    kAddPairs{1, 1, 0xd4, true}, kMultiplySigned{2, 1, 0x28, true}, kMultiplyUnsigned{1, 1, 0xf4, true},
    kOrWords{1, 1, 0xeb}, kXorWords{1, 1, 0xef}, kAndWords{1, 1, 0xdb}, kTernary{3, 1, 0x25},
    kShiftLeftBy{2, 1, 0x47}, kShiftRightBy{2, 1, 0x45}, kShiftRightSignedBy{2, 1, 0x46},
    kLeastSigned{2, 1, 0x39}, kLeastUnsigned{2, 1, 0x3b}, kMostSigned{2, 1, 0x3d}, kMostUnsigned{2, 1, 0x3f},
    kCompareSigned{3, 1, 0x1f}, kCompareUnsigned{3, 1, 0x1e}, kCompareSingles{1, 0, 0xc2}, kTestWords{2, 1, 0x27},
    kAddSingles{1, 0, 0x58}, kMultiplySingles{1, 0, 0x59}, kFused{2, 1, 0xa8},
    kAddDoubles{1, 1, 0x58, true}, kMultiplyDoubles{1, 1, 0x59, true}, kCompareDoubles{1, 1, 0xc2, true},
    kFusedDoubles{2, 1, 0xa8, true}, kFusedLess{2, 1, 0xaa, true}, kFusedMinus{2, 1, 0xac, true},
    kFusedMinusMinus{2, 1, 0xae, true}, kAndPairs{1, 1, 0xdb, true}, kXorPairs{1, 1, 0xef, true},
    kUnpackLow{1, 1, 0x62}, kUnpackHigh{1, 1, 0x6a}, kShuffleWords{1, 0, 0xc6}, kShuffleBytes{2, 1, 0x00},
    kLeastSingles{1, 0, 0x5d}, kMostSingles{1, 0, 0x5f}, kDivideSingles{1, 0, 0x5e}, kRootSingles{1, 0, 0x51},
    kRoundSingles{3, 1, 0x08}, kMagnitudes{2, 1, 0x1e}, kFromSigned{1, 0, 0x5b}, kFromUnsigned{1, 3, 0x7a},
    kToSigned{1, 1, 0x5b}, kToSignedCut{1, 2, 0x5b}, kToUnsigned{1, 0, 0x79}, kToUnsignedCut{1, 0, 0x78},
    kToDoubles{1, 0, 0x5a, false, 32},
    // Pairs of half precision, a bit of a mask each half: not on every processor with AVX-512.
    kAddHalves{5, 0, 0x58}, kMultiplyHalves{5, 0, 0x59}, kFusedHalves{6, 1, 0xa8}, kCompareHalves{3, 0, 0xc2},
    kCopyHalves{1, 3, 0x6f, true},
    // Shifts by a constant: the register field says which.
    kShiftWords{1, 1, 0x72}, kShiftPairs{1, 1, 0x73, true},
    // Words of one or two vectors in another order; `to` holds one of them, the first source says which.
    kPermuteTwo{2, 1, 0x7e}, kPermute{2, 1, 0x36},
    // From memory only: one word for all lanes, and bytes or halves that become words.
    kRepeatWord{2, 1, 0x58, false, 4}, kLoadBytes{2, 1, 0x31, false, 16}, kLoadSignedBytes{2, 1, 0x21, false, 16},
    kLoadHalves{2, 1, 0x33, false, 32}, kLoadSignedHalves{2, 1, 0x23, false, 32}, kStoreBytes{2, 2, 0x31, false, 16},
    kStoreHalves{2, 2, 0x33, false, 32}, kStorePairs{1, 2, 0x7f, true}, kTestNot{2, 2, 0x27}, kGather{2, 1, 0x90},
    kGatherPairs{2, 1, 0x90, true},
    kScatter{2, 1, 0xa0}, kScatterPairs{2, 1, 0xa0, true}, kPermutePairs{2, 1, 0x36, true}, kUpper{3, 1, 0x3b, true};  // the last: the upper half, to the second source
// clang-format on
// Four numbers of 64 bits.
inline constexpr VectorOp kLoadFour{1, 2, 0x6f, true, 32, true}, kStoreFour{1, 2, 0x7f, true, 32, true},
    kRepeatPairFour{2, 1, 0x59, true, 8, true}, kAddFour{1, 1, 0xd4, true, 32, true},
    kRepeatFour{2, 1, 0x7c, true, 8, true}, kSubtractFour{1, 1, 0xfb, true, 32, true},
    kMostFour{2, 1, 0x3d, true, 32, true};
inline constexpr uint8_t kWayLeft = 6, kWayRight = 2, kWayRightSigned = 4;

/// Two-operand instructions of general registers of 32 bits: the first is changed.
enum class Scalar : uint8_t {
  kAdd = 0x01,
  kOr = 0x09,
  kAnd = 0x21,
  kSubtract = 0x29,
  kXor = 0x31,
  kCompare = 0x39,
  kMove = 0x89
};
/// When a jump is taken; kBelow and kAbove are of numbers without sign.
enum class When : uint8_t {
  kBelow = 0x2,
  kZero = 0x4,
  kNotZero = 0x5,
  kAbove = 0x7,
  kNegative = 0x8,
  kNotPositive = 0xe  // after a subtraction or comparison of signed numbers
};

class Assembler {
 public:
  std::vector<uint8_t> code;

  // Vectors: `to` (or a mask register, of compares) from `first` and a register or memory; `mask`: of the lanes that
  // change, 0: all.
  void vector(VectorOp op, int to, int first, int second, int mask = 0) { evex(op, to, first, mask, second, nullptr); }
  void vector(VectorOp op, int to, int first, Place second, int mask = 0) { evex(op, to, first, mask, 0, &second); }
  /// From registers alone, in a rounding mode: nearest, down, up, towards zero.
  void rounded(VectorOp op, int to, int first, int second, uint8_t mode, int mask = 0);
  /// The last byte of those that have one.
  void immediate(uint8_t value) { code.push_back(value); }
  void load(int to, Place from, int mask = 0) { vector(kLoadWords, to, 0, from, mask); }
  void store(Place to, int from) { vector(kStoreWords, from, 0, to); }
  void clear(int to) { vector(kXorWords, to, to, to); }

  // Masks of 16 lanes.
  void mask_from(int to, Gpr from);                       // its low half
  void mask_of_upper(int to, int from, uint8_t by = 16);  // of one made of 32, moved down: see whole_mask_from
  void copy_mask(int to, int from);
  void fill_mask(int to);
  void whole_mask_from(int to, Gpr from);  // 32 lanes
  void join_masks(int to, int low, int high);
  void join_bytes(int to, int low, int high);  // of 8 lanes each
  void register_from(Gpr to, int whole_mask);

  void scalar(Scalar op, Gpr to, Gpr from, bool whole = false);
  /// With a place in memory as the second.
  void scalar(Scalar op, Gpr to, Place from, bool whole = false);
  void scalar(Scalar op, Gpr to, int32_t value, bool whole = false);
  /// Adds 64 bits to those at a place.
  void add_to(Place to, Gpr from);
  void add_to(Place to, int32_t value);
  void count_bits(Gpr to, Gpr of);
  void shift_left(Gpr of, uint8_t bits, bool whole = false);
  void shift_right(Gpr of, uint8_t bits, bool whole = false);
  void first_bit(Gpr to, Gpr of);  // the number of the lowest that is set
  void test_bits(Gpr of, uint8_t bits);
  /// eax to edi from the word `index` of those at a place.
  void load_indexed(Gpr to, Place from, Gpr index);
  /// Has the CPU fetch the bytes at at + 4 * index + offset.
  void prefetch(Gpr at, Gpr index, int32_t offset);
  /// Lanes of a mask read or write the word at base + their number in `index` + offset; the mask is zero then. If
  /// several write to one place, the last remains.
  void each_lane(VectorOp op, int to, Gpr base, int index, int mask, int32_t offset);
  void invert(Gpr to);
  void constant(Gpr to, uint32_t value);
  void constant_signed(Gpr to, int32_t value);  // as 64 bits
  void address(Gpr to, const void* value);
  void load(Gpr to, Place from, bool whole = false);
  void store(Place to, Gpr from, bool whole = false);
  void store_constant(Place to, uint32_t value);
  void store_byte(Place to, uint8_t value);
  void compare_byte(Place with, uint8_t value);
  void compare_half(Place with, uint16_t value);
  void compare(Place with, uint32_t value);
  void address_of(Gpr to, Place of);
  void load_from_stack(Gpr to);  // its top
  void push(Gpr from);
  void pop(Gpr to);
  void move_whole(Gpr to, Gpr from);
  void call(Gpr to);   // with clear_upper before it
  void clear_upper();  // of vectors: else code without AVX waits some hundred cycles when it begins and when it ends
  void jump_to(Gpr to);
  void raw(std::initializer_list<uint8_t> bytes) { code.insert(code.end(), bytes); }

  /// A jump whose target is written later: the position of its target.
  size_t jump();
  size_t jump(When when);
  /// Lets the jump written at `at` go to `target`, a place in the code.
  void aim(size_t at, size_t target);

 private:
  void evex(VectorOp op, int reg, int first, int mask, int second, const Place* memory);
  void prefix(bool whole, uint8_t reg, uint8_t rm);
  void memory(uint8_t reg, Place at);
  void evex_prefix(VectorOp op, int reg, int first, int mask, bool x, bool b);
  void bytes32(uint32_t value);
};

}  // namespace warplens::simt::sass_machine
