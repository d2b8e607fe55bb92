// Machine instructions on mbarriers: SYNCS, and the arrivals and groups of copies that threads make themselves.
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/model/constants.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/asynchronous.h"

namespace warplens::simt::sass_machine {
namespace {

using simt::MbarrierOp, simt::MbarrierState;

constexpr int kExpectedAt = 1, kBytesAt = 21, kPendingAt = 43, kPhaseAt = 63;
constexpr int kCountBits = 20, kByteBits = 22;
constexpr uint64_t kCountMask = (1u << kCountBits) - 1, kByteMask = (1u << kByteBits) - 1;

/// Bits 84 to 86 of an arrival: what it adds to arrivals and to bytes.
enum Amount : uint32_t { kOneAndBytes, kOne, kOneByte, kExpect, kComplete, kByCount };

/// The 32-bit shared address that a lane names.
uint32_t address_of(Warp& w, const Op& op, uint32_t lane) {
  return w.in(op.a)[lane] + w.in(op.c)[lane] + static_cast<uint32_t>(op.offset);
}
void set_address(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.c = d.uniform_high(op.word);
  op.offset = op.word.signed_bits(40, 24);
}

/// nullptr after a stop.
uint8_t* mbarrier_bytes(Warp& w, uint32_t address) {
  constexpr uint32_t kSize = 8;
  if (address % kSize == 0) return cluster_bytes(w, address, kSize);
  stop_misaligned(w, address, kSize);
  return nullptr;
}

MbarrierOp operation(uint32_t amount, bool drops) {
  switch (amount) {
    case kOneAndBytes: return drops ? MbarrierOp::kDropExpect : MbarrierOp::kArriveExpect;
    case kOneByte:
    case kExpect: return MbarrierOp::kExpect;
    case kComplete: return MbarrierOp::kComplete;
    default: return drops ? MbarrierOp::kDrop : MbarrierOp::kArrive;
  }
}

// mode bits of arrivals, above the amount
constexpr uint32_t kDrops = 8, kMasked = 16;

void arrive(Warp& w, const Op& op, uint32_t on) {
  const uint32_t amount = op.mode & 7, *b = w.in(op.b);
  const Cycles time = issue_time(w, op, false);
  uint32_t* old = w.row(op.target);
  uint64_t first = 0;
  for (uint32_t left = on; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t value = amount == kOne || amount == kOneByte ? 1 : b[lane];
    uint64_t before = 0;
    if (!signal_mbarrier(w, address_of(w, op, lane), operation(amount, op.mode & kDrops), value, time, &before)) return;
    if (left == on) first = before;
    // Masked, lanes learn who came with them and what was there before all of them.
    old[lane] = op.mode & kMasked ? on : static_cast<uint32_t>(before);
    old[lane + kLanes] = static_cast<uint32_t>((op.mode & kMasked ? first : before) >> 32);
  }
}

/// The clock of a warp in a stretch of code is not before `time`.
void meet_within(Warp& w, const Op& op, const Cycles& time) {
  const auto before = static_cast<uint64_t>(w.block->run->schedules[op.index].before);
  Cycles within = time;
  for (uint64_t& cycles : within) cycles -= before;
  w.clock->meet(within);
}

/// After a phase that passed, the other warps look first. Copies here end as soon as they begin, so the warp could pass
/// two more phases before another looks. That one would take the third phase for the first and wait for ever.
void end_turn(Warp& w) { w.yields = true; }

/// Has the phase ended whose parity stands in bit 31 of b? With .TRYWAIT the warp waits until it has.
template <bool kWaits>
void check_phase(Warp& w, const Op& op, uint32_t on) {
  uint32_t passed = 0, first = 0;
  bool alike = true;
  for (uint32_t left = on; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t address = address_of(w, op, lane);
    if (left == on) first = address;
    alike &= address == first && w.in(op.b)[lane] >> 31 == w.in(op.b)[std::countr_zero(on)] >> 31;
    const uint8_t* bytes = mbarrier_bytes(w, address);
    if (!bytes) return;
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    passed |= static_cast<uint32_t>(word >> kPhaseAt != w.in(op.b)[lane] >> 31) << lane;
  }
  const bool waits = kWaits && alike && passed != on;
  w.set(op.set0, waits ? on : passed, on);
  if (!waits) {
    if (passed == on) {
      if (alike) meet_within(w, op, w.block->cluster->signals[first]);
      if (!kWaits) return go_on(w);
      keep_current(w, w.next, w.active);
      return end_turn(w);
    }
    keep_current(w, w.next, w.active);
    w.block->polled = true;
    rotate_split(w);
    w.yields = true;
    return;
  }
  Split until;
  until.state = Split::State::kPhase;
  until.barrier = first;
  until.parity = w.in(op.b)[std::countr_zero(on)] >> 31 != 0;
  wait_until(w, until);
}

bool prepare_syncs(Decoder& d, Op& op) {
  const Word& word = op.word;
  set_address(d, op);
  op.b = d.source(word.bits(32, 8));
  if (word.form() == 2) {
    op.run = word.bit(72) ? check_phase<true> : check_phase<false>;
    op.flow = true;
    return (word.bits(73, 8) & ~8u) == 0;  // bit 76 is always set since sm_100
  }
  const uint32_t amount = word.bits(84, 3);
  op.mode = amount | (word.bit(75) ? kDrops : 0) | (word.bit(73) ? kMasked : 0);
  op.run = arrive;
  return word.form() == 4 && amount <= kByCount;
}

/// Once a warp: the address and the value are uniform.
void exchange(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  uint8_t* bytes = mbarrier_bytes(w, w.in(op.a)[w.some_lane()] + static_cast<uint32_t>(op.offset));
  if (!bytes) return;
  uint64_t old;
  std::memcpy(&old, bytes, 8);
  const uint64_t value = wide(w.in(op.b), static_cast<int>(w.some_lane()));
  std::memcpy(bytes, &value, 8);
  Lanes low, high;
  for (int i = 0; i < kLanes; ++i) {
    low.value[i] = static_cast<uint32_t>(old);
    high.value[i] = static_cast<uint32_t>(old >> 32);
  }
  store(w.row(op.target), low, kAll);
  store(w.row(op.target) + kLanes, high, kAll);
}
bool prepare_exchange(Decoder& d, Op& op) {
  op.a = d.uniform(op.word.bits(24, 8));
  op.b = d.uniform(op.word.bits(32, 8));
  op.offset = op.word.signed_bits(40, 24);
  op.run = exchange;
  return op.word.form() == 2 && op.word.bits(70, 5) == 4;
}

void invalidate(Warp& w, const Op& op, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t address = address_of(w, op, lane);
    if (!signal_mbarrier(w, address, MbarrierOp::kInvalidate, 0, {})) return;
  }
}
/// .IVALL names none: an mbarrier that a store began is seen after it, as it is here without it.
void invalidate_none(Warp&, const Op&, uint32_t) {}
bool prepare_invalidate(Decoder& d, Op& op) {
  constexpr int kNamesOne = 91;
  set_address(d, op);
  op.run = op.word.bit(kNamesOne) ? invalidate : invalidate_none;
  return op.word.form() == 4;
}

void raise(Cycles* time, const Cycles& other) {
  for (size_t level = 0; level < kMemoryLevels; ++level) (*time)[level] = std::max((*time)[level], other[level]);
}

/// LDGDEPBAR: the copies so far are a group.
void end_group(Warp& w, const Op&, uint32_t) {
  if (!w.block->run->counted) return;
  OpenCopies& copies = w.block->cluster->copies[&w];
  copies.groups.push_back(copies.latest);
}
bool prepare_end_group(Decoder&, Op& op) {
  op.run = end_group;
  return true;
}

/// DEPBAR.LE: waits until as few groups are under way as the instruction says; of loads it says what schedules say too.
void wait_for_groups(Warp& w, const Op& op, uint32_t) {
  if (!w.block->run->counted) return;
  const auto at = w.block->cluster->copies.find(&w);
  if (at == w.block->cluster->copies.end()) return;
  std::vector<Cycles>& groups = at->second.groups;
  if (groups.size() <= op.mode) return;
  const auto left = groups.end() - static_cast<std::ptrdiff_t>(op.mode);
  meet_within(w, op, *(left - 1));
  groups.erase(groups.begin(), left);
}
bool prepare_wait_for_groups(Decoder&, Op& op) {
  op.mode = static_cast<uint32_t>(op.word.bits(38, 6));
  op.run = wait_for_groups;
  return true;
}

/// A thread's own copies arrive as the last of them does.
void copies_arrive(Warp& w, const Op& op, uint32_t on) {
  Cycles time = issue_time(w, op, false);
  if (w.block->run->counted) raise(&time, w.block->cluster->copies[&w].latest);
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t address = address_of(w, op, lane);
    if (!signal_mbarrier(w, address, op.mode ? MbarrierOp::kComplete : MbarrierOp::kArrive, 1, time)) return;
  }
}

