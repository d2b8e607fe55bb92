// Arithmetic on pairs of 16-bit floating-point numbers: half precision and bfloat16.
#include "warplens/run/sass/arithmetic/extremes.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lane_isa.h"
#include "warplens/simt/lanes/compare.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

constexpr uint32_t kSingle = 0x200;  // of Op::mode, beside kSat, kRelu and kFtz

const Operand& operand(const Op& op, uint32_t source) { return source == 0 ? op.a : source == 1 ? op.b : op.c; }

/// The half of a source that one of the result comes from. Products of complex numbers take them crossed, the high one
/// negated.
uint32_t picked(Swizzle chosen, uint32_t half) {
  return chosen == kLowTwice ? 0 : chosen == kHighTwice ? 1 : chosen == kCrossed ? 1 - half : half;
}
bool flips(Swizzle chosen, uint32_t half) { return chosen == kCrossed && half == 0; }

/// One half of a source as a number, whatever the source holds.
struct AnyReader {
  uint32_t shift;
  bool negate, absolute, bfloat, single;
  AnyReader(const Op& op, uint32_t source, uint32_t half)
      : shift(16 * picked(swizzle(op.mode, source), half)),
        negate(operand(op, source).negate != flips(swizzle(op.mode, source), half)),
        absolute(operand(op, source).absolute),
        bfloat(op.mode & kBfloat),
        single(swizzle(op.mode, source) == kSingleNumber) {}
  float operator()(uint32_t bits) const {
    float value = single ? as_float(bits) : from_half(bits >> shift, bfloat);
    if (absolute) value = std::fabs(value);
    return negate ? -value : value;
  }
};

/// One half of a source of 16-bit numbers, bits as they stand: `shift` is where the half begins.
template <typename H>
struct HalfReader {
  uint32_t shift, keep, flip;
  HalfReader(const Op& op, uint32_t source, uint32_t half)
      : shift(16 * picked(swizzle(op.mode, source), half)),
        keep(operand(op, source).absolute ? 0x7fffu : 0xffffu),
        flip(operand(op, source).negate != flips(swizzle(op.mode, source), half) ? 0x8000u : 0) {}
  uint32_t bits(uint32_t word) const { return ((word >> shift) & keep) ^ flip; }
  float operator()(uint32_t word) const { return H::widen(bits(word)); }
};

/// Sums and products are rounded once, to the narrow format.
constexpr auto kAdd = [](float a, float b, float) { return kHalfSum(a, b); };
constexpr auto kAddThird = [](float a, float, float c) { return kHalfSum(a, c); };
constexpr auto kMultiply = [](float a, float b, float) { return kHalfProduct(a, b); };
constexpr auto kFuse = [](float a, float b, float c) { return kHalfFused(a, b, c); };

/// Sources and results of 16 bits. `kModified`: results clamped, or denormal numbers flushed on both sides.
template <typename H, auto kFunction, bool kModified>
void pairs(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c), mode = op.mode;
  Lanes out{};
  for (const uint32_t half : {0, 1}) {
    const HalfReader<H> of_a(op, 0, half), of_b(op, 1, half), of_c(op, 2, half);
    const auto read = [&](const HalfReader<H>& source, uint32_t word) {
      return kModified ? H::widen(flushed_if<H>(source.bits(word), mode)) : source(word);
    };
    for (int i = 0; i < kLanes; ++i) {
      const float value = kFunction(read(of_a, a[i]), read(of_b, b[i]), read(of_c, c[i]));
      out.value[i] |= (kModified ? narrowed<H>(value, mode) : H::narrow(value) & 0xffff) << 16 * half;
    }
  }
  store(w.row(op.target), out, on);
}

/// Clamped as `mode` says; what is no number becomes 0 where results are clamped to [0, 1].
float clamped(float x, uint32_t mode) {
  if (mode & kSat) return saturated(x);
  return mode & kRelu && !(x > 0) && x == x ? 0.0f : x;
}

