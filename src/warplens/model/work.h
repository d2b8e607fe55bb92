// A launch's demand on each of a GPU's units, from any counter: the input of time bounds, estimates and rooflines.
#pragma once
#include <algorithm>
#include <cstdint>

#include "warplens/gpu/occupancy.h"
#include "warplens/model/constants.h"

namespace warplens::model {

/// Sums over a launch. Instructions are warp instructions; sectors are 32 bytes.
struct Work {
  double blocks = 0;
  gpu::BlockNeeds needs;

  double instructions = 0;
  double alu = 0, fma = 0, imad = 0, fp64 = 0, half = 0, special = 0, memory = 0, tensor = 0;

  double fp32_flops = 0, fp64_flops = 0, half_flops = 0;  // an FMA is two; of threads that were on
  double tensor_flops = 0;                                // matrix instructions
  double tensor_time_flops = 0;                           // products of halves that take as long at the peak
  double tensor_lost_flops = 0;  // more of these: unused slots of single-warp instructions on Hopper
  double double_tensor = 0;      // of tensor: instructions on double precision

  double load_sectors = 0, store_sectors = 0, local_sectors = 0;  // global loads and stores, local memory
  double local_store_sectors = 0;                                 // of local_sectors
  double partial_sectors = 0;                                     // of store_sectors: written in part
  double cache_lines = 0;        // distinct 128-byte lines, summed over global requests
  double shared_wavefronts = 0;  // passes
  double shared_conflicts = 0;   // of the passes, those beyond the fewest possible
  double atomic_lanes = 0;       // of global atomics
  double atomic_sectors = 0,
         hottest_atomic_cycles = 0;              // their sectors, summed over requests; L2 on the busiest 512 bytes
  double read_sectors = 0, written_sectors = 0;  // distinct ones: DRAM's compulsory traffic

  double lost_sectors = 0;           // given again, 64 bytes at a time, after L2 had lost them
  double lone_sectors = 0;           // of read_sectors, whose neighbour in the same 64 bytes is not read
  double apart_sectors = 0;          // of lone_sectors, whose line has no other that is read
  double stored_bytes = 0;           // of global stores; for atomics, all of their sectors
  double merged_sectors = 0;         // of partial_sectors, merged in L1 with a recent store
  double completed_sectors = 0;      // of the rest of partial_sectors, what reaches L2 whole after that
  double branches = 0;               // instructions that change the flow: branches, calls
  double partial_local_sectors = 0;  // of local_store_sectors: written in part

  double l1_hit_rate = 0, l1_late_rate = 0;  // of loads; late hits wait for a miss under way
  double block_cycles_l1 = 0, block_cycles_l2 = 0,
         block_cycles_dram = 0;  // one block alone, by the level that answers loads
  double warps_stay = 0;     // of a block's time, what its warps stay of it on average: some end early; 0: not known
  double longest_block = 0;  // over the mean of blocks' times; 0: not known
  double fresh_rate = 0;     // of loads, those before DRAM has answered their first load
  double local_bytes = 0;    // of local memory, a thread
  double barriers = 0;       // warp instructions that wait for the block
  double exchanged_sectors = 0;      // of load_sectors: their block had written them
  double register_waits = 0;         // cycles that warp instructions wait for registers of one bank
  double warm_sectors = 0;           // of read_sectors: launches before had left them in L2
  double remote_sectors = 0;         // of other blocks' shared memory in the cluster, to and fro
  double remote_whole_sectors = 0;   // of these, stored, or by requests that use every byte
  double remote_atomic_sectors = 0;  // of these, of atomics
  double crowded_sectors = 0;        // of these, if every block gave as many at any time as the one that gives most
  double distinct_of_warps = 1;      // of a warp's loaded sectors: those loaded for the first time

  double flops() const { return fp32_flops + fp64_flops + half_flops + tensor_flops; }
};

/// Written sectors that no store covers completely. DRAM delivers the rest of each. A store leaves 8 bytes or more of a
/// sector.
inline double unfilled_sectors(const Work& w) {
  constexpr double kLeft = 8;
  return w.stored_bytes > 0 ? std::clamp((32 * w.written_sectors - w.stored_bytes) / kLeft, 0.0, w.written_sectors) : 0;
}

/// DRAM reads from cold caches: every sector once, 64 bytes at a time, the rest of partial sectors, and sectors evicted
/// in between.
inline double dram_read_bytes(const Work& w) {
  return 32 * (w.read_sectors + w.lone_sectors + unfilled_sectors(w) + w.lost_sectors);
}

/// The share of loads that wait for more than L1.
inline double waiting_share(const Work& w) { return std::clamp(1 - w.l1_hit_rate + w.l1_late_rate, 0.0, 1.0); }

/// Sectors of local memory that a launch has, over all of its threads.
inline double distinct_local_sectors(const Work& w) { return w.blocks * w.needs.threads * w.local_bytes / 32; }

/// Sectors that L1 asks of L2 and hands to it. Local memory that a warp comes back to stays in L1 even if a cache of
/// its size would evict it. Measured, 3 to 6 % of the sectors of spilled registers twice its size come from L2.
inline double l2_read_sectors(const Work& w) {
  const double local = w.local_sectors - w.local_store_sectors, at_first = std::min(local, distinct_local_sectors(w));
  return std::min((w.load_sectors + local) * (1 - w.l1_hit_rate),
                  w.load_sectors + at_first + kLocalMisses * (local - at_first));
}
inline double l2_write_sectors(const Work& w) {
  return w.store_sectors - std::min(w.merged_sectors, w.store_sectors) + w.local_store_sectors;
}
/// The partial ones of these.
inline double l2_partial_sectors(const Work& w) {
  const double in_part = std::max(0.0, w.partial_sectors - w.merged_sectors - w.completed_sectors);
  return std::min(in_part + w.partial_local_sectors, l2_write_sectors(w));
}

}  // namespace warplens::model
