// Where the lanes of a warp go: splits that part at branches and meet at convergence barriers.
#pragma once
#include "warplens/sass/op.h"

namespace warplens::sass {

/// Makes a ready split the current one. False when no split of the warp can run.
bool select_split(Warp& warp);
/// Gives another ready split its turn, so that lanes that spin do not starve the rest.
void rotate_split(Warp& warp);
/// Lets the splits that wait at a block barrier go on.
void release_barrier(Warp& warp, uint32_t barrier);

}  // namespace warplens::sass
