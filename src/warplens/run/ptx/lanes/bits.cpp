// Bit fields, permutations, carries, dot products of bytes, pairs of 16-bit integers.
#include "warplens/simt/lanes/bits.h"

#include "warplens/run/ptx/lanes/expressions.h"
#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/extremes.h"
#include "warplens/simt/lanes/integers.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Places and lengths are taken from the low byte for 32 bits, as they are for 64.
template <typename T>
inline T extract(T a, uint32_t b, uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = sizeof(T) * 8;
  const uint32_t pos = sizeof(T) == 4 ? b & 0xff
                       : b < 0x10000  ? b
                                      : 0x10000,
                 len = sizeof(T) == 4 ? c & 0xff
                       : c < 0x10000  ? c
                                      : 0x10000;
  const uint32_t top = pos + len - 1 < kBits - 1 ? pos + len - 1 : kBits - 1;  // place of the field's last bit
  const bool sign = std::is_signed_v<T> && len != 0 && ((static_cast<U>(a) >> top) & 1);
  const U field = pos < kBits ? static_cast<U>(a) >> pos : U{0};
  const U ones = len >= kBits ? ~U{0} : (U{1} << len) - 1;
  const uint32_t inside = pos < kBits ? kBits - pos : 0;  // bits of the field that exist
  const U filled = inside >= kBits ? ~U{0} : (U{1} << inside) - 1;
  const U value = field & ones & filled;
  if (!sign) return static_cast<T>(value);
  const uint32_t width = len < inside ? len : inside;
  return static_cast<T>(width >= kBits ? value : value | (~U{0} << width));
}

template <typename U>
inline U insert(U a, U b, uint32_t c, uint32_t d) {
  constexpr uint32_t kBits = sizeof(U) * 8;
  const uint32_t pos = sizeof(U) == 4 ? c & 0xff : c, len = sizeof(U) == 4 ? d & 0xff : d;
  if (pos >= kBits || len == 0) return b;
  const U ones = len >= kBits ? ~U{0} : (U{1} << len) - 1;
  return (b & ~(ones << pos)) | ((a & ones) << pos);
}

template <typename U>
void insert_lanes(Warp& w, const Op& op) {
  const U *a = w.lanes<U>(op.a), *b = w.lanes<U>(op.b);
  const uint32_t *c = w.lanes<uint32_t>(op.c), *d = w.lanes<uint32_t>(op.e);
  for_lanes<U>(w, op.d, [=](uint32_t i) { return insert<U>(a[i], b[i], c[i], d[i]); });
}

/// Op::value is the immediate table.
void logic3(Warp& w, const Op& op) {
  const auto table = static_cast<uint32_t>(op.value);
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, op, [table](uint32_t a, uint32_t b, uint32_t c) { return logic(table, a, b, c); });
}

/// lop3 with a predicate: p = (result != 0) op q. e = p, predicate = q.
void logic3_predicate(Warp& w, const Op& op) {
  alignas(64) uint32_t result[kLanes];
  const uint32_t table = static_cast<uint32_t>(op.value);
  const uint32_t *a = w.lanes<uint32_t>(op.a), *b = w.lanes<uint32_t>(op.b), *c = w.lanes<uint32_t>(op.c);
  for (uint32_t i = 0; i < kLanes; ++i) result[i] = logic(table, a[i], b[i], c[i]);
  if (op.d != kNoSlot) for_lanes<uint32_t>(w, op.d, [&](uint32_t i) { return result[i]; });
  const uint32_t some = mask_of([&](uint32_t i) { return result[i] != 0; }), q = w.predicate(op.predicate);
  set_predicate(w, op.e, op.joins_and ? some & q : some | q);
}

/// Finds the n-th set bit (fns.b32): offset may count backwards.
inline uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return 0xffffffffu;
  if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
  const int step = offset < 0 ? -1 : 1;
  int32_t left = offset < 0 ? -offset : offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) && --left == 0) return static_cast<uint32_t>(at);
  }
  return 0xffffffffu;
}

template <typename A, typename B>
void add_dot(HandlerTable& t, const Key& types) {
  using HA = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  WL3("dp4a." + types, uint32_t, uint32_t, uint32_t, uint32_t, (dot_of_bytes<A, B>(a, b) + c));
  WL3("dp2a.lo." + types, uint32_t, uint32_t, uint32_t, uint32_t, (dot_of_halves<HA, B>(a, b, false) + c));
  WL3("dp2a.hi." + types, uint32_t, uint32_t, uint32_t, uint32_t, (dot_of_halves<HA, B>(a, b, true) + c));
}

