#include "warplens/simt/conversion.h"

#include <bit>
#include <cmath>

#include "warplens/simt/number_format.h"

namespace warplens::simt {
namespace {

using ptx::Type;

/// value = significand * 2^exponent.
struct Number {
  enum Kind : uint8_t { kFinite, kInfinite, kNan } kind = kFinite;
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0;
};

Number number_of(uint64_t bits, Type type) {
  if (type == Type::kUe8m0) {
    if (bits == 0xff) return {Number::kNan};
    return {Number::kFinite, false, 1, static_cast<int>(bits) - 127};
  }
  if (type == Type::kTf32) bits = (bits & 0xffffffff) >> 13;
  const NumberFormat f = number_format(type);
  const int width = 1 + f.exponent_bits + f.fraction_bits, bias = f.bias;
  Number n;
  n.negative = bits >> (width - 1) & 1;
  const uint64_t mantissa = bits & ((uint64_t{1} << f.fraction_bits) - 1);
  const int exponent = static_cast<int>(bits >> f.fraction_bits & ((uint64_t{1} << f.exponent_bits) - 1));
  const bool top = exponent == (1 << f.exponent_bits) - 1;
  if (f.infinity && top) {
    n.kind = mantissa ? Number::kNan : Number::kInfinite;
  } else if (f.nan && !f.infinity && (bits & ~(uint64_t{1} << (width - 1))) == f.nan) {
    n.kind = Number::kNan;
  } else {
    n.significand = exponent ? mantissa | uint64_t{1} << f.fraction_bits : mantissa;
    n.exponent = (exponent ? exponent : 1) - bias - f.fraction_bits;
  }
  return n;
}

/// significand / 2^shift, rounded; the sign matters for rm and rp.
uint64_t shifted(uint64_t significand, int shift, uint8_t rounding, bool negative) {
  if (shift <= 0) return significand << -shift;
  const uint64_t kept = shift > 63 ? 0 : significand >> shift;
  const uint64_t half = shift > 64 ? 0 : uint64_t{1} << (shift - 1);
  const uint64_t rest = shift > 63 ? significand : significand & ((uint64_t{1} << shift) - 1);
  if (rest == 0) return kept;
  const bool over = shift <= 64 && rest > half, tie = shift <= 64 && rest == half;
  bool up = false;
  switch (rounding) {
    case 0: up = over || (tie && (kept & 1)); break;
    case 1: break;
    case 2: up = negative; break;
    case 3: up = !negative; break;
    default: up = over || tie; break;
  }
  return kept + up;
}

uint64_t place_sign(uint64_t bits, bool negative, const NumberFormat& f) {
  return bits | static_cast<uint64_t>(negative) << (f.exponent_bits + f.fraction_bits);
}

uint64_t encode(const Number& n, Type type, uint8_t rounding, bool saturate) {
  const NumberFormat f = number_format(type);
  const int bias = f.bias;
  uint64_t bits = 0;
  if (n.kind == Number::kNan) return f.nan ? f.nan : f.most;
  if (n.kind == Number::kFinite && n.significand) {
    const int top = 63 - std::countl_zero(n.significand), exponent = top + n.exponent;
    const int least = 1 - bias, quantum = (exponent < least ? least : exponent) - f.fraction_bits;
    const uint64_t kept = shifted(n.significand, quantum - n.exponent, rounding, n.negative);
    if (exponent > bias + 1) bits = f.most + 1;
    else if (exponent < least) bits = kept;
    else bits = (static_cast<uint64_t>(exponent + bias) << f.fraction_bits) + (kept - (uint64_t{1} << f.fraction_bits));
  }
  if (n.kind == Number::kInfinite || bits > f.most) {
    const bool toward = rounding == 1 || (rounding == 2 && !n.negative) || (rounding == 3 && n.negative);
    const uint64_t infinity = f.infinity ? f.most + 1 : f.nan ? f.nan : f.most;
    bits = saturate || (n.kind == Number::kFinite && toward) ? f.most : infinity;
    if (bits == f.nan && !f.infinity) return bits;
  }
  return place_sign(bits, n.negative, f);
}

/// Powers of two alone: rounded up or towards zero, at most 2^127, at least 2^-127.
uint64_t encode_scale(const Number& n, uint8_t rounding) {
  if (n.kind == Number::kNan) return 0xff;
  if (n.kind == Number::kInfinite) return 0xfe;
  if (n.significand == 0) return 0;
  const int top = 63 - std::countl_zero(n.significand);
  const bool exact = (n.significand & (n.significand - 1)) == 0;
  const int exponent = top + n.exponent + (rounding == 3 && !exact ? 1 : 0) + 127;
  return static_cast<uint64_t>(exponent < 0 ? 0 : exponent > 0xfe ? 0xfe : exponent);
}

bool is_float(Type t) { return ptx::kind(t) == ptx::TypeKind::kFloat; }
bool is_signed_integer(Type t) { return ptx::kind(t) == ptx::TypeKind::kSigned; }

__int128 integer_of(uint64_t bits, Type type) {
  const int width = ptx::bits(type);
  const uint64_t low = width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
  if (!is_signed_integer(type) || !(low >> (width - 1) & 1)) return low;
  return static_cast<__int128>(low) - (static_cast<__int128>(1) << width);
}

uint64_t clamp_integer(__int128 value, Type type) {
  const int width = ptx::bits(type);
  const __int128 most = (static_cast<__int128>(1) << (is_signed_integer(type) ? width - 1 : width)) - 1;
  const __int128 least = is_signed_integer(type) ? -most - 1 : 0;
  return static_cast<uint64_t>(value > most ? most : value < least ? least : value);
}

uint64_t to_integer(const Number& n, Type type, Type from, uint8_t rounding) {
  const int width = ptx::bits(type);
  if (n.kind == Number::kNan) {
    const uint64_t least = width == 64 || from == Type::kF64 ? uint64_t{1} << (width - 1) : 0;
    return is_signed_integer(type) && least ? least | ~(least - 1) : least;
  }
  const __int128 huge = static_cast<__int128>(1) << 100;
  __int128 magnitude = huge;
  if (n.kind == Number::kFinite) {
    if (n.exponent <= 0) magnitude = shifted(n.significand, -n.exponent, rounding, n.negative);
    else if (n.exponent < 63) magnitude = static_cast<__int128>(n.significand) << n.exponent;
    if (n.significand == 0) magnitude = 0;
  }
  return clamp_integer(n.negative ? -magnitude : magnitude, type);
}

Number whole_number(Number n, uint8_t rounding) {
  if (n.kind != Number::kFinite || n.exponent >= 0) return n;
  n.significand = shifted(n.significand, -n.exponent, rounding, n.negative);
  n.exponent = 0;
  return n;
}

/// NaNs whose payload a conversion keeps, quieted; 0: it gives the canonical one.
uint64_t kept_nan(uint64_t bits, Type to, Type from, const Conversion& c) {
  if (from == Type::kF64 && to == Type::kF32) return (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x3fffff);
  if (from == Type::kF64 && to == Type::kF16) return (bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x1ff);
  if (from == Type::kF64 && to == Type::kBf16) return (bits >> 48 & 0x8000) | 0x7fc0 | (bits >> 45 & 0x3f);
  if (from == Type::kF16 && to == Type::kF64) return (bits & 0x8000) << 48 | 0x7ff8000000000000 | (bits & 0x1ff) << 42;
  if (from == Type::kF32 && to == Type::kF64) return 0x7fffffffe0000000;  // only .ftz comes here: the canonical f32 NaN
  if (to == Type::kTf32 && c.rounding == 4) return bits & ~uint64_t{0x1fff};
  return 0;
}

uint64_t convert_one(uint64_t bits, Type to, Type from, const Conversion& c) {
  if (!is_float(from)) {
    const __int128 value = integer_of(bits, from);
    if (!is_float(to)) {
      const uint64_t kept = c.flags & kSat ? clamp_integer(value, to) : static_cast<uint64_t>(value);
      return static_cast<uint64_t>(integer_of(kept, to));
    }
    Number n;
    n.negative = value < 0;
    n.significand = static_cast<uint64_t>(value < 0 ? -value : value);
    return encode(n, to, c.rounding, false);
  }
  Number n = number_of(bits, from);
  if ((c.flags & kFtz) && from == Type::kF32 && to != Type::kF16 && (bits & 0x7f800000) == 0) n.significand = 0;
  if (n.kind == Number::kNan && !(c.flags & kSat)) {
    if (const uint64_t kept = kept_nan(bits, to, from, c)) return kept;
  }
  if (!is_float(to)) return to_integer(n, to, from, c.rounding);
  if (c.whole) n = whole_number(n, c.rounding);
  if (c.flags & kSat) {
    if (n.kind == Number::kNan || n.negative) n = {};
    else if (n.kind == Number::kInfinite) n = {Number::kFinite, false, 1, 0};
    else if (n.significand && 63 - std::countl_zero(n.significand) + n.exponent >= 0)
      n = {Number::kFinite, false, 1, 0};
  }
  if ((c.flags & kRelu) && n.negative && n.kind != Number::kNan) n = {};
  if (to == Type::kUe8m0) return encode_scale(n, c.rounding);
  uint64_t result = encode(n, to, c.rounding, c.flags & kSatFinite);
  if (to == Type::kF64 && from == Type::kF64 && n.kind == Number::kNan) result = bits | uint64_t{1} << 51;
  if ((c.flags & kFtz) && to == Type::kF32 && (result & 0x7f800000) == 0) result &= 0x80000000;
  return to == Type::kTf32 ? result << 13 : result;
}

struct Packing {
  Type element;
  int count, bits;  // bits of an element
};
Packing packing_of(Type type) {
  switch (type) {
    case Type::kF16x2: return {Type::kF16, 2, 16};
    case Type::kBf16x2: return {Type::kBf16, 2, 16};
    case Type::kE4m3x2: return {Type::kE4m3, 2, 8};
    case Type::kE5m2x2: return {Type::kE5m2, 2, 8};
    case Type::kE3m2x2: return {Type::kE3m2, 2, 8};
    case Type::kE2m3x2: return {Type::kE2m3, 2, 8};
    case Type::kE2m1x2: return {Type::kE2m1, 2, 4};
    case Type::kUe8m0x2: return {Type::kUe8m0, 2, 8};
    case Type::kF32x2: return {Type::kF32, 2, 32};
    default: return {type, 1, 64};
  }
}

}  // namespace

uint64_t convert(uint64_t bits, uint64_t low, const Conversion& c) {
  const Packing to = packing_of(c.to), from = packing_of(c.from);
  if (to.count == 1) return convert_one(bits, c.to, c.from, c);
  const uint64_t mask = (uint64_t{1} << to.bits) - 1;
  if (from.count == 1)
    return (convert_one(low, to.element, c.from, c) & mask) | (convert_one(bits, to.element, c.from, c) & mask)
                                                                  << to.bits;
  uint64_t result = 0;
  for (int i = 0; i < to.count; ++i) {
    const uint64_t element = bits >> (i * from.bits) & ((uint64_t{1} << from.bits) - 1);
    result |= (convert_one(element, to.element, from.element, c) & mask) << (i * to.bits);
  }
  return result;
}

double decode_float(uint64_t bits, ptx::Type type) {
  const Number n = number_of(bits, type);
  if (n.kind == Number::kNan) return std::nan("");
  const double magnitude =
      n.kind == Number::kInfinite ? HUGE_VAL : std::ldexp(static_cast<double>(n.significand), n.exponent);
  return n.negative ? -magnitude : magnitude;
}

uint64_t encode_float(double value, ptx::Type type) {
  return convert_one(std::bit_cast<uint64_t>(value), type, Type::kF64, {type, Type::kF64});
}

}  // namespace warplens::simt
