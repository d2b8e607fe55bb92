#include "warplens/simt/matrix/math.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "warplens/base/half.h"

namespace warplens::simt {
namespace {

using ptx::Type;

/// sign * significand * 2^(exponent - fraction bits of the format).
struct Number {
  int32_t significand = 0;  // signed
  int32_t exponent = kZeroExponent;
  bool nan = false, infinite = false, negative = false;
};

Number unpack(uint32_t bits, const NumberFormat& f) {
  const uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
  const uint32_t exponent = (bits >> f.fraction_bits) & ((1u << f.exponent_bits) - 1);
  const uint32_t top = (1u << f.exponent_bits) - 1;
  Number out;
  out.negative = ((bits >> (f.fraction_bits + f.exponent_bits)) & 1) != 0;
  if (exponent == top && f.infinity) {
    out.nan = fraction != 0;
    out.infinite = fraction == 0;
    return out;
  }
  if (exponent == top && f.nan && fraction == (1u << f.fraction_bits) - 1) {
    out.nan = true;
    return out;
  }
  if (exponent == 0 && fraction == 0) return out;
  const auto significand = static_cast<int32_t>(exponent == 0 ? fraction : fraction | (1u << f.fraction_bits));
  out.significand = out.negative ? -significand : significand;
  out.exponent = std::max<int32_t>(static_cast<int32_t>(exponent), 1) - f.bias;
  return out;
}

constexpr uint32_t kNan32 = 0x7fffffff, kInfinity32 = 0x7f800000;

/// sum * 2^(exponent - fraction) rounded to nearest even as f16.
uint32_t round_to_f16(int64_t sum, int exponent, int fraction) {
  if (sum == 0) return 0;
  const uint32_t sign = sum < 0 ? 0x8000u : 0;
  const uint64_t magnitude = sum < 0 ? static_cast<uint64_t>(-sum) : static_cast<uint64_t>(sum);
  const int high = 63 - std::countl_zero(magnitude);
  const int scale = exponent - fraction + high;
  const int unit = std::max(scale, -14) - 10;      // weight of the last place
  const int shift = unit - (exponent - fraction);  // places dropped
  uint64_t significand = magnitude;
  if (shift > 0 && shift < 64) {
    const uint64_t half = uint64_t{1} << (shift - 1), rest = magnitude & ((half << 1) - 1);
    significand = magnitude >> shift;
    if (rest > half || (rest == half && (significand & 1) != 0)) ++significand;
  } else if (shift >= 64) {
    return sign;
  } else {
    significand = magnitude << -shift;
  }
  if (scale < -14) return sign | static_cast<uint32_t>(significand);  // a carry makes the smallest normal number
  const uint64_t packed = (static_cast<uint64_t>(scale + 15) << 10) + (significand - 1024);
  return packed >= 0x7c00 ? sign | 0x7c00u : sign | static_cast<uint32_t>(packed);
}

/// A row of A and a column of B, unpacked.
struct Vectors {
  const Number* a;
  const Number* b;
};

class Dot {
 public:
  Dot(const MatrixProduct& p, const DotModel& model)
      : model_(model),
        half_(p.c_type == Type::kF16),
        negate_(p.negate),
        c_format_(number_format(p.c_type)),
        product_fraction_(number_format(p.a_type).fraction_bits + number_format(p.b_type).fraction_bits) {}

  /// `exponent` is added to those of the products.
  uint32_t run(Vectors v, int k, uint32_t c, int exponent = 0) const {
    for (int begin = 0; begin < k; begin += model_.chunk) {
      c = chunk({v.a + begin, v.b + begin}, std::min(model_.chunk, k - begin), c, exponent);
    }
    return c;
  }

