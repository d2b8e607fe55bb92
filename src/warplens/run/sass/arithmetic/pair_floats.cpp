// Arithmetic on pairs of single-precision numbers, each pair in two registers (compute capability 10.0 and later).
#include "warplens/run/sass/arithmetic/modified_floats.h"
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Where a source's three modifiers stand: its words swapped, one word for both, the high word's sign flipped.
constexpr int kOfA = 81, kOfC = 84, kOfB = 87;

/// What the low or the high half of a result takes from a source.
FloatSource half_of(const Warp& w, const Op& op, const Operand& o, int modifiers_at, uint32_t half) {
  const bool swaps = op.word.bit(modifiers_at), one = op.word.bit(modifiers_at + 1),
             flips = op.word.bit(modifiers_at + 2);
  Operand signs = o;
  signs.negate ^= flips && half == 1;
  return {w.in(o) + (one ? 0 : half ^ uint32_t{swaps}) * kLanes, SignMask(signs)};
}

template <auto kFunction, int kSecondAt>
void pairs(Warp& w, const Op& op, uint32_t on) {
  const auto compute = [&](uint32_t half) {
    return modified_floats(half_of(w, op, op.a, kOfA, half), half_of(w, op, op.b, kSecondAt, half),
                           half_of(w, op, op.c, kOfC, half), op.mode, kFunction);
  };
  const Lanes low = compute(0), high = compute(1);
  store(w.row(op.target), low, on);
  store(w.row(op.target) + kLanes, high, on);
}

bool prepare_pairs(Decoder& d, Op& op, Handler run) {
  constexpr int kZeroWinsAt = 76;  // .FMZ: 0 times anything is 0
  d.operands(op);
  Decoder::signs(op);
  op.mode = float_mode(op.word);
  op.run = run;
  return !op.word.bit(kZeroWinsAt);
}

bool prepare_ffma2(Decoder& d, Op& op) { return prepare_pairs(d, op, pairs<kFused, kOfB>); }
bool prepare_fmul2(Decoder& d, Op& op) { return prepare_pairs(d, op, pairs<kProduct, kOfB>) && !op.word.holds_c_low(); }
/// The second source stands at bit 32 in every form, and its modifiers where those of c do.
bool prepare_fadd2(Decoder& d, Op& op) {
  const bool known = prepare_pairs(d, op, pairs<kSum, kOfC>);
  if (op.word.holds_c_low()) op.b = op.c;
  op.c = op.b;
  return known;
}

}  // namespace

const Row kPairFloatRows[] = {
    {Opcode::kFfma2, prepare_ffma2},
    {Opcode::kFmul2, prepare_fmul2},
    {Opcode::kFadd2, prepare_fadd2},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
