// Accesses under checks: where lanes go, whether that is theirs, what is written there.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/atomics.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kInOneRun = 16;  // bytes of a lane whose registers lie one behind the other

/// The order of a load or store, bits 77 to 80: STRONG.CTA, STRONG.GPU, STRONG.SYS; others are weak.
enum : uint32_t { kStrongInBlock = 5, kStrongOnDevice = 7, kStrongInSystem = 10 };

uint32_t lanes_at(const Addresses& at, uint64_t address, uint32_t on) {
  uint32_t out = 0;
  for (uint32_t i = 0; i < kLanes; ++i) out |= (at.value[i] == address ? 1u : 0u) << i;
  return out & on;
}

/// Whether the lane's value of a store is what lies there.
bool holds(const Warp& w, const Op& op, uint32_t lane, const uint8_t* bytes) {
  const uint32_t* rows = w.in(op.b);
  if (op.size_bytes > kInOneRun) return false;
  if (op.size_bytes < 4) return std::memcmp(bytes, rows + lane, op.size_bytes) == 0;
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
    if (std::memcmp(bytes + 4 * word, rows + word * kLanes + lane, 4) != 0) return false;
  }
  return true;
}

/// True for two sums of the same 32 numbers: each lane of a butterfly rounds five times, and a fused multiply-add
/// rounds its own product less often than the other lane's. Either sum may stay. Words that are no normal floats are
/// compared bit for bit.
bool is_same_sum(uint32_t a, uint32_t b) {
  constexpr uint32_t kExponent = 0x7f800000, kMostRoundings = 5;
  const auto is_normal = [](uint32_t bits) { return (bits & kExponent) != 0 && (bits & kExponent) != kExponent; };
  return is_normal(a) && is_normal(b) && std::max(a, b) - std::min(a, b) <= kMostRoundings;
}

bool store_alike(const Warp& w, const Op& op, uint32_t lane, uint32_t other) {
  const uint32_t* rows = w.in(op.b);
  if (op.size_bytes > kInOneRun) return true;  // nobody says otherwise
  const uint32_t used = op.size_bytes < 4 ? (1u << 8 * op.size_bytes) - 1 : ~0u;
  for (uint32_t word = 0; word < std::max(op.size_bytes / 4u, 1u); ++word) {
    const uint32_t a = rows[word * kLanes + lane] & used, b = rows[word * kLanes + other] & used;
    if (a != b && !is_same_sum(a, b)) return false;
  }
  return true;
}

Touch touch_of(const Op& op, uint32_t lanes, uint32_t size_bytes) {
  Touch t;
  t.row = op.index;
  t.lanes = lanes;
  t.lane = static_cast<uint32_t>(std::countr_zero(lanes));
  t.size_bytes = size_bytes;
  t.alignment = std::has_single_bit(size_bytes) ? size_bytes : 1;
  t.may_be_partly_written = true;
  return t;
}

}  // namespace

WarpChecker::Facts WarpChecker::facts_of(const Op& op) const {
  Facts out;
  const Access access = access_of(instruction(op.opcode), op.word);
  switch (access) {
    case Access::kGenericLoad:
    case Access::kGlobalLoad:
    case Access::kGlobalCopy:
    case Access::kSharedLoad: out.reads = true; break;
    case Access::kGenericStore:
    case Access::kGlobalStore:
    case Access::kSharedStore: out.writes = true; break;
    case Access::kGenericAtomic:
    case Access::kGlobalAtomic:
    case Access::kReduction:
    case Access::kSharedAtomic: out.reads = out.writes = out.strong = true; break;
    default: return out;
  }
  out.matrices = moves_matrices(op.opcode);
  out.shared = access == Access::kSharedLoad || access == Access::kSharedStore || access == Access::kSharedAtomic;
  out.generic = access == Access::kGenericLoad || access == Access::kGenericStore || access == Access::kGenericAtomic;
  out.copies = access == Access::kGlobalCopy;
  out.answers = access == Access::kGenericAtomic && (op.set0 & 7) != 7;
  out.size_bytes = out.matrices ? 16 : uint32_t{op.size_bytes} * op.elements;
  const uint32_t order = op.word.bits(77, 4);
  if (out.strong) out.wide = !out.shared && order != kStrongInBlock;
  else if (!out.shared && !out.copies) {
    out.strong = order == kStrongInBlock || order == kStrongOnDevice || order == kStrongInSystem;
    out.wide = order == kStrongOnDevice || order == kStrongInSystem;
  }
  out.watched = out.size_bytes > 0 && !op.flow;  // what is not known stops the run instead
  return out;
}

uint32_t WarpChecker::access(Warp& w, const Op& op, uint32_t on) {
  const Facts& facts = facts_[op.index];
  if (facts.copies) return copy(w, op, on);
  if (facts.matrices) {
    const uint32_t count = op.mode >> 1, givers = count == 4 ? kAll : (1u << 8 * count) - 1;
    return access_lanes(w, op, shared_addresses(w, op), givers, givers) == givers ? on : 0;
  }
  if (facts.shared) return access_lanes(w, op, shared_addresses(w, op), on, on);
  const Addresses at = global_addresses(w, op);
  if (!facts.generic) return access_lanes(w, op, at, on, 0);
  uint32_t shared = 0, elsewhere = 0;
  for (uint32_t left = on; left; left &= left - 1) {
    const uint32_t bit = left & -left;
    const uint64_t window = at.value[std::countr_zero(left)] >> 56;
    if (window == simt::kSharedWindow >> 56) (facts.answers ? elsewhere : shared) |= bit;
    else if (window == simt::kLocalWindow >> 56 || window == simt::kParamWindow >> 56) elsewhere |= bit;
  }
  return access_lanes(w, op, at, on & ~elsewhere, shared) | elsewhere;
}

