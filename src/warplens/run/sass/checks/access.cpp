// Accesses under checks: where lanes go, whether that is theirs, what is written there.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/atomics.h"
#include "warplens/simt/checks/defects.h"
#include "warplens/simt/checks/words.h"
#include "warplens/simt/memory/fits.h"

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

bool store_alike(const Warp& w, const Op& op, uint32_t lane, uint32_t other) {
  const uint32_t* rows = w.in(op.b);
  if (op.size_bytes > kInOneRun) return true;  // nobody says otherwise
  const uint32_t used = op.size_bytes < 4 ? (1u << 8 * op.size_bytes) - 1 : ~0u;
  for (uint32_t word = 0; word < std::max(op.size_bytes / 4u, 1u); ++word) {
    if ((rows[word * kLanes + lane] ^ rows[word * kLanes + other]) & used) return false;
  }
  return true;
}

}  // namespace

Checker::Facts Checker::facts_of(const Op& op) const {
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

uint32_t Checker::access(Warp& w, const Op& op, uint32_t on) {
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
uint32_t Checker::access_lanes(Warp& w, const Op& op, const Addresses& at, uint32_t on, uint32_t shared) {
  const Facts& facts = facts_[op.index];
  const bool stores = facts.writes && !facts.reads && !facts.matrices, races = checks(kCheckRace);
  uint32_t sound = 0;
  for (uint32_t left = on, taken = 0; left; left &= ~taken) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    taken = facts.writes ? 1u << lane : lanes_at(at, at.value[lane], left);
    Touch t{.lanes = taken,
            .size_bytes = facts.size_bytes,
            .reads = facts.reads,
            .writes = facts.writes,
            .strong = facts.strong,
            .wide = facts.wide};
    t.place.at = at.value[lane];
    if (shared >> lane & 1) {
      const uint32_t rank = facts.generic ? rank_of(t.place.at) : w.block->rank;
      auto& blocks = w.block->cluster->blocks;
      t.place = {rank < blocks.size() ? &blocks[rank] : w.block, t.place.at & kInBlock};
    }
    if (!in_bounds(w, op, t)) {
      if (!checks(kCheckMemory)) sound |= taken;
      continue;
    }
    sound |= taken;
    if (stores && races) {
      const uint8_t* bytes =
          t.place.block ? t.place.block->shared.data() + t.place.at : reinterpret_cast<const uint8_t*>(t.place.at);
      const uint32_t alike = lanes_at(at, at.value[lane], on & ((1u << lane) - 1));
      if (alike) check_same_lanes(w, op, lane, alike, t.place);
      t.same_value = alike != 0 || holds(w, op, lane, bytes);
    }
    touch(w, op, t);
  }
  return sound;
}

/// Lanes before this one store to the same place in the same instruction.
void Checker::check_same_lanes(Warp& w, const Op& op, uint32_t lane, uint32_t others, const Location& place) {
  const auto other = static_cast<uint32_t>(std::countr_zero(others));
  if (store_alike(w, op, lane, other)) return;
  AccessRecord record;
  record.warp = w.block->checks->warps[w.index].number;
  record.lanes = 1u << other;
  record.row = op.index;
  report("race", w, op, lane,
         fmt::format(
             "write of {} bytes at {} while another thread of the warp writes another value: the result is undefined",
             op.size_bytes, describe(w, place)),
         place, op.size_bytes, &record);
}

/// From device memory to shared memory, lane by lane: see ldgsts.
uint32_t Checker::copy(Warp& w, const Op& op, uint32_t on) {
  const Addresses from = global_addresses(w, op);
  const uint32_t *to = w.in(op.d), copied = on & w.value(op.p);
  uint32_t sound = 0;
  for (uint32_t left = on; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    Touch source{.lanes = 1u << lane, .size_bytes = op.size_bytes, .reads = true};
    source.place.at = from.value[lane];
    if (op.fills) {
      source.place.at &= ~(op.size_bytes - uint64_t{1});
      source.size_bytes -= static_cast<uint32_t>(from.value[lane] - source.place.at);
    }
    Touch target{.lanes = 1u << lane, .size_bytes = op.size_bytes, .writes = true};
    target.place = {w.block, (to[lane] + op.mode) & kInBlock};
    const bool reads = copied >> lane & 1;
    if ((reads && !in_bounds(w, op, source)) || !in_bounds(w, op, target)) {
      if (!checks(kCheckMemory)) sound |= 1u << lane;
      continue;
    }
    sound |= 1u << lane;
    if (reads) touch(w, op, source);
    touch(w, op, target);
  }
  return sound;
}

void Checker::touch(Warp& w, const Op& op, const Touch& t) {
  if (checks(kCheckInit)) check_written(w, op, t);
  if (!checks(kCheckRace) || (t.place.block && asynchronous_)) return;
  if (t.strong) synchronise(w, t);
  check_race(w, op, t);
}

bool Checker::in_bounds(Warp& w, const Op& op, const Touch& t) {
  const auto refuse = [&](Defect defect) {
    if (checks(kCheckMemory)) report(defect.id, w, op, t.lane(), std::move(defect.message), t.place, t.size_bytes);
    return false;
  };
  const uint64_t at = t.place.at;
  if (std::has_single_bit(t.size_bytes) && at % t.size_bytes != 0)
    return refuse(misaligned(t.writes, t.size_bytes, t.place.block != nullptr, at, t.size_bytes));
  if (t.place.block) {
    if (simt::fits(at, t.size_bytes, t.place.block->shared.size())) return true;
    return refuse(outside_shared(t.writes, t.size_bytes, describe(w, t.place),
                                 fmt::format("the block has {} bytes of shared memory",
                                             run_.program->own_shared_bytes() + launch_.dynamic_shared_bytes)));
  }
  if (find(w, at, t.size_bytes)) return true;
  return refuse(outside_memory(*launch_.memory, t.writes, t.size_bytes, at));
}

/// Of the place that find has found last.
uint8_t* Checker::written_bytes(Warp& w, const Location& place) const {
  if (place.block) return place.block->checks->written.data() + place.at;
  const size_t in = w.block->allocation;
  if (in >= written_.size()) return launch_.memory->shadow(place.at);
  return written_[in] ? written_[in] + (place.at - run_.allocations[in].begin) : nullptr;
}

/// Reads that are partly written pass: wide loads take what lies between the members of a struct along.
void Checker::check_written(Warp& w, const Op& op, const Touch& t) {
  if (!t.place.block && !find(w, t.place.at, t.size_bytes)) return;
  uint8_t* written = written_bytes(w, t.place);
  if (!written) return;
  if (t.reads && std::none_of(written, written + t.size_bytes, [](uint8_t byte) { return byte != 0; })) {
    report("uninitialised-read", w, op, t.lane(),
           fmt::format("read of {} bytes that were never written: {}", t.size_bytes, describe(w, t.place)), t.place,
           t.size_bytes);
  }
  if (t.writes) std::fill_n(written, t.size_bytes, uint8_t{1});
}

void Checker::check_race(Warp& w, const Op& op, const Touch& t) {
  const WarpKnowledge& me = w.block->checks->warps[w.index];
  AccessRecord mine;
  mine.number = mine.warp = me.number;
  mine.clock = me.clock;
  mine.row = op.index;
  mine.lanes = t.lanes;
  mine.flags = static_cast<uint8_t>((t.strong ? kStrong : 0) | (t.wide ? kWideScope : 0));
  for_words(t.place.at, t.size_bytes, [&](uint64_t word, uint8_t bytes) {
    mine.bytes = bytes;
    log_.access(
        t.place.block ? &t.place.block->checks->words[word / 4] : &log_.global_word(word), mine, t.writes, t.same_value,
        [&](const AccessRecord& r, bool) { return Order{ordered(me, r), false}; },
        [&](const AccessRecord& r, bool wrote, const Order&) {
          const size_t told =
              report("race", w, op, t.lane(), not_ordered({}, t.writes, t.size_bytes, describe(w, t.place), {}, wrote),
                     t.place, t.size_bytes, &r);
          log_.advise(told, op.index, r.row, std::string(what_orders(log_.same_block(r, mine.warp))));
        });
  });
}

std::string Checker::describe(const Warp& w, const Location& place) const {
  if (!place.block) return simt::describe_place(*launch_.memory, place.at);
  const std::string offset =
      fmt::format("offset {} of", static_cast<int64_t>(place.at - run_.program->reserved_shared_bytes()));
  const auto& b = place.block->index;
  return place.block == w.block ? offset + " shared memory"
                                : fmt::format("{} the shared memory of block ({},{},{})", offset, b[0], b[1], b[2]);
}

}  // namespace warplens::simt::sass_machine
