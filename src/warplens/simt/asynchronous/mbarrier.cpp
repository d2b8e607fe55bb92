#include "warplens/simt/asynchronous/mbarrier.h"

namespace warplens::simt {
namespace {

void finish(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return;
  state.phase ^= 1;
  state.pending = state.expected;
}

void arrive(MbarrierState& state, uint32_t count) {
  state.pending -= count;
  finish(state);
}

}  // namespace

bool apply_mbarrier(MbarrierState& state, MbarrierOp what, uint32_t value) {
  switch (what) {
    case MbarrierOp::kInit:
      state = {};
      state.expected = state.pending = value;
      return value > 0 && value < (1u << 20);
    case MbarrierOp::kInvalidate: state = {}; return true;
    case MbarrierOp::kExpect: complete_bytes(state, -static_cast<int64_t>(value)); return true;
    case MbarrierOp::kComplete: complete_bytes(state, value); return true;
    case MbarrierOp::kArriveExpect:
    case MbarrierOp::kDropExpect:
      state.bytes = state.bytes + static_cast<int64_t>(value);
      if (what == MbarrierOp::kDropExpect) state.expected = state.expected - 1;
      if (state.pending < 1) return false;
      arrive(state, 1);
      return true;
    case MbarrierOp::kDrop: state.expected = state.expected - value; [[fallthrough]];
    case MbarrierOp::kArrive:
    case MbarrierOp::kCopyArrive:
      if (state.pending < value) return false;
      arrive(state, value);
      return true;
    case MbarrierOp::kCopyTrack: return true;
  }
  return true;
}

void complete_bytes(MbarrierState& state, int64_t bytes) {
  state.bytes = state.bytes - bytes;
  finish(state);
}

}  // namespace warplens::simt
