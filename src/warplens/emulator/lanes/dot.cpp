// Sums of products as tensor cores make them (../matrix_math.h), for 16 columns at once. Each product is exact in f32;
// scaled so that the last place that is kept weighs 1, conversion to an integer cuts it off, and the sum of these integers
// is exact. The result is exact in f64, whose low bits are then cleared.
#include "warplens/emulator/lanes/lanes.h"
#include "warplens/emulator/matrix_math.h"

namespace warplens::emulator::WARPLENS_ISA_NAME {
namespace {

constexpr int kStep = 16;
constexpr int kMost = 110, kLeast = -60;  // exponents of the largest term for which nothing over- or underflows

inline float power(int32_t exponent) { return bits_as<float>(static_cast<uint32_t>(exponent + 127) << 23); }

/// Adds up to 16 products of a chunk: more could overflow.
inline __attribute__((always_inline)) void add_products(const DotRow& r, int column, int begin, int end,
                                                        const float* scale, double* total) {
  alignas(64) uint32_t sum[kStep] = {};
  for (int i = begin; i < end; ++i) {
    const float a = r.a[i];
    const float* b = r.b + i * r.pitch + column;
    for (int j = 0; j < kStep; ++j) sum[j] += static_cast<uint32_t>(static_cast<int32_t>(a * b[j] * scale[j]));
  }
  for (int j = 0; j < kStep; ++j) total[j] += static_cast<double>(static_cast<int32_t>(sum[j]));
}

inline __attribute__((always_inline)) void largest_exponents(const DotRow& r, int column, int begin, int end, const float* c,
                                                             int32_t* largest) {
  for (int j = 0; j < kStep; ++j) {
    const uint32_t bits = bits_as<uint32_t>(c[j]), field = bits >> 23 & 255;
    const int32_t least = r.half ? -14 : -126, held = static_cast<int32_t>(field) - 127;
    largest[j] = (bits & 0x7fffffffu) == 0 ? kZeroExponent : held < least ? least : held;
  }
  for (int i = begin; i < end; ++i) {
    const int32_t a = r.a_exponents[i];
    const int32_t* b = r.b_exponents + i * r.pitch + column;
    for (int j = 0; j < kStep; ++j) largest[j] = largest[j] > a + b[j] ? largest[j] : a + b[j];
  }
}

inline __attribute__((always_inline)) void add_chunk(const DotRow& r, int column, int begin, int end) {
  alignas(64) int32_t largest[kStep];
  alignas(64) float scale[kStep];
  alignas(64) double total[kStep] = {};
  float* c = r.c + column;
  largest_exponents(r, column, begin, end, c, largest);
  for (int j = 0; j < kStep; ++j) {
    const bool far = largest[j] > kMost || (largest[j] < kLeast && largest[j] > kZeroExponent / 2);
    r.far[column + j] |= static_cast<uint8_t>(far);
    largest[j] = largest[j] > kMost ? kMost : largest[j] < kLeast ? kLeast : largest[j];
    scale[j] = power(r.model.fraction_bits - largest[j]);
  }
  for (int i = begin; i < end; i += kStep) add_products(r, column, i, i + kStep < end ? i + kStep : end, scale, total);
  const uint64_t kept = ~uint64_t{0} << (52 - r.model.result_bits);
  for (int j = 0; j < kStep; ++j) {
    const double addend = static_cast<double>(static_cast<int32_t>(c[j] * scale[j]));
    const double sum = (r.negate ? 0.0 - total[j] : total[j]) + addend;
    const double unit = bits_as<double>(static_cast<uint64_t>(largest[j] - r.model.fraction_bits + 1023) << 52);
    if (r.half) c[j] = static_cast<float>(static_cast<_Float16>(sum * unit));
    else c[j] = static_cast<float>(bits_as<double>(bits_as<uint64_t>(sum) & kept) * unit);
  }
}

/// f32 cut short to `kFraction` fraction bits; `kUnused` low bits do not count.
template <int kFraction, int kUnused>
bool unpack_long(const uint32_t* bits, int count, float* values, int32_t* exponents) {
  uint32_t odd = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t x = bits[i] >> kUnused << (kUnused + 23 - kFraction), field = x >> 23 & 255;
    odd |= static_cast<uint32_t>(field == 255);
    values[i] = bits_as<float>(x);
    exponents[i] = (x & 0x7fffffffu) == 0 ? kZeroExponent : static_cast<int32_t>(field < 1 ? 1 : field) - 127;
  }
  return odd == 0;
}

bool unpack_short(const uint32_t* bits, int count, const NumberFormat& f, float* values, int32_t* exponents) {
  const int fraction_bits = f.fraction_bits, exponent_bits = f.exponent_bits, bias = f.bias;
  const uint32_t ones = (1u << fraction_bits) - 1, top = (1u << exponent_bits) - 1;
  // The smallest fraction of the top exponent that is no number.
  const uint32_t first_odd = f.has_infinity ? 0 : f.has_nan ? ones : ones + 1;
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
  if (type == ptx::Type::kBf16) return unpack_long<7, 0>(bits, count, values, exponents);
  if (type == ptx::Type::kTf32) return unpack_long<23, 13>(bits, count, values, exponents);
  return unpack_short(bits, count, format, values, exponents);
}

void dot_row(const DotRow& r) {
  for (int column = 0; column < r.columns; column += kStep)
    for (int begin = 0; begin < r.k; begin += r.model.chunk)
      add_chunk(r, column, begin, begin + r.model.chunk < r.k ? begin + r.model.chunk : r.k);
}

}  // namespace warplens::emulator::WARPLENS_ISA_NAME
