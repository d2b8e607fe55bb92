// What atomic operations do to memory.
#include <bit>
#include <mutex>
#include <type_traits>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/atomics.h"
#include "warplens/simt/atomics/operation.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

using Wide = unsigned __int128;

template <typename T>
inline T lane_value(const uint32_t* rows, uint32_t lane) {
  if constexpr (sizeof(T) == 16)
    return Wide{wide(rows + 2 * kLanes, static_cast<int>(lane))} << 64 | wide(rows, static_cast<int>(lane));
  else if constexpr (sizeof(T) == 8) return static_cast<T>(wide(rows, static_cast<int>(lane)));
  else return static_cast<T>(rows[lane]);
}
template <typename T>
inline void put_old(uint32_t* rows, uint32_t lane, T old) {
  if (!rows) return;
  rows[lane] = static_cast<uint32_t>(old);
  using Bits = std::conditional_t<sizeof(T) == 16, Wide, uint64_t>;
  for (size_t word = 1; word < sizeof(T) / 4; ++word)
    rows[lane + word * kLanes] = static_cast<uint32_t>(static_cast<Bits>(old) >> word * 32);
}

template <typename T, typename F>
inline T exchange_alone(T* home, F next) {
  const T old = *home;
  *home = next(old);
  return old;
}
/// Not every processor has atomics of 16 bytes.
template <typename F>
inline Wide exchange(Wide* home, bool, F next) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  return exchange_alone(home, next);
}
/// Puts next(old) where `old` is; returns that. Where they are the same nothing is written.
template <typename T, typename F>
inline T exchange(T* home, bool own, F next) {
  if (own) return exchange_alone(home, next);
  T old = __atomic_load_n(home, __ATOMIC_ACQUIRE);
  for (;;) {
    const T after = next(old);
    if (after == old) return old;
    if (__atomic_compare_exchange_n(home, &old, after, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return old;
  }
}

/// next(old, the lane's value).
template <typename T, typename F>
inline __attribute__((always_inline)) void each_lane(const AtomicLanes& l, F next) {
  for (const uint32_t lane : set_bits(l.on)) {
    const T value = lane_value<T>(l.value, lane);
    put_old(l.old, lane, exchange(reinterpret_cast<T*>(l.origin + l.at[lane]), l.own, [&](T old) {
              return static_cast<T>(next(old, value));
            }));
  }
}

template <typename T>
void compare_and_swap(const Op& op, const AtomicLanes& l) {
  for (const uint32_t lane : set_bits(l.on)) {
    const T expected = lane_value<T>(l.expected, lane), value = lane_value<T>(l.value, lane);
    const T old = exchange(reinterpret_cast<T*>(l.origin + l.at[lane]), l.own,
                           [&](T before) { return before == expected ? value : before; });
    put_old(l.old, lane, op.tests ? static_cast<T>(old == expected) : old);
  }
}

/// 32 words one behind the other.
void add_run(const AtomicLanes& l) {
  auto* home = reinterpret_cast<uint32_t*>(l.origin + l.at[0]);
  Lanes before, after;
  copy_lanes(before.value, home);
  for (int i = 0; i < kLanes; ++i) after.value[i] = before.value[i] + l.value[i];
  copy_lanes(home, after.value);
  if (l.old) copy_lanes(l.old, before.value);
}

template <typename T>
void add(const AtomicLanes& l) {
  if (sizeof(T) == 4 && l.run && l.own) return add_run(l);
  if (l.own) return each_lane<T>(l, [](T old, T value) { return old + value; });
  for (const uint32_t lane : set_bits(l.on)) {
    put_old(l.old, lane,
            __atomic_fetch_add(reinterpret_cast<T*>(l.origin + l.at[lane]), lane_value<T>(l.value, lane),
                               __ATOMIC_ACQ_REL));
  }
}

template <typename T, AtomicOp kWhat>
void change(const AtomicLanes& l) {
  each_lane<T>(l, [](T old, T value) { return integer_result(kWhat, old, value); });
}

template <typename T>
void apply_integers(const Op& op, const AtomicLanes& l) {
  switch (atomic_what(op)) {
    case AtomicOp::kAdd: return add<std::make_unsigned_t<T>>(l);
    case AtomicOp::kMin: return change<T, AtomicOp::kMin>(l);
    case AtomicOp::kMax: return change<T, AtomicOp::kMax>(l);
    case AtomicOp::kInc: return change<T, AtomicOp::kInc>(l);
    case AtomicOp::kDec: return change<T, AtomicOp::kDec>(l);
    case AtomicOp::kAnd: return change<T, AtomicOp::kAnd>(l);
    case AtomicOp::kOr: return change<T, AtomicOp::kOr>(l);
    case AtomicOp::kXor: return change<T, AtomicOp::kXor>(l);
    case AtomicOp::kCompareSwap: return compare_and_swap<std::make_unsigned_t<T>>(op, l);
    case AtomicOp::kExchange: return change<T, AtomicOp::kExchange>(l);
  }
}

void change_halves(const AtomicLanes& l, AtomicOp what, ptx::Type type) {
  each_lane<uint32_t>(
      l, [&](uint32_t old, uint32_t value) { return simt::atomic_result(what, type, old, value, 0, l.global); });
}

}  // namespace

void apply_lanes(const Op& op, const AtomicLanes& l) {
  switch (atomic_type(op)) {
    case AtomicType::kU32: return apply_integers<uint32_t>(op, l);
    case AtomicType::kS32: return apply_integers<int32_t>(op, l);
    case AtomicType::kU64: return apply_integers<uint64_t>(op, l);
    case AtomicType::kS64: return apply_integers<int64_t>(op, l);
    case AtomicType::kF32:
      return each_lane<uint32_t>(l,
                                 [&](uint32_t old, uint32_t value) { return simt::added_f32(old, value, l.global); });
    case AtomicType::kF64:
      return each_lane<uint64_t>(l, [](uint64_t old, uint64_t value) {
        return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
      });
    case AtomicType::kF16x2: return change_halves(l, atomic_what(op), ptx::Type::kF16x2);
    case AtomicType::kBf16x2: return change_halves(l, atomic_what(op), ptx::Type::kBf16x2);
    case AtomicType::kB128:
      return atomic_what(op) == AtomicOp::kCompareSwap ? compare_and_swap<Wide>(op, l)
                                                       : each_lane<Wide>(l, [](Wide, Wide value) { return value; });
  }
}

void apply_sum(const PendingSum& sum) {
  const uint64_t at = reinterpret_cast<uint64_t>(sum.home);
  uint32_t value[kLanes + 1];
  value[0] = static_cast<uint32_t>(sum.value);
  value[kLanes] = static_cast<uint32_t>(sum.value >> 32);
  AtomicLanes one;
  one.at = &at;
  one.value = value;
  one.on = 1;
  one.global = true;
  apply_lanes(*sum.op, one);
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
