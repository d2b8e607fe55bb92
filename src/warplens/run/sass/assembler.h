// Writes machine code of x86-64 with AVX-512: what translations of kernels need of it.
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

/// An instruction on 512 bits: its map of opcodes (1: 0F, 2: 0F38, 3: 0F3A), prefix (0, 1: 66, 2: F3, 3: F2), width.
struct VectorOp {
  uint8_t map, prefix, opcode;
  bool wide = false;
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
    // Shifts by a constant: the register field says which.
    kShiftWords{1, 1, 0x72}, kShiftPairs{1, 1, 0x73, true};
// clang-format on
inline constexpr uint8_t kWayLeft = 6, kWayRight = 2, kWayRightSigned = 4;

/// Two-operand instructions of general registers of 32 bits: the first is changed.
enum class Scalar : uint8_t { kOr = 0x09, kAnd = 0x21, kXor = 0x31, kCompare = 0x39, kMove = 0x89 };
/// When a jump is taken.
enum class When : uint8_t { kZero = 0x4, kNotZero = 0x5, kNegative = 0x8 };

class Assembler {
 public:
  std::vector<uint8_t> code;

  // Vectors: `to` (or a mask register, of compares) from `first` and a register or memory; `mask`: of the lanes that
  // change, 0: all.
  void vector(VectorOp op, int to, int first, int second, int mask = 0) { evex(op, to, first, mask, second, nullptr); }
  void vector(VectorOp op, int to, int first, Place second, int mask = 0) { evex(op, to, first, mask, 0, &second); }
  /// The last byte of those that have one.
  void immediate(uint8_t value) { code.push_back(value); }
  void load(int to, Place from, int mask = 0) { vector(kLoadWords, to, 0, from, mask); }
  void store(Place to, int from) { vector(kStoreWords, from, 0, to); }
  void clear(int to) { vector(kXorWords, to, to, to); }

  // Masks of 16 lanes.
  void mask_from(int to, Gpr from);        // its low half
  void mask_of_upper(int to, int from);    // of one made of 32: see whole_mask_from
  void whole_mask_from(int to, Gpr from);  // 32 lanes
  void join_masks(int to, int low, int high);
  void register_from(Gpr to, int whole_mask);

  void scalar(Scalar op, Gpr to, Gpr from);
  void invert(Gpr to);
  void constant(Gpr to, uint32_t value);
  void address(Gpr to, const void* value);
  void subtract(Gpr from, uint32_t value);
  void load(Gpr to, Place from, bool whole = false);
  void store(Place to, Gpr from, bool whole = false);
  void store_constant(Place to, uint32_t value);
  void store_byte(Place to, uint8_t value);
  void compare_byte(Place with, uint8_t value);
  void address_of(Gpr to, Place of);
  void load_from_stack(Gpr to);  // its top
  void push(Gpr from);
  void pop(Gpr to);
  void move_whole(Gpr to, Gpr from);
  void call(Gpr to);
  void jump_to(Gpr to);
  void raw(std::initializer_list<uint8_t> bytes) { code.insert(code.end(), bytes); }

  /// A jump whose target is written later: where to write it.
  size_t jump();
  size_t jump(When when);
  /// Lets the jump written at `at` go to `target`, a place in the code.
  void aim(size_t at, size_t target);

 private:
  void evex(VectorOp op, int reg, int first, int mask, int second, const Place* memory);
  void prefix(bool whole, uint8_t reg, uint8_t rm);
  void memory(uint8_t reg, Place at);
  void bytes32(uint32_t value);
};

}  // namespace warplens::simt::sass_machine
