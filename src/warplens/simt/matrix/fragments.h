// Where the elements of a warp's matrices lie: in which lane, and which place of its registers.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/isa/ptx/types.h"

namespace warplens::simt {

/// The operands of a matrix instruction.
struct MatrixInfo {
  uint16_t m = 0, n = 0, k = 0;
  ptx::Type a{}, b{}, c{}, d{};
  bool by_columns = false;  // wmma.load and .store: the matrix lies by columns; mma.m8n8k4: A does
  bool transposed = false;  // ldmatrix.trans; mma.m8n8k4: B lies by rows
  bool saturate = false, use_xor = false;
  bool opaque = false;                                         // fragments of wmma
  bool sparse = false;                                         // A is kept by half, k counts all of it
  uint8_t selector = 0;                                        // of sparse: lanes that hold the metadata
  bool packed = false;                                         // fp4 of kinds that have two a byte
  ptx::Type scale{};                                           // of block scaling
  uint8_t scale_blocks = 0;                                    // scales a row of A and a column of B; 0: no scaling
  uint8_t fragment = 0;                                        // 0 A, 1 B, 2 C or D: of wmma.load and .store
  uint8_t count = 0;                                           // matrices of ldmatrix; registers of a fragment
  uint8_t a_count = 0, b_count = 0, c_count = 0, d_count = 0;  // registers of mma's operands
  bool operator==(const MatrixInfo&) const = default;
};

struct Element {
  int row = 0, column = 0;
};

/// Elements of A (m x k), B (k x n) or C, D (m x n) by place: place e of lane l holds `element_*`. From the PTX ISA's
/// figures of mma.m16n8 and mma.m8n8; `each` is elements a 32-bit register.
inline Element element_of_a(const MatrixInfo& info, int each, int lane, int place) {
  const int halves = info.m == 16 ? 2 : 1, reg = place / each;
  return {lane / 4 + 8 * (reg % halves), reg / halves * 4 * each + lane % 4 * each + place % each};
}
inline Element element_of_b(int each, int lane, int place) {
  return {place / each * 4 * each + lane % 4 * each + place % each, lane / 4};
}
inline Element element_of_c(int lane, int place) { return {lane / 4 + 8 * (place / 2), lane % 4 * 2 + place % 2}; }

/// Fragments of wmma are opaque; here tiles of 8 columns laid out as mma does, where the shape allows.
Element element_of_fragment(const MatrixInfo& info, int lane, int place);
/// The same for an operand of mma or wmma.mma: 0 A, 1 B, 2 C and D.
Element element_of_operand(const MatrixInfo& info, int operand, int lane, int place);
/// Bits of an element in a register: bf16 and fp8 are packed; tf32, f32 and s32 take a register each, fp4 and fp6 a
/// byte, unless packed.
int stored_bits(const MatrixInfo& info, ptx::Type type);
/// Where lane l's element p of an operand is in the dense matrix by columns, at [p * 32 + l].
std::vector<uint16_t> dense_places(const MatrixInfo& info, int operand);

/// Row (high byte) and column of lane l's element p of a wmma fragment, at [p * 32 + l].
std::vector<uint16_t> fragment_places(const MatrixInfo& info);

/// Elements a lane holds once; registers past them hold copies.
int fragment_elements(const MatrixInfo& info);

}  // namespace warplens::simt
