// What conversions, special functions, shifts of pairs, bytes in another order and shuffles become: see
// translate_arithmetic.cpp.
#include "warplens/run/sass/translation/translator.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint8_t kUnordered = 3, kEqualFloats = 0, kLessFloats = 1, kNotLessFloats = 0x0d;

}  // namespace

void Translator::multiply_add_carry(const Op& op, int half) {
  load(0, c(op, half));
  if (op.mode & kNegateC) {
    constexpr uint8_t kNot = 0x55;
    code_.vector(kTernary, 0, 0, 0);
    code_.immediate(kNot);
  }
  load(1, a(op, half));
  use(kMultiplyWords, 1, 1, b(op, half));
  code_.vector(kAddWords, 0, 0, 1);
  if ((op.p.index & 7) == 7 && op.p.inverted) return;
  predicate(kRax, op.p);
  mask_half(kRax, half);
  code_.vector(kAddWords, 0, 0, constant(kTranslatorConstants.ones), kMask);
}

/// Shifts by more than 31 bits give 0 but where they spread a sign.
void Translator::shift_wide(const Op& op, int half) {
  constexpr int kBy = 1, kRest = 2, kPart = 3;  // bits; 32 less those; the other word's share
  const bool right = op.mode & kShiftRight, high = op.mode & kShiftHigh;
  const uint32_t limit = op.mode & kShift32 ? 32 : 64;
  load(kBy, b(op, half));
  fill(kRest, op.mode & kShiftWrap ? limit - 1 : limit);
  code_.vector(op.mode & kShiftWrap ? kAndWords : kLeastUnsigned, kBy, kBy, kRest);
  const bool own = right == high;  // nothing comes from the other word
  load(0, right && high ? c(op, half) : a(op, half));
  if (own) {
    const VectorOp down = op.mode & kShiftSigned ? kShiftRightSignedBy : kShiftRightBy;
    return code_.vector(right ? down : kShiftLeftBy, 0, 0, kBy);
  }
  const Source second = c(op, half);
  fill(kRest, 32);
  code_.vector(kSubtractWords, kPart, kBy, kRest);  // how far past a word
  code_.vector(kSubtractWords, kRest, kRest, kBy);
  load(4, second);
  // right: a >> by | c << 32 - by | c >> by - 32; left: c << by | a >> 32 - by | a << by - 32.
  const int near = right ? 0 : 4, far = right ? 4 : 0;
  const VectorOp with = right ? kShiftRightBy : kShiftLeftBy, against = right ? kShiftLeftBy : kShiftRightBy;
  code_.vector(kCopyWords, 5, 0, far);
  code_.vector(against, 5, 5, kRest);
  code_.vector(with, far, far, kPart);
  code_.vector(with, near, near, kBy);
  code_.vector(kOrWords, 0, 0, 4);
  code_.vector(kOrWords, 0, 0, 5);
}

void Translator::fill(int vector, uint32_t word) {
  code_.constant(kRax, word);
  code_.vector(kBroadcast, vector, 0, kRax);
}

void Translator::shuffle_bytes(int vector, uint32_t places, int other) {
  fill(other, places);
  code_.vector(kAddWords, other, other, constant(kTranslatorConstants.byte_places));
  code_.vector(kShuffleBytes, vector, vector, other);
}

void Translator::permute_bytes(const Op& op, int half) {
  constexpr uint32_t kNone = 0x80;
  const auto take = [&](int to, const Source& from, uint32_t which) {
    uint32_t places = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const uint32_t selector = op.mode >> 4 * byte & 15;
      places |= (selector / 4 == which ? selector % 4 : kNone) << 8 * byte;
    }
    load(to, from);
    shuffle_bytes(to, places, 2);
  };
  take(0, a(op, half), 0);
  take(1, c(op, half), 1);
  code_.vector(kOrWords, 0, 0, 1);
}

void Translator::select_float(const Op& op, int half) {
  float_source(op.b, 0, b(op, half));
  float_source(op.a, 1, a(op, half));
  predicate(kRax, op.p);
  mask_half(kRax, half);
  code_.vector(kCopyWords, 0, 0, 1, kMask);
}

/// Zeros are equal, and -0 is the smaller: of equal numbers the bits of both, or those that both have.
void Translator::float_extreme(const Op& op, int half) {
  const bool smaller = !op.p.inverted;
  float_source(op.a, 1, a(op, half));
  float_source(op.b, 0, b(op, half));
  const auto where = [&](uint8_t order, int x, int y) {
    code_.vector(kCompareSingles, kMask, x, y);
    code_.immediate(order);
  };
  code_.vector(smaller ? kOrWords : kAndWords, 2, 0, 1);
  where(kEqualFloats, 0, 1);
  code_.vector(kCopyWords, 3, 0, 0);
  code_.vector(kCopyWords, 3, 0, 2, kMask);
  smaller ? where(kLessFloats, 1, 0) : where(kLessFloats, 0, 1);
  code_.vector(kCopyWords, 3, 0, 1, kMask);
  where(kUnordered, 0, 0);
  code_.vector(kCopyWords, 3, 0, 1, kMask);
  code_.vector(kCopyWords, 0, 0, 3);
  one_nan(0);
}

