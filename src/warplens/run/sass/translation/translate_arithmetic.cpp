// What instructions that work on registers alone become. Each half of the lanes is one vector: its result is vector 0,
// lanes of a result that are predicates go into a mask.
#include <algorithm>

#include "warplens/run/sass/translation/translator.h"

namespace warplens::simt::sass_machine {
namespace {

/// The one word of a source that is the same in all lanes of all launches, with `known` telling whether it is.
uint32_t constant_word(const Operand& o, bool* known) {
  const auto same = [&](uint32_t lane) { return lane == o.fixed[0]; };
  *known = o.fixed && !o.varies && std::all_of(o.fixed, o.fixed + kLanes, same);
  return *known ? o.fixed[0] : 0;
}

/// How vectors compare integers: never, less, equal, less or equal, greater, unequal, greater or equal, always.
constexpr uint8_t kIntegerOrders[] = {3, 1, 0, 2, 6, 4, 5, 7};

}  // namespace

void Translator::load_constants(const Op& op, const Changes& on) {
  // Those of instructions behind it are joined to its own: each does its own here.
  const uint32_t own = op.more ? op.known_count - ops_[op.index + 1].known_count : op.known_count;
  for (uint32_t k = 0; k < own; ++k) {
    const KnownRow& known = op.known[k];
    if (known.varies) {
      code_.address(kRax, &known.value);
      code_.load(kRax, {kRax, 0});
    } else {
      code_.constant(kRax, known.value);
    }
    code_.vector(kBroadcast, 0, 0, kRax);
    for (const int half : {0, 1}) finish(known.row, known.always == kAll ? Changes{} : on, half, 0);
    forget(known.row);
  }
}

void Translator::select(const Op& op, int half) {
  predicate(kRax, op.p);
  mask_half(kRax, half);
  load(0, b(op, half));
  load(0, a(op, half), kMask);
}

void Translator::add(const Op& op, int half) {
  if (op.mode & kNegateA) {
    code_.clear(0);
    use(kSubtractWords, 0, 0, a(op, half));
  } else {
    load(0, a(op, half));
  }
  if (!is_zero(op.b)) use(op.mode & kNegateB ? kSubtractWords : kAddWords, 0, 0, b(op, half));
  if (!is_zero(op.c)) use(op.mode & kNegateC ? kSubtractWords : kAddWords, 0, 0, c(op, half));
}

void Translator::add_carry(const Op& op, int half) {
  constexpr uint8_t kNot = 0x55, kLess = 1, kNotLess = 5;
  constexpr int kCarries = 4;
  const auto load_as_negated = [&](int to, const Source& from, uint32_t negated) {
    load(to, from);
    if (!(op.mode & negated)) return;
    code_.vector(kTernary, to, to, to);
    code_.immediate(kNot);
  };
  /// Vector 0 has become vector 1, a sum that is less where it carried.
  const auto take = [&] {
    code_.vector(kCompareUnsigned, kMask, 1, 0);
    code_.immediate(kLess);
    code_.vector(kAddWords, kCarries, kCarries, constant(kTranslatorConstants.ones), kMask);
    code_.vector(kCopyWords, 0, 0, 1);
  };
  code_.clear(kCarries);
  load_as_negated(0, a(op, half), kNegateA);
  load_as_negated(2, b(op, half), kNegateB);
  code_.vector(kAddWords, 1, 0, 2);
  take();
  if (!is_zero(op.c) || (op.mode & kNegateC)) {
    load_as_negated(2, c(op, half), kNegateC);
    code_.vector(kAddWords, 1, 0, 2);
    take();
  }
  const bool extended = op.mode & kExtended;
  const uint32_t negated = ((op.mode & kNegateA) != 0) + ((op.mode & kNegateB) != 0) + ((op.mode & kNegateC) != 0);
  if (!extended && negated) {
    fill(2, negated);  // of the two's complements
    code_.vector(kAddWords, 1, 0, 2);
    take();
  }
  if (extended) {
    code_.vector(kCopyWords, 1, 0, 0);
    for (const Guard* in : {&op.p, &op.q}) {
      if ((in->index & 7) == 7 && in->inverted) continue;
      predicate(kRax, *in);
      mask_half(kRax, half);
      code_.vector(kAddWords, 1, 1, constant(kTranslatorConstants.ones), kMask);
    }
    take();
  }
  if ((op.set0 & 7) == 7) return;
  code_.vector(kCompareUnsigned, kResultLow + half, kCarries, constant(kTranslatorConstants.ones));
  code_.immediate(kNotLess);
}

void Translator::multiply_add(const Op& op, int half) {
  bool known = false;
  const uint32_t factor = constant_word(op.b, &known);
  const bool minus = op.mode & kNegateC;
  if (is_zero(op.a) || is_zero(op.b)) {
    if (!minus) return load(0, c(op, half));
    code_.clear(0);
  } else if (known && factor != 0 && (factor & (factor - 1)) == 0) {
    use(kShiftWords, kWayLeft, 0, a(op, half));
    code_.immediate(static_cast<uint8_t>(std::countr_zero(factor)));
  } else {
    load(0, a(op, half));
    use(kMultiplyWords, 0, 0, b(op, half));
  }
  if (!is_zero(op.c)) use(minus ? kSubtractWords : kAddWords, 0, 0, c(op, half));
}

/// Products of 32 bits stand in the even words; those of the odd ones follow shifted down.
void Translator::multiply_add_wide(const Op& op, const Changes& on, int half) {
  constexpr uint32_t kEven = 0x5555;
  const bool high = op.native == Native::kMultiplyAddHigh;
  const bool is_signed = high ? op.mode & kSigned : op.native == Native::kMultiplyAddWide;
  const VectorOp product = is_signed ? kMultiplySigned : kMultiplyUnsigned;
  const auto shift = [&](uint8_t way, int to, int from) {
    code_.vector(kShiftPairs, way, to, from);
    code_.immediate(32);
  };
  bool same = false;
  (void)constant_word(op.b, &same);
  code_.constant(kRax, kEven);
  code_.mask_from(kResultLow, kRax);
  code_.constant(kRax, kEven << 1);
  code_.mask_from(kResultHigh, kRax);
  load(0, a(op, half));
  load(1, b(op, half));
  code_.vector(product, 2, 0, 1);
  shift(kWayRight, 0, 0);
  if (!same) shift(kWayRight, 1, 1);
  code_.vector(product, 3, 0, 1);
  if (!is_zero(op.c)) {
    load(4, c(op, half, 1));
    load(5, c(op, half));
    shift(kWayLeft, 0, 4);
    code_.vector(kCopyWords, 0, 0, 5, kResultLow);
    shift(kWayRight, 1, 5);
    code_.vector(kCopyWords, 1, 0, 4, kResultHigh);
    code_.vector(kAddPairs, 2, 2, 0);
    code_.vector(kAddPairs, 3, 3, 1);
  }
  shift(kWayRight, 1, 2);
  code_.vector(kCopyWords, 1, 0, 3, kResultHigh);
  if (high) return finish(op.target, on, half, 1);
  shift(kWayLeft, 0, 3);
  code_.vector(kCopyWords, 0, 0, 2, kResultLow);
  finish(op.target, on, half, 0);
  finish(op.target + 1, on, half, 1);
}

void Translator::shift_add(const Op& op, int half) {
  constexpr uint8_t kLess = 1;
  const auto by = static_cast<uint8_t>(op.offset);
  const auto shift = [&](uint8_t way, int to, const Source& from, uint8_t bits) {
    use(kShiftWords, way, to, from);
    code_.immediate(bits);
  };
  if (op.native != Native::kShiftAddHigh) {
    shift(kWayLeft, 1, a(op, half), by);
    use(kAddWords, 0, 1, b(op, half));
    if (op.native == Native::kShiftAdd) return;
    code_.vector(kCompareUnsigned, kResultLow + half, 0, 1);
    return code_.immediate(kLess);
  }
  if (op.mode & kSignExtendA) {
    shift(kWayRightSigned, 0, a(op, half), 31);
    code_.vector(kShiftWords, kWayLeft, 0, 0);
    code_.immediate(by);
  } else {
    shift(kWayLeft, 0, c(op, half), by);
  }
  shift(kWayRight, 1, a(op, half), static_cast<uint8_t>(32 - by));
  code_.vector(kOrWords, 0, 0, 1);
  use(kAddWords, 0, 0, b(op, half));
  if (!(op.mode & kExtended)) return;
  predicate(kRax, op.p);
  mask_half(kRax, half);
  code_.vector(kAddWords, 0, 0, constant(kTranslatorConstants.ones), kMask);
}

void Translator::float_source(const Operand& o, int to, const Source& from) {
  load(to, from);
  if (o.absolute) code_.vector(kAndWords, to, to, constant(kTranslatorConstants.magnitudes));
  if (o.negate) code_.vector(kXorWords, to, to, constant(kTranslatorConstants.signs));
}

/// Numbers that are too small for whole precision become 0, with their sign.
void Translator::flush(int vector) {
  code_.vector(kTestNot, kMask, vector, constant(kTranslatorConstants.exponents));
  code_.vector(kAndWords, vector, vector, constant(kTranslatorConstants.signs), kMask);
}
/// Results have one NaN.
void Translator::one_nan(int vector) {
  constexpr uint8_t kUnordered = 3;
  code_.vector(kCompareSingles, kMask, vector, vector);
  code_.immediate(kUnordered);
  code_.load(vector, constant(kTranslatorConstants.nans), kMask);
}

/// Lanes that are off are left out: an integer there is a denormal number, and those take the processor long.
void Translator::floating(const Op& op, const Changes& on, int half) {
  float_source(op.a, 0, a(op, half));
  const bool second = op.native == Native::kFloatSumThird;
  second ? float_source(op.c, 1, c(op, half)) : float_source(op.b, 1, b(op, half));
  const bool fused = op.native == Native::kFloatFused, flushes = op.mode & kFlushesFloat;
  if (fused) float_source(op.c, 2, c(op, half));
  for (int source = 0; flushes && source < (fused ? 3 : 2); ++source) flush(source);
  if (fused) {
    code_.vector(kFused, 0, 1, 2, on.of(half));
  } else {
    code_.vector(op.native == Native::kFloatProduct ? kMultiplySingles : kAddSingles, 0, 0, 1, on.of(half));
  }
  if (flushes) flush(0);
  if (!(op.mode & kClampsFloat)) return one_nan(0);
  code_.clear(1);  // which a NaN becomes too
  code_.vector(kMostSingles, 0, 0, 1);
  code_.vector(kLeastSingles, 0, 0, constant(kTranslatorConstants.float_ones));
}

void Translator::shift(const Op& op, int half) {
  const bool left = op.native == Native::kShiftLeft;
  load(0, left ? a(op, half) : c(op, half));
  const VectorOp down = op.native == Native::kShiftRight ? kShiftRightBy : kShiftRightSignedBy;
  use(left ? kShiftLeftBy : down, 0, 0, b(op, half));
}

void Translator::extreme(const Op& op, int half) {
  const bool is_signed = op.mode & 1;
  load(0, a(op, half));
  const VectorOp least = is_signed ? kLeastSigned : kLeastUnsigned, most = is_signed ? kMostSigned : kMostUnsigned;
  use(op.p.inverted ? most : least, 0, 0, b(op, half));
}

void Translator::logic(const Op& op, int half) {
  load(0, a(op, half));
  load(1, b(op, half));
  use(kTernary, 0, 1, c(op, half));
  code_.immediate(static_cast<uint8_t>(op.mode));
  if (op.native == Native::kLogicTested) code_.vector(kTestWords, kResultLow + half, 0, 0);
}

void Translator::compare(const Op& op, int half) {
  if (op.native == Native::kCompareDoubles) return compare_doubles(op, half);
  if (op.native == Native::kCompareFloats) {
    float_source(op.a, 0, a(op, half));
    float_source(op.b, 1, b(op, half));
    for (const int source : {0, 1}) {
      if (op.mode & kFlushesFloat) flush(source);
    }
    code_.vector(kCompareSingles, kResultLow + half, 0, 1);
    return code_.immediate(kFloatOrders[op.word.bits(76, 4)]);
  }
  load(0, a(op, half));
  use(op.word.bit(73) ? kCompareSigned : kCompareUnsigned, kResultLow + half, 0, b(op, half));
  code_.immediate(kIntegerOrders[op.word.bits(76, 3)]);
}

/// The lanes in the result masks, met with the predicates that the instruction names.
void Translator::compare_result(const Op& op, const Changes& on) {
  const auto take = [&](Gpr to) {
    code_.join_masks(kMask, kResultLow, kResultHigh);
    code_.register_from(to, kMask);
  };
  take(kRax);
  if (op.native == Native::kCompareIntegers && op.word.bit(72)) {  // .EX: equal high words leave it to the low words
    for (const int half : {0, 1}) {
      load(0, a(op, half));
      use(kCompareSigned, kResultLow + half, 0, b(op, half));
      code_.immediate(kIntegerOrders[2]);
    }
    take(kRcx);
    predicate(kRdx, op.r);
    code_.scalar(Scalar::kXor, kRdx, kRax);  // rax ^ ((rdx ^ rax) & rcx)
    code_.scalar(Scalar::kAnd, kRdx, kRcx);
    code_.scalar(Scalar::kXor, kRax, kRdx);
  }
  const auto combine = [&](uint8_t to, Gpr lanes, Gpr with) {
    const uint32_t mode = op.word.bits(74, 2);
    code_.scalar(mode == 0 ? Scalar::kAnd : mode == 1 ? Scalar::kOr : Scalar::kXor, lanes, with);
    set_predicate(to, lanes, on);
  };
  predicate(kRdx, op.p);  // before it is written
  code_.scalar(Scalar::kMove, kRcx, kRax);
  code_.invert(kRcx);
  combine(op.set0, kRax, kRdx);
  if ((op.set1 & 7) != 7) combine(op.set1, kRcx, kRdx);
}

void Translator::compute(const Op& op, const Changes& on, int half) {
  switch (op.native) {
    case Native::kMove: return load(0, b(op, half));
    case Native::kSelect: return select(op, half);
    case Native::kAdd3: return add(op, half);
    case Native::kAddCarry: return add_carry(op, half);
    case Native::kMultiplyAdd: return multiply_add(op, half);
    case Native::kShiftAdd:
    case Native::kShiftAddCarry:
    case Native::kShiftAddHigh: return shift_add(op, half);
    case Native::kLogic:
    case Native::kLogicTested: return logic(op, half);
    case Native::kShiftLeft:
    case Native::kShiftRight:
    case Native::kShiftRightSigned: return shift(op, half);
    case Native::kExtreme: return extreme(op, half);
    case Native::kMultiplyAddCarry: return multiply_add_carry(op, half);
    case Native::kShiftWide: return shift_wide(op, half);
    case Native::kPermuteBytes: return permute_bytes(op, half);
    case Native::kMagnitude: return use(kMagnitudes, 0, 0, b(op, half));
    case Native::kHalfSum:
    case Native::kHalfSumThird:
    case Native::kHalfProduct:
    case Native::kHalfFused: return op.mode & kBfloat ? bfloats(op, on, half) : halves(op, half);
    case Native::kFloatSelect: return select_float(op, half);
    case Native::kFloatExtreme: return float_extreme(op, half);
    case Native::kReciprocal:
    case Native::kRoot: return special(op, on, half);
    case Native::kRounded:
    case Native::kFromInteger:
    case Native::kFromPart:
    case Native::kToInteger: return convert(op, on, half);
    default: return floating(op, on, half);
  }
}

/// Instructions whose result is no one row, computed from one half of the lanes at a time; false: it is none of these.
bool Translator::several_rows(const Op& op, const Changes& on) {
  uint32_t rows = 2;
  switch (op.native) {
    case Native::kMultiplyAddWide:
    case Native::kMultiplyAddUnsigned:
    case Native::kMultiplyAddHigh:
      for (const int half : {0, 1}) multiply_add_wide(op, on, half);
      if (op.native == Native::kMultiplyAddHigh) rows = 1;
      break;
    case Native::kDoubleSum:
    case Native::kDoubleProduct:
    case Native::kDoubleFused:
      for (const int half : {0, 1}) doubles(op, on, half);
      break;
    case Native::kToDouble:
      for (const int half : {0, 1}) to_double(op, on, half);
      break;
    case Native::kMoveWords:
      rows = op.size_bytes / 4;
      for (uint32_t word = 0; word < rows; ++word) {
        for (const int half : {0, 1}) {
          load(0, b(op, half, static_cast<int>(word)));
          finish(op.target + word, on, half, 0);
        }
      }
      break;
    case Native::kShuffle:
      rows = 1;
      shuffle(op, on);
      break;
    default: return false;
  }
  for (uint32_t row = 0; row < rows; ++row) forget(op.target + row);
  return true;
}

void Translator::arithmetic(const Op& op, const Changes& on) {
  if (op.native == Native::kConstant) return load_constants(op, on);
  address_sources(op);
  if (several_rows(op, on)) return;
  if (op.native == Native::kCompareIntegers || op.native == Native::kCompareFloats ||
      op.native == Native::kCompareDoubles) {
    for (const int half : {0, 1}) compare(op, half);
    return compare_result(op, on);
  }
  // Where nobody may carry it out, what was in vectors before must be true after it too.
  keeps_ = !op.guarded || kept_ == op.target;
  for (const int half : {0, 1}) {
    compute(op, on, half);
    finish(op.target, on, half, 0);
  }
  if (keeps_) kept_ = op.target;
  keeps_ = false;
  const bool carries = op.native == Native::kAddCarry || op.native == Native::kShiftAddCarry;
  if ((!carries && op.native != Native::kLogicTested) || (op.set0 & 7) == 7) return;
  code_.join_masks(kMask, kResultLow, kResultHigh);
  code_.register_from(kRax, kMask);
  if (op.native == Native::kLogicTested) {
    predicate(kRdx, op.p);
    code_.scalar(op.word.bit(80) ? Scalar::kAnd : Scalar::kOr, kRax, kRdx);
  }
  set_predicate(op.set0, kRax, on);
}

}  // namespace warplens::simt::sass_machine