/// Sums with a carry. d = a + b + carry in; Op::e is the predicate that holds the carry; flags: 1 reads it, 2 writes
/// it, 4 subtracts: adds the complement of b, so a carry means that nothing was borrowed, for addc too.
template <typename U>
void carry(Warp& w, const Op& op) {
  const Stored<U>*a = w.lanes<Stored<U>>(op.a), *b = w.lanes<Stored<U>>(op.b);
  Stored<U>* d = w.lanes<Stored<U>>(op.d);
  const bool subtracts = op.flags & 4;
  const uint32_t in = op.flags & 1 ? w.predicate(op.e) : subtracts ? ~0u : 0;
  uint32_t out = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!(w.mask >> i & 1)) continue;
    const unsigned __int128 x = static_cast<U>(a[i]), y = static_cast<U>(subtracts ? ~b[i] : b[i]), c = in >> i & 1;
    const unsigned __int128 sum = x + y + c;
    d[i] = static_cast<U>(sum);
    out |= static_cast<uint32_t>((sum >> (sizeof(U) * 8)) & 1) << i;
  }
  if (op.flags & 2) set_predicate(w, op.e, out);
}

/// mad.cc and madc: as `carry`, with the product of a and b (mode 1: its high half) and c.
template <typename T>
void multiply_carry(Warp& w, const Op& op) {
  using U = std::make_unsigned_t<T>;
  const U *a = w.lanes<U>(op.a), *b = w.lanes<U>(op.b), *c = w.lanes<U>(op.c);
  U* d = w.lanes<U>(op.d);
  const uint32_t in = op.flags & 1 ? w.predicate(op.e) : 0;
  uint32_t out = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!(w.mask >> i & 1)) continue;
    // Extended by the sign of T, multiplied modulo 2^128: a product of unsigned 64-bit numbers needs all bits.
    const auto extended = [](U value) { return static_cast<unsigned __int128>(static_cast<T>(value)); };
    const unsigned __int128 product = extended(a[i]) * extended(b[i]);
    const U part = static_cast<U>(op.high ? product >> (sizeof(U) * 8) : product);
    const unsigned __int128 sum = static_cast<unsigned __int128>(part) + c[i] + (in >> i & 1);
    d[i] = static_cast<U>(sum);
    out |= static_cast<uint32_t>((sum >> (sizeof(U) * 8)) & 1) << i;
  }
  if (op.flags & 2) set_predicate(w, op.e, out);
}

/// Two 16-bit integers in a register.
template <typename T, typename F>
inline uint32_t pairwise(uint32_t a, uint32_t b, F f) {
  const auto low = static_cast<uint16_t>(f(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<uint16_t>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return low | static_cast<uint32_t>(high) << 16;
}

template <typename T>
void add_pairs(HandlerTable& t, const Key& type) {
  using U = uint32_t;
  constexpr int kLow = std::is_signed_v<T> ? -32768 : 0, kHigh = std::is_signed_v<T> ? 32767 : 65535;
  const auto clamp = [](int v) { return v < kLow ? kLow : v > kHigh ? kHigh : v; };
  using Clamp = decltype(clamp);
  WL2("add." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return x + y; }));
  WL2("sub." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return x - y; }));
  WL2("min." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return extreme<false>(x, y); }));
  WL2("max." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return extreme<true>(x, y); }));
  WL2("min.relu." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return at_least_zero(extreme<false>(x, y)); }));
  WL2("max.relu." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return at_least_zero(extreme<true>(x, y)); }));
  WL2("add.sat." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return Clamp{}(x + y); }));
  WL2("sub.sat." + type, U, U, U, pairwise<T>(a, b, [](T x, T y) { return Clamp{}(x - y); }));
}

template <typename T>
inline int64_t product24(T a, T b) {
  if constexpr (std::is_signed_v<T>) return (int64_t{a} << 40 >> 40) * (int64_t{b} << 40 >> 40);
  else return static_cast<int64_t>(uint64_t{a & 0xffffffu} * (b & 0xffffffu));
}

template <typename T>
void add_24(HandlerTable& t, const Key& type) {
  WL2("mul24.lo." + type, T, T, T, product24(a, b));
  WL2("mul24.hi." + type, T, T, T, product24(a, b) >> 16);
  WL3("mad24.lo." + type, T, T, T, T, product24(a, b) + c);
  WL3("mad24.hi." + type, T, T, T, T, static_cast<T>(product24(a, b) >> 16) + int64_t{c});
}

inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
  return static_cast<uint32_t>(shift_left(static_cast<uint64_t>(b) << 32 | a, n) >> 32);
}
inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
  return static_cast<uint32_t>(shift_right(static_cast<uint64_t>(b) << 32 | a, n));
}

}  // namespace

void add_bits_handlers(HandlerTable& t) {
  using U = uint32_t;
  using L = uint64_t;
  WL1("popc.32", U, U, set_bits_of(a));
  WL1("popc.64", U, L, __builtin_popcountll(a));
  WL1("clz.32", U, U, a ? __builtin_clz(a) : 32);
  WL1("clz.64", U, L, a ? __builtin_clzll(a) : 64);
  WL1("brev.32", U, U, reversed(a));
  WL1("brev.64", L, L, L{reversed(static_cast<U>(a))} << 32 | reversed(static_cast<U>(a >> 32)));
  WL3("bfe.u32", U, U, U, U, extract<uint32_t>(a, b, c));
  WL3("bfe.s32", U, int32_t, U, U, extract<int32_t>(a, b, c));
  WL3("bfe.u64", L, L, U, U, extract<uint64_t>(a, b, c));
  WL3("bfe.s64", L, int64_t, U, U, extract<int64_t>(a, b, c));
  t.add("bfi.32", &insert_lanes<U>);
  t.add("bfi.64", &insert_lanes<L>);
  WL1("bfind.u32", U, U, leading_bit(a, false));
  WL1("bfind.s32", U, int32_t, leading_bit(a, false));
  WL1("bfind.u64", U, L, leading_bit(a, false));
  WL1("bfind.s64", U, int64_t, leading_bit(a, false));
  WL1("bfind.shiftamt.u32", U, U, leading_bit(a, true));
  WL1("bfind.shiftamt.s32", U, int32_t, leading_bit(a, true));
  WL1("bfind.shiftamt.u64", U, L, leading_bit(a, true));
  WL1("bfind.shiftamt.s64", U, int64_t, leading_bit(a, true));
  t.add("lop3.32", &logic3);
  t.add("lop3.pred.32", &logic3_predicate);
  WL3("prmt", U, U, U, U, permute(a, b, c));
  t.add("prmt.mode", [](Warp& w, const Op& op) {
    const uint8_t mode = op.mode;
    map3<U, U, U, U>(w, op, [=](U a, U b, U c) { return permute(a, b, permute_selectors(mode, c)); });
  });
  WL3("shf.l.clamp", U, U, U, U, funnel_left(a, b, c < 32 ? c : 32));
  WL3("shf.r.clamp", U, U, U, U, funnel_right(a, b, c < 32 ? c : 32));
  WL3("shf.l.wrap", U, U, U, U, funnel_left(a, b, c & 31));
  WL3("shf.r.wrap", U, U, U, U, funnel_right(a, b, c & 31));
  WL3("fns", U, U, U, int32_t, nth_set(a, b, c));
  WL2("bmsk.clamp", U, U, U, ones_at(a, b));
  WL2("bmsk.wrap", U, U, U, ones_at(a & 31, b & 31));
  WL2("szext.clamp.u32", U, U, U, zero_extended(a, b));
  WL2("szext.clamp.s32", U, U, U, sign_extended(a, b));
  WL2("szext.wrap.u32", U, U, U, zero_extended(a, b & 31));
  WL2("szext.wrap.s32", U, U, U, sign_extended(a, b & 31));
  add_dot<uint8_t, uint8_t>(t, "u32.u32");
  add_dot<uint8_t, int8_t>(t, "u32.s32");
  add_dot<int8_t, uint8_t>(t, "s32.u32");
  add_dot<int8_t, int8_t>(t, "s32.s32");
  t.add("carry.32", &carry<U>);
  t.add("carry.64", &carry<L>);
  t.add("carry.16", &carry<uint16_t>);
  t.add("madcarry.u32", &multiply_carry<uint32_t>);
  t.add("madcarry.s32", &multiply_carry<int32_t>);
  t.add("madcarry.u64", &multiply_carry<uint64_t>);
  t.add("madcarry.s64", &multiply_carry<int64_t>);
  WL2("pack.32", U, U, U, (a & 0xffff) | b << 16);
  WL2("pack.64", L, U, U, a | static_cast<L>(b) << 32);
  WL1("unpack.high.32", U, U, a >> 16);
  WL1("unpack.high.64", U, L, a >> 32);
  add_pairs<uint16_t>(t, "u16x2");
  add_pairs<int16_t>(t, "s16x2");
  add_24<uint32_t>(t, "u32");
  add_24<int32_t>(t, "s32");
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
