// Single- and double-precision arithmetic.
#include <cmath>

#include "warplens/run/sass/arithmetic/compare.h"
#include "warplens/run/sass/arithmetic/extremes.h"
#include "warplens/run/sass/arithmetic/mixed_floats.h"
#include "warplens/run/sass/arithmetic/modified_floats.h"
#include "warplens/run/sass/arithmetic/special_lanes.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// With flushing of denormal numbers, a clamp to [0, 1] or a rounding mode.
template <typename F>
void with_modifiers(Warp& w, const Op& op, uint32_t on, F f) {
  const FloatSource a{w.in(op.a), SignMask(op.a)}, b{w.in(op.b), SignMask(op.b)}, c{w.in(op.c), SignMask(op.c)};
  store(w.row(op.target), modified_floats(a, b, c, op.mode, f), on);
}

/// Times a power of two (FMUL.D8 to .M8), rounded once.
template <int kEighths>
constexpr auto kScaledProduct =
    [](float a, float b, float) { return static_cast<float>(static_cast<double>(a) * b * (kEighths / 8.0)); };
constexpr auto kSumOfThird = [](float a, float, float c) { return a + c; };

/// Results have one NaN.
template <auto kFunction>
void arithmetic(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on, [](uint32_t a, uint32_t b, uint32_t c) {
    return as_bits(simt::canonical(kFunction(as_float(a), as_float(b), as_float(c))));
  });
}
template <auto kFunction>
void arithmetic_with_signs(Warp& w, const Op& op, uint32_t on) {
  map_signed(w, op, on, [](uint32_t a, uint32_t b, uint32_t c) {
    return as_bits(simt::canonical(kFunction(as_float(a), as_float(b), as_float(c))));
  });
}
template <auto kFunction>
void arithmetic_with_modifiers(Warp& w, const Op& op, uint32_t on) {
  with_modifiers(w, op, on, kFunction);
}

bool prepare_float(Decoder& d, Op& op, Handler run) {
  d.operands(op);
  Decoder::signs(op);
  op.mode = float_mode(op.word);
  op.run = run;
  return true;
}
template <auto kFunction, Native kNative = Native::kNone>
bool prepare_arithmetic(Decoder& d, Op& op) {
  const bool known = prepare_float(d, op, arithmetic<kFunction>);
  const auto has_sign = [](const Operand& o) { return o.negate || o.absolute; };
  if (has_sign(op.a) || has_sign(op.b) || has_sign(op.c)) op.run = arithmetic_with_signs<kFunction>;
  if (op.mode) op.run = arithmetic_with_modifiers<kFunction>;
  if (!(op.mode & kRoundingMode)) op.native = kNative;
  return known;
}
bool prepare_fmul(Decoder& d, Op& op) {
  switch (op.word.bits(84, 3)) {
    case 1: return prepare_arithmetic<kScaledProduct<1>>(d, op);
    case 2: return prepare_arithmetic<kScaledProduct<2>>(d, op);
    case 3: return prepare_arithmetic<kScaledProduct<4>>(d, op);
    case 4: return prepare_arithmetic<kProduct, Native::kFloatProduct>(d, op);
    case 5: return prepare_arithmetic<kScaledProduct<16>>(d, op);
    case 6: return prepare_arithmetic<kScaledProduct<32>>(d, op);
    case 7: return prepare_arithmetic<kScaledProduct<64>>(d, op);
    default: return false;
  }
}
bool prepare_fadd(Decoder& d, Op& op) {
  if (is_mixed(op.word)) return prepare_mixed_sum(d, op);
  return op.word.holds_c_low() ? prepare_arithmetic<kSumOfThird, Native::kFloatSumThird>(d, op)
                               : prepare_arithmetic<kSum, Native::kFloatSum>(d, op);
}

bool prepare_ffma(Decoder& d, Op& op) {
  return is_mixed(op.word) ? prepare_mixed_fused(d, op) : prepare_arithmetic<kFused, Native::kFloatFused>(d, op);
}
bool prepare_ufadd(Decoder& d, Op& op) { return prepare_arithmetic<kSumOfThird, Native::kFloatSumThird>(d, op); }