/// Before sm_90 a barrier's low word is 2^30 less what a phase expects; its high word's highest bit is the phase, the
/// others are 2^31 less what is pending.
uint64_t arrived_before90(uint64_t word) {
  constexpr uint32_t kPhase = 0x80000000u, kExpected = 0x3fffffffu;
  uint32_t pending = static_cast<uint32_t>(word >> 32) + 1;  // the last arrival carries into the phase
  const uint32_t expected = (0 - static_cast<uint32_t>(word)) & kExpected;
  if ((pending & ~kPhase) == 0) pending |= (kPhase - expected) & ~kPhase;
  return uint64_t{pending} << 32 | static_cast<uint32_t>(word);
}
void arrive_before90(Warp& w, const Op& op, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    uint8_t* bytes = shared_bytes(w, address_of(w, op, lane), 8);
    if (!bytes) return;
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    w.row(op.target)[lane] = static_cast<uint32_t>(word);
    w.row(op.target)[lane + kLanes] = static_cast<uint32_t>(word >> 32);
    word = arrived_before90(word);
    std::memcpy(bytes, &word, 8);
  }
  if (op.opcode == Opcode::kAtoms) {
    ++w.count->requests;
    ++w.count->shared_requests;
    w.count->wavefronts += static_cast<uint64_t>(std::popcount(on));
    w.count->ideal_wavefronts += 1;
  }
  w.block->polled = true;  // code looks whether the phase has ended by loads
}