/// Anything else: sources or results of 32 bits.
template <typename F>
void halves(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const auto result = [&](uint32_t half, int i) {
    const AnyReader of_a(op, 0, half), of_b(op, 1, half), of_c(op, 2, half);
    return clamped(f(of_a(a[i]), of_b(b[i]), of_c(c[i])), op.mode);
  };
  const bool bfloat = op.mode & kBfloat;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const float low = result(0, i);
    out.value[i] =
        op.mode & kSingle ? as_bits(simt::canonical(low)) : to_half(low, bfloat) | to_half(result(1, i), bfloat) << 16;
  }
  store(w.row(op.target), out, on);
}

template <bool kThird>
void hadd2(Warp& w, const Op& op, uint32_t on) {
  halves(w, op, on, [](float a, float b, float c) { return a + (kThird ? c : b); });
}
void hmul2(Warp& w, const Op& op, uint32_t on) {
  halves(w, op, on, [](float a, float b, float) { return a * b; });
}
void hfma2(Warp& w, const Op& op, uint32_t on) {
  halves(w, op, on, [](float a, float b, float c) { return std::fma(a, b, c); });
}

/// Where words have them: the source at bit 32, and the other one.
uint32_t swizzles_of(const Op& op) {
  const Word& w = op.word;
  const bool takes_both = w.form() == 4 || w.form() == 2, crossed = op.opcode == Opcode::kHfma2 && w.bit(86);
  const uint32_t low = takes_both ? kBoth : crossed ? kCrossed : w.bits(60, 2), high = w.bits(81, 2);
  return w.holds_c_low() ? swizzles(w.bits(74, 2), high, low) : swizzles(w.bits(74, 2), low, high);
}
/// Of a, and of the source at bit 32.
bool has_single_number(const Op& op) {
  return swizzle(op.mode, 0) == kSingleNumber || swizzle(op.mode, op.word.holds_c_low() ? 2 : 1) == kSingleNumber;
}

bool prepare_half(Decoder& d, Op& op, Handler run) {
  d.operands(op);
  const Word& w = op.word;
  Decoder::signs(op, 83);
  op.mode = (w.bit(85) ? kBfloat : 0) | (w.bit(78) ? kSingle : 0) | (w.bit(77) ? kSat : 0) | (w.bit(79) ? kRelu : 0) |
            (w.bit(80) ? kFtz : 0) | swizzles_of(op);
  op.run = run;
  return true;
}
/// Pairs have handlers of their own; of sources or results of 32 bits flushing is not followed.
template <auto kFunction, Native kNative>
bool prepare_pairs(Decoder& d, Op& op, Handler run) {
  const bool known = prepare_half(d, op, run);
  const bool wide = op.mode & kSingle || has_single_number(op) || op.word.bits(81, 2) == kSingleNumber;
  op.inexact = wide || op.mode & kFtz;
  const bool bfloat = op.mode & kBfloat, modified = op.mode & (kSat | kRelu | kFtz);
  if (wide) return known;
  if (modified) op.run = bfloat ? pairs<simt::Bf16, kFunction, true> : pairs<simt::F16, kFunction, true>;
  else op.run = bfloat ? pairs<simt::Bf16, kFunction, false> : pairs<simt::F16, kFunction, false>;
  if (!modified && (bfloat || simt::computes_halves())) op.native = kNative;
  return known;
}
/// 0 + a half, in single precision: how halves are converted.
template <typename H>
void widen(Warp& w, const Op& op, uint32_t on) {
  const HalfReader<H> read(op, 1, 0);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) { return as_bits(simt::canonical(read(b))); });
}
bool prepare_hadd2(Decoder& d, Op& op) {
  const Word& w = op.word;
  const bool known = w.holds_c_low() ? prepare_pairs<kAddThird, Native::kHalfSumThird>(d, op, hadd2<true>)
                                     : prepare_pairs<kAdd, Native::kHalfSum>(d, op, hadd2<false>);
  op.inexact = w.bit(80) || has_single_number(op);
  const bool converts = w.form() == 1 && w.bits(24, 8) == kRegisterZero && op.a.negate && !op.inexact;
  if (converts && (op.mode & kSingle) && !(op.mode & (kSat | kRelu)))
    op.run = op.mode & kBfloat ? widen<simt::Bf16> : widen<simt::F16>;
  return known;
}
bool prepare_hmul2(Decoder& d, Op& op) { return prepare_pairs<kMultiply, Native::kHalfProduct>(d, op, hmul2); }
bool prepare_hfma2(Decoder& d, Op& op) {
  prepare_pairs<kFuse, Native::kHalfFused>(d, op, hfma2);
  const Word& w = op.word;
  // -0 * 0 + constant: how the compiler moves a constant through this pipe.
  const bool moves = w.form() == 2 && w.bits(24, 8) == kRegisterZero && w.bits(64, 8) == kRegisterZero && w.bit(72);
  if (!moves) return true;
  op.b = op.c;
  d.load_constants(op, 1);
  op.run = load_known;
  op.inexact = false;
  return true;
}
bool prepare_hmnmx2(Decoder& d, Op& op) { return prepare_half(d, op, half_extreme) && !(op.mode & (kSingle | kSat)); }