void fmnmx(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), smaller = w.value(op.p);
  const SignMask sa(op.a), sb(op.b);
  Lanes least, most;
  for (int i = 0; i < kLanes; ++i) {
    const float x = as_float(sa(a[i])), y = as_float(sb(b[i]));
    least.value[i] = as_bits(simt::canonical(simt::extreme<false>(x, y)));
    most.value[i] = as_bits(simt::canonical(simt::extreme<true>(x, y)));
  }
  store(w.row(op.target), smaller == kAll ? least : smaller == 0 ? most : choose(smaller, least, most), on);
}
bool prepare_fmnmx(Decoder& d, Op& op) {
  const bool other = op.word.bits(80, 3) != 0;
  if (!other) op.native = Native::kFloatExtreme;
  return prepare_float(d, op, other ? float_extreme : fmnmx);
}
bool prepare_fmnmx3(Decoder& d, Op& op) {
  constexpr uint32_t kProductSign = 82;  // not of three
  return prepare_float(d, op, float_extreme_of_three) && !op.word.bit(kProductSign);
}

void fsel(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const SignMask sa(op.a), sb(op.b);
  Lanes first, second;
  const bool flushes = op.word.bit(80);
  const auto flushed = [=](uint32_t x) { return flushes ? as_bits(simt::flush(as_float(x))) : x; };
  for (int i = 0; i < kLanes; ++i) {
    first.value[i] = flushed(sa(a[i]));
    second.value[i] = flushed(sb(b[i]));
  }
  store(w.row(op.target), choose(w.value(op.p), first, second), on);
}
bool prepare_fsel(Decoder& d, Op& op) {
  if (!op.word.bit(80)) op.native = Native::kFloatSelect;  // nothing is flushed
  return prepare_float(d, op, fsel);
}

/// `read`: what is compared of a source.
template <typename F>
uint32_t compare_floats(const Warp& w, const Op& op, F read) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const SignMask sa(op.a), sb(op.b);
  return compare_lanes(
      op.word.bits(76, 4), [=](int i) { return read(as_float(sa(a[i]))); },
      [=](int i) { return read(as_float(sb(b[i]))); });
}
constexpr auto itself = [](float x) { return x; };
void fsetp(Warp& w, const Op& op, uint32_t on) { finish_compare(w, op, compare_floats(w, op, itself), on); }
void fsetp_flushed(Warp& w, const Op& op, uint32_t on) {
  finish_compare(w, op, compare_floats(w, op, [](float x) { return simt::flush(x); }), on);
}
void fset(Warp& w, const Op& op, uint32_t on) {
  const bool flushes = op.word.bit(80);
  const uint32_t compared = compare_floats(w, op, [=](float x) { return flushes ? simt::flush(x) : x; });
  const uint32_t lanes = combine(op.word.bits(74, 2), compared, w.value(op.p));
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = lanes >> i & 1 ? as_bits(1.0f) : 0;
  store(w.row(op.target), out, on);
}
bool prepare_fsetp(Decoder& d, Op& op) {
  op.native = Native::kCompareFloats;
  op.mode = op.word.bit(80) ? kFlushesFloat : 0;
  return prepare_compare(d, op, false, op.word.bit(80) ? fsetp_flushed : fsetp);
}
bool prepare_fset(Decoder& d, Op& op) { return prepare_compare(d, op, false, fset); }

uint32_t high_word(double value) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32); }
double from_high(uint32_t bits) { return std::bit_cast<double>(static_cast<uint64_t>(bits) << 32); }