bool prepare_copies_arrive(Decoder& d, Op& op) {
  // 1 an arrival that was expected, 2 takes back one that was announced; 0 before sm_90, whose code announces by
  // itself.
  const uint32_t kind = op.word.bits(70, 2) | op.word.bits(76, 2);
  set_address(d, op);
  if (d.program().architecture < 90) {
    op.target = d.layout().trash;
    op.run = arrive_before90;
    return op.word.form() == 4 && kind == 0;
  }
  op.mode = kind == 2;
  op.run = copies_arrive;
  return op.word.form() == 4 && (kind == 1 || kind == 2);
}

}  // namespace

bool prepare_arrival_before90(Decoder& d, Op& op) {
  set_address(d, op);
  op.run = arrive_before90;
  return op.word.bit(74);  // .64
}

MbarrierState mbarrier_state(uint64_t word) {
  MbarrierState out{};
  out.phase = word >> kPhaseAt;
  out.expected = (0 - (word >> kExpectedAt)) & kCountMask;
  out.pending = (0 - (word >> kPendingAt)) & kCountMask;
  out.bytes = static_cast<int64_t>(word << (64 - kBytesAt - kByteBits)) >> (64 - kByteBits);
  return out;
}
uint64_t mbarrier_word(const MbarrierState& state) {
  return uint64_t{state.phase} << kPhaseAt | ((0 - uint64_t{state.expected}) & kCountMask) << kExpectedAt |
         ((0 - uint64_t{state.pending}) & kCountMask) << kPendingAt |
         (static_cast<uint64_t>(int64_t{state.bytes}) & kByteMask) << kBytesAt;
}

bool signal_mbarrier(Warp& w, uint32_t address, MbarrierOp what, uint32_t value, const Cycles& time, uint64_t* before) {
  uint8_t* bytes = mbarrier_bytes(w, address);
  if (!bytes) return false;
  uint64_t word;
  std::memcpy(&word, bytes, 8);
  if (before) *before = word;
  MbarrierState state = mbarrier_state(word);
  if (!simt::apply_mbarrier(state, what, value)) {
    w.block->fail(Stop::Kind::kTrap, "more arrivals at an mbarrier than it expects");
    return false;
  }
  word = mbarrier_word(state);
  std::memcpy(bytes, &word, 8);
  raise(&w.block->cluster->signals[address], time);
  return true;
}

void note_copy_under_way(Warp& w, const Op& op) {
  Schedule copy = w.block->run->schedules[op.index], use;
  copy.write = 0, copy.wait = 0;
  use.wait = 1;
  use.before = copy.before;
  Clock then = *w.clock;
  then.issue(copy, {w.extra_cycles, w.line_doublings, w.close_by});
  then.issue(use, {});
  Cycles time = then.now();
  for (uint64_t& cycles : time) cycles += static_cast<uint64_t>(copy.before);
  raise(&w.block->cluster->copies[&w].latest, time);
}

Cycles issue_time(const Warp& w, const Op& op, bool with_latency) {
  const Schedule& schedule = w.block->run->schedules[op.index];
  Cycles out = w.clock->now();
  for (size_t level = 0; level < kMemoryLevels; ++level)
    out[level] += static_cast<uint64_t>(schedule.before + (with_latency ? schedule.latency[level] : 0));
  return out;
}

Cycles arrival_of_bulk(const Warp& w, const Op& op, uint64_t bytes) {
  const Cycles latency = cycles_of(sass::Latency::kGlobal);
  const auto more = static_cast<uint64_t>(model::kEngineCycles + static_cast<double>(bytes) / model::kEngineBytes);
  Cycles out = issue_time(w, op, false);
  for (size_t level = 0; level < kMemoryLevels; ++level) out[level] += latency[std::max<size_t>(level, 1)] + more;
  return out;
}

bool has_come(Warp& w, const Split& split) {
  if (split.state == Split::State::kGrid) return split.barrier != w.block->run->grid_phase;
  Cluster& cluster = *w.block->cluster;
  if (split.state == Split::State::kCluster) {
    if (split.barrier == cluster.phase) return false;
    w.clock->meet(cluster.opened);
    return true;
  }
  const uint8_t* bytes = cluster_bytes(w, split.barrier, 8);
  if (!bytes) return false;
  uint64_t word;
  std::memcpy(&word, bytes, 8);
  if ((word >> kPhaseAt != 0) == split.parity) return false;
  w.clock->meet(cluster.signals[split.barrier]);
  return true;
}

const Row kMbarrierRows[] = {
    {Opcode::kSyncs, prepare_syncs},
    {Opcode::kArrives, prepare_copies_arrive},
    {Opcode::kLdgdepbar, prepare_end_group},
    {Opcode::kDepbar, prepare_wait_for_groups},
    {Opcode::kSyncsCctl, prepare_invalidate},
    {Opcode::kSyncsExch, prepare_exchange},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
