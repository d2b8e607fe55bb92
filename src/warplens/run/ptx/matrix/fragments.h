// Where the elements of a warp's matrices lie: in which lane, and which place of its registers.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/run/ptx/matrix/matrix.h"

namespace warplens::emulator {

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
/// Bits that an element takes in a register: bf16 and fp8 lie packed; tf32, f32 and s32 take a register each, fp4 and
/// fp6 a byte, unless packed.
int stored_bits(const MatrixInfo& info, ptx::Type type);
/// Where lane l's element p of an operand lies in the dense matrix by columns, at [p * 32 + l].
std::vector<uint16_t> dense_places(const MatrixInfo& info, int operand);

/// Row (high byte) and column of lane l's element p of a wmma fragment, at [p * 32 + l].
std::vector<uint16_t> fragment_places(const MatrixInfo& info);

/// Elements a lane holds once; registers past them hold copies.
int fragment_elements(const MatrixInfo& info);

}  // namespace warplens::emulator
