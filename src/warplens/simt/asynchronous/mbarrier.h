// mbarrier objects: 64 bits of shared memory that count arrivals and bytes of asynchronous copies.
#pragma once
#include <cstdint>

namespace warplens::simt {

/// The object in memory. Its layout is opaque to programs.
struct MbarrierState {
  uint64_t phase : 1;
  uint64_t expected : 20;  // arrivals a phase
  uint64_t pending : 20;   // pending arrivals of this phase
  int64_t bytes : 23;      // pending bytes of this phase: expect_tx adds, complete_tx subtracts
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

/// Applies `what` with `value` arrivals or bytes. False if the object cannot take it.
bool apply_mbarrier(MbarrierState& state, MbarrierOp what, uint32_t value);
/// Subtracts `bytes` from the pending ones, and completes the phase if nothing is pending any more.
void complete_bytes(MbarrierState& state, int64_t bytes);

}  // namespace warplens::simt
