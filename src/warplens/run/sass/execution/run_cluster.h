// The blocks of a cluster (of one, mostly): prepared once, then run for one place of the grid after another.
#pragma once
#include <string>
#include <vector>

#include "warplens/run/sass/run.h"
#include "warplens/run/sass/worker.h"

namespace warplens::simt::sass_machine {

/// Memory and warps of the blocks; `counts`: of the worker that runs them.
void prepare_cluster(Cluster& cluster, Run& run, Tally* counts);
/// Says which blocks of the grid these are: those of cluster `number`.
void place_cluster(Cluster& cluster, uint64_t number, const MachineLaunch& launch);
/// All warps at the kernel's first instruction.
void start_cluster(Cluster& cluster);
/// Gives every warp a turn. False if none could run. `stop`: the reason that ended a block.
bool step_cluster(Cluster& cluster, uint64_t* turns, Stop* stop);
/// Continues to the end, or for some turns more than `patience` (0: no limit); the first block holds the reason for a
/// stop. `limit`: of warp instructions, 0: none. Returns true if it has ended.
bool run_cluster(Cluster& cluster, uint64_t limit, uint64_t patience);
/// For warps that cannot run: stops the wait for lanes that a mask names and that wait elsewhere in their warp, as a
/// GPU does. True if any can continue.
bool go_without_others(Cluster& cluster);
/// The waits in the first warp that has not ended; nothing if all have.
Stop waiting(const Cluster& cluster);
/// Why a launch is to end now: it was cancelled, or its time is over. Empty: it continues.
std::string interruption(const Run& run);

}  // namespace warplens::simt::sass_machine
