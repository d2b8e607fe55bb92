#include "warplens/simt/matrix/scaled.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace warplens::simt {
namespace {

using ptx::Type;

constexpr uint32_t kNan = 0x7fffffff;
constexpr int kNotANumber = 1 << 20;  // exponent of a scale that is one

/// significand / 8 * 2^exponent.
struct Scale {
  int significand = 8, exponent = 0;
  bool is_nan() const { return exponent == kNotANumber; }
};

Scale scale_of(uint8_t bits, Type type) {
  if (type == Type::kUe8m0) return {8, bits == 255 ? kNotANumber : bits - 127};
  const int field = bits >> 3 & 15, fraction = bits & 7;
  if (field == 15 && fraction == 7) return {8, kNotANumber};
  return {field == 0 ? fraction : fraction + 8, std::max(field, 1) - 7};
}

std::vector<Scale> scales_of(const uint8_t* bits, int count, Type type) {
  std::vector<Scale> out(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) out[static_cast<size_t>(i)] = scale_of(bits[i], type);
  return out;
}

/// Twice the value of an e2m1.
int8_t twice(uint32_t bits) {
  static constexpr int8_t kValues[8] = {0, 1, 2, 3, 4, 6, 8, 12};
  return static_cast<int8_t>((bits & 8) != 0 ? -kValues[bits & 7] : kValues[bits & 7]);
}

class Fours {
 public:
  Fours(const MatrixProduct& p, const MatrixScales& s)
      : p_(p),
        s_(s),
        a_(static_cast<size_t>(p.m * p.k)),
        b_(static_cast<size_t>(p.n * p.k)),
        a_scales_(scales_of(s.a, p.m * s.blocks, s.type)),
        b_scales_(scales_of(s.b, p.n * s.blocks, s.type)) {
    for (int i = 0; i < p.k; ++i) {
      for (int row = 0; row < p.m; ++row) a_[static_cast<size_t>(row * p.k + i)] = twice(p.a[i * p.m + row]);
    }
    for (size_t i = 0; i < b_.size(); ++i) b_[i] = twice(p.b[i]);
  }

  void run() {
    for (int column = 0; column < p_.n; ++column) {
      for (int row = 0; row < p_.m; ++row) {
        uint32_t& c = p_.c[column * p_.m + row];
        c = element(row, column, c);
      }
    }
  }

 private:
  static constexpr int kGroup = 16, kGroups = 4, kFraction = 35, kZero = -139;
  static constexpr int kProductFraction = 2 + 3 + 3;  // of a group's sum times two scales

  struct Term {
    int64_t significand;  // kProductFraction fraction bits
    int exponent;
  };

  Term group(int row, int column, int g, bool& nan) const {
    const int8_t *a = a_.data() + row * p_.k + g * kGroup, *b = b_.data() + column * p_.k + g * kGroup;
    int sum = 0, any = 0;
    for (int i = 0; i < kGroup; ++i) {
      const int product = a[i] * b[i];
      sum += product;
      any |= product;
    }
    const int block = g * s_.blocks / kGroups;
    const Scale &x = a_scales_[static_cast<size_t>(row * s_.blocks + block)],
                &y = b_scales_[static_cast<size_t>(column * s_.blocks + block)];
    nan |= x.is_nan() || y.is_nan();
    const int scale = x.significand * y.significand;
    const bool zero = any == 0 || scale == 0;
    return {int64_t{p_.negate ? -sum : sum} * scale, zero ? kZero : x.exponent + y.exponent};
  }

  uint32_t element(int row, int column, uint32_t c) const {
    Term terms[kGroups];
    bool nan = false;
    for (int g = 0; g < kGroups; ++g) terms[g] = group(row, column, g, nan);
    const int field = static_cast<int>(c >> 23 & 255);
    if (nan || (field == 255 && (c & 0x7fffff) != 0)) return kNan;
    if (field == 255) return c;
    const int64_t magnitude = field == 0 ? c & 0x7fffff : (c & 0x7fffff) | 0x800000;
    const int c_exponent = magnitude == 0 ? kZero : std::max(field, 1) - 127;
    int largest = c_exponent;
    for (const Term& t : terms) largest = std::max(largest, t.exponent);
    int64_t sum = align(c >> 31 ? -magnitude : magnitude, kFraction - 23 + c_exponent - largest);
    for (const Term& t : terms) sum += align(t.significand, kFraction - kProductFraction + t.exponent - largest);
    return cut_to_f32(sum, largest, kFraction, 23);
  }

  const MatrixProduct& p_;
  const MatrixScales& s_;
  std::vector<int8_t> a_, b_;  // rows of A, columns of B
  std::vector<Scale> a_scales_, b_scales_;
};

/// bits * 2^power where that is exact and neither large nor subnormal; `far` otherwise.
uint32_t shifted(uint32_t bits, int power, bool& far) {
  const auto value = std::bit_cast<float>(bits);
  if (value == 0 || std::isinf(value)) return bits;
  const double product = static_cast<double>(value) * std::ldexp(1.0, power);
  far |= !(std::fabs(product) >= 0x1p-126 && std::fabs(product) < 0x1p128);
  return std::bit_cast<uint32_t>(static_cast<float>(product));
}

/// One scale a row and a column: C without the scales, the product as without them, and the sum with them, which shifts
/// all exponents alike. Where that leaves the range of f32, the element is made the plain way.
void multiply_one_scale(const MatrixProduct& p, const MatrixScales& s, const DotModel& model) {
  const std::vector<uint32_t> before(p.c, p.c + p.m * p.n);
  const auto a = scales_of(s.a, p.m, s.type), b = scales_of(s.b, p.n, s.type);
  std::vector<uint8_t> far(before.size());
  const auto each = [&](const auto& f) {
    for (int column = 0; column < p.n; ++column) {
      for (int row = 0; row < p.m; ++row)
        f(row, column, static_cast<size_t>(column * p.m + row),
          a[static_cast<size_t>(row)].exponent + b[static_cast<size_t>(column)].exponent);
    }
  };
  each([&](int, int, size_t at, int exponent) {
    bool out = exponent >= kNotANumber / 2;
    if (!out) p.c[at] = shifted(p.c[at], -exponent, out);
    far[at] = out;
  });
  multiply_float(p, model);
  each([&](int row, int column, size_t at, int exponent) {
    bool out = far[at] != 0;
    if (!out) p.c[at] = std::isnan(std::bit_cast<float>(p.c[at])) ? kNan : shifted(p.c[at], exponent, out);
    if (!out) return;
    p.c[at] = before[at];
    p.c[at] = exponent >= kNotANumber / 2 ? kNan : dot_plainly(p, model, row, column, exponent);
  });
}

}  // namespace

void multiply_scaled(const MatrixProduct& p, const MatrixScales& s, const DotModel& model) {
  if (p.k == 64) return Fours(p, s).run();
  multiply_one_scale(p, s, model);
}

}  // namespace warplens::simt