void vhmnmx(Warp& w, const Op& op, uint32_t on) {
  const bool smaller = w.value(op.p) & 1;
  halves(w, op, on,
         [=](float a, float b, float c) { return simt::extreme(simt::extreme(a, b, !smaller), c, !smaller); });
}
bool prepare_vhmnmx(Decoder& d, Op& op) {
  const Word& w = op.word;  // three sources, no modifiers but the type
  return prepare_half(d, op, vhmnmx) && w.bits(72, 13) == 0 && w.bits(60, 4) == 0 && !w.bit(86);
}

/// The lanes whose halves compare as the word says.
template <typename Reader>
uint32_t compared(const Warp& w, const Op& op, uint32_t half) {
  const uint32_t second = op.word.holds_c_low() ? 2 : 1, *a = w.in(op.a), *b = w.in(operand(op, second)),
                 how = op.word.bits(76, 4);
  const Reader of_a(op, 0, half), of_b(op, second, half);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = how & simt::relation_of(of_a(a[i]), of_b(b[i]));
  return mask_of(out);
}
/// Of the low halves in out[0], of the high ones in out[1].
void compare_halves(const Warp& w, const Op& op, uint32_t out[2]) {
  for (const uint32_t half : {0, 1}) {
    out[half] = has_single_number(op) ? compared<AnyReader>(w, op, half)
                : op.mode & kBfloat   ? compared<HalfReader<simt::Bf16>>(w, op, half)
                                      : compared<HalfReader<simt::F16>>(w, op, half);
  }
}
void hsetp2(Warp& w, const Op& op, uint32_t on) {
  uint32_t lanes[2];
  compare_halves(w, op, lanes);
  const uint32_t mode = op.word.bits(69, 2), with = w.value(op.p);
  w.set(op.set0, combine(mode, lanes[0], with), on);
  w.set(op.set1, combine(mode, lanes[1], with), on);
}
void hset2(Warp& w, const Op& op, uint32_t on) {
  uint32_t lanes[2];
  compare_halves(w, op, lanes);
  const bool as_number = op.word.bit(71);
  const uint32_t one = op.mode & kBfloat ? 0x3f80 : 0x3c00, yes = as_number ? one : 0xffff;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    out.value[i] = (lanes[0] >> i & 1 ? yes : 0) | (lanes[1] >> i & 1 ? yes << 16 : 0);
  }
  store(w.row(op.target), out, on);
}
bool prepare_half_compare(Decoder& d, Op& op, Handler run) {
  prepare_half(d, op, run);
  op.mode = (op.word.bit(65) ? kBfloat : 0) | swizzles_of(op);
  (op.word.form() == 1 || op.word.form() >= 4 ? op.c : op.b) = d.source(kRegisterZero);
  return true;
}
bool prepare_hsetp2(Decoder& d, Op& op) { return prepare_half_compare(d, op, hsetp2); }
bool prepare_hset2(Decoder& d, Op& op) { return prepare_half_compare(d, op, hset2); }

}  // namespace

const Row kHalfRows[] = {
    {Opcode::kHadd2, prepare_hadd2},   {Opcode::kHfma2, prepare_hfma2},   {Opcode::kHmul2, prepare_hmul2},
    {Opcode::kHset2, prepare_hset2},   {Opcode::kHsetp2, prepare_hsetp2}, {Opcode::kHfma2Mma, prepare_hfma2},
    {Opcode::kHmnmx2, prepare_hmnmx2}, {Opcode::kVhmnmx, prepare_vhmnmx}, {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
