// Races: two accesses to one byte by different threads, one of them a write, neither happening before the other, and
// not both strong operations of scopes that include each other.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/checks/confirmed_read.h"
#include "warplens/run/ptx/checks/only_user.h"
#include "warplens/simt/checks/defects.h"
#include "warplens/simt/checks/words.h"

namespace warplens::simt::ptx_machine {
namespace {

const char* worker(Agent agent) {
  switch (agent) {
    case Agent::kCopy: return "cp.async's ";
    case Agent::kBulkRead:
    case Agent::kBulkWrite:
    case Agent::kMbarrier: return "asynchronous copy's ";
    case Agent::kMatrix: return "wgmma's ";
    default: return "";
  }
}

/// What would have ordered an access after one by `before`.
/// `at_once`: both are stores of one instruction.
std::string remedy(const AccessRecord& before, uint32_t warp, uint64_t warps_per_block, bool fence_missing,
                   bool at_once) {
  if (fence_missing)
    return "add fence.proxy.async between the two, because the second access bypasses ordinary memory order";
  switch (before.agent) {
    case Agent::kCopy: return "wait for the copy with cp.async.wait_group; other threads also need a barrier";
    case Agent::kBulkRead: return "wait until the copy has read: cp.async.bulk.wait_group.read";
    case Agent::kBulkWrite: return "wait for the copy with cp.async.bulk.wait_group";
    case Agent::kMbarrier: return "wait until the mbarrier of the copy has completed its phase";
    case Agent::kMatrix: return "wait until wgmma has read: wgmma.wait_group";
    default: break;
  }
  if (before.warp == warp && at_once)
    return "one instruction stores different values for several threads, and the value that stays is undefined: let "
           "one "
           "thread store, or use an atomic";
  if (before.warp == warp) return "add __syncwarp() between the two accesses of this warp";
  return std::string(what_orders(before.warp / warps_per_block == warp / warps_per_block));
}

}  // namespace

ShadowWord& Checker::word_at(const Location& place, Address at) {
  return place.cta ? place.cta->checks->words[at / 4] : log.global_word(at);
}

/// Whether what `before` did is known to `lane`; `fenced`: and carried past the proxy of asynchronous operations.
bool Checker::ordered(const Warp& w, uint32_t lane, const AccessRecord& before, bool fenced) const {
  const WarpChecks& mine = *w.checks;
  const Clock* known = mine.known[lane].get();
  const bool own = before.warp == mine.number;
  const Agent agent = fenced ? Agent::kFenced : before.agent;
  for (uint32_t left = before.lanes; left; left &= left - 1) {
    const auto other = static_cast<uint32_t>(std::countr_zero(left));
    if (agent == Agent::kThread && own && (other == lane || mine.met[lane][other] >= before.clock)) continue;
    const bool waits = agent >= Agent::kCopy && agent <= Agent::kMatrix;
    if (waits && own && other == lane && mine.waited[static_cast<size_t>(agent) - 2][lane] >= before.clock) continue;
    if (!known || known->at(actor(agent, before.number), other) < before.clock) return false;
  }
  return true;
}

/// Of an access that lanes make together, one that knows is enough.
bool Checker::ordered(const Warp& w, const Touch& touch, const AccessRecord& before, bool fenced) const {
  for (uint32_t left = touch.lanes ? touch.lanes : 1u << touch.lane; left; left &= left - 1) {
    if (ordered(w, static_cast<uint32_t>(std::countr_zero(left)), before, fenced)) return true;
  }
  return false;
}

/// Whether a store leaves the bytes as they are, or writes what another lane of the instruction does: many threads
/// writing one value is no race between those writes.
bool Checker::stores_same(Warp& w, const Op& op, uint32_t lane, const Address* all, uint32_t done,
                          const Location& place) const {
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
  for (uint32_t left = done; left; left &= left - 1) {
    const auto other = static_cast<uint32_t>(std::countr_zero(left));
    if (all[other] == all[lane])
      return equal([&](uint32_t k) { return (value(k, other) & used) == (value(k, lane) & used); });
  }
  const uint8_t* memory = place.cta ? place.cta->shared + place.at : reinterpret_cast<const uint8_t*>(place.at);
  return equal([&](uint32_t k) {
    const uint64_t stored = value(k, lane);
    return std::memcmp(memory + k * op.size, &stored, op.size) == 0;
  });
}

void Checker::check_race(Warp& w, const Op& op, const Touch& touch, const Location& place) {
  AccessRecord mine;
  mine.agent = touch.agent;
  mine.warp = w.checks->number;
  mine.number = touch.agent == Agent::kThread ? mine.warp : touch.number;
  mine.clock = touch.agent == Agent::kThread ? w.checks->clock : touch.clock;
  mine.row = op.row;
  mine.lanes = touch.lanes ? touch.lanes : touch.alike ? touch.alike : 1u << touch.lane;
  mine.flags = static_cast<uint8_t>((touch.strong ? kStrong : 0) | (touch.wide ? kWideScope : 0));
  for_words(place.at, touch.size_bytes, [&](Address word, uint8_t bytes) {
    mine.bytes = bytes;
    ShadowWord& known = word_at(place, word);
    if (!touch.alike || known.writes.empty()) return race_in_word(w, op, touch, place, word, mine, &known);
    Touch one = touch;
    AccessRecord its = mine;
    for (uint32_t left = touch.alike; left; left &= left - 1) {
      one.lane = static_cast<uint32_t>(std::countr_zero(left));
      its.lanes = 1u << one.lane;
      race_in_word(w, op, one, place, word, its, &known);
    }
  });
}

void Checker::race_in_word(Warp& w, const Op& op, const Touch& touch, const Location& place, Address at,
                           const AccessRecord& mine, ShadowWord* word) {
  constexpr uint64_t kWidest = 16;  // of an ordinary access; of longer ones the word is told
  const Location told = touch.size_bytes <= kWidest ? place : Location{place.cta, at};
  log.access(
      word, mine, touch.writes, touch.same_value,
      [&](const AccessRecord& r, bool wrote) {
        const bool known = ordered(w, touch, r, false);
        return Order{known, known && wrote && touch.asynchronous_proxy && r.agent == Agent::kThread &&
                                !ordered(w, touch, r, true)};
      },
      [&](const AccessRecord& r, bool wrote, const Order& order) {
        report_race(w, op, touch, told, r, wrote, order.fence_missing);
      });
}

std::string Checker::describe(const Warp& w, const Location& place) const {
  if (place.cta == w.cta) return fmt::format("offset {} of shared memory", place.at);
  if (place.cta) {
    const Dim3& b = place.cta->index;
    return fmt::format("offset {} of the shared memory of block ({},{},{})", place.at, b[0], b[1], b[2]);
  }
  return describe_place(*grid_.memory, place.at);
}

void Checker::report_race(Warp& w, const Op& op, const Touch& touch, const Location& place, const AccessRecord& before,
                          bool wrote, bool fence_missing) {
  const size_t told = report(
      "race", w, op, touch.lane,
      not_ordered(worker(touch.agent), touch.writes, touch.size_bytes, describe(w, place), worker(before.agent), wrote),
      place.at, static_cast<uint32_t>(touch.size_bytes), &before);
  if (told == log.found.reports.size()) return;
  const bool at_once = touch.writes && wrote && op.row == before.row;
  log.advise(told, op.row, before.row, remedy(before, w.checks->number, grid_.warps_per_block, fence_missing, at_once));
  note_racing_read(told, w, op, touch.lane, touch.writes, before, wrote);
}

void Checker::note_racing_read(size_t report, Warp& w, const Op& op, uint32_t lane, bool writes,
                               const AccessRecord& before, bool wrote) {
  RacingReads& reads = racing_reads_[report];
  const bool threads = before.agent == Agent::kThread && op.row != kNoRow && before.row != kNoRow;
  if ((writes && wrote) || !threads) {
    reads.only = false;
    return;
  }
  std::vector<bool>& by =
      reads.threads.try_emplace(writes ? before.row : op.row, grid_.threads_per_block).first->second;
  if (!writes) {
    by[w.index * kLanes + lane] = true;
    return;
  }
  const uint32_t warp = before.warp % grid_.warps_per_block, self = before.warp == w.checks->number ? 1u << lane : 0;
  for (uint32_t lanes = before.lanes & ~self; lanes; lanes &= lanes - 1)
    by[warp * kLanes + static_cast<uint32_t>(__builtin_ctz(lanes))] = true;
}

bool Checker::nobody_minds(const RacingReads& reads) const {
  for (const auto& [row, threads] : reads.threads) {
    if (reads.only && is_confirmed(*grid_.program, row)) continue;
    const uint32_t user = only_user(*grid_.program, row, storing_);
    if (user == kSeveral || user == kNobody || threads[user]) return false;
  }
  return reads.only;
}

void Checker::finish() {
  log.finish([&](size_t report) {
    const auto race = racing_reads_.find(report);
    return race != racing_reads_.end() && nobody_minds(race->second);
  });
}

}  // namespace warplens::simt::ptx_machine
