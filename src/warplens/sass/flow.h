// Where the lanes of a warp go: splits that part at branches and meet at convergence barriers.
#pragma once
#include "warplens/sass/op.h"

namespace warplens::sass {

/// Makes a ready split the current one. False when no split of the warp can run.
bool select_split(Warp& warp);
/// Gives another ready split its turn, so that lanes that spin do not starve the rest.
void rotate_split(Warp& warp);
/// The current split goes on at `pc` with `lanes`: what a branch-like instruction does that branches nowhere.
void keep_current(Warp& warp, uint32_t pc, uint32_t lanes);
/// The current split waits as `until` says and goes on behind the instruction that runs.
void wait_until(Warp& warp, const Split& until);
/// Lets the splits that wait at a block barrier go on.
void release_barrier(Warp& warp, uint32_t barrier);

}  // namespace warplens::sass