/// `shared`: the lanes whose addresses lie in shared memory, of the own block or by the number of one of the cluster.
uint32_t WarpChecker::access_lanes(Warp& w, const Op& op, const Addresses& at, uint32_t on, uint32_t shared) {
  const Facts& facts = facts_[op.index];
  const bool stores = facts.writes && !facts.reads && !facts.matrices, races = checks(kCheckRace);
  uint32_t sound = 0;
  for (uint32_t left = on, taken = 0; left; left &= ~taken) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    taken = facts.writes ? 1u << lane : lanes_at(at, at.value[lane], left);
    Touch t = touch_of(op, taken, facts.size_bytes);
    t.reads = facts.reads;
    t.writes = facts.writes;
    t.strong = facts.strong;
    t.wide = facts.wide;
    t.place.at = at.value[lane];
    if (shared >> lane & 1) {
      auto& blocks = w.block->cluster->blocks;
      const uint32_t rank = rank_of(t.place.at);
      if (!facts.generic) t.place = {w.block->checks, t.place.at};
      else t.place = {(rank < blocks.size() ? &blocks[rank] : w.block)->checks, t.place.at & kInBlock};
    }
    if (!in_bounds(w, t)) {
      if (!checks(kCheckMemory)) sound |= taken;
      continue;
    }
    sound |= taken;
    if (stores && races) {
      const uint32_t alike = lanes_at(at, at.value[lane], on & ((1u << lane) - 1));
      if (alike) check_same_lanes(w, op, alike, t);
      t.same_value = alike != 0 || holds(w, op, lane, t.place.bytes());
    }
    touch(w, t);
  }
  return sound;
}

/// Lanes before this one store to the same place in the same instruction.
void WarpChecker::check_same_lanes(Warp& w, const Op& op, uint32_t others, const Touch& t) {
  const CheckedWarp& mine = w.block->checks->warps[w.index];
  const auto other = static_cast<uint32_t>(std::countr_zero(others));
  if (store_alike(w, op, t.lane, other)) return;
  AccessRecord record;
  record.warp = mine.number;
  record.lanes = 1u << other;
  record.row = op.index;
  report("race", mine, op.index, t.lane,
         fmt::format(
             "write of {} bytes at {} while another thread of the warp writes another value: the result is undefined",
             op.size_bytes, describe(mine, t.place)),
         t.place.at, op.size_bytes, &record);
}

/// From device memory to shared memory, lane by lane: see ldgsts.
uint32_t WarpChecker::copy(Warp& w, const Op& op, uint32_t on) {
  const Addresses from = global_addresses(w, op);
  const uint32_t *to = w.in(op.d), copied = on & w.value(op.p);
  uint32_t sound = 0;
  for (const uint32_t lane : set_bits(on)) {
    Touch source = touch_of(op, 1u << lane, op.size_bytes);
    source.reads = true;
    source.place.at = from.value[lane];
    if (op.fills) {
      source.place.at &= ~(op.size_bytes - uint64_t{1});
      source.size_bytes -= from.value[lane] - source.place.at;
      source.alignment = 1;
    }
    Touch target = touch_of(op, 1u << lane, op.size_bytes);
    target.writes = true;
    target.place = {w.block->checks, own_offset(w, to[lane] + op.mode)};
    const bool reads = copied >> lane & 1;
    if ((reads && !in_bounds(w, source)) || !in_bounds(w, target)) {
      if (!checks(kCheckMemory)) sound |= 1u << lane;
      continue;
    }
    sound |= 1u << lane;
    if (reads) touch(w, source);
    touch(w, target);
  }
  return sound;
}

/// Reads that are partly written pass.
void WarpChecker::touch(Warp& w, const Touch& t) {
  WarpChecks& mine = w.block->checks->warps[w.index];
  if (checks(kCheckInit)) check_written(mine, t, written_bytes(w, t));
  if (!checks(kCheckRace) || (t.place.block && asynchronous_)) return;
  // A compiler drops fences behind a strong load, which may have been there.
  if (t.strong) synchronise(&mine, t, {t.reads, t.writes, true, false, t.wide ? kWideLevel : kBlockLevel});
  check_race(mine, t);
}

bool WarpChecker::in_bounds(Warp& w, const Touch& t) {
  const auto held = [&] { return find(w, t.place.at, static_cast<uint32_t>(t.size_bytes)) != nullptr; };
  return simt::Checker::in_bounds(w.block->checks->warps[w.index], t, held, [&] {
    return fmt::format("the block has {} bytes of shared memory",
                       run_.program->own_shared_bytes() + launch_.dynamic_shared_bytes);
  });
}

/// Of device memory: in the allocation that find has found last.
uint8_t* WarpChecker::written_bytes(Warp& w, const Touch& t) const {
  if (t.place.block) return t.place.block->written.data() + t.place.at;
  if (!find(w, t.place.at, static_cast<uint32_t>(t.size_bytes))) return nullptr;
  const size_t in = w.block->allocation;
  if (in >= written_.size()) return launch_.memory->shadow(t.place.at);
  return written_[in] ? written_[in] + (t.place.at - run_.allocations[in].begin) : nullptr;
}

}  // namespace warplens::simt::sass_machine
