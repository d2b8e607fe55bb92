// Sums of products as tensor cores make them (../matrix/math.h), for several rows at once. Each product is exact in
// f32; scaled so that the last place that is kept weighs 1, conversion to an integer cuts it off, and the sum of these
// integers is exact. The result is exact in f64, whose low bits are then cleared.
#include "warplens/base/half.h"
#include "warplens/simt/lanes/vectors.h"
#include "warplens/simt/matrix/dot_functions.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {
namespace {

constexpr int kMostTerms = 16;
constexpr int kMost = 110, kLeast = -60;  // exponents of the largest term for which nothing over- or underflows

inline float power(int32_t exponent) { return bits_as<float>(static_cast<uint32_t>(exponent + 127) << 23); }

/// Adds up to 16 products of a chunk: more could overflow.
inline __attribute__((always_inline)) void add_products(const DotColumn& r, int row, int begin, int end, Floats scale,
                                                        double* total) {
  Unsigned sum = {};
  for (int i = begin; i < end; ++i) sum += to_whole(load<Floats>(r.a + i * r.pitch + row) * r.b[i] * scale);
  alignas(64) int32_t each[kWidth];
  store(each, sum);
  for (int j = 0; j < kWidth; ++j) total[j] += static_cast<double>(each[j]);
}

inline __attribute__((always_inline)) Ints largest_exponents(const DotColumn& r, int row, int begin, int end) {
  const Ints bits = load<Ints>(r.c + row), zero = Ints{} + kZeroExponent;
  const Ints held = limited(((bits >> 23) & 255) - 127, r.half ? -14 : -126, 128);
  Ints largest = (bits & 0x7fffffff) == 0 ? zero : held;
  for (int i = begin; i < end; ++i) {
    const Ints each = load<Ints>(r.a_exponents + i * r.pitch + row) + r.b_exponents[i];
    largest = largest > each ? largest : each;
  }
  return largest;
}

inline __attribute__((always_inline)) void add_chunk(const DotColumn& r, int row, int begin, int end) {
  alignas(64) int32_t largest[kWidth];
  alignas(64) float scale[kWidth];
  alignas(64) double total[kWidth] = {};
  float* c = r.c + row;
  const Ints exact = largest_exponents(r, row, begin, end), top = limited(exact, kLeast, kMost);
  store(r.far + row, load<Ints>(r.far + row) | (exact > kMost) | ((exact < kLeast) & (exact > kZeroExponent / 2)));
  const Floats power_of_top = __builtin_bit_cast(Floats, (r.model.fraction_bits - top + 127) << 23);
  store(largest, top);
  store(scale, power_of_top);
  for (int i = begin; i < end; i += kMostTerms)
    add_products(r, row, i, i + kMostTerms < end ? i + kMostTerms : end, power_of_top, total);
  const uint64_t kept = ~uint64_t{0} << (52 - r.model.result_bits);
  for (int j = 0; j < kWidth; ++j) {
    const float scaled = c[j] * scale[j];
    // What is out of range belongs to a row that is far: it is computed again.
    const double addend = __builtin_fabsf(scaled) < 0x1p31f ? static_cast<double>(static_cast<int32_t>(scaled)) : 0.0;
    const double sum = (r.negate ? 0.0 - total[j] : total[j]) + addend;
    const double unit = bits_as<double>(static_cast<uint64_t>(largest[j] - r.model.fraction_bits + 1023) << 52);
    if (r.half) c[j] = static_cast<float>(static_cast<Half>(sum * unit));
    else c[j] = static_cast<float>(bits_as<double>(bits_as<uint64_t>(sum) & kept) * unit);
  }
}

/// f32 cut short to `kFraction` fraction bits; `kUnused` low bits do not count.
template <int kFraction, int kUnused>
bool unpack_long(const uint32_t* bits, int count, float* __restrict values, int32_t* __restrict exponents) {
  uint32_t odd = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t x = bits[i] >> kUnused << (kUnused + 23 - kFraction), field = x >> 23 & 255;
    odd |= static_cast<uint32_t>(field == 255);
    values[i] = bits_as<float>(x);
    exponents[i] = (x & 0x7fffffffu) == 0 ? kZeroExponent : static_cast<int32_t>(field < 1 ? 1 : field) - 127;
  }
  return odd == 0;
}

/// f16: a multiplication makes subnormal numbers normal ones.
bool unpack_f16(const uint32_t* bits, int count, float* __restrict values, int32_t* __restrict exponents) {
  uint32_t odd = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t magnitude = bits[i] & 0x7fff, field = magnitude >> 10;
    odd |= static_cast<uint32_t>(field == 31);
    const float value = bits_as<float>(magnitude << 13) * 0x1p112f;
    values[i] = bits_as<float>(bits_as<uint32_t>(value) | (bits[i] & 0x8000) << 16);
    exponents[i] = magnitude == 0 ? kZeroExponent : static_cast<int32_t>(field < 1 ? 1 : field) - 15;
  }
  return odd == 0;
}

bool unpack_short(const uint32_t* bits, int count, const NumberFormat& f, float* values, int32_t* exponents) {
  const int fraction_bits = f.fraction_bits, exponent_bits = f.exponent_bits, bias = f.bias;
  const uint32_t ones = (1u << fraction_bits) - 1, top = (1u << exponent_bits) - 1;
  // The smallest fraction of the top exponent that is no number.
  const uint32_t first_odd = f.infinity ? 0 : f.nan ? ones : ones + 1;
  uint32_t odd = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t fraction = bits[i] & ones, field = bits[i] >> fraction_bits & top;
    const uint32_t sign = (bits[i] >> (fraction_bits + exponent_bits) & 1) << 31;
    odd |= static_cast<uint32_t>((field == top) & (fraction >= first_odd));
    const int32_t exponent = static_cast<int32_t>(field < 1 ? 1 : field) - bias;
    const uint32_t significand = field == 0 ? fraction : fraction | (ones + 1);
    const float magnitude = static_cast<float>(static_cast<int32_t>(significand)) * power(exponent - fraction_bits);
    values[i] = bits_as<float>(bits_as<uint32_t>(magnitude) | sign);
    exponents[i] = significand == 0 ? kZeroExponent : exponent;
  }
  return odd == 0;
}

}  // namespace

bool dot_unpack(const uint32_t* bits, int count, ptx::Type type, const NumberFormat& format, float* values,
                int32_t* exponents) {
  if (type == ptx::Type::kF16) return unpack_f16(bits, count, values, exponents);
  if (type == ptx::Type::kBf16) return unpack_long<7, 0>(bits, count, values, exponents);
  if (type == ptx::Type::kTf32) return unpack_long<23, 13>(bits, count, values, exponents);
  return unpack_short(bits, count, format, values, exponents);
}

void dot_column(const DotColumn& r) {
  for (int row = 0; row < r.pitch; row += kWidth) {
    for (int begin = 0; begin < r.k; begin += r.model.chunk)
      add_chunk(r, row, begin, begin + r.model.chunk < r.k ? begin + r.model.chunk : r.k);
  }
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
