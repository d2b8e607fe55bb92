// Double-precision arithmetic. A double is a pair of registers: its low word and its high word.
#include <bit>
#include <cmath>
#include <type_traits>

#include "warplens/run/sass/arithmetic/compare.h"
#include "warplens/run/sass/arithmetic/rounding.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/rounding.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
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

/// The lanes of an operand; those of a constant or a uniform register are all the same.
template <bool kSigns>
class Source64 {
 public:
  Source64(const Warp& w, const Operand& o, uint32_t on)
      : rows_(w.in(o)),
        keep_(o.absolute ? ~uint64_t{0} >> 1 : ~uint64_t{0}),
        flip_(uint64_t{o.negate} << 63),
        same_(o.fixed || o.row >= w.zero) {
    if (same_) value_ = signed_as(Bits{} + wide(rows_, std::countr_zero(on | 1u << 31)));
  }
  Pair at(int lane) const {
    if (same_) return {value_, value_};
    Words low, high;
    std::memcpy(&low, rows_ + lane, sizeof low);
    std::memcpy(&high, rows_ + kLanes + lane, sizeof high);
    return {signed_as(std::bit_cast<Bits>(
                __builtin_shufflevector(low, high, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29))),
            signed_as(std::bit_cast<Bits>(
                __builtin_shufflevector(low, high, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)))};
  }

 private:
  /// A NaN keeps its sign.
  Doubles signed_as(Bits bits) const {
    const auto value = std::bit_cast<Doubles>(bits);
    if constexpr (!kSigns) return value;
    else return std::bit_cast<Doubles>(value == value ? (bits & keep_) ^ flip_ : bits);
  }
  const uint32_t* rows_;
  uint64_t keep_, flip_;
  bool same_;
  Doubles value_{};
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
  const RoundingScope scope(rounding_of(op.mode));
  map_pair(w, op, on, [&](int i) {
    volatile double result = f(wide_double(a, i, op.a), wide_double(b, i, op.b), wide_double(c, i, op.c));
    return std::bit_cast<uint64_t>(static_cast<double>(result));
  });
}

