#include "warplens/run/sass/arithmetic/mixed_floats.h"

#include "warplens/run/sass/arithmetic/modified_floats.h"
#include "warplens/simt/lanes/half.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

constexpr int kBfloatAt = 82, kUpperOfA = 83, kUpperOfB = 84;  // bits: the format, the half that is taken

Lanes widened(const Warp& w, const Op& op, const Operand& o, int upper_at) {
  const uint32_t *lanes = w.in(o), shift = op.word.bit(upper_at) ? 16 : 0;
  const bool bfloat = op.word.bit(kBfloatAt);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = as_bits(from_half(lanes[i] >> shift & 0xffff, bfloat));
  return out;
}

/// `kHalves`: sources of 16 bits, the first ones.
template <auto kFunction, int kHalves>
void mixed(Warp& w, const Op& op, uint32_t on) {
  const Lanes a = widened(w, op, op.a, kUpperOfA), b = widened(w, op, op.b, kUpperOfB);
  const FloatSource first{a.value, SignMask(op.a)}, second{kHalves == 2 ? b.value : w.in(op.b), SignMask(op.b)},
      third{w.in(op.c), SignMask(op.c)};
  store(w.row(op.target), modified_floats(first, second, third, op.mode, kFunction), on);
}

bool prepare_mixed(Decoder& d, Op& op, Handler run, int last_modifier) {
  d.operands(op);
  Decoder::signs(op);
  op.mode = float_mode(op.word);
  op.run = run;
  return !op.word.bit(76) && op.word.bits(last_modifier + 1, 90 - last_modifier) == 0;
}

}  // namespace

bool prepare_mixed_sum(Decoder& d, Op& op) {
  const bool known = prepare_mixed(d, op, mixed<kSum, 1>, kUpperOfA);
  return known && !op.word.holds_c_low();
}
bool prepare_mixed_fused(Decoder& d, Op& op) {
  const bool known = prepare_mixed(d, op, mixed<kFused, 2>, kUpperOfB);
  return known && op.word.is(Form::kRegisters);
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