void Translator::special(const Op& op, const Changes& on, int half) {
  float_source(op.b, 0, b(op, half));
  flush(0);
  if (op.native == Native::kRoot) {
    code_.vector(kRootSingles, 0, 0, 0, on.of(half));
  } else {
    code_.load(1, constant(kTranslatorConstants.float_ones));
    code_.vector(kDivideSingles, 0, 1, 0, on.of(half));
  }
  flush(0);
  one_nan(0);
}

/// What does not fit becomes the nearest integer that does, and what is no number 0.
void Translator::convert(const Op& op, const Changes& on, int half) {
  const bool is_signed = op.mode & 1;
  if (op.native == Native::kRounded) {
    constexpr uint8_t kQuietly = 8;
    float_source(op.b, 0, b(op, half));
    code_.vector(kRoundSingles, 0, 0, 0, on.of(half));
    code_.immediate(static_cast<uint8_t>(kQuietly | op.mode));
    return one_nan(0);
  }
  if (op.native == Native::kFromInteger) {
    load(0, b(op, half));
    return code_.rounded(is_signed ? kFromSigned : kFromUnsigned, 0, 0, 0, static_cast<uint8_t>(op.mode >> 1));
  }
  if (op.native == Native::kFromPart) {
    const uint32_t bits = op.mode >> 1;
    use(kShiftWords, kWayLeft, 0, b(op, half));
    code_.immediate(static_cast<uint8_t>(32 - bits - op.offset));
    code_.vector(kShiftWords, is_signed ? kWayRightSigned : kWayRight, 0, 0);
    code_.immediate(static_cast<uint8_t>(32 - bits));
    return code_.vector(kFromSigned, 0, 0, 0);
  }
  const bool nearest = op.mode & 2;
  float_source(op.b, 1, b(op, half));
  if (!is_signed) {
    code_.clear(0);  // which a NaN becomes too
    code_.vector(kMostSingles, 1, 1, 0);
    return code_.vector(nearest ? kToUnsigned : kToUnsignedCut, 0, 0, 1);
  }
  code_.vector(nearest ? kToSigned : kToSignedCut, 0, 0, 1);
  code_.vector(kCompareSingles, kMask, 1, constant(kTranslatorConstants.float_limits));
  code_.immediate(kNotLessFloats);
  code_.load(0, constant(kTranslatorConstants.magnitudes), kMask);
  code_.clear(2);
  code_.vector(kCompareSingles, kMask, 1, 1);
  code_.immediate(kUnordered);
  code_.vector(kCopyWords, 0, 0, 2, kMask);
}

/// A number of the float b in double precision; of lanes that are off zeros, as they may hold denormal numbers.
void Translator::to_double(const Op& op, const Changes& on, int half) {
  constexpr int kFrom = 0, kWide = 2;
  if (on.low != 0) code_.clear(kFrom);
  load(kFrom, b(op, half), on.of(half));
  if (op.b.absolute) code_.vector(kAndWords, kFrom, kFrom, constant(kTranslatorConstants.magnitudes));
  if (op.b.negate) code_.vector(kXorWords, kFrom, kFrom, constant(kTranslatorConstants.signs));
  code_.vector(kUpper, kFrom, 0, kFrom + 1);
  code_.immediate(1);
  for (const int part : {0, 1}) code_.vector(kToDoubles, kWide + part, 0, kFrom + part);
  for (const bool odd : {false, true}) {
    const int index = 28, word = 4 + odd;
    code_.load(index, constant(odd ? kTranslatorConstants.odds : kTranslatorConstants.evens));
    code_.vector(kCopyWords, word, 0, kWide);
    code_.vector(kPermuteTwo, word, index, kWide + 1);
    finish(op.target + odd, on, half, word);
  }
}

/// Of all lanes, whether they are active or not.
void Translator::shuffle(const Op& op, const Changes& on) {
  for (const int half : {0, 1}) load(1 + half, a(op, half));
  code_.address(kRax, op.d.fixed);
  for (const int half : {0, 1}) {
    code_.load(3, {kRax, 64 * half});
    code_.vector(kCopyWords, 0, 0, 1);
    code_.vector(kPermuteTwo, 0, 3, 2);
    finish(op.target, on, half, 0);
  }
  if ((op.set0 & 7) == 7) return;
  code_.constant(kRax, op.mode);
  set_predicate(op.set0, kRax, on);
}

}  // namespace warplens::simt::sass_machine
