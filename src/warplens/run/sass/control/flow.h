// Where the lanes of a warp go: splits that part at branches and meet at convergence barriers.
#pragma once
#include <algorithm>

#include "warplens/run/sass/op.h"

namespace warplens::simt::sass_machine {

class Decoder;

/// Where a branch goes in code of so many instructions; the last stops the run.
inline uint32_t branch_target(const Op& op, size_t ops) {
  return std::min(op.index + 1 + static_cast<uint32_t>(op.offset), static_cast<uint32_t>(ops - 1));
}
/// The first ready split.
bool select_other(Warp& warp);
/// Makes a ready split the current one: the present one if it can continue. False when no split of the warp can run.
inline bool select_split(Warp& warp) {
  if (warp.current >= warp.splits.size() || warp.splits[warp.current].state != Split::State::kReady)
    return select_other(warp);
  warp.pc = warp.splits[warp.current].pc;
  warp.active = warp.splits[warp.current].lanes;
  return true;
}
/// Gives another ready split its turn, so that spinning lanes do not starve the rest.
void rotate_split(Warp& warp);
/// The current split continues at `pc` with `lanes`.
void keep_current(Warp& warp, uint32_t pc, uint32_t lanes);
/// The result of a branch-like instruction that does not branch: execution continues with the next instruction.
inline void go_on(Warp& warp) { warp.stays = true; }
/// The current split waits as `until` says, then continues after the present instruction.
void wait_until(Warp& warp, const Split& until);
/// The current split is gone: those that wait for its lanes may continue.
void leave(Warp& warp);
/// A call of a function at a known distance: a branch that all lanes take.
bool prepare_direct_call(Decoder& decoder, Op& op);
/// If no split can run: lanes named by a *_sync that instead wait for the end of a branch are no longer named. Returns
/// those, 0 if that does not help.
uint32_t name_no_others(Warp& warp);
/// Lets the splits that wait at a block barrier continue.
void release_barrier(Warp& warp, uint32_t barrier);

}  // namespace warplens::simt::sass_machine
