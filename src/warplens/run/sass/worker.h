// The results of each CPU thread of a run, and their merge into the counts of a launch.
#pragma once
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/run.h"
#include "warplens/run/sass/run_warp.h"

namespace warplens::simt::sass_machine {

/// One CPU thread's own data.
struct Worker {
  explicit Worker(const Run& run);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  std::vector<std::unique_ptr<Cluster>> clusters;  // one mostly; more where they run side by side
  Cycles cycles{}, longest{};                      // of blocks
  uint64_t warp_cycles = 0;
  Tally counts;
  uint64_t ended_blocks = 0;
};

/// How long a block takes by itself, where DRAM answers.
uint64_t block_cycles(const Block& block);
/// A block has ended: adds its time.
void add_block_time(const Block& block, Worker* worker);
/// A block's results over all its turns in the grid, except instructions and time.
void add_block(const Block& block, AtomicTally* atomics, MachineCounts* out);
/// The blocks, instructions and times of a worker.
void add_worker(const Worker& worker, AtomicTally* atomics, MachineCounts* out);
/// All workers are added: their times become those of a block and of a warp.
void average_times(MachineCounts* out);

}  // namespace warplens::simt::sass_machine
