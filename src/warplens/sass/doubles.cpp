// Double-precision arithmetic. A double is a pair of registers: its low word and its high word.
#include <cmath>

#include "warplens/sass/compare.h"
#include "warplens/sass/decoder.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/rounding.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

/// Sixteen lanes of doubles. Unpacking puts words 0 1 4 5 ... in the first vector and 2 3 6 7 ... in the second, which no
/// lane-wise operation minds; packing undoes it.
using Words = uint32_t __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));
using Bits = uint64_t __attribute__((vector_size(64)));
inline constexpr int kHalf = 16;

struct Pair {
  Doubles first, second;
};

struct Source64 {
  const uint32_t* rows;
  uint64_t keep, flip;
  Source64(const Warp& w, const Operand& o)
      : rows(w.in(o)), keep(o.absolute ? ~uint64_t{0} >> 1 : ~uint64_t{0}), flip(uint64_t{o.negate} << 63) {}
  Pair at(int lane) const {
    Words low, high;
    std::memcpy(&low, rows + lane, sizeof low);
    std::memcpy(&high, rows + kLanes + lane, sizeof high);
    const auto first = std::bit_cast<Bits>(__builtin_shufflevector(
        low, high, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29));
    const auto second = std::bit_cast<Bits>(__builtin_shufflevector(
        low, high, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31));
    return {std::bit_cast<Doubles>((first & keep) ^ flip), std::bit_cast<Doubles>((second & keep) ^ flip)};
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

template <typename F>
inline void sum64(Warp& w, const Op& op, uint32_t on, const Source64& a, const Source64& b, F f) {
  Lanes low, high;
  for (int lane = 0; lane < kLanes; lane += kHalf) {
    const Pair x = a.at(lane), y = b.at(lane);
    put(&low, &high, lane, f(x.first, y.first), f(x.second, y.second));
  }
  store_pair(w, op, on, low, high);
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

void dadd(Warp& w, const Op& op, uint32_t on) {
  if (op.mode & 3) return rounded64(w, op, on, [](double a, double, double c) { return a + c; });
  sum64(w, op, on, {w, op.a}, {w, op.c}, [](const Doubles& a, const Doubles& c) { return a + c; });
}
void dmul(Warp& w, const Op& op, uint32_t on) {
  if (op.mode & 3) return rounded64(w, op, on, [](double a, double b, double) { return a * b; });
  sum64(w, op, on, {w, op.a}, {w, op.b}, [](const Doubles& a, const Doubles& b) { return a * b; });
}

inline Doubles fused(const Doubles& a, const Doubles& b, const Doubles& c) {
  Doubles out;
  for (int i = 0; i < 8; ++i) out[i] = __builtin_fma(a[i], b[i], c[i]);
  return out;
}
void dfma(Warp& w, const Op& op, uint32_t on) {
  if (op.mode & 3) return rounded64(w, op, on, [](double a, double b, double c) { return std::fma(a, b, c); });
  const Source64 a(w, op.a), b(w, op.b), c(w, op.c);
  Lanes low, high;
  for (int lane = 0; lane < kLanes; lane += kHalf) {
    const Pair x = a.at(lane), y = b.at(lane), z = c.at(lane);
    put(&low, &high, lane, fused(x.first, y.first, z.first), fused(x.second, y.second, z.second));
  }
  store_pair(w, op, on, low, high);
}
bool prepare_double(Decoder& d, Op& op, Handler run) {
  d.operands(op, true);
  Decoder::signs(op);
  op.mode = op.word.bits(78, 2);
  op.run = run;
  return true;
}
bool prepare_dadd(Decoder& d, Op& op) { return prepare_double(d, op, dadd); }
bool prepare_dmul(Decoder& d, Op& op) { return prepare_double(d, op, dmul); }
bool prepare_dfma(Decoder& d, Op& op) { return prepare_double(d, op, dfma); }

void dsetp(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const uint32_t lanes = compare_lanes(op.word.bits(76, 4), [&](int i) { return wide_double(a, i, op.a); },
                                       [&](int i) { return wide_double(b, i, op.b); });
  finish_compare(w, op, lanes, on);
}
bool prepare_dsetp(Decoder& d, Op& op) { return prepare_compare(d, op, true, dsetp); }

}  // namespace

const Row kDoubleRows[] = {
    {0x028, "DMUL", prepare_dmul}, {0x029, "DADD", prepare_dadd}, {0x02a, "DSETP", prepare_dsetp},
    {0x02b, "DFMA", prepare_dfma}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
