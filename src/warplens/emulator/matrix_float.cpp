// Floating-point products of matrices by lanes: what is out of their reach goes to the plain way, element by element.
#include <algorithm>
#include <bit>

#include "warplens/emulator/handlers.h"
#include "warplens/emulator/matrix_math.h"

namespace warplens::emulator {
namespace {

using ptx::Type;

constexpr int kStep = 16;  // columns that lanes do at once

/// `outer` vectors of `inner` elements each, by inner element when transposed: element i of vector o at i * pitch + o.
struct Unpacked {
  std::vector<float> values;
  std::vector<int32_t> exponents;
  std::vector<uint8_t> odd;  // by vector: has an infinity or a NaN
};

Unpacked unpack(const uint32_t* bits, int outer, int inner, Type type) {
  const auto size = static_cast<size_t>(outer * inner);
  Unpacked result{std::vector<float>(size), std::vector<int32_t>(size), std::vector<uint8_t>(static_cast<size_t>(outer))};
  const NumberFormat format = number_format(type);
  float* values = result.values.data();
  int32_t* exponents = result.exponents.data();
  if (handlers().dot_unpack(bits, outer * inner, type, format, values, exponents)) return result;
  for (int o = 0; o < outer; ++o)
    result.odd[static_cast<size_t>(o)] = !handlers().dot_unpack(bits + o * inner, inner, type, format, values + o * inner,
                                                                exponents + o * inner);
  return result;
}

Unpacked transposed(const Unpacked& from, int outer, int inner, int pitch) {
  const auto size = static_cast<size_t>(inner * pitch);
  Unpacked to{std::vector<float>(size), std::vector<int32_t>(size, kZeroExponent), from.odd};
  for (int i = 0; i < inner; ++i) {
    for (int o = 0; o < outer; ++o) {
      to.values[static_cast<size_t>(i * pitch + o)] = from.values[static_cast<size_t>(o * inner + i)];
      to.exponents[static_cast<size_t>(i * pitch + o)] = from.exponents[static_cast<size_t>(o * inner + i)];
    }
  }
  return to;
}

float c_value(uint32_t bits, bool half) {
  return half ? static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits))) : std::bit_cast<float>(bits);
}
uint32_t c_bits(float value, bool half) {
  return half ? std::bit_cast<uint16_t>(static_cast<_Float16>(value)) : std::bit_cast<uint32_t>(value);
}

}  // namespace

void multiply_float(const MatrixProduct& p, const DotModel& model) {
  const int pitch = (p.n + kStep - 1) / kStep * kStep;
  const bool half = p.c_type == Type::kF16;
  const Unpacked a = unpack(p.a, p.m, p.k, p.a_type);
  const Unpacked b = transposed(unpack(p.b, p.n, p.k, p.b_type), p.n, p.k, pitch);
  std::vector<float> c(static_cast<size_t>(pitch));
  std::vector<uint8_t> far(static_cast<size_t>(pitch));
  DotRow row{p.n, pitch, p.k, model, half, p.negate};
  row.b = b.values.data(), row.b_exponents = b.exponents.data();
  row.c = c.data(), row.far = far.data();
  for (int m = 0; m < p.m; ++m) {
    uint32_t* sums = p.c + m * p.n;
    for (int n = 0; n < p.n; ++n) c[static_cast<size_t>(n)] = c_value(sums[n], half);
    std::fill(far.begin(), far.end(), a.odd[static_cast<size_t>(m)]);
    row.a = a.values.data() + m * p.k, row.a_exponents = a.exponents.data() + m * p.k;
    handlers().dot_row(row);
    for (int n = 0; n < p.n; ++n) {
      const bool plain = far[static_cast<size_t>(n)] || b.odd[static_cast<size_t>(n)];
      sums[n] = plain ? dot_plainly(p, model, m, n) : c_bits(c[static_cast<size_t>(n)], half);
    }
  }
}

}  // namespace warplens::emulator
