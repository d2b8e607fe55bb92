// Products of 16 x 8 tiles where the registers of mma.m16n8 hold them: lane 4g + c has rows g and g + 8, columns 2c and
// 2c + 1 of C. A's values go to all four lanes of a row, B's to all rows; the sums are those of dot.cpp.
#include "warplens/simt/lanes/vectors.h"
#include "warplens/simt/matrix/dot_functions.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

bool dot_unpack(const uint32_t* bits, int count, ptx::Type type, const NumberFormat& format, float* values,
                int32_t* exponents);

namespace {

constexpr int kMost = 110, kLeast = -60;  // exponents of the largest term for which nothing over- or underflows
constexpr int kNone = -8192;              // exponent of zeros in 16 bits: the sum of two has room
constexpr int kDeepest = 32;

struct alignas(64) TileA {
  float values[kDeepest][2][kLanes];    // rows g, rows g + 8
  int32_t exponents[kDeepest][kLanes];  // of rows g in the low halves, of rows g + 8 in the high ones
};
struct alignas(64) TileB {
  float values[kDeepest][2][4];       // columns 2c, columns 2c + 1
  int32_t exponents[kDeepest][2][4];  // the same in both halves
};

/// Elements unpacked; exponents are at least kNone.
template <int kCount>
struct alignas(64) Unpacked {
  float values[kCount];
  int32_t exponents[kCount];

  /// False when there is an infinity or a NaN.
  bool fill(const uint32_t* bits, int count, ptx::Type type, const NumberFormat& format) {
    const bool sound = dot_unpack(bits, count, type, format, values, exponents);
    for (int i = 0; i < count; ++i) exponents[i] = exponents[i] < kNone ? kNone : exponents[i];
    return sound;
  }
  /// Elements of `count` registers: element e of register r at [(r * each + e) * 32].
  bool read(const uint32_t* const* registers, int count, int each, ptx::Type type) {
    alignas(64) uint32_t bits[kCount];
    const int width = 32 / each;
    const uint32_t mask = each == 1 ? ~0u : (1u << width) - 1;
    for (int r = 0; r < count; ++r) {
      for (int e = 0; e < each; ++e) {
        uint32_t* __restrict to = bits + (r * each + e) * static_cast<int>(kLanes);
        const uint32_t* from = registers[r];
        for (uint32_t i = 0; i < kLanes; ++i) to[i] = from[i] >> (e * width) & mask;
      }
    }
    return fill(bits, count * each * static_cast<int>(kLanes), type, number_format(type));
  }
};
using UnpackedA = Unpacked<kDeepest * 16>;
using UnpackedB = Unpacked<kDeepest * 8>;

/// Row k from the elements at `low` (rows g) and `high` (rows g + 8), lane kFrom of each four.
template <int kFrom>
inline void spread_row(TileA& tile, int k, const UnpackedA& all, int low, int high) {
  for (int i = 0; i < static_cast<int>(kLanes); i += kWidth) {
    store(&tile.values[k][0][i], spread_in_fours<kFrom>(load<Ints>(all.values + low + i)));
    store(&tile.values[k][1][i], spread_in_fours<kFrom>(load<Ints>(all.values + high + i)));
    const Ints both = (load<Ints>(all.exponents + low + i) & 0xffff) | load<Ints>(all.exponents + high + i) << 16;
    store(&tile.exponents[k][i], spread_in_fours<kFrom>(both));
  }
}

/// Register r holds rows 8 * (r % 2) + g, and of k the `each` from (r / 2 * 4 + c) * each.
bool read_a(const TileProduct& p, TileA& tile) {
  UnpackedA all;
  const bool sound = all.read(p.a, p.k / (2 * p.each), p.each, p.a_type);
  for (int block = 0; block * 4 * p.each < p.k; ++block) {
    for (int e = 0; e < p.each; ++e) {
      const int k = block * 4 * p.each + e, lanes = static_cast<int>(kLanes);
      const int low = (2 * block * p.each + e) * lanes, high = low + p.each * lanes;
      spread_row<0>(tile, k, all, low, high);
      spread_row<1>(tile, k + p.each, all, low, high);
      spread_row<2>(tile, k + 2 * p.each, all, low, high);
      spread_row<3>(tile, k + 3 * p.each, all, low, high);
    }
  }
  return sound;
}

/// The same from columns of 16 rows.
bool read_dense_a(const TileProduct& p, TileA& tile) {
  UnpackedA all;
  const bool sound = all.fill(p.dense_a, p.k * 16, p.a_type, number_format(p.a_type));
  for (int k = 0; k < p.k; ++k) {
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
      const int low = k * 16 + lane / 4, high = low + 8;
      tile.values[k][0][lane] = all.values[low];
      tile.values[k][1][lane] = all.values[high];
      tile.exponents[k][lane] = (all.exponents[low] & 0xffff) | all.exponents[high] << 16;
    }
  }
  return sound;
}

