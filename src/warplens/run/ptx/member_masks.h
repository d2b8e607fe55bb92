// The member masks of *.sync instructions: the lanes that each lane names.
#pragma once
#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

inline const uint32_t* member_masks(Warp& w, const Op& op) {
  return w.lanes<uint32_t>(static_cast<uint32_t>(op.value));
}

/// Living lanes that any of `lanes` names.
inline uint32_t members(Warp& w, const Block& b, const Op& op, uint32_t lanes) {
  const uint32_t* masks = member_masks(w, op);
  if (b.same_members) return masks[0] & w.live;
  uint32_t named = 0;
  for (; lanes; lanes &= lanes - 1) named |= masks[__builtin_ctz(lanes)];
  return named & w.live;
}

/// Those of `lanes` that name the same members as the first of them.
inline uint32_t group_of(Warp& w, const Op& op, uint32_t lanes) {
  const uint32_t* masks = member_masks(w, op);
  uint32_t same = 0;
  for (const uint32_t lane : set_bits(lanes))
    same |= static_cast<uint32_t>(masks[lane] == masks[__builtin_ctz(lanes)]) << lane;
  return same;
}

/// No lanes are ready. Lanes that wait for others of their warp may have got them meanwhile (some exited), or are
/// released. If nothing else can happen, all are. True if any are.
bool release_lanes(Warp& warp, bool force);

}  // namespace warplens::simt::ptx_machine
