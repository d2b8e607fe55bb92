// mapa and getctarank: addresses in the shared memory of a cluster's blocks.
#pragma once
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

/// Op: d = address a as block b of the cluster has it; size = bytes of an address, 4 or 8.
void run_mapa(Warp& warp, const Op& op);
/// Op: d = rank of the block that address a is in; size as above.
void run_getctarank(Warp& warp, const Op& op);

}  // namespace warplens::simt::ptx_machine
