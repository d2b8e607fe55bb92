// mbarrier objects: 64 bits of shared memory that count arrivals and bytes of asynchronous copies.
#pragma once
#include <cstdint>

#include "warplens/run/ptx/memory/memory.h"
#include "warplens/run/ptx/program.h"

namespace warplens::emulator {

/// The object as it lies in memory. Its layout is opaque to programs.
struct MbarrierState {
  uint64_t phase : 1;
  uint64_t expected : 20;  // arrivals a phase
  uint64_t pending : 20;   // arrivals that this phase still lacks
  int64_t bytes : 23;      // that this phase still lacks: expect_tx adds, complete_tx takes away
};
static_assert(sizeof(MbarrierState) == 8);

enum class MbarrierOp : uint8_t {
  kInit,
  kInvalidate,
  kExpect,
  kComplete,
  kArrive,
  kArriveExpect,
  kDrop,
  kDropExpect,
  kCopyArrive,
  kCopyTrack  // changes nothing
};

/// Does `what` with `value` arrivals or bytes. False when the object cannot take it.
bool apply_mbarrier(MbarrierState& state, MbarrierOp what, uint32_t value);
/// Takes `bytes` off what the phase lacks, and completes it when nothing lacks any more.
void complete_bytes(MbarrierState& state, int64_t bytes);

/// Op: a = generic address, b = count or bytes (kNoSlot: 1), d = state before (64 bits, or kNoSlot), mode = MbarrierOp.
void run_mbarrier(Warp& warp, const Op& op);
/// Op: a = generic address, b = state (64 bits) or, with mode 1, parity; d = predicate.
void run_mbarrier_wait(Warp& warp, const Op& op);
/// Faults: `warp` and all others wait for mbarriers that nobody will complete.
void raise_mbarrier_deadlock(Warp& warp);
/// One arrival at the object at a generic address, when the tcgen05 instructions of the thread before are done. False
/// after a fault.
bool arrive_after_matrices(Warp& warp, const Op& op, uint32_t lane, Address address);
/// Op: a = state, d = pending arrivals in it.
void run_pending_count(Warp& warp, const Op& op);

}  // namespace warplens::emulator
