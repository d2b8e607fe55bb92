// The shared part of asynchronous copies and mbarriers: an mbarrier in the hardware's layout, its signal times, its
// waiters.
#pragma once
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/simt/asynchronous/mbarrier.h"

namespace warplens::simt::sass_machine {

/// 64 bits in shared memory, which compiled code writes and reads itself. Bits 1 to 20: arrivals of a phase; 43 to 62:
/// those it still lacks, both negative; 63: the phase. The place of copies' bytes is our choice: 21 to 42.
simt::MbarrierState mbarrier_state(uint64_t word);
uint64_t mbarrier_word(const simt::MbarrierState& state);

/// Applies `what` to the mbarrier at a 32-bit shared address, at `time`; `before`: its old value. False after a stop.
bool signal_mbarrier(Warp& warp, uint32_t address, simt::MbarrierOp what, uint32_t value, const Cycles& time,
                     uint64_t* before = nullptr);

/// ATOMS.ARRIVE, which arrives at mbarriers before sm_90.
bool prepare_arrival_before90(Decoder& decoder, Op& op);

/// When the instruction that runs was issued, or the cycles of its latency later.
Cycles issue_time(const Warp& warp, const Op& op, bool with_latency);

/// The copy of LDGSTS that runs is under way: it arrives at the time that `op` gives for its request.
void note_copy_under_way(Warp& warp, const Op& op);

/// When so many bytes that the engine copies from global memory to shared arrive: never from L1.
Cycles arrival_of_bulk(const Warp& warp, const Op& op, uint64_t bytes);

/// Is the wait of a split in state kCluster, kPhase or kGrid over? Then the warp's clock moves on to it.
bool has_come(Warp& warp, const Split& split);

}  // namespace warplens::simt::sass_machine