 private:
  uint32_t special(Vectors v, int count, const Number& c) const {
    bool nan = c.nan, plus = c.infinite && !c.negative, minus = c.infinite && c.negative;
    for (int i = 0; i < count; ++i) {
      const Number &a = v.a[i], &b = v.b[i];
      nan |= a.nan || b.nan;
      if (!a.infinite && !b.infinite) continue;
      nan |= (a.infinite && !b.infinite && b.significand == 0) || (b.infinite && !a.infinite && a.significand == 0);
      const bool negative = (a.negative != b.negative) != negate_;
      plus |= !negative;
      minus |= negative;
    }
    if (nan || (plus && minus)) return half_ ? 0x7fff : kNan32;
    return half_ ? (plus ? 0x7c00 : 0xfc00) : (plus ? kInfinity32 : kInfinity32 | 0x80000000u);
  }

  uint32_t chunk(Vectors v, int count, uint32_t c_bits, int exponent) const {
    const Number c = unpack(c_bits, c_format_);
    int largest = c.exponent;
    bool odd = c.nan || c.infinite;
    for (int i = 0; i < count; ++i) {
      odd |= v.a[i].nan || v.a[i].infinite || v.b[i].nan || v.b[i].infinite;
      largest = std::max(largest, v.a[i].exponent + v.b[i].exponent + exponent);
    }
    if (odd) return special(v, count, c);
    if (largest <= kZeroExponent / 2) return 0;
    int64_t sum = 0;
    const int up = model_.fraction_bits - product_fraction_ - largest + exponent;
    for (int i = 0; i < count; ++i) {
      const int64_t product = static_cast<int64_t>(v.a[i].significand) * v.b[i].significand;
      sum += align(product, std::max(up + v.a[i].exponent + v.b[i].exponent, -63));
    }
    if (negate_) sum = -sum;
    sum += align(c.significand, std::max(model_.fraction_bits - c_format_.fraction_bits - largest + c.exponent, -63));
    return half_ ? round_to_f16(sum, largest, model_.fraction_bits)
                 : cut_to_f32(sum, largest, model_.fraction_bits, model_.result_bits);
  }

