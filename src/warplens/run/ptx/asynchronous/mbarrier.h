// Instructions on mbarriers.
#pragma once
#include "warplens/run/ptx/program.h"
#include "warplens/simt/asynchronous/mbarrier.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::ptx_machine {

/// Op: a = generic address, b = count or bytes (kNoSlot: 1), d = state before (64 bits, or kNoSlot), mbarrier.
void run_mbarrier(Warp& warp, const Op& op);
/// Op: a = generic address, b = state (64 bits) or, with by_parity, parity; d = predicate. After a wait that passed,
/// the warp gives way. Copies here end as soon as they begin, so the warp could pass two more phases before another
/// looks. That one would take the third phase for the first and wait for ever.
void run_mbarrier_wait(Warp& warp, const Op& op);
/// Faults: `warp` and all others wait for mbarriers that no thread will complete.
void raise_mbarrier_deadlock(Warp& warp);
/// One arrival at the object at a generic address, when the tcgen05 instructions of the thread before are done. False
/// after a fault.
bool arrive_after_matrices(Warp& warp, const Op& op, uint32_t lane, Address address);
/// Op: a = state, d = pending arrivals in it.
void run_pending_count(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
