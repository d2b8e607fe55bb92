// mbarrier objects: 64 bits of shared memory that count arrivals and bytes of asynchronous copies.
#pragma once
#include <cstdint>

namespace warplens::simt {

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

}  // namespace warplens::simt
