#include "warplens/run/ptx/asynchronous/mbarrier.h"

#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint32_t kFailedWait = 256;  // what a wait in vain adds to Warp::spin

MbarrierState* object_at(Warp& w, const Op& op, uint32_t lane, Address address) {
  if (address % 8 != 0) {
    raise_misaligned(w, op, lane, address, 8);
    return nullptr;
  }
  uint8_t* bytes = resolve_generic(w, op, lane, address, 8, true);
  if (bytes == nullptr) raise_address(w, op, lane, address, 8, "shared", true);
  return reinterpret_cast<MbarrierState*>(bytes);
}

MbarrierState* object(Warp& w, const Op& op, uint32_t lane) {
  return object_at(w, op, lane, w.lanes<uint64_t>(op.a)[lane]);
}

bool arrives(MbarrierOp what) {
  return what != MbarrierOp::kInit && what != MbarrierOp::kInvalidate && what != MbarrierOp::kExpect &&
         what != MbarrierOp::kComplete;
}

/// What the checks make of an operation; false when it must not be done.
bool check_before(Warp& w, const Op& op, uint32_t lane, const MbarrierState* state, MbarrierOp what, uint32_t value,
                  Agent before) {
  ThreadChecker& checker = *w.cta->cluster->grid->checker;
  if (what == MbarrierOp::kInit) return checker.mbarrier_init(w, op, lane, state, value);
  if (!checker.mbarrier_usable(w, op, lane, state)) return false;
  if (what == MbarrierOp::kInvalidate) checker.mbarrier_drop(w, state);
  if (!arrives(what)) return true;
  const bool expects = what == MbarrierOp::kArriveExpect || what == MbarrierOp::kDropExpect;
  constexpr int64_t kMostBytes = (1 << 20) - 1;
  if (expects && state->bytes + static_cast<int64_t>(value) > kMostBytes)
    checker.mbarrier_misused(w, op, lane, state,
                             fmt::format("expects {} bytes in a phase: at most {} are possible",
                                         state->bytes + static_cast<int64_t>(value), kMostBytes));
  const uint32_t arrivals = what == MbarrierOp::kCopyTrack ? 0 : expects ? 1 : value;
  if (arrivals > state->pending) {
    checker.mbarrier_misused(
        w, op, lane, state,
        fmt::format("gets {} arrivals, but its phase lacks only {} of {}", arrivals, state->pending, state->expected));
    return false;
  }
  checker.mbarrier_arrive(w, 1u << lane, state, before);
  return true;
}

/// Does it to an object, under checks if there are any. False after a fault. `before`: what works for the thread and
/// must be done, too.
bool operate(Warp& w, const Op& op, uint32_t lane, MbarrierState& state, MbarrierOp what, uint32_t value,
             Agent before) {
  const uint64_t phase = state.phase;
  if (w.checks && !check_before(w, op, lane, &state, what, value, before)) return true;
  if (!apply_mbarrier(state, what, value)) {
    raise(w, op, Fault::Kind::kInvalid, lane, w.lanes<uint64_t>(op.a)[lane],
          "more arrivals at an mbarrier than it expects in this phase, or a count that it cannot hold");
    return false;
  }
  if (w.checks && phase != state.phase && what != MbarrierOp::kInit)
    w.cta->cluster->grid->checker->mbarrier_complete(w, &state);
  w.cta->cluster->changes += 1;
  return true;
}

}  // namespace

bool arrive_after_matrices(Warp& w, const Op& op, uint32_t lane, Address address) {
  MbarrierState* state = object_at(w, op, lane, address);
  return state != nullptr && operate(w, op, lane, *state, MbarrierOp::kArrive, 1, Agent::kMatrix);
}

void run_mbarrier(Warp& w, const Op& op) {
  const auto what = op.mbarrier;
  const bool copies = what == MbarrierOp::kCopyArrive || what == MbarrierOp::kCopyTrack;
  for (const uint32_t lane : set_bits(w.mask)) {
    MbarrierState* state = object(w, op, lane);
    if (state == nullptr) return;
    const auto before = *state;
    const uint32_t value = op.b == kNoSlot ? 1 : w.lanes<uint32_t>(op.b)[lane];
    if (!operate(w, op, lane, *state, what, value, copies ? Agent::kCopy : Agent::kThread)) return;
    if (op.d != kNoSlot) w.lanes<uint64_t>(op.d)[lane] = std::bit_cast<uint64_t>(before);
  }
}

void run_mbarrier_wait(Warp& w, const Op& op) {
  uint32_t passed = 0;
  for (const uint32_t lane : set_bits(w.mask)) {
    const MbarrierState* state = object(w, op, lane);
    if (state == nullptr) return;
    if (w.checks && !w.cta->cluster->grid->checker->mbarrier_usable(w, op, lane, state)) {
      passed |= 1u << lane;  // it would wait for ever
      continue;
    }
    const bool parity = op.by_parity;
    const uint64_t waited =
        parity ? w.lanes<uint32_t>(op.b)[lane] & 1 : std::bit_cast<MbarrierState>(w.lanes<uint64_t>(op.b)[lane]).phase;
    if (state->phase == waited) continue;
    passed |= 1u << lane;
    if (w.checks) w.cta->cluster->grid->checker->mbarrier_pass(w, 1u << lane, state);
  }
  uint32_t& predicate = w.predicate(op.d);
  predicate = (predicate & ~w.mask) | passed;
  if (passed != 0) w.cta->cluster->changes += 1;
  w.gives_way = passed == w.mask;
  if (w.gives_way) return;
  w.spin += kFailedWait;
  const auto lane = static_cast<uint32_t>(std::countr_zero(w.mask & ~passed));
  w.waits_for = {op.row, lane, w.lanes<uint64_t>(op.a)[lane]};
}

void raise_mbarrier_deadlock(Warp& w) {
  const auto [row, lane, address] = w.waits_for;
  Op op;
  op.row = row;
  const Address offset = address & (kSharedWindow - 1);
  const uint64_t rank = rank_of(offset, w.cta->rank);
  const uint8_t* bytes = resolve_shared(w, offset, 8);
  MbarrierState state;
  if (bytes) std::memcpy(&state, bytes, sizeof state);
  uint32_t waiting = 0;
  for (const auto& other : w.cta->warps) waiting += static_cast<uint32_t>(std::popcount(other->live));
  raise(w, op, Fault::Kind::kDeadlock, lane, address,
        fmt::format(
            "deadlock: {} threads of the block wait, this one for the mbarrier at offset {} of shared memory{}, "
            "whose phase lacks {} of {} arrivals and {} bytes of copies",
            waiting, offset & kInBlock, rank == w.cta->rank ? "" : fmt::format(" of block {} of the cluster", rank),
            uint64_t{state.pending}, uint64_t{state.expected}, int64_t{state.bytes}));
}

void run_pending_count(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    w.lanes<uint32_t>(op.d)[lane] =
        static_cast<uint32_t>(std::bit_cast<MbarrierState>(w.lanes<uint64_t>(op.a)[lane]).pending);
  }
}

}  // namespace warplens::simt::ptx_machine
