// Arithmetic on pairs of 16-bit floating-point numbers: half precision and bfloat16.
#include "warplens/run/sass/arithmetic/extremes.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/compare.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

constexpr uint32_t kBfloat = 0x100, kSingle = 0x200;  // of Op::mode, beside kSat, kRelu and kFtz

/// How an instruction chooses a source's halves. Products of complex numbers take them crossed, the high one negated.
enum Swizzle : uint32_t { kBoth = 0, kSingleNumber = 1, kLowTwice = 2, kHighTwice = 3, kCrossed = 4 };

/// The half of a source that one of the result comes from.
uint32_t picked(uint32_t swizzle, uint32_t half) {
  return swizzle == kLowTwice ? 0 : swizzle == kHighTwice ? 1 : swizzle == kCrossed ? 1 - half : half;
}
bool flips(uint32_t swizzle, uint32_t half) { return swizzle == kCrossed && half == 0; }

/// The sources' halves as they are chosen, with their signs.
struct HalfSource {
  uint32_t swizzle;
  bool negate, absolute, bfloat, single;
  HalfSource(const Op& op, const Operand& o, uint32_t swizzle_)
      : swizzle(swizzle_),
        negate(o.negate),
        absolute(o.absolute),
        bfloat(op.mode & kBfloat),
        single(swizzle_ == kSingleNumber) {}
  float at(uint32_t bits, uint32_t half) const {
    float value = single ? as_float(bits) : from_half(bits >> 16 * picked(swizzle, half), bfloat);
    if (absolute) value = std::fabs(value);
    return negate != flips(swizzle, half) ? -value : value;
  }
};

uint32_t swizzle_b(const Op& op) {
  if (op.word.form() == 4 || op.word.form() == 2) return kBoth;
  return op.opcode == Opcode::kHfma2 && op.word.bit(86) ? kCrossed : op.word.bits(60, 2);
}

/// One half of a source as a number, bits as they stand: `shift` is where the half begins.
template <typename H>
struct HalfReader {
  uint32_t shift, keep, flip;
  bool single;
  HalfReader(const Operand& o, uint32_t swizzle, uint32_t half)
      : shift(16 * picked(swizzle, half)),
        keep(o.absolute ? 0x7fffu : 0xffffu),
        flip(o.negate != flips(swizzle, half) ? 0x8000u : 0),
        single(swizzle == kSingleNumber) {}
  float operator()(uint32_t bits) const { return H::widen(((bits >> shift) & keep) ^ flip); }
};

/// Sums and products are rounded once, to the narrow format.
constexpr auto kAdd = [](float a, float b, float) { return kHalfSum(a, b); };
constexpr auto kMultiply = [](float a, float b, float) { return kHalfProduct(a, b); };
constexpr auto kFuse = [](float a, float b, float c) { return kHalfFused(a, b, c); };

/// Sources of 16 bits, results of 16 bits.
template <typename H, auto kFunction>
void pairs(Warp& w, const Op& op, uint32_t on) {
  const bool third = op.word.holds_c_low();
  const uint32_t at32 = swizzle_b(op), at64 = op.word.bits(81, 2), first = op.word.bits(74, 2);
  const uint32_t second = third ? at64 : at32, last = third ? at32 : at64;
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const HalfReader<H> a0(op.a, first, 0), a1(op.a, first, 1), b0(op.b, second, 0), b1(op.b, second, 1),
      c0(op.c, last, 0), c1(op.c, last, 1);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t low = H::narrow(kFunction(a0(a[i]), b0(b[i]), c0(c[i])));
    const uint32_t high = H::narrow(kFunction(a1(a[i]), b1(b[i]), c1(c[i])));
    out.value[i] = (low & 0xffff) | high << 16;
  }
  store(w.row(op.target), out, on);
}

/// Clamped as `mode` says; what is no number becomes 0 where results are clamped to [0, 1].
float clamped(float x, uint32_t mode) {
  if (mode & kSat) return saturated(x);
  return mode & kRelu && !(x > 0) && x == x ? 0.0f : x;
}

/// The same, results clamped, or denormal numbers flushed on both sides.
template <typename H, auto kFunction>
void pairs_with_modifiers(Warp& w, const Op& op, uint32_t on) {
  const bool third = op.word.holds_c_low();
  const uint32_t at32 = swizzle_b(op), at64 = op.word.bits(81, 2), first = op.word.bits(74, 2);
  const uint32_t second = third ? at64 : at32, last = third ? at32 : at64;
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const uint32_t mode = op.mode;
  Lanes out{};
  for (int half = 0; half < 2; ++half) {
    const HalfReader<H> ra(op.a, first, half), rb(op.b, second, half), rc(op.c, last, half);
    const auto read = [&](const HalfReader<H>& reader, uint32_t bits) {
      return H::widen(flushed_if<H>(((bits >> reader.shift) & reader.keep) ^ reader.flip, mode));
    };
    for (int i = 0; i < kLanes; ++i) {
      out.value[i] |= narrowed<H>(kFunction(read(ra, a[i]), read(rb, b[i]), read(rc, c[i])), mode) << 16 * half;
    }
  }
  store(w.row(op.target), out, on);
}

