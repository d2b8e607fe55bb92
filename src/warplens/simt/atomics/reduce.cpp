#include "warplens/simt/atomics/reduce.h"

#include <atomic>
#include <cmath>
#include <cstring>

#include "warplens/simt/conversion.h"

namespace warplens::simt {
namespace {

using ptx::Type;

uint64_t load_bits(const uint8_t* from, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  return bits;
}

uint64_t nan_of(Type type) {
  return type == Type::kF64 ? 0x7fffffffffffffff : type == Type::kF32 ? 0x7fffffff : 0x7fff;
}

/// Subnormal values are kept; of a number and a NaN the number is the smaller and the larger; -0 is below +0.
uint64_t reduced_float(uint64_t old, uint64_t value, AtomicOp what, Type type) {
  const double a = decode_float(old, type), b = decode_float(value, type);
  if (what == AtomicOp::kAdd) return std::isnan(a + b) ? nan_of(type) : encode_float(a + b, type);
  if (std::isnan(a) && std::isnan(b)) return nan_of(type);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? value : old;
  if (a == b) return (what == AtomicOp::kMin) == std::signbit(a) ? old : value;
  return (what == AtomicOp::kMin) == (a < b) ? old : value;
}

uint64_t reduced(uint64_t old, uint64_t value, AtomicOp what, Type type) {
  const bool ordered = what == AtomicOp::kAdd || what == AtomicOp::kMin || what == AtomicOp::kMax;
  if (ordered && ptx::kind(type) == ptx::TypeKind::kFloat) return reduced_float(old, value, what, type);
  if (ptx::kind(type) != ptx::TypeKind::kSigned) return integer_result(what, old, value);
  const int unused = 64 - ptx::bits(type);
  const auto extended = [&](uint64_t bits) { return static_cast<int64_t>(bits << unused) >> unused; };
  return integer_result(what, extended(old), extended(value));
}

/// Indivisible, as blocks of other threads may be at the same element.
template <typename U>
void reduce_at(uint8_t* to, uint64_t value, AtomicOp what, Type type) {
  const std::atomic_ref<U> element(*reinterpret_cast<U*>(to));
  U old = element.load(std::memory_order_relaxed);
  while (!element.compare_exchange_weak(old, static_cast<U>(reduced(old, value, what, type)))) {
  }
}

}  // namespace

void combine_bytes(uint8_t* to, const uint8_t* from, size_t size, AtomicOp what, Type type) {
  if (what == AtomicOp::kExchange) {
    std::memcpy(to, from, size);
    return;
  }
  const auto each = static_cast<size_t>(ptx::size_bytes(type));
  for (size_t at = 0; at + each <= size; at += each) {
    const uint64_t value = load_bits(from + at, each);
    if (each == 8) reduce_at<uint64_t>(to + at, value, what, type);
    else if (each == 4) reduce_at<uint32_t>(to + at, value, what, type);
    else if (each == 2) reduce_at<uint16_t>(to + at, value, what, type);
    else reduce_at<uint8_t>(to + at, value, what, type);
  }
}

}  // namespace warplens::simt
