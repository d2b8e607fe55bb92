// The CUDA system's functions for a grid as a cooperative group, as Numba and code that is linked with libcudadevrt
// call them: cudaCGGetIntrinsicHandle, cudaCGSynchronize. Others are refused by name.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "warplens/run/sass/cluster.h"

namespace warplens::simt::sass_machine {

/// True if there is such a function; runs it for the lanes of `on`. `then`: they wait as it says before they return.
bool call_grid_group(Warp& warp, std::string_view name, uint32_t on, Split* then);

/// Opens the grid's barrier when all threads that have not ended are there. True when it did.
bool open_grid_barrier(Run& run, std::span<const std::unique_ptr<Cluster>> clusters);

}  // namespace warplens::simt::sass_machine
