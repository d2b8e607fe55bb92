// Atomic operations on memory: atom and red.
#pragma once
#include <bit>
#include <cstdint>

#include "warplens/isa/ptx/types.h"
#include "warplens/run/ptx/memory/memory.h"
#include "warplens/run/ptx/program.h"

namespace warplens::emulator {

enum class AtomicOp : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareSwap };

/// a + b of f32; in global memory subnormal values are flushed, as the hardware does.
inline __attribute__((always_inline)) uint32_t added_f32(uint32_t a, uint32_t b, bool global) {
  const auto flushed = [global](uint32_t bits) { return global && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits; };
  const float sum = std::bit_cast<float>(flushed(a)) + std::bit_cast<float>(flushed(b));
  return sum == sum ? flushed(std::bit_cast<uint32_t>(sum)) : 0x7fffffffu;
}

/// What memory holding `old` becomes. `other` is the new value of cas (`operand` the expected one).
uint64_t atomic_result(AtomicOp operation, ptx::Type type, uint64_t old, uint64_t operand, uint64_t other, bool global);

/// One read-modify-write of `bytes` bytes at `at`; gives the old value. `parallel`: other CPU threads may be at it.
uint64_t atomic_apply(void* at, uint32_t bytes, AtomicOp operation, ptx::Type type, uint64_t operand, uint64_t other,
                      bool global, bool parallel);

/// Runs atom or red, lane after lane. Op: a + value = address, b = operand, c = second operand of cas, d = old value
/// (kNoSlot for red); with vector > 1, b and d are entries in Program::slots. mode = AtomicOp, flags = ptx::Type,
/// size = bytes of an element, aux = access; guard_flip is not used. e = 1: float reduction to be logged.
void run_atomic(Warp& warp, const Op& op);

/// Adds what is counted of a request's addresses: distinct ones, the most lanes on one, and over sectors the most lanes
/// on one address in each.
void count_multiplicity(kernel::InstructionCounts& row, const Address* addresses, uint32_t mask);

}  // namespace warplens::emulator