template <typename F>
inline __attribute__((always_inline)) void map_special(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  Lanes out;
  if (on == kAll) {
    for (int i = 0; i < kLanes; ++i) out.value[i] = f(sign(b[i]));
    return copy_lanes(w.row(op.target), out.value);
  }
  constexpr int kPart = 8;  // these functions are dear: parts of the warp that are off are left out
  for (int first = 0; first < kLanes; first += kPart) {
    if (!(on >> first & 0xff)) continue;
    for (int i = 0; i < kPart; ++i) out.value[first + i] = f(sign(b[first + i]));
  }
  store(w.row(op.target), out, on);
}
template <typename F>
inline __attribute__((always_inline)) void map_float(Warp& w, const Op& op, uint32_t on, F f) {
  map_special(w, op, on, [=](uint32_t x) { return as_bits(simt::canonical(f(as_float(x)))); });
}
/// The unit knows no denormal numbers: where a program needs them, it scales before and after.
template <typename F>
inline __attribute__((always_inline)) void map_flushed(Warp& w, const Op& op, uint32_t on, F f) {
  map_float(w, op, on, [=](float x) { return simt::flush(f(simt::flush(x))); });
}
/// High words of doubles; near the ends of the range the hardware's last bits are not known.
template <typename F>
inline __attribute__((always_inline)) void map_high(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t* b = w.in(op.b);
  uint32_t extreme = 0;
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t exponent = b[i] >> 20 & 0x7ff;
    extreme |= static_cast<uint32_t>((exponent < 16 || exponent > 2030) && (on >> i & 1));
  }
  if (extreme) w.block->inexact = true;
  constexpr uint32_t kNan = 0x7fffffff;
  map_special(w, op, on, [=](uint32_t x) {
    const double y = f(simt::flush64(from_high(x)));
    return y == y ? high_word(simt::flush64(y)) : kNan;
  });
}
/// The unit takes these for 0.
[[maybe_unused]] bool any_denormal(const uint32_t* b, uint32_t on) {
  uint32_t found = 0;
  for (int i = 0; i < kLanes; ++i) found |= static_cast<uint32_t>((b[i] & 0x7fffffff) - 1 < 0x7fffff) << i;
  return found & on;
}
/// The dear ones in the shorter way, where that is as good; false: nothing was done.
bool special_at_once(Warp& w, const Op& op, uint32_t on) {
#if defined(__AVX512F__)
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  Lanes out;
  const auto has = [&] {
    switch (op.mode) {
      case 0: return special_lanes<Wave<true>>(b, sign, on, &out);
      case 1: return !any_denormal(b, on) && special_lanes<Wave<false>>(b, sign, on, &out);
      case 2: return special_lanes<PowerOfTwo>(b, sign, on, &out);
      case 3: return special_lanes<Logarithm>(b, sign, on, &out);
      case 5: return special_lanes<InverseRoot>(b, sign, on, &out);
      default: return false;
    }
  };
  if (!has()) return false;
  store(w.row(op.target), out, on);
  return true;
#else
  return (void)w, (void)op, (void)on, false;
#endif
}
constexpr int kMufuHalfAt = 72, kMufuBfloatAt = 73;
constexpr uint32_t kPowerOfTwo = 2, kTangent = 9;

