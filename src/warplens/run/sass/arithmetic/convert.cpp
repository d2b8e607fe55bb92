// Conversions between number formats.
#include "warplens/run/sass/arithmetic/conversions.h"
#include "warplens/run/sass/arithmetic/rounding.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/half.h"
#include "warplens/simt/lanes/rounding.h"
#include "warplens/simt/lanes/whole.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

uint32_t to_size(const Op& op) { return op.word.bits(75, 2); }
uint32_t from_size(const Op& op) { return op.word.bits(84, 2); }
uint32_t rounding(const Op& op) { return op.word.bits(78, 2); }

/// Of single precision; every NaN becomes the one that the hardware gives.
void frnd_single(Warp& w, const Op& op, uint32_t on) {
  const Rounding mode = rounding_of(rounding(op));
  map_signed(w, op, on,
             [=](uint32_t, uint32_t b, uint32_t) { return as_bits(simt::canonical(whole(as_float(b), mode))); });
}

/// The common ones, lanes side by side.
void float_to_double(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  map_pair(w, op, on, [=](int i) { return std::bit_cast<uint64_t>(static_cast<double>(as_float(sign(b[i])))); });
}
void double_to_float(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    out.value[i] = as_bits(static_cast<float>(wide_double(b, i, op.b)));
  }
  store(w.row(op.target), out, on);
}

/// 32-bit integers to single precision, in the instruction's rounding mode.
template <typename T>
void word_to_float(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  Lanes out;
  {
    const RoundingScope scope(rounding_of(rounding(op)));
    // The compiler knows nothing of rounding modes: sources are read and results written between these two.
    asm volatile("" : : "r"(b) : "memory");
    for (int i = 0; i < kLanes; ++i) out.value[i] = as_bits(static_cast<float>(static_cast<T>(b[i])));
    asm volatile("" : : "r"(out.value) : "memory");
  }
  store(w.row(op.target), out, on);
}
template <typename T>
void word_to_double(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  map_pair(w, op, on, [=](int i) { return std::bit_cast<uint64_t>(static_cast<double>(static_cast<T>(b[i]))); });
}
/// A byte or a half of a register to single precision, which holds them all.
template <typename T>
void part_to_float(Warp& w, const Op& op, uint32_t on) {
  const uint32_t shift = op.word.form() != 1 ? 0 : sizeof(T) == 1 ? 8 * op.word.bits(60, 2) : 16 * op.word.bits(60, 1);
  map(w, op, on,
      [=](uint32_t, uint32_t b, uint32_t) { return as_bits(static_cast<float>(static_cast<T>(b >> shift))); });
}
/// Numbers to 32-bit integers, to the nearest or towards zero; what does not fit becomes the nearest that does.
template <typename T, bool kDouble, bool kRounds>
void to_word(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  constexpr Rounding kMode = kRounds ? kNearest : kZero;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    if constexpr (kDouble) out.value[i] = static_cast<uint32_t>(to_integer<T>(whole(wide_double(b, i, op.b), kMode)));
    else out.value[i] = static_cast<uint32_t>(to_integer<T>(whole(as_float(sign(b[i])), kMode)));
  }
  store(w.row(op.target), out, on);
}
template <bool kDouble, bool kRounds>
Handler to_word_of(const Op& op) {
  return op.word.bit(72) ? to_word<int32_t, kDouble, kRounds> : to_word<uint32_t, kDouble, kRounds>;
}

/// Sizes are log2 of bytes, as the words have them.
bool prepare_convert(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.form() != 4) {
    op.b.negate = op.word.bit(63);
    op.b.absolute = op.word.bit(62);
  }
  return prepare_any_conversion(op);
}
bool prepare_f2f(Decoder& d, Op& op) {
  const bool known = prepare_convert(d, op), flushes = op.word.bit(80);
  if (to_size(op) == 3 && from_size(op) == 2 && !flushes) {
    op.run = float_to_double;
    op.native = Native::kToDouble;
  }
  if (to_size(op) == 2 && from_size(op) == 3 && rounding(op) == 0 && !flushes) op.run = double_to_float;
  return known;
}
bool prepare_frnd(Decoder& d, Op& op) {
  const bool known = prepare_convert(d, op);
  if (to_size(op) == 2 && from_size(op) == 2 && !op.word.bit(80)) {
    op.run = frnd_single;
    op.native = Native::kRounded;
    op.mode = rounding(op);
  }
  return known;
}
bool prepare_f2i(Decoder& d, Op& op) {
  const bool known = prepare_convert(d, op);
  const uint32_t from = from_size(op), mode = rounding(op);
  if (to_size(op) != 2 || from < 2 || (mode != 0 && mode != 3)) return known;
  if (from == 3) op.run = mode == 0 ? to_word_of<true, true>(op) : to_word_of<true, false>(op);
  else op.run = mode == 0 ? to_word_of<false, true>(op) : to_word_of<false, false>(op);
  if (from == 2) op.native = Native::kToInteger;
  op.mode = op.word.bit(72) | (mode == 0 ? 2 : 0);
  return known;
}
bool prepare_i2f(Decoder& d, Op& op) {
  const bool known = prepare_convert(d, op);
  const bool words = from_size(op) == 2, is_signed = op.word.bit(74);
  if (words && to_size(op) == 2) {
    op.run = is_signed ? word_to_float<int32_t> : word_to_float<uint32_t>;
    op.native = Native::kFromInteger;
    op.mode = static_cast<uint32_t>(is_signed) | rounding(op) << 1;
  }
  if (from_size(op) == 0 && to_size(op) == 2) op.run = is_signed ? part_to_float<int8_t> : part_to_float<uint8_t>;
  if (from_size(op) == 1 && to_size(op) == 2) op.run = is_signed ? part_to_float<int16_t> : part_to_float<uint16_t>;
  if (!words && from_size(op) < 2 && to_size(op) == 2) {
    const uint32_t bits = from_size(op) == 0 ? 8 : 16;
    op.native = Native::kFromPart;
    op.offset = op.word.form() != 1 ? 0 : bits * op.word.bits(60, bits == 8 ? 2 : 1);
    op.mode = static_cast<uint32_t>(is_signed) | bits << 1;
  }
  if (words && to_size(op) == 3) op.run = is_signed ? word_to_double<int32_t> : word_to_double<uint32_t>;
  return known;
}

