// Integer arithmetic, logic, shifts.
#include "warplens/run/ptx/lanes/expressions.h"
#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/extremes.h"
#include "warplens/simt/lanes/integers.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

template <typename T>
using Wider =
    std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;

template <typename T>
inline T high(T a, T b) {
  return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> (sizeof(T) * 8));
}

/// What the hardware gives for division by zero: all ones, and so for the remainder of 32 and 64 bits.
template <typename T>
inline T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <typename T>
inline T remainder(T a, T b) {
  if (b == 0) return sizeof(T) < 4 ? a : static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// Lanes outside the mask may hold anything, so that a division there may not be skipped over: it must be harmless.
template <typename T>
void division(Warp& w, const Op& op) {
  map2<T, T, T>(w, op, [](T a, T b) { return divide(a, b); });
}
template <typename T>
void remaindering(Warp& w, const Op& op) {
  map2<T, T, T>(w, op, [](T a, T b) { return remainder(a, b); });
}

template <typename U>
void add_bits(HandlerTable& t, const Key& width) {
  WL2("add." + width, U, U, U, a + b);
  WL2("sub." + width, U, U, U, a - b);
  WL2("mul.lo." + width, U, U, U, static_cast<uint64_t>(a) * b);
  WL3("mad.lo." + width, U, U, U, U, static_cast<uint64_t>(a) * b + c);
  WL1("neg." + width, U, U, U{0} - a);
  WL2("and." + width, U, U, U, a & b);
  WL2("or." + width, U, U, U, a | b);
  WL2("xor." + width, U, U, U, a ^ b);
  WL1("not." + width, U, U, ~a);
  WL1("cnot." + width, U, U, a == 0);
  WL1("mov." + width, U, U, a);
  WL2("shl." + width, U, U, uint32_t, shift_left(a, b));
}

template <typename T>
void add_typed(HandlerTable& t, const Key& type) {
  using U = std::make_unsigned_t<T>;
  WL2("mul.hi." + type, T, T, T, high(a, b));
  WL3("mad.hi." + type, T, T, T, T, static_cast<U>(high(a, b)) + static_cast<U>(c));
  WL2("min." + type, T, T, T, extreme<false>(a, b));
  WL2("max." + type, T, T, T, extreme<true>(a, b));
  WL2("min.relu." + type, T, T, T, at_least_zero(extreme<false>(a, b)));
  WL2("max.relu." + type, T, T, T, at_least_zero(extreme<true>(a, b)));
  WL3("sad." + type, T, T, T, T, static_cast<U>(c) + absolute_difference(a, b));
  WL2("shr." + type, T, T, uint32_t, shift_right(a, b));
  if constexpr (std::is_signed_v<T>) WL1("abs." + type, T, T, magnitude(a));
  t.add("div." + type, &division<T>);
  t.add("rem." + type, &remaindering<T>);
  if constexpr (sizeof(T) < 8) {
    using W = Wider<T>;
    WL2("mul.wide." + type, W, T, T, static_cast<W>(a) * static_cast<W>(b));
    WL3("mad.wide." + type, W, T, T, W,
        static_cast<std::make_unsigned_t<W>>(static_cast<W>(a) * static_cast<W>(b)) +
            static_cast<std::make_unsigned_t<W>>(c));
  }
}

}  // namespace

void add_integer_handlers(HandlerTable& t) {
  add_bits<uint16_t>(t, "16");
  add_bits<uint32_t>(t, "32");
  add_bits<uint64_t>(t, "64");
  add_typed<uint16_t>(t, "u16");
  add_typed<int16_t>(t, "s16");
  add_typed<uint32_t>(t, "u32");
  add_typed<int32_t>(t, "s32");
  add_typed<uint64_t>(t, "u64");
  add_typed<int64_t>(t, "s64");
  WL2("add.sat.s32", int32_t, int32_t, int32_t, saturated_word(int64_t{a} + b));
  WL2("sub.sat.s32", int32_t, int32_t, int32_t, saturated_word(int64_t{a} - b));
  WL3("mad.hi.sat.s32", int32_t, int32_t, int32_t, int32_t, saturated_word(((int64_t{a} * b) >> 32) + c));
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
