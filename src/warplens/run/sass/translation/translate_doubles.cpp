// What double-precision arithmetic becomes. Sixteen lanes are two vectors: words 0 1 4 5 ... of each pair of rows and
// words 2 3 6 7 ..., which no lane-wise operation minds; compares take them in order.
#include "warplens/run/sass/translation/translator.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr int kLow = 8, kUpperWords = 9;                      // of a source
constexpr int kOfA = 0, kOfB = 2, kOfC = 4;                   // and the next
constexpr uint8_t kEvens = 0x88, kOdds = 0xdd, kOrdered = 7;  // of shuffles; of compares

}  // namespace

/// The two rows of a source; of lanes that are off zeros, as whatever they hold may be a denormal number.
void Translator::load_rows(const Source& low, const Source& high, int mask) {
  if (mask != 0) {
    code_.clear(kLow);
    code_.clear(kUpperWords);
  }
  load(kLow, low, mask);
  load(kUpperWords, high, mask);
}

/// A NaN keeps its sign.
void Translator::double_signs(const Operand& o, int vector) {
  if (!o.absolute && !o.negate) return;
  code_.vector(kCompareDoubles, kMask, vector, vector);
  code_.immediate(kOrdered);
  if (o.absolute) code_.vector(kAndPairs, vector, vector, constant(kTranslatorConstants.wide_magnitudes), kMask);
  if (o.negate) code_.vector(kXorPairs, vector, vector, constant(kTranslatorConstants.wide_signs), kMask);
}

void Translator::doubles(const Op& op, const Changes& on, int half) {
  const bool fused = op.native == Native::kDoubleFused, product = op.native == Native::kDoubleProduct;
  const auto take = [&](int to, const Source& low, const Source& high, const Operand& o) {
    load_rows(low, high, on.of(half));
    code_.vector(kUnpackLow, to, kLow, kUpperWords);
    code_.vector(kUnpackHigh, to + 1, kLow, kUpperWords);
    for (const int part : {0, 1}) double_signs(o, to + part);
  };
  // Signs that the operation itself has a form for.
  const bool absolute = op.a.absolute || op.b.absolute || op.c.absolute, turns = fused && !absolute;
  const auto plain = [&](Operand o) {
    if (turns) o.negate = false;
    return o;
  };
  take(kOfA, a(op, half), a(op, half, 1), plain(op.a));
  if (fused || product) take(kOfB, b(op, half), b(op, half, 1), plain(op.b));
  if (!product) take(kOfC, c(op, half), c(op, half, 1), plain(op.c));
  const bool minus_product = turns && op.a.negate != op.b.negate, minus_c = turns && op.c.negate;
  const VectorOp fuse = minus_product ? (minus_c ? kFusedMinusMinus : kFusedMinus)
                        : minus_c     ? kFusedLess
                                      : kFusedDoubles;
  for (const int part : {0, 1}) {
    if (fused) code_.vector(fuse, kOfA + part, kOfB + part, kOfC + part);
    else if (product) code_.vector(kMultiplyDoubles, kOfA + part, kOfA + part, kOfB + part);
    else code_.vector(kAddDoubles, kOfA + part, kOfA + part, kOfC + part);
  }
  code_.vector(kShuffleWords, kLow, kOfA, kOfA + 1);
  code_.immediate(kEvens);
  code_.vector(kShuffleWords, kUpperWords, kOfA, kOfA + 1);
  code_.immediate(kOdds);
  finish(op.target, on, half, kLow);
  finish(op.target + 1, on, half, kUpperWords);
}

/// The lanes for which a compare holds, in a result mask.
void Translator::compare_doubles(const Op& op, int half) {
  const auto take = [&](int to, const Source& low, const Source& high, const Operand& o) {
    load_rows(low, high, 0);
    code_.vector(kCopyWords, to, 0, kLow);
    code_.vector(kPermuteTwo, to, 28, kUpperWords);
    code_.vector(kCopyWords, to + 1, 0, kLow);
    code_.vector(kPermuteTwo, to + 1, 29, kUpperWords);
    for (const int part : {0, 1}) double_signs(o, to + part);
  };
  code_.load(28, constant(kTranslatorConstants.first_turns));
  code_.load(29, constant(kTranslatorConstants.second_turns));
  take(kOfA, a(op, half), a(op, half, 1), op.a);
  take(kOfB, b(op, half), b(op, half, 1), op.b);
  const uint8_t order = kFloatOrders[op.word.bits(76, 4)];
  for (const int part : {0, 1}) {
    code_.vector(kCompareDoubles, part ? kMask : kResultLow + half, kOfA + part, kOfB + part);
    code_.immediate(order);
  }
  code_.join_bytes(kResultLow + half, kResultLow + half, kMask);
}

}  // namespace warplens::simt::sass_machine