void i2fp(Warp& w, const Op& op, uint32_t on) {
  const bool is_signed = op.word.bit(72) || op.word.bit(74);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) {
    return as_bits(is_signed ? static_cast<float>(static_cast<int32_t>(b)) : static_cast<float>(b));
  });
}
bool prepare_i2fp(Decoder& d, Op& op) {
  d.operands(op);
  op.run = op.word.bits(78, 2) == 0             ? i2fp
           : op.word.bit(72) || op.word.bit(74) ? word_to_float<int32_t>
                                                : word_to_float<uint32_t>;
  op.native = Native::kFromInteger;
  op.mode = static_cast<uint32_t>(op.word.bit(72) || op.word.bit(74)) | rounding(op) << 1;
  return true;
}

void f2fp(Warp& w, const Op& op, uint32_t on) {
  const bool bfloat = op.mode;
  map_signed(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) {
    return to_half(as_float(b), bfloat) | to_half(as_float(a), bfloat) << 16;
  });
}
/// One number, below the low half of the third source.
void f2fp_low_bfloat(Warp& w, const Op& op, uint32_t on) {
  map_signed(w, op, on, [](uint32_t, uint32_t b, uint32_t c) { return to_half(as_float(b), true) | c << 16; });
}
/// E4M3 to half precision, which has all of its numbers.
uint32_t half_of_e4m3(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7f, sign = (bits & 0x80) << 8;
  const uint32_t half = simt::F16::narrow(simt::F16::widen(magnitude << 7) * 256.0f);  // exponents lie 8 apart
  return magnitude == 0x7f ? 0x7fffu : half | sign;
}
/// Single precision to E4M3, to nearest; what is too large becomes the largest.
uint32_t e4m3_of(float x) {
  constexpr uint32_t kLeastNormal = 0x3c800000, kInfinity = 0x7f800000, kBiases = (127 - 7) << 3, kLargest = 0x7e;
  const uint32_t bits = as_bits(x), magnitude = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
  const uint32_t small = as_bits(as_float(magnitude) + 16384.0f) - as_bits(16384.0f);  // whose last bit is 2^-9
  const uint32_t normal = ((magnitude + 0x7ffff + (magnitude >> 20 & 1)) >> 20) - kBiases;
  const uint32_t rounded = magnitude < kLeastNormal ? small : normal < kLargest ? normal : kLargest;
  return magnitude > kInfinity ? 0x7fu : rounded | sign;
}
void e4m3_to_halves(Warp& w, const Op& op, uint32_t on) {
  const uint32_t shift = op.word.bit(88) ? 16 : 0;
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) {
    return half_of_e4m3(b >> shift & 0xff) | half_of_e4m3(b >> shift >> 8 & 0xff) << 16;
  });
}
void floats_to_e4m3(Warp& w, const Op& op, uint32_t on) {
  map_signed(w, op, on, [](uint32_t a, uint32_t b, uint32_t c) {
    return e4m3_of(as_float(b)) | e4m3_of(as_float(a)) << 8 | c << 16;
  });
}
/// Packs two single-precision numbers, rounded to nearest: the second source below, the first above.
bool prepare_f2fp(Decoder& d, Op& op) {
  constexpr uint32_t kOneBfloat = 0b101;  // bits 76 and up
  op.mode = op.word.bits(76, 1);
  if (!kConversionRows[0].prepare(d, op)) return false;
  constexpr uint32_t kHalvesOfE4m3 = 0x20006, kUpper = 0x10000, kE4m3 = 0x48070;  // bits 72 to 90
  const uint32_t modifiers = op.word.bits(72, 19);
  if ((modifiers & ~kUpper) == kHalvesOfE4m3) op.run = e4m3_to_halves;
  if (modifiers == kE4m3) op.run = floats_to_e4m3;
  if (op.word.bits(74, 2) != 0) return true;
  if (op.word.bits(77, 12) == 0) op.run = f2fp;
  if (op.word.bits(76, 13) == kOneBfloat) op.run = f2fp_low_bfloat;
  return true;
}

}  // namespace

const Row kConvertRows[] = {
    {Opcode::kF2fp, prepare_f2fp},   {Opcode::kI2fp, prepare_i2fp},  {Opcode::kF2f, prepare_f2f},
    {Opcode::kF2i, prepare_f2i},     {Opcode::kI2f, prepare_i2f},    {Opcode::kFrnd, prepare_frnd},
    {Opcode::kF2f64, prepare_f2f},   {Opcode::kF2i64, prepare_f2i},  {Opcode::kI2f64, prepare_i2f},
    {Opcode::kFrnd64, prepare_frnd}, {Opcode::kUi2fp, prepare_i2fp}, {Opcode::kUf2f, prepare_f2f},
    {Opcode::kUf2i, prepare_f2i},    {Opcode::kUi2f, prepare_i2f},   {Opcode::kUfrnd, prepare_frnd},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
