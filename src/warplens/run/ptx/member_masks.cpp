#include "warplens/run/ptx/member_masks.h"

#include "warplens/run/ptx/barriers.h"
#include "warplens/run/ptx/place.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Lanes that wait where `op` may meet them: bar.warp.sync anywhere in the code, others on copies of their line.
uint32_t waiting_at(const Warp& w, const Op& op) {
  uint32_t lanes = 0;
  for (const Split& s : w.splits) {
    if (s.state != SplitState::kLanes && s.state != SplitState::kReleased) continue;
    const Op& other = w.program->ops[w.program->blocks[s.block].end_op];
    if (op.run == &run_nothing ? other.run == &run_nothing : same_line(*w.program, op.row, other.row)) lanes |= s.mask;
  }
  return lanes;
}

}  // namespace

bool release_lanes(Warp& w, bool force) {
  uint32_t waiting = 0;
  bool elsewhere = false;
  for (const Split& s : w.splits) {
    if (s.state == SplitState::kLanes) waiting |= s.mask;
    else elsewhere = true;
  }
  bool released = false;
  for (Split& s : w.splits) {
    if (s.state != SplitState::kLanes) continue;
    w.regs = s.node->frame.get();
    const Block& b = w.program->blocks[s.block];
    const Op& op = w.program->ops[b.end_op];
    const bool complete = (members(w, b, op, s.mask) & ~waiting) == 0;  // those it needs wait too, elsewhere
    if (!complete && elsewhere && !force) continue;
    s.waited_for &= ~waiting_at(w, op);
    s.state = SplitState::kReleased;
    released = true;
  }
  return released;
}

}  // namespace warplens::simt::ptx_machine
