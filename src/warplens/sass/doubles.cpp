// Double-precision arithmetic. A double is a pair of registers: its low word and its high word.
#include <cmath>

#include "warplens/sass/compare.h"
#include "warplens/sass/decoder.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/rounding.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

/// Sixteen lanes of doubles. Unpacking puts words 0 1 4 5 ... in the first vector and 2 3 6 7 ... in the second, which
/// no lane-wise operation minds; packing undoes it.
using Words = uint32_t __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));
using Bits = uint64_t __attribute__((vector_size(64)));
inline constexpr int kHalf = 16;

struct Pair {
  Doubles first, second;
};

template <bool kSigns>
struct Source64 {
  const uint32_t* rows;
  uint64_t keep, flip;
  Source64(const Warp& w, const Operand& o)
      : rows(w.in(o)), keep(o.absolute ? ~uint64_t{0} >> 1 : ~uint64_t{0}), flip(uint64_t{o.negate} << 63) {}
  Pair at(int lane) const {
    Words low, high;
    std::memcpy(&low, rows + lane, sizeof low);
    std::memcpy(&high, rows + kLanes + lane, sizeof high);
    auto first = std::bit_cast<Bits>(__builtin_shufflevector(
        low, high, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29));
    auto second = std::bit_cast<Bits>(__builtin_shufflevector(
        low, high, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31));
    if constexpr (kSigns) {  // a NaN keeps its sign
      const auto x = std::bit_cast<Doubles>(first), y = std::bit_cast<Doubles>(second);
      first = x == x ? (first & keep) ^ flip : first;
      second = y == y ? (second & keep) ^ flip : second;
    }
    return {std::bit_cast<Doubles>(first), std::bit_cast<Doubles>(second)};
  }
};

inline void put(Lanes* low, Lanes* high, int lane, const Doubles& first, const Doubles& second) {
  const auto a = std::bit_cast<Words>(first), b = std::bit_cast<Words>(second);
  const Words evens = __builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30);
  const Words odds = __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
  std::memcpy(low->value + lane, &evens, sizeof evens);
  std::memcpy(high->value + lane, &odds, sizeof odds);
}

/// The result's pair of rows; not written where the register does not exist.
inline void store_pair(Warp& w, const Op& op, uint32_t on, const Lanes& low, const Lanes& high) {
  store(w.row(op.target), low, on);
  store(w.row(op.target) + kLanes, high, on);
}

/// In a rounding mode of its own; operands go through memory that the compiler cannot see through.
template <typename F>
void rounded64(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const Rounding scope(op.mode & 3);
  map_pair(w, op, on, [&](int i) {
    volatile double result = f(wide_double(a, i, op.a), wide_double(b, i, op.b), wide_double(c, i, op.c));
    return std::bit_cast<uint64_t>(static_cast<double>(result));
  });
}

/// f(out, a, b, c) on eight lanes.
template <bool kSigns, typename F>
inline void together64(Warp& w, const Op& op, uint32_t on, F f) {
  const Source64<kSigns> a(w, op.a), b(w, op.b), c(w, op.c);
  Lanes low, high;
  for (int lane = 0; lane < kLanes; lane += kHalf) {
    const Pair x = a.at(lane), y = b.at(lane), z = c.at(lane);
    Doubles first, second;
    f(&first, x.first, y.first, z.first);
    f(&second, x.second, y.second, z.second);
    put(&low, &high, lane, first, second);
  }
  store_pair(w, op, on, low, high);
}

struct Sum {
  static double one(double a, double, double c) { return a + c; }
  static void all(Doubles* out, const Doubles& a, const Doubles&, const Doubles& c) { *out = a + c; }
};
struct Product {
  static double one(double a, double b, double) { return a * b; }
  static void all(Doubles* out, const Doubles& a, const Doubles& b, const Doubles&) { *out = a * b; }
};
struct Fused {
  static double one(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static void all(Doubles* out, const Doubles& a, const Doubles& b, const Doubles& c) {
#if defined(__AVX512F__)
    *out = _mm512_fmadd_pd(a, b, c);
#else
    for (int i = 0; i < 8; ++i) (*out)[i] = __builtin_fma(a[i], b[i], c[i]);
#endif
  }
};

template <typename Function>
void rounded(Warp& w, const Op& op, uint32_t on) { rounded64(w, op, on, Function::one); }
template <typename Function, bool kSigns>
void nearest(Warp& w, const Op& op, uint32_t on) {
  together64<kSigns>(w, op, on, [](Doubles* out, const Doubles& a, const Doubles& b, const Doubles& c) {
    Function::all(out, a, b, c);
  });
}
template <typename Function>
bool prepare_double(Decoder& d, Op& op) {
  d.operands(op, true);
  Decoder::signs(op);
  op.mode = op.word.bits(78, 2);
  const auto has_sign = [](const Operand& o) { return o.negate || o.absolute; };
  const bool signs = has_sign(op.a) || has_sign(op.b) || has_sign(op.c);
  op.inexact = op.mode && signs;  // which would change the sign of a NaN
  op.run = op.mode ? rounded<Function> : signs ? nearest<Function, true> : nearest<Function, false>;
  return true;
}

void dsetp(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const uint32_t lanes = compare_lanes(op.word.bits(76, 4), [&](int i) { return wide_double(a, i, op.a); },
                                       [&](int i) { return wide_double(b, i, op.b); });
  finish_compare(w, op, lanes, on);
}
bool prepare_dsetp(Decoder& d, Op& op) { return prepare_compare(d, op, true, dsetp); }

}  // namespace

const Row kDoubleRows[] = {
    {0x028, "DMUL", prepare_double<Product>}, {0x029, "DADD", prepare_double<Sum>}, {0x02a, "DSETP", prepare_dsetp},
    {0x02b, "DFMA", prepare_double<Fused>}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