/// Lane 4n + c holds column n: to columns 2c and 2c + 1 of rows k, k + step, ...
inline void turn(const int32_t* from, int32_t* to, int step) {
#if defined(__AVX512F__)
  const Ints low = load<Ints>(from), high = load<Ints>(from + 16);
  const Ints one = __builtin_shufflevector(low, high, 0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
  const Ints two = __builtin_shufflevector(low, high, 2, 10, 18, 26, 6, 14, 22, 30, 3, 11, 19, 27, 7, 15, 23, 31);
  std::memcpy(to, &one, 32);
  std::memcpy(to + 8 * step, reinterpret_cast<const char*>(&one) + 32, 32);
  std::memcpy(to + 16 * step, &two, 32);
  std::memcpy(to + 24 * step, reinterpret_cast<const char*>(&two) + 32, 32);
#else
  for (int c = 0; c < 4; ++c) {
    for (int n = 0; n < 8; ++n) to[8 * step * c + n % 2 * 4 + n / 2] = from[4 * n + c];
  }
#endif
}

/// Register r holds of k the `each` from (r * 4 + c) * each, of column g.
bool read_b(const TileProduct& p, const uint32_t* const* registers, TileB& tile) {
  UnpackedB all;
  const bool sound = all.read(registers, p.k / (4 * p.each), p.each, p.b_type);
  for (int i = 0; i < p.k * 8; ++i) all.exponents[i] = (all.exponents[i] & 0xffff) | all.exponents[i] << 16;
  for (int block = 0; block * 4 * p.each < p.k; ++block) {
    for (int e = 0; e < p.each; ++e) {
      const int k = block * 4 * p.each + e, from = (block * p.each + e) * static_cast<int>(kLanes);
      turn(reinterpret_cast<const int32_t*>(all.values) + from, reinterpret_cast<int32_t*>(tile.values[k]), p.each);
      turn(all.exponents + from, tile.exponents[k][0], p.each);
    }
  }
  return sound;
}

/// The same from columns of k elements.
bool read_dense_b(const TileProduct& p, const uint32_t* columns, TileB& tile) {
  UnpackedB all;
  const bool sound = all.fill(columns, p.k * 8, p.b_type, number_format(p.b_type));
  for (int n = 0; n < 8; ++n) {
    for (int k = 0; k < p.k; ++k) {
      tile.values[k][n % 2][n / 2] = all.values[n * p.k + k];
      tile.exponents[k][n % 2][n / 2] = (all.exponents[n * p.k + k] & 0xffff) | all.exponents[n * p.k + k] << 16;
    }
  }
  return sound;
}

inline __attribute__((always_inline)) Ints larger(Ints a, Ints b) {
  const Shorts x = bits_as<Shorts>(a), y = bits_as<Shorts>(b);
  return bits_as<Ints>(x > y ? x : y);
}
inline __attribute__((always_inline)) Ints sum_of_halves(Ints a, Ints b) {
  return bits_as<Ints>(bits_as<Shorts>(a) + bits_as<Shorts>(b));
}

/// Exponents that C holds, of zeros too.
inline __attribute__((always_inline)) Ints exponents_of(Floats c) {
  const Ints bits = bits_as<Ints>(c) & 0x7fffffff, held = bits >> 23;
  const Ints exponent = (held < 1 ? Ints{} + 1 : held) - 127;
  return bits == 0 ? Ints{} + 2 * kNone : exponent;
}
inline __attribute__((always_inline)) Ints halves(Ints low, Ints high) { return (low & 0xffff) | high << 16; }

/// Lanes `at` and up of a tile, the products `begin` to `end` added at once to c. The result is not 0 in lanes that are
/// out of reach.
inline __attribute__((always_inline)) Ints add_chunk(const TileA& a, const TileB& b, uint32_t at, int begin, int end,
                                                     const DotModel& model, bool negate, Floats* c) {
  Ints even = halves(exponents_of(c[0]), exponents_of(c[2])), odd = halves(exponents_of(c[1]), exponents_of(c[3]));
  for (int k = begin; k < end; ++k) {
    const Ints of_a = load<Ints>(&a.exponents[k][at]);
    even = larger(even, sum_of_halves(of_a, repeat_four<Ints>(b.exponents[k][0])));
    odd = larger(odd, sum_of_halves(of_a, repeat_four<Ints>(b.exponents[k][1])));
  }
  const Ints exact[4] = {even << 16 >> 16, odd << 16 >> 16, even >> 16, odd >> 16};
  Ints far = {}, top[4];
  Unsigned sum[4] = {};
  Floats scale[4];
  for (int i = 0; i < 4; ++i) {
    far |= (exact[i] > kMost) | ((exact[i] < kLeast) & (exact[i] > kNone / 2));
    top[i] = limited(exact[i], kLeast, kMost);
    scale[i] = bits_as<Floats>((model.fraction_bits + 127 - top[i]) << 23);
  }
  for (int k = begin; k < end; ++k) {
    const Floats low = load<Floats>(&a.values[k][0][at]), high = load<Floats>(&a.values[k][1][at]);
    const Floats first = repeat_four<Floats>(b.values[k][0]), second = repeat_four<Floats>(b.values[k][1]);
    sum[0] += to_whole(low * first * scale[0]);
    sum[1] += to_whole(low * second * scale[1]);
    sum[2] += to_whole(high * first * scale[2]);
    sum[3] += to_whole(high * second * scale[3]);
  }
  const Ints kept = Ints{} + static_cast<int32_t>(~0u << (23 - model.result_bits));
  for (int i = 0; i < 4; ++i) {
    const Unsigned signed_sum = negate ? -sum[i] : sum[i], whole = to_whole(c[i] * scale[i]);
    const Ints products = bits_as<Ints>(signed_sum), addend = bits_as<Ints>(whole);
    const Ints total = bits_as<Ints>(signed_sum + whole);
    far |= ((products ^ total) & (addend ^ total)) < 0;  // more than 32 bits hold
    c[i] = bits_as<Floats>(bits_as<Ints>(cut_to_floats(total)) & kept) *
           bits_as<Floats>((top[i] - model.fraction_bits + 127) << 23);
  }
  return far;
}

bool multiply_tile(const TileA& a, const TileB& b, const TileProduct& p, float (*c)[kLanes]) {
  Ints far = {};
  for (uint32_t at = 0; at < kLanes; at += kWidth) {
    Floats sums[4];
    for (int i = 0; i < 4; ++i) sums[i] = load<Floats>(&c[i][at]);
    for (int begin = 0; begin < p.k; begin += p.model.chunk)
      far |= add_chunk(a, b, at, begin, begin + p.model.chunk < p.k ? begin + p.model.chunk : p.k, p.model, p.negate,
                       sums);
    for (int i = 0; i < 4; ++i) store(&c[i][at], sums[i]);
  }
  int32_t any = 0;
  for (int i = 0; i < kWidth; ++i) any |= far[i];
  return any == 0;
}

}  // namespace

bool dot_tiles(const TileProduct& p) {
  // A chunk's products, each below 4 units of the largest, must fit in 32 bits.
  const bool fits = static_cast<uint64_t>(p.model.chunk) << (p.model.fraction_bits + 2) <= uint64_t{1} << 31;
  if (!fits || p.k > kDeepest) return false;
  TileA a;
  TileB b;
  bool sound = p.dense_a ? read_dense_a(p, a) : read_a(p, a);
  for (int i = 0; sound && i < p.tiles; ++i) {
    sound = p.dense_b ? read_dense_b(p, p.dense_b + i * 8 * p.k, b) : read_b(p, p.b + i * p.k / (4 * p.each), b);
    sound = sound && multiply_tile(a, b, p, p.c + 4 * i);
  }
  return sound;
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
