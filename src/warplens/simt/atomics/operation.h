// The effect of atomic operations on memory.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "warplens/isa/ptx/types.h"

namespace warplens::simt {

enum class AtomicOp : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareSwap };

/// The new value of an integer in memory, except for compare-and-swap.
template <typename T>
inline __attribute__((always_inline)) std::make_unsigned_t<T> integer_result(AtomicOp operation, T old, T operand) {
  using U = std::make_unsigned_t<T>;  // whose overflow is not an error
  const auto a = static_cast<U>(old), b = static_cast<U>(operand);
  switch (operation) {
    case AtomicOp::kAdd: return a + b;
    case AtomicOp::kMin: return old < operand ? a : b;
    case AtomicOp::kMax: return old > operand ? a : b;
    case AtomicOp::kInc: return old >= operand ? U{0} : static_cast<U>(a + 1);
    case AtomicOp::kDec: return old == 0 || old > operand ? b : static_cast<U>(a - 1);
    case AtomicOp::kAnd: return a & b;
    case AtomicOp::kOr: return a | b;
    case AtomicOp::kXor: return a ^ b;
    default: return b;
  }
}

/// a + b of f32; in global memory subnormal values are flushed, as the hardware does.
inline __attribute__((always_inline)) uint32_t added_f32(uint32_t a, uint32_t b, bool global) {
  const auto flushed = [global](uint32_t bits) {
    return global && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
  };
  const float sum = std::bit_cast<float>(flushed(a)) + std::bit_cast<float>(flushed(b));
  return sum == sum ? flushed(std::bit_cast<uint32_t>(sum)) : 0x7fffffffu;
}

/// The new value of memory that holds `old`. `other` is the new value of cas (`operand` the expected one).
uint64_t atomic_result(AtomicOp operation, ptx::Type type, uint64_t old, uint64_t operand, uint64_t other, bool global);

/// One read-modify-write of `bytes` bytes at `at`; returns the old value. `parallel`: other CPU threads may use it.
uint64_t atomic_apply(void* at, uint32_t bytes, AtomicOp operation, ptx::Type type, uint64_t operand, uint64_t other,
                      bool global, bool parallel);

}  // namespace warplens::simt
