// Stores of what is there already, and reads whose value no other thread goes on with: these are no races.
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/checks/confirmed_read.h"
#include "warplens/run/ptx/checks/only_user.h"

namespace warplens::simt::ptx_machine {

/// Whether a store leaves the bytes as they are, or writes what another lane of the instruction does: many threads
/// writing one value is no race between those writes.
bool ThreadChecker::stores_same(Warp& w, const Op& op, const Address* all, uint32_t done, const Touch& touch) const {
  const uint32_t lane = touch.lane;
  const auto value = [&](uint32_t k, uint32_t of) {
    const uint32_t slot = op.vector == 1 ? op.d : w.program->slots[op.elements + k];
    return op.size == 8 ? w.lanes<uint64_t>(slot)[of] : w.lanes<uint32_t>(slot)[of];
  };
  const auto equal = [&](const auto& is_equal) {
    for (uint32_t k = 0; k < op.vector; ++k) {
      if (!is_equal(k)) return false;
    }
    return true;
  };
  const uint64_t used = op.size == 8 ? ~uint64_t{0} : (uint64_t{1} << (op.size * 8)) - 1;
  for (const uint32_t other : set_bits(done)) {
    if (all[other] == all[lane])
      return equal([&](uint32_t k) { return (value(k, other) & used) == (value(k, lane) & used); });
  }
  const uint8_t* memory = touch.place.bytes();
  return equal([&](uint32_t k) {
    const uint64_t stored = value(k, lane);
    return std::memcmp(memory + k * op.size, &stored, op.size) == 0;
  });
}

void ThreadChecker::raced(size_t report, const CheckedWarp& w, const simt::Touch& touch, const AccessRecord& before,
                          bool wrote) {
  RacingReads& reads = racing_reads_[report];
  const bool threads = before.agent == Agent::kThread && touch.row != kNoRow && before.row != kNoRow;
  if ((touch.writes && wrote) || !threads) {
    reads.only = false;
    return;
  }
  std::vector<bool>& by =
      reads.threads.try_emplace(touch.writes ? before.row : touch.row, grid_.threads_per_block).first->second;
  const auto thread = [&](uint32_t warp, uint32_t lane) { return warp % grid_.warps_per_block * kLanes + lane; };
  if (!touch.writes) {
    by[thread(w.number, touch.lane)] = true;
    return;
  }
  const uint32_t self = before.warp == w.number ? 1u << touch.lane : 0;
  for (const uint32_t lane : set_bits(before.lanes & ~self)) by[thread(before.warp, lane)] = true;
}

bool ThreadChecker::nobody_minds(const RacingReads& reads) const {
  for (const auto& [row, threads] : reads.threads) {
    if (reads.only && is_confirmed(*grid_.program, row)) continue;
    const uint32_t user = only_user(*grid_.program, row, storing_);
    if (user == kSeveral || user == kNobody || threads[user]) return false;
  }
  return reads.only;
}

void ThreadChecker::finish() {
  log.finish([&](size_t report) {
    const auto race = racing_reads_.find(report);
    return race != racing_reads_.end() && nobody_minds(race->second);
  });
}

}  // namespace warplens::simt::ptx_machine