  DotModel model_;
  bool half_, negate_;
  NumberFormat c_format_;
  int product_fraction_;
};

std::vector<Number> unpack_all(const uint32_t* bits, int count, Type type) {
  const NumberFormat format = number_format(type);
  std::vector<Number> out(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    out[static_cast<size_t>(i)] = unpack(type == Type::kTf32 ? bits[i] >> 13 : bits[i], format);
  return out;
}

std::vector<int32_t> integer_values(const uint32_t* bits, int count, Type type) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  const auto fill = [&](auto value) {
    for (int i = 0; i < count; ++i) out[static_cast<size_t>(i)] = value(bits[i]);
  };
  switch (type) {
    case Type::kS8: fill([](uint32_t x) { return static_cast<int32_t>(static_cast<int8_t>(x)); }); break;
    case Type::kU8: fill([](uint32_t x) { return static_cast<int32_t>(static_cast<uint8_t>(x)); }); break;
    case Type::kS4: fill([](uint32_t x) { return static_cast<int32_t>(x << 28) >> 28; }); break;
    case Type::kB1: fill([](uint32_t x) { return static_cast<int32_t>(x & 1); }); break;
    default: fill([](uint32_t x) { return static_cast<int32_t>(x & 15); }); break;
  }
  return out;
}

}  // namespace

DotModel dot_model(int architecture, Type input, bool warpgroup) {
  const int bytes = architecture < 75 ? 8 : architecture < 90 ? 16 : 32;  // of one operand, added at once
  DotModel model;
  model.fraction_bits = architecture < 75 ? 23 : architecture < 90 ? 24 : 25;
  const bool fp8 = ptx::bits(input) <= 8;
  const bool on_half_units = runs_on_half_units(architecture, input) && !warpgroup;
  model.chunk = bytes * 8 / (on_half_units ? 16 : input == Type::kTf32 ? 32 : fp8 ? 8 : 16);
  if (fp8 && (architecture == 89 || (architecture == 90 && warpgroup))) {
    model.fraction_bits = 13;
    model.result_bits = 13;
  }
  return model;
}

uint32_t cut_to_f32(int64_t sum, int exponent, int fraction, int kept) {
  if (sum == 0) return 0;
  const uint32_t sign = sum < 0 ? 0x80000000u : 0;
  const uint64_t magnitude = sum < 0 ? static_cast<uint64_t>(-sum) : static_cast<uint64_t>(sum);
  const int high = 63 - std::countl_zero(magnitude);
  int scale = exponent - fraction + high;  // of the leading bit
  int bits = kept;                         // fraction bits that remain
  if (scale > 127) return sign | kInfinity32;
  if (scale < -126) bits -= -126 - scale;  // subnormal
  if (bits < 0) return sign;
  const int shift = high - bits;
  uint64_t significand = shift >= 0 ? magnitude >> shift : magnitude << -shift;
  if (scale < -126) return sign | static_cast<uint32_t>(significand << (23 - kept));
  significand = (significand << (23 - bits)) & 0x7fffff;
  return sign | static_cast<uint32_t>(scale + 127) << 23 | static_cast<uint32_t>(significand);
}

int64_t align(int64_t significand, int shift) {
  if (shift >= 0) return significand << std::min(shift, 62);
  const int right = std::min(-shift, 63);
  return significand < 0 ? -(-significand >> right) : significand >> right;
}

void multiply_float_plainly(const MatrixProduct& p, const DotModel& model) {
  const auto a = unpack_all(p.a, p.m * p.k, p.a_type), b = unpack_all(p.b, p.k * p.n, p.b_type);
  const Dot dot(p, model);
  std::vector<Number> of_row(static_cast<size_t>(p.k));
  for (int row = 0; row < p.m; ++row) {
    for (int i = 0; i < p.k; ++i) of_row[static_cast<size_t>(i)] = a[static_cast<size_t>(i * p.m + row)];
    for (int column = 0; column < p.n; ++column) {
      uint32_t& c = p.c[column * p.m + row];
      c = dot.run({of_row.data(), b.data() + column * p.k}, p.k, c);
    }
  }
}

uint32_t dot_plainly(const MatrixProduct& p, const DotModel& model, int row, int column, int exponent) {
  std::vector<uint32_t> of_row;
  for (int i = 0; i < p.k; ++i) of_row.push_back(p.a[i * p.m + row]);
  const auto a = unpack_all(of_row.data(), p.k, p.a_type), b = unpack_all(p.b + column * p.k, p.k, p.b_type);
  return Dot(p, model).run({a.data(), b.data()}, p.k, p.c[column * p.m + row], exponent);
}

void multiply_integer(const MatrixProduct& p) {
  const std::vector<int32_t> a = integer_values(p.a, p.m * p.k, p.a_type), b = integer_values(p.b, p.n * p.k, p.b_type);
  std::vector<int32_t> of_row(static_cast<size_t>(p.k));
  for (int row = 0; row < p.m; ++row) {
    for (int i = 0; i < p.k; ++i) of_row[static_cast<size_t>(i)] = a[static_cast<size_t>(i * p.m + row)];
    for (int column = 0; column < p.n; ++column) {
      const int32_t *x = of_row.data(), *y = b.data() + column * p.k;
      int32_t products = 0;  // at most 256 of 16 bits
      if (p.use_xor) {
        for (int i = 0; i < p.k; ++i) products += x[i] ^ y[i];
      } else {
        for (int i = 0; i < p.k; ++i) products += x[i] * y[i];
      }
      uint32_t& c = p.c[column * p.m + row];
      int64_t sum = int64_t{static_cast<int32_t>(c)} + products;
      if (p.saturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      c = static_cast<uint32_t>(sum);
    }
  }
}

uint32_t rounded_sum(uint32_t a, uint32_t b, Type type) {
  if (type == Type::kF32) return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  return half_bits(half_value(a) + half_value(b));
}

void multiply_double(int m, int n, int k, const double* a, const double* b, double* c) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      for (int i = 0; i < k; ++i)
        c[row * n + column] = std::fma(a[row * k + i], b[column * k + i], c[row * n + column]);
    }
  }
}

}  // namespace warplens::simt
