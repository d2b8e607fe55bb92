// Conversions between number formats.
#include <cmath>
#include <limits>

#include "warplens/sass/decoder.h"
#include "warplens/sass/halves.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/rounding.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

/// Sizes are log2 of bytes, as the words have them.
double read_float(const uint32_t* rows, int i, uint32_t size, const Operand& o, bool high_half) {
  double value;
  if (size == 3) {
    value = std::bit_cast<double>(wide(rows, i));
  } else if (size == 2) {
    value = as_float(rows[i]);
  } else {
    value = from_half(rows[i] >> (high_half ? 16 : 0), false);
  }
  if (o.absolute) value = std::fabs(value);
  return o.negate ? -value : value;
}

double rounded(double value, uint32_t mode) {
  switch (mode) {
    case 1: return std::floor(value);
    case 2: return std::ceil(value);
    case 3: return std::trunc(value);
    default: return std::nearbyint(value);
  }
}

uint64_t float_bits(double value, uint32_t size) {
  if (size == 3) return std::bit_cast<uint64_t>(value);
  if (size == 2) return as_bits(static_cast<float>(value));
  return to_half(static_cast<float>(value), false);
}

void put(Warp& w, const Op& op, uint32_t on, bool pair, const uint64_t* values) {
  Lanes low, high;
  for (int i = 0; i < kLanes; ++i) {
    low.value[i] = static_cast<uint32_t>(values[i]);
    high.value[i] = static_cast<uint32_t>(values[i] >> 32);
  }
  store(w.row(op.target), low, on);
  if (pair) store(w.row(op.target) + kLanes, high, on);
}

template <typename F>
void convert(Warp& w, const Op& op, uint32_t on, bool pair, F f) {
  uint64_t values[kLanes];
  for (int i = 0; i < kLanes; ++i) values[i] = on >> i & 1 ? f(i) : 0;
  put(w, op, on, pair, values);
}

uint32_t to_size(const Op& op) { return op.word.bits(75, 2); }
uint32_t from_size(const Op& op) { return op.word.bits(84, 2); }
uint32_t rounding(const Op& op) { return op.word.bits(78, 2); }

void f2f(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const uint32_t to = to_size(op), from = from_size(op);
  convert(w, op, on, to == 3, [&](int i) { return float_bits(read_float(b, i, from, op.b, op.word.bit(60)), to); });
}
void frnd(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const uint32_t to = to_size(op), from = from_size(op), mode = rounding(op);
  convert(w, op, on, to == 3,
          [&](int i) { return float_bits(rounded(read_float(b, i, from, op.b, false), mode), to); });
}
/// Of single precision; every NaN becomes the one that the hardware gives.
void frnd_single(Warp& w, const Op& op, uint32_t on) {
  const uint32_t mode = rounding(op);
  map_signed(w, op, on, [=](uint32_t, uint32_t b, uint32_t) {
    const float x = as_float(b);
    return x == x ? as_bits(static_cast<float>(rounded(x, mode))) : 0x7fffffffu;
  });
}

/// What a NaN becomes.
constexpr uint64_t integer_of_nan(uint32_t from, uint32_t size) {
  return size == 3 ? uint64_t{1} << 63 : from == 3 ? uint64_t{1} << 31 : 0;
}
uint64_t saturated(double value, bool is_signed, uint32_t from, uint32_t size) {
  const int bits = 8 << size;
  if (std::isnan(value)) return integer_of_nan(from, size);
  const double top = std::ldexp(1.0, is_signed ? bits - 1 : bits), bottom = is_signed ? -top : 0;
  if (value >= top) return is_signed ? (uint64_t{1} << (bits - 1)) - 1 : ~uint64_t{0} >> (64 - bits);
  if (value <= bottom) return is_signed ? static_cast<uint64_t>(std::numeric_limits<int64_t>::min() >> (64 - bits)) : 0;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
}
void f2i(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const uint32_t to = to_size(op), from = from_size(op), mode = rounding(op);
  const bool is_signed = op.word.bit(72);
  convert(w, op, on, to == 3,
          [&](int i) { return saturated(rounded(read_float(b, i, from, op.b, false), mode), is_signed, from, to); });
}

/// An integer as a float of `size`, rounded as `mode` says.
uint64_t integer_as_float(uint64_t bits, bool is_signed, uint32_t size, uint32_t mode) {
  if (mode == 0 && size == 3)
    return std::bit_cast<uint64_t>(is_signed ? static_cast<double>(static_cast<int64_t>(bits))
                                             : static_cast<double>(bits));
  const Rounding scope(mode);
  volatile uint64_t held = bits;  // not moved out of the rounding scope
  uint64_t out;
  if (size == 3) {
    volatile double value = is_signed ? static_cast<double>(static_cast<int64_t>(held)) : static_cast<double>(held);
    out = std::bit_cast<uint64_t>(static_cast<double>(value));
  } else {
    volatile float value = is_signed ? static_cast<float>(static_cast<int64_t>(held)) : static_cast<float>(held);
    out = size == 2 ? as_bits(value) : to_half(value, false);
  }
  return out;
}
void i2f(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const uint32_t to = to_size(op), from = from_size(op), mode = rounding(op);
  const bool is_signed = op.word.bit(74);
  convert(w, op, on, to == 3, [&](int i) {
    uint64_t bits = from == 3 ? wide(b, i) : b[i];
    if (from < 3) {
      const int cut = 64 - (8 << from);
      bits = is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits << cut) >> cut) : bits << cut >> cut;
    }
    return integer_as_float(bits, is_signed, to, mode);
  });
}

