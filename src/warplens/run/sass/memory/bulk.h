// The shared part of bulk and tensor copies: once a warp, from uniform registers, by the copy engine past L1.
#pragma once
#include <algorithm>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/memory/asynchronous.h"
#include "warplens/simt/atomics/reduce.h"

namespace warplens::simt::sass_machine {

/// Value of a uniform register, `further` after the operand's.
inline uint32_t uniform_value(const Warp& w, const Operand& o, uint32_t further = 0) {
  return w.rows[(o.row + further) * kLanes];
}
inline uint64_t uniform_address(const Warp& w, const Operand& o) {
  return uniform_value(w, o) | uint64_t{uniform_value(w, o, 1)} << 32;
}

/// Ranks of the blocks that a multicast goes to: `mask` in the upper half of a register.
inline uint32_t receivers_of(uint32_t value) { return value >> 16; }

/// `address` as block `rank` has it.
inline uint32_t in_block(uint32_t address, uint32_t rank) { return (address & kInBlock) | rank << kRankShift; }

/// Sectors that the copy engine requests for [begin, begin + bytes). It takes 128 bytes at a time, from the first on.
/// So a sector may be in two of them (as measured on an H200).
inline uint64_t sectors_of_run(uint64_t begin, uint64_t bytes) {
  constexpr uint64_t kAtOnce = 128;
  uint64_t out = 0;
  for (uint64_t at = begin, end = begin + bytes; at < end; at += kAtOnce)
    out += (std::min(at + kAtOnce, end) - 1) / 32 - at / 32 + 1;
  return out;
}

/// Bytes of global memory, reported to the footprint and, before they change, to the undo log; nullptr after a stop.
uint8_t* global_bytes(Warp& warp, uint64_t address, uint32_t size, bool write);
/// The same for bytes that a copy overwrites, or a reduction reads and changes.
uint8_t* changed_bytes(Warp& warp, uint64_t address, uint32_t size, simt::AtomicOp what);

/// Counts one copy: `sectors` of global memory, which arrive at `receivers` blocks.
void count_bulk(Warp& warp, uint64_t sectors, uint64_t bytes, uint32_t receivers);

/// A copy, as bits 0 to 3 of Op::mode say it.
inline constexpr auto kCopyMode = static_cast<uint32_t>(simt::AtomicOp::kExchange);
/// The reduction that an instruction's bits name, from bit 87; its element type in those from `type_at`.
simt::AtomicOp reduction_of(const Word& word);
bool reduction_type(uint32_t bits, ptx::Type* type);

}  // namespace warplens::simt::sass_machine