/// Anything else: sources or results of 32 bits.
template <typename F>
void halves(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const bool third = op.word.holds_c_low();
  const uint32_t at32 = swizzle_b(op), at64 = op.word.bits(81, 2);
  const HalfSource sa(op, op.a, op.word.bits(74, 2)), sb(op, op.b, third ? at64 : at32),
      sc(op, op.c, third ? at32 : at64);
  const bool bfloat = op.mode & kBfloat;
  auto finish = [&](float x) { return clamped(x, op.mode); };
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const float low = finish(f(sa.at(a[i], 0), sb.at(b[i], 0), sc.at(c[i], 0)));
    if (op.mode & kSingle) {
      out.value[i] = as_bits(simt::canonical(low));
      continue;
    }
    const float high = finish(f(sa.at(a[i], 1), sb.at(b[i], 1), sc.at(c[i], 1)));
    out.value[i] = to_half(low, bfloat) | to_half(high, bfloat) << 16;
  }
  store(w.row(op.target), out, on);
}

void hadd2(Warp& w, const Op& op, uint32_t on) {
  const bool third = op.word.holds_c_low();
  halves(w, op, on, [=](float a, float b, float c) { return a + (third ? c : b); });
}
void hmul2(Warp& w, const Op& op, uint32_t on) {
  halves(w, op, on, [](float a, float b, float) { return a * b; });
}
void hfma2(Warp& w, const Op& op, uint32_t on) {
  halves(w, op, on, [](float a, float b, float c) { return std::fma(a, b, c); });
}

bool prepare_half(Decoder& d, Op& op, Handler run) {
  d.operands(op);
  const Word& w = op.word;
  Decoder::signs(op, 83);
  op.mode = (w.bit(85) ? kBfloat : 0) | (w.bit(78) ? kSingle : 0) | (w.bit(77) ? kSat : 0) | (w.bit(79) ? kRelu : 0) |
            (w.bit(80) ? kFtz : 0);
  op.run = run;
  return true;
}
/// Pairs have handlers of their own; of sources or results of 32 bits flushing is not followed.
template <auto kFunction>
bool prepare_pairs(Decoder& d, Op& op, Handler run) {
  const bool known = prepare_half(d, op, run);
  const Word& w = op.word;
  const bool wide =
      op.mode & kSingle || w.bits(74, 2) == kSingleNumber || swizzle_b(op) == kSingleNumber || w.bits(81, 2) == 1;
  op.inexact = wide || op.mode & kFtz;
  const bool bfloat = op.mode & kBfloat;
  if (wide) return known;
  if (op.mode & (kSat | kRelu | kFtz))
    op.run = bfloat ? pairs_with_modifiers<simt::Bf16, kFunction> : pairs_with_modifiers<simt::F16, kFunction>;
  else op.run = bfloat ? pairs<simt::Bf16, kFunction> : pairs<simt::F16, kFunction>;
  return known;
}
constexpr auto kAddThird = [](float a, float, float c) { return a + c; };
/// 0 + a half, in single precision: how halves are converted.
template <typename H>
void widen(Warp& w, const Op& op, uint32_t on) {
  const HalfReader<H> read(op.b, swizzle_b(op), 0);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) { return as_bits(simt::canonical(read(b))); });
}
bool prepare_hadd2(Decoder& d, Op& op) {
  const Word& w = op.word;
  const bool third = w.holds_c_low();
  const bool known = third ? prepare_pairs<kAddThird>(d, op, hadd2) : prepare_pairs<kAdd>(d, op, hadd2);
  const bool flushes = w.bit(80), wide = w.bits(74, 2) == kSingleNumber || swizzle_b(op) == kSingleNumber;
  op.inexact = flushes || wide;
  const bool converts = w.form() == 1 && w.bits(24, 8) == kRegisterZero && op.a.negate && !op.inexact;
  if (converts && (op.mode & kSingle) && !(op.mode & (kSat | kRelu)))
    op.run = op.mode & kBfloat ? widen<simt::Bf16> : widen<simt::F16>;
  return known;
}
bool prepare_hmul2(Decoder& d, Op& op) { return prepare_pairs<kMultiply>(d, op, hmul2); }
bool prepare_hfma2(Decoder& d, Op& op) {
  prepare_pairs<kFuse>(d, op, hfma2);
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

/// Compares of the low halves in out[0] and of the high ones in out[1].
void compare_halves(const Warp& w, const Op& op, uint32_t out[2]) {
  const bool third = op.word.holds_c_low();
  const Operand& second = third ? op.c : op.b;
  const uint32_t *a = w.in(op.a), *b = w.in(second), how = op.word.bits(76, 4);
  const HalfSource sa(op, op.a, op.word.bits(74, 2)), sb(op, second, swizzle_b(op));
  out[0] = out[1] = 0;
  for (int i = 0; i < kLanes; ++i) {
    for (int half = 0; half < 2; ++half) {
      out[half] |= static_cast<uint32_t>((how & simt::relation_of(sa.at(a[i], half), sb.at(b[i], half))) != 0) << i;
    }
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
  op.mode = op.word.bit(65) ? kBfloat : 0;
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