void mufu(Warp& w, const Op& op, uint32_t on) {
  if (special_at_once(w, op, on)) return;
  switch (op.mode) {
    case 0: return map_float(w, op, on, [](float x) { return x - x == 0 ? simt::cosine_of_turns(x) : x - x; });
    case 1: return map_float(w, op, on, [](float x) { return x - x == 0 ? simt::sine_of_turns(x) : x - x; });
    case 2: return map_flushed(w, op, on, [](float x) { return simt::ex2(x); });
    case 3: return map_flushed(w, op, on, [](float x) { return simt::lg2(x); });
    case 4: return map_flushed(w, op, on, [](float x) { return simt::reciprocal(x); });
    case 5: return map_flushed(w, op, on, [](float x) { return simt::rsqrt(x); });
    case 6: return map_high(w, op, on, [](double x) { return 1.0 / x; });
    case 7: return map_high(w, op, on, [](double x) { return 1.0 / __builtin_sqrt(x); });
    case 8: return map_flushed(w, op, on, [](float x) { return simt::root(x); });
    default: return map_float(w, op, on, [](float x) { return simt::tanh_(x); });
  }
}
/// Of 16 bits, which come from one half of a register and go to the lower one.
void mufu_half(Warp& w, const Op& op, uint32_t on) {
  const bool bfloat = op.word.bit(kMufuBfloatAt), tangent = op.mode == kTangent;
  const uint32_t* b = w.in(op.b);
  const uint32_t shift = op.word.is(Form::kRegisters) && op.word.bit(60) ? 16 : 0;
  const uint32_t keep = op.b.absolute ? 0x7fff : 0xffff, flip = op.b.negate ? 0x8000 : 0;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const float x = from_half((b[i] >> shift & keep) ^ flip, bfloat);
    const float y = tangent ? simt::tanh_(x) : bfloat ? simt::flush(simt::ex2(simt::flush(x))) : simt::ex2(x);
    out.value[i] = to_half(y, bfloat);
  }
  store(w.row(op.target), out, on);
}
bool prepare_mufu(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.form() != 4) {
    op.b.negate = op.word.bit(63);
    op.b.absolute = op.word.bit(62);
  }
  constexpr uint32_t kOfReciprocal = 4, kOfRoot = 8;
  op.mode = op.word.bits(74, 6);
  op.run = mufu;
  if (!op.word.bit(kMufuHalfAt) && !op.word.bit(kMufuBfloatAt)) {
    op.native = op.mode == kOfReciprocal ? Native::kReciprocal : op.mode == kOfRoot ? Native::kRoot : Native::kNone;
    return op.mode <= kTangent;
  }
  op.run = mufu_half;
  return op.mode == kPowerOfTwo || op.mode == kTangent;
}

/// True where a / b needs the slow routine: a result, its reciprocal or a remainder could leave the normal range, or
/// the quotient is -0, which the fast one never gives.
uint32_t needs_slow_division(float a, float b) {
  const int ea = static_cast<int>(as_bits(a) >> 23 & 255), eb = static_cast<int>(as_bits(b) >> 23 & 255),
            apart = ea - eb;
  const uint32_t odd = (eb == 0) | (eb >= 253) | (ea == 255), far = (ea < 25) | (apart >= 126) | (apart <= -126);
  const uint32_t minus_zero = static_cast<uint32_t>(a == 0) & ((as_bits(a) ^ as_bits(b)) >> 31);
  return odd | minus_zero | (far & static_cast<uint32_t>(a != 0));
}
void fchk(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const SignMask sa(op.a), sb(op.b);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = needs_slow_division(as_float(sa(a[i])), as_float(sb(b[i])));
  w.set(op.set0, mask_of(out), on);
  // That +0 over a negative number goes the slow way follows from its result; how many instructions it takes does not.
  Lanes zero;
  for (int i = 0; i < kLanes; ++i) zero.value[i] = static_cast<uint32_t>(sa(a[i]) == 0) & sb(b[i]) >> 31;
  if (mask_of(zero) & on) w.block->inexact = true;
}
bool prepare_fchk(Decoder& d, Op& op) {
  d.operands(op);
  op.a.negate = op.word.bit(72);
  op.a.absolute = op.word.bit(73);
  if (op.word.form() != 4) {
    op.b.negate = op.word.bit(63);
    op.b.absolute = op.word.bit(62);
  }
  op.run = fchk;
  return true;
}

}  // namespace

const Row kFloatRows[] = {
    {Opcode::kFsel, prepare_fsel},     {Opcode::kFmnmx, prepare_fmnmx},
    {Opcode::kFmnmx3, prepare_fmnmx3}, {Opcode::kFset, prepare_fset},
    {Opcode::kFsetp, prepare_fsetp},   {Opcode::kFmul, prepare_fmul},
    {Opcode::kFadd, prepare_fadd},     {Opcode::kFfma, prepare_ffma},
    {Opcode::kUfsel, prepare_fsel},    {Opcode::kUfsetp, prepare_fsetp},
    {Opcode::kUfadd, prepare_ufadd},   {Opcode::kUffma, prepare_arithmetic<kFused, Native::kFloatFused>},
    {Opcode::kUfmul, prepare_fmul},    {Opcode::kFchk, prepare_fchk},
    {Opcode::kMufu, prepare_mufu},     {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