/// f(out, a, b, c) on eight lanes.
template <bool kSigns, typename F>
inline void together64(Warp& w, const Op& op, uint32_t on, F f) {
  const Source64<kSigns> a(w, op.a, on), b(w, op.b, on), c(w, op.c, on);
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
struct Difference {
  static void all(Doubles* out, const Doubles& a, const Doubles&, const Doubles& c) { *out = a - c; }
};
struct DifferenceTurned {  // of two NaNs the first stays
  static void all(Doubles* out, const Doubles& a, const Doubles&, const Doubles& c) { *out = a == a ? c - a : a + c; }
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

#if defined(__AVX512F__)
/// With the product or the addend turned; a NaN keeps its sign here too.
template <bool kProduct, bool kAddend>
struct FusedTurned {
  static void all(Doubles* out, const Doubles& a, const Doubles& b, const Doubles& c) {
    *out = kProduct ? (kAddend ? _mm512_fnmsub_pd(a, b, c) : _mm512_fnmadd_pd(a, b, c)) : _mm512_fmsub_pd(a, b, c);
  }
};
#endif

template <typename Function>
void rounded(Warp& w, const Op& op, uint32_t on) {
  rounded64(w, op, on, Function::one);
}
template <typename Function, bool kSigns>
void nearest(Warp& w, const Op& op, uint32_t on) {
  together64<kSigns>(w, op, on, [](Doubles* out, const Doubles& a, const Doubles& b, const Doubles& c) {
    Function::all(out, a, b, c);
  });
}
/// Signs that the operation itself has a form for; nullptr where it has none.
template <typename Function>
Handler turned(const Op& op) {
  if (op.a.absolute || op.b.absolute || op.c.absolute) return nullptr;
  if (std::is_same_v<Function, Sum> && op.a.negate != op.c.negate)
    return op.c.negate ? nearest<Difference, false> : nearest<DifferenceTurned, false>;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<Function, Fused>) {
    const bool product = op.a.negate != op.b.negate;
    if (!product) return op.c.negate ? nearest<FusedTurned<false, true>, false> : nearest<Fused, false>;
    return op.c.negate ? nearest<FusedTurned<true, true>, false> : nearest<FusedTurned<true, false>, false>;
  }
#endif
  return nullptr;
}

template <typename Function, Native kNative>
bool prepare_double(Decoder& d, Op& op) {
  d.operands(op, true);
  Decoder::signs(op);
  op.mode = op.word.bits(78, 2);
  const auto has_sign = [](const Operand& o) { return o.negate || o.absolute; };
  const bool signs = has_sign(op.a) || has_sign(op.b) || has_sign(op.c);
  op.inexact = op.mode && signs;  // which would change the sign of a NaN
  op.run = op.mode ? rounded<Function> : signs ? nearest<Function, true> : nearest<Function, false>;
  if (const Handler one = signs && !op.mode ? turned<Function>(op) : nullptr) op.run = one;
  if (!op.mode) op.native = kNative;
  return true;
}

#if defined(__AVX512F__)
template <int kHow>
uint32_t holding(const Source64<true>& a, const Source64<true>& b) {
  uint32_t out = 0;
  for (int lane = 0; lane < kLanes; lane += kHalf) {
    const Pair x = a.at(lane), y = b.at(lane);
    const uint32_t first = _mm512_cmp_pd_mask(x.first, y.first, kHow),
                   second = _mm512_cmp_pd_mask(x.second, y.second, kHow);
    out |= (_pdep_u32(first, 0x3333) | _pdep_u32(second, 0xcccc)) << lane;  // where unpacking took them from
  }
  return out;
}
/// compare_lanes for doubles.
uint32_t compare_doubles(uint32_t how, const Source64<true>& a, const Source64<true>& b) {
  switch (how) {
    case 0: return 0;
    case 1: return holding<_CMP_LT_OQ>(a, b);
    case 2: return holding<_CMP_EQ_OQ>(a, b);
    case 3: return holding<_CMP_LE_OQ>(a, b);
    case 4: return holding<_CMP_GT_OQ>(a, b);
    case 5: return holding<_CMP_NEQ_OQ>(a, b);
    case 6: return holding<_CMP_GE_OQ>(a, b);
    case 7: return holding<_CMP_ORD_Q>(a, b);
    default: return ~compare_doubles(15 - how, a, b);
  }
}
#endif
void dsetp(Warp& w, const Op& op, uint32_t on) {
  const uint32_t how = op.word.bits(76, 4);
#if defined(__AVX512F__)
  const uint32_t lanes = compare_doubles(how, Source64<true>(w, op.a, on), Source64<true>(w, op.b, on));
#else
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const uint32_t lanes = compare_lanes(
      how, [&](int i) { return wide_double(a, i, op.a); }, [&](int i) { return wide_double(b, i, op.b); });
#endif
  finish_compare(w, op, lanes, on);
}

/// DSETP.MIN and DSETP.MAX: the first predicate says where a is the result, the second where neither is a number. A
/// number beats a NaN, and -0 is less than 0.
template <bool kGreatest>
void dsetp_extreme(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  uint32_t first = 0, none = 0;
  for (int i = 0; i < kLanes; ++i) {
    const double x = wide_double(a, i, op.a), y = wide_double(b, i, op.b);
    const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    const bool greater = x > y || (x == y && !std::signbit(x) && std::signbit(y));
    const bool alone = !std::isnan(x) && std::isnan(y);
    first |= static_cast<uint32_t>(alone || (kGreatest ? greater : less)) << i;
    none |= static_cast<uint32_t>(std::isnan(x) && std::isnan(y)) << i;
  }
  const uint32_t mode = op.word.bits(74, 2), with = w.value(op.p);
  w.set(op.set0, combine(mode, first, with), on);
  w.set(op.set1, combine(mode, none, with), on);
}

bool prepare_dsetp(Decoder& d, Op& op) {
  constexpr uint32_t kMin = 0, kMax = 15;
  const uint32_t how = op.word.bits(76, 4);
  if (how != kMin && how != kMax) op.native = Native::kCompareDoubles;
  return prepare_compare(d, op, true, how == kMin ? dsetp_extreme<false> : how == kMax ? dsetp_extreme<true> : dsetp);
}

}  // namespace

const Row kDoubleRows[] = {
    {Opcode::kDmul, prepare_double<Product, Native::kDoubleProduct>},
    {Opcode::kDadd, prepare_double<Sum, Native::kDoubleSum>},
    {Opcode::kDsetp, prepare_dsetp},
    {Opcode::kDfma, prepare_double<Fused, Native::kDoubleFused>},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
