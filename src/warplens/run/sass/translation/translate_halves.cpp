// What arithmetic on pairs of half-precision numbers and of bfloat16 becomes: see translate_arithmetic.cpp.
#include <utility>

#include "warplens/run/sass/translation/translator.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr int kSpare = 4;
constexpr uint32_t kHalfSigns = 0x80008000, kHalfMagnitudes = 0x7fff7fff, kLowSign = 0x8000;

/// Where the bytes of a word come from.
uint32_t places_of(Swizzle chosen) {
  return chosen == kLowTwice ? 0x01000100 : chosen == kHighTwice ? 0x03020302 : 0x01000302;
}

const Operand& operand(const Op& op, uint32_t number) { return number == 0 ? op.a : number == 1 ? op.b : op.c; }

constexpr uint8_t kUnordered = 3, kUnequal = 4;

}  // namespace

void Translator::half_source(const Op& op, uint32_t number, int to, const Source& from) {
  const Operand& o = operand(op, number);
  const Swizzle chosen = swizzle(op.mode, number);
  load(to, from);
  if (chosen != kBoth) shuffle_bytes(to, places_of(chosen), kSpare);
  if (o.absolute) {
    fill(kSpare, kHalfMagnitudes);
    code_.vector(kAndWords, to, to, kSpare);
  }
  const uint32_t flips = (o.negate ? kHalfSigns : 0) ^ (chosen == kCrossed ? kLowSign : 0);
  if (flips == 0) return;
  fill(kSpare, flips);
  code_.vector(kXorWords, to, to, kSpare);
}

/// Results have one NaN.
void Translator::halves(const Op& op, int half) {
  half_source(op, 0, 0, a(op, half));
  if (op.native == Native::kHalfSumThird) half_source(op, 2, 1, c(op, half));
  else half_source(op, 1, 1, b(op, half));
  if (op.native == Native::kHalfFused) {
    half_source(op, 2, 2, c(op, half));
    code_.vector(kFusedHalves, 0, 1, 2);
  } else {
    code_.vector(op.native == Native::kHalfProduct ? kMultiplyHalves : kAddHalves, 0, 0, 1);
  }
  code_.vector(kCompareHalves, kMask, 0, 0);
  code_.immediate(kUnordered);
  fill(kSpare, kHalfMagnitudes);
  code_.vector(kCopyHalves, 0, 0, kSpare, kMask);
}

/// The half of a source that part of the result comes from, as a float.
void Translator::bfloat_source(const Op& op, uint32_t number, uint32_t part, int to, const Source& from) {
  const Operand& o = operand(op, number);
  const Swizzle chosen = swizzle(op.mode, number);
  const bool high = chosen == kHighTwice || (chosen == kCrossed ? part == 0 : chosen == kBoth && part == 1);
  if (high) {
    fill(to, 0xffff0000);
    use(kAndWords, to, to, from);
  } else {
    use(kShiftWords, kWayLeft, to, from);
    code_.immediate(16);
  }
  if (o.absolute) code_.vector(kAndWords, to, to, constant(kTranslatorConstants.magnitudes));
  if (o.negate != (chosen == kCrossed && part == 0))
    code_.vector(kXorWords, to, to, constant(kTranslatorConstants.signs));
}

/// A float that rounds like the exact result: of the two next to it, the one whose last bit is set. A sum of two is
/// near enough as it is.
void Translator::bfloats(const Op& op, const Changes& on, int half) {
  constexpr int kDown = 0, kUp = 5, kLow = 6, kRounded = 7;
  constexpr uint8_t kToLower = 1, kToUpper = 2;
  const bool fused = op.native == Native::kHalfFused, product = op.native == Native::kHalfProduct;
  for (const uint32_t part : {0, 1}) {
    bfloat_source(op, 0, part, kDown, a(op, half));
    if (op.native == Native::kHalfSumThird) bfloat_source(op, 2, part, 1, c(op, half));
    else bfloat_source(op, 1, part, 1, b(op, half));
    if (fused) bfloat_source(op, 2, part, 2, c(op, half));
    code_.vector(kCopyWords, kUp, 0, kDown);
    if (!fused && !product) {
      code_.vector(kAddSingles, kUp, kUp, 1, on.of(half));
    } else {
      for (const auto& [to, mode] : {std::pair(kUp, kToUpper), {kDown, kToLower}})
        code_.rounded(fused ? kFused : kMultiplySingles, to, fused ? 1 : to, fused ? 2 : 1, mode, on.of(half));
      code_.vector(kCompareSingles, kMask, kDown, kUp);
      code_.immediate(kUnequal);
      code_.vector(kTestNot, kMask, kUp, constant(kTranslatorConstants.ones), kMask);
      code_.vector(kCopyWords, kUp, 0, kDown, kMask);
    }
    code_.vector(kShiftWords, kWayRight, kRounded, kUp);
    code_.immediate(16);
    code_.vector(kAndWords, kRounded, kRounded, constant(kTranslatorConstants.ones));
    code_.vector(kAddWords, kRounded, kRounded, kUp);
    fill(kSpare, 0x7fff);
    code_.vector(kAddWords, kRounded, kRounded, kSpare);
    code_.vector(kShiftWords, kWayRight, part == 0 ? kLow : kRounded, kRounded);
    code_.immediate(16);
    code_.vector(kCompareSingles, kMask, kUp, kUp);
    code_.immediate(kUnordered);
    code_.vector(kCopyWords, part == 0 ? kLow : kRounded, 0, kSpare, kMask);
  }
  code_.vector(kShiftWords, kWayLeft, kRounded, kRounded);
  code_.immediate(16);
  code_.vector(kOrWords, 0, kLow, kRounded);
}

}  // namespace warplens::simt::sass_machine
