#include "warplens/emulator/mbarrier.h"

#include <bit>
#include <cstring>

#include "warplens/emulator/checks/checker.h"
#include "warplens/emulator/resolve.h"

namespace warplens::emulator {
namespace {

constexpr uint32_t kFailedWait = 256;  // what a wait in vain adds to Warp::spin

void finish(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return;
  state.phase ^= 1;
  state.pending = state.expected;
}

void arrive(MbarrierState& state, uint32_t count) {
  state.pending -= count;
  finish(state);
}

/// False when the object cannot take it.
bool apply(MbarrierState& state, MbarrierOp what, uint32_t value) {
  switch (what) {
    case MbarrierOp::kInit:
      state = {};
      state.expected = state.pending = value;
      return value > 0 && value < (1u << 20);
    case MbarrierOp::kInvalidate:
      state = {};
      return true;
    case MbarrierOp::kExpect:
      state.bytes = state.bytes + static_cast<int64_t>(value);
      return true;
    case MbarrierOp::kComplete:
      complete_bytes(state, value);
      return true;
    case MbarrierOp::kArriveExpect:
    case MbarrierOp::kDropExpect:
      state.bytes = state.bytes + static_cast<int64_t>(value);
      if (what == MbarrierOp::kDropExpect) state.expected = state.expected - 1;
      if (state.pending < 1) return false;
      arrive(state, 1);
      return true;
    case MbarrierOp::kDrop:
      state.expected = state.expected - value;
      [[fallthrough]];
    case MbarrierOp::kArrive:
    case MbarrierOp::kCopyArrive:
      if (state.pending < value) return false;
      arrive(state, value);
      return true;
  }
  return true;
}

MbarrierState* object(Warp& w, const Op& op, uint32_t lane) {
  const Address address = w.lanes<uint64_t>(op.a)[lane];
  if (address % 8 != 0) {
    raise_misaligned(w, op, lane, address, 8);
    return nullptr;
  }
  uint8_t* bytes = resolve_generic(w, op, lane, address, 8, true);
  if (bytes == nullptr) raise_address(w, op, lane, address, 8, "shared", true);
  return reinterpret_cast<MbarrierState*>(bytes);
}

}  // namespace

void complete_bytes(MbarrierState& state, int64_t bytes) {
  state.bytes = state.bytes - bytes;
  finish(state);
}

void run_mbarrier(Warp& w, const Op& op) {
  for (uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    MbarrierState* state = object(w, op, lane);
    if (state == nullptr) return;
    const uint64_t before = std::bit_cast<uint64_t>(*state);
    if (w.checks) mbarrier_arrive(w, state, static_cast<MbarrierOp>(op.mode) == MbarrierOp::kCopyArrive);
    const uint32_t value = op.b == kNoSlot ? 1 : w.lanes<uint32_t>(op.b)[lane];
    if (!apply(*state, static_cast<MbarrierOp>(op.mode), value)) {
      return raise(w, op, Fault::Kind::kInvalid, lane, w.lanes<uint64_t>(op.a)[lane],
                   "more arrivals at an mbarrier than it expects in this phase, or a count that it cannot hold");
    }
    if (op.d != kNoSlot) w.lanes<uint64_t>(op.d)[lane] = before;
  }
}

void run_mbarrier_wait(Warp& w, const Op& op) {
  uint32_t passed = 0;
  for (uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const MbarrierState* state = object(w, op, lane);
    if (state == nullptr) return;
    const bool parity = op.mode == 1;
    const uint64_t waited =
        parity ? w.lanes<uint32_t>(op.b)[lane] & 1 : std::bit_cast<MbarrierState>(w.lanes<uint64_t>(op.b)[lane]).phase;
    if (state->phase != waited) passed |= 1u << lane;
  }
  if (w.checks && passed) mbarrier_pass(w, object(w, op, static_cast<uint32_t>(std::countr_zero(passed))), passed);
  uint32_t& predicate = w.predicate(op.d);
  predicate = (predicate & ~w.mask) | passed;
  if (passed != w.mask) w.spin += kFailedWait;
}

void run_pending_count(Warp& w, const Op& op) {
  for (uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    w.lanes<uint32_t>(op.d)[lane] =
        static_cast<uint32_t>(std::bit_cast<MbarrierState>(w.lanes<uint64_t>(op.a)[lane]).pending);
  }
}

}  // namespace warplens::emulator
