#include "warplens/simt/atomics/operation.h"

#include <cstring>

#include "warplens/simt/conversion.h"

namespace warplens::simt {
namespace {

using ptx::Type;

uint64_t extreme_f32(AtomicOp operation, uint64_t a, uint64_t b) {
  const float x = std::bit_cast<float>(static_cast<uint32_t>(a)), y = std::bit_cast<float>(static_cast<uint32_t>(b));
  return x != x || (operation == AtomicOp::kMin ? y < x : y > x) ? b : a;
}

uint64_t half_result(AtomicOp operation, Type type, uint64_t a, uint64_t b) {
  const double x = decode_float(a & 0xffff, type), y = decode_float(b & 0xffff, type);
  if (operation == AtomicOp::kAdd) return x + y == x + y ? encode_float(x + y, type) : 0x7fff;
  if (x != x || y != y) return x != x ? (y != y ? 0x7fff : b & 0xffff) : a & 0xffff;
  return (operation == AtomicOp::kMin ? y < x : y > x) ? b & 0xffff : a & 0xffff;
}

uint64_t real_result(AtomicOp operation, uint64_t old, uint64_t operand) {
  const double x = std::bit_cast<double>(old), y = std::bit_cast<double>(operand);
  switch (operation) {
    case AtomicOp::kAdd: return std::bit_cast<uint64_t>(x + y);
    case AtomicOp::kMin: return y < x || x != x ? operand : old;
    case AtomicOp::kMax: return y > x || x != x ? operand : old;
    default: return operand;
  }
}

template <typename U, typename F>
uint64_t exchange_loop(U* at, F next) {
  U old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, static_cast<U>(next(old)), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <typename U>
uint64_t apply(void* at, bool parallel, auto next) {
  U* place = static_cast<U*>(at);
  if (parallel) return exchange_loop(place, next);
  U old;
  std::memcpy(&old, at, sizeof old);
  const U value = static_cast<U>(next(old));
  std::memcpy(at, &value, sizeof value);
  return old;
}

}  // namespace

uint64_t atomic_result(AtomicOp operation, Type type, uint64_t old, uint64_t operand, uint64_t other, bool global) {
  if (operation == AtomicOp::kCompareSwap) return old == operand ? other : old;
  if (operation == AtomicOp::kExchange) return operand;
  switch (type) {
    case Type::kF32:
      return operation == AtomicOp::kAdd ? added_f32(static_cast<uint32_t>(old), static_cast<uint32_t>(operand), global)
                                         : extreme_f32(operation, old, operand);
    case Type::kF64: return real_result(operation, old, operand);
    case Type::kF16:
    case Type::kBf16: return half_result(operation, type, old, operand);
    case Type::kF16x2:
    case Type::kBf16x2: {
      const Type half = type == Type::kF16x2 ? Type::kF16 : Type::kBf16;
      return half_result(operation, half, old, operand) | half_result(operation, half, old >> 16, operand >> 16) << 16;
    }
    case Type::kS32: return integer_result(operation, static_cast<int32_t>(old), static_cast<int32_t>(operand));
    case Type::kS64: return integer_result(operation, static_cast<int64_t>(old), static_cast<int64_t>(operand));
    case Type::kU64:
    case Type::kB64: return integer_result(operation, static_cast<uint64_t>(old), static_cast<uint64_t>(operand));
    default: return integer_result(operation, static_cast<uint32_t>(old), static_cast<uint32_t>(operand));
  }
}

uint64_t atomic_apply(void* at, uint32_t bytes, AtomicOp operation, Type type, uint64_t operand, uint64_t other,
                      bool global, bool parallel) {
  const uint64_t used = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (bytes * 8)) - 1;
  operand &= used;
  other &= used;
  const auto next = [&](uint64_t old) { return atomic_result(operation, type, old, operand, other, global); };
  if (bytes == 2) return apply<uint16_t>(at, parallel, next);
  if (bytes == 4) return apply<uint32_t>(at, parallel, next);
  return apply<uint64_t>(at, parallel, next);
}

}  // namespace warplens::simt
