// The state that barriers pass to the threads that leave them.
#pragma once
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

void run_nothing(Warp& warp, const Op& op);
/// d = result of the barrier in slot a: bar.red.popc, .and, .or.
void read_barrier_count(Warp& warp, const Op& op);
void read_barrier_all(Warp& warp, const Op& op);
void read_barrier_any(Warp& warp, const Op& op);

/// Threads of the mask arrive at barrier `op.a`; true when that completes its phase. `waits`: bar.arrive does not.
bool arrive_barrier(Warp& warp, const Op& op, bool waits);
/// Threads of the mask wait for those of the other warps of their warpgroup that live.
void arrive_warpgroup(Warp& warp);
/// Completes barriers that wait for all threads, now that some have exited.
void complete_barriers(Cta& cta);

void arrive_cluster(Warp& warp, const Op& op);
/// Completes the cluster's barrier when everybody has arrived or exited.
void complete_cluster(Cluster& cluster);

}  // namespace warplens::simt::ptx_machine