/// The common ones, lanes side by side.
void float_to_double(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  map_pair(w, op, on, [=](int i) {
    return std::bit_cast<uint64_t>(static_cast<double>(as_float(sign(b[i]))));
  });
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
    const Rounding scope(rounding(op));
    // The compiler knows nothing of rounding modes: sources are read and results written between these two.
    asm volatile("" : : "r"(b) : "memory");
    for (int i = 0; i < kLanes; ++i) out.value[i] = as_bits(static_cast<float>(static_cast<T>(b[i])));
    asm volatile("" : : "r"(out.value) : "memory");
  }
  store(w.row(op.target), out, on);
}
/// Numbers to 32-bit integers, to the nearest or towards zero; what does not fit becomes the nearest that does.
template <typename T, bool kDouble, bool kNearest>
void to_word(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  constexpr double kLeast = static_cast<double>(std::numeric_limits<T>::min()),
                   kMost = static_cast<double>(std::numeric_limits<T>::max());
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const double x = kDouble ? wide_double(b, i, op.b) : static_cast<double>(as_float(sign(b[i])));
    const double rounded = kNearest ? __builtin_nearbyint(x) : x;
    const double low = rounded > kLeast ? rounded : kLeast, value = low < kMost ? low : kMost;
    const auto whole = static_cast<uint32_t>(static_cast<int64_t>(value));
    out.value[i] = x == x ? whole : static_cast<uint32_t>(integer_of_nan(kDouble ? 3 : 2, 2));
  }
  store(w.row(op.target), out, on);
}
template <bool kDouble, bool kNearest>
Handler to_word_of(const Op& op) {
  return op.word.bit(72) ? to_word<int32_t, kDouble, kNearest> : to_word<uint32_t, kDouble, kNearest>;
}

/// 32-bit integers to double precision, which holds them all.
template <typename T>
void word_to_double(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* b = w.in(op.b);
  map_pair(w, op, on, [=](int i) { return std::bit_cast<uint64_t>(static_cast<double>(static_cast<T>(b[i]))); });
}

bool prepare_convert(Decoder& d, Op& op, Handler run) {
  d.operands(op);
  if (op.word.form() != 4) op.b.negate = op.word.bit(63), op.b.absolute = op.word.bit(62);
  op.run = run;
  return true;
}
/// The format of 16 bits is half precision; bit 77 and bit 86 choose others.
bool prepare_f2f(Decoder& d, Op& op) {
  const bool known = prepare_convert(d, op, f2f) && !op.word.bit(77) && !op.word.bit(86);
  if (to_size(op) == 3 && from_size(op) == 2) op.run = float_to_double;
  if (to_size(op) == 2 && from_size(op) == 3 && rounding(op) == 0) op.run = double_to_float;
  return known;
}
bool prepare_frnd(Decoder& d, Op& op) {
  return prepare_convert(d, op, to_size(op) == 2 && from_size(op) == 2 ? frnd_single : frnd);
}
bool prepare_f2i(Decoder& d, Op& op) {
  prepare_convert(d, op, f2i);
  const uint32_t from = from_size(op), mode = rounding(op);
  if (to_size(op) != 2 || from < 2 || (mode != 0 && mode != 3)) return true;
  if (from == 3) op.run = mode == 0 ? to_word_of<true, true>(op) : to_word_of<true, false>(op);
  else op.run = mode == 0 ? to_word_of<false, true>(op) : to_word_of<false, false>(op);
  return true;
}
bool prepare_i2f(Decoder& d, Op& op) {
  prepare_convert(d, op, i2f);
  if (from_size(op) != 2 || to_size(op) < 2) return true;
  const bool is_signed = op.word.bit(74);
  if (to_size(op) == 2) op.run = is_signed ? word_to_float<int32_t> : word_to_float<uint32_t>;
  else op.run = is_signed ? word_to_double<int32_t> : word_to_double<uint32_t>;
  return true;
}

void i2fp(Warp& w, const Op& op, uint32_t on) {
  const bool is_signed = op.word.bit(72) || op.word.bit(74);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) {
    return as_bits(is_signed ? static_cast<float>(static_cast<int32_t>(b)) : static_cast<float>(b));
  });
}
bool prepare_i2fp(Decoder& d, Op& op) { return prepare_convert(d, op, i2fp); }

void f2fp(Warp& w, const Op& op, uint32_t on) {
  const bool bfloat = op.mode;
  map_signed(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) {
    return to_half(as_float(b), bfloat) | to_half(as_float(a), bfloat) << 16;
  });
}
/// Packs two single-precision numbers: the second source below, the first above.
bool prepare_f2fp(Decoder& d, Op& op) {
  prepare_convert(d, op, f2fp);
  op.a.negate = op.word.bit(72), op.a.absolute = op.word.bit(73);
  op.mode = op.word.bits(76, 1);
  const bool known = !op.word.bit(74) && !op.word.bit(75) && !op.word.bit(77) && !op.word.bit(78) && !op.word.bit(81);
  return known;
}

}  // namespace

const Row kConvertRows[] = {
    {0x03e, "F2FP", prepare_f2fp}, {0x045, "I2FP", prepare_i2fp}, {0x104, "F2F", prepare_f2f},
    {0x105, "F2I", prepare_f2i},   {0x106, "I2F", prepare_i2f},   {0x107, "FRND", prepare_frnd},
    {0x110, "F2F", prepare_f2f},   {0x111, "F2I", prepare_f2i},   {0x112, "I2F", prepare_i2f},
    {0x113, "FRND", prepare_frnd}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
