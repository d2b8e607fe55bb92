// Loads and stores of global and generic memory, and copies from there to shared memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/counting/footprint.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/asynchronous.h"
#include "warplens/run/sass/memory/count_global.h"
#include "warplens/run/sass/memory/memory.h"
#include "warplens/run/sass/memory/moves.h"
#include "warplens/run/sass/memory/watch.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Of a load from another block's shared memory, beyond that of a load that L1 answers.
constexpr auto kRemoteWait = static_cast<uint64_t>(model::kRemoteCycles - model::kL1Cycles);

template <bool kStore>
void move_global(const Op& op, const Addresses& at, const Request& request, uint32_t on, uint32_t* rows) {
  const uint32_t size = op.size_bytes;
  auto* bytes = reinterpret_cast<uint8_t*>(request.begin);
  if (request.shape == Shape::kRun) return move_row<kStore>(op, rows, bytes, on);
  if (request.shape == Shape::kOne) {
    if (!kStore) return read_one(op, rows, bytes, on);
    return simt::in_store_order(on, size, [&](uint32_t lane) { get_lane(rows, lane, bytes, op); });
  }
  if (!kStore && request.shape == Shape::kHalves && size == 4) return read_halves<1>(rows, 0, at);
  if (!kStore && size >= 4) return read_lanes(op, rows, 0, at, on);
  move_lanes<kStore>(op, rows, 0, at, on);
}

/// Every lane by itself.
template <bool kStore>
void global_apart(Warp& w, const Op& op, const Addresses& at, uint32_t on, uint32_t* rows) {
  if (w.block->run->counted) count_apart<kStore>(w, op, at, on);
  for (const uint32_t lane : set_bits(on)) {
    w.stopped_lane = lane;
    if (!locate(w, at.value[lane], op.size_bytes)) return;
    note_request(w, at, 1u << lane, op.size_bytes, kStore);
    move_lanes<kStore>(op, rows, 0, at, 1u << lane);
  }
  w.stopped_lane = kLanes;
}

/// Where the next lanes of an instruction are likely to go.
void remember_allocation(Warp& w, const Op& op) {
  Reach& reach = w.block->reach[op.index];
  const std::span<const simt::Allocation> all = w.block->run->allocations;
  reach.allocation = w.block->allocation;
  if (reach.allocation >= all.size()) return;
  reach.begin = all[reach.allocation].begin;
  reach.end = all[reach.allocation].end;
  reach.lines = w.block->run->footprint->lines_of(reach.allocation);
}

/// Lanes in a row, which have gaps only where nothing is counted, or loads from one address. False: something is wrong
/// with it.
template <bool kStore>
bool global_at_once(Warp& w, const Op& op, Shape shape, uint32_t on) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c), size = op.size_bytes;
  const auto from = static_cast<uint32_t>(std::countr_zero(on)),
             last = 31 - static_cast<uint32_t>(std::countl_zero(on));
  const uint64_t high = op.narrow ? 0 : uint64_t{a[from + kLanes]} << 32;
  const uint64_t begin =
      (a[from] | high) + (base[from] | uint64_t{base[from + kLanes]} << 32) + static_cast<uint64_t>(op.offset);
  if (begin & (size - 1)) return false;
  w.block->allocation = w.block->reach[op.index].allocation;
  const uint32_t length = shape == Shape::kRun ? (last - from + 1) * size : size;
  uint8_t* bytes = find(w, begin, length);
  if (!bytes) return false;
  remember_allocation(w, op);
  if (w.block->run->counted) {
    if (shape == Shape::kOne || from == last) (void)count_one<kStore>(w, op, begin, on);
    else (void)count_run<kStore>(w, op, begin, begin + length, on);
  }
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  if (shape == Shape::kOne) read_one(op, rows, bytes, on);
  else move_row<kStore>(op, rows, bytes, on);
  return true;
}

/// Loads of words by all lanes, each half of them a run or one address, where no cache model asks for every lane's
/// address. False: something is wrong with it.
bool halves_at_once(Warp& w, const Op& op) {
  constexpr uint32_t kHalf = 16, kSize = 4, kMost = kHalf * kSize;
  const uint32_t *a = w.in(op.a), *base = w.in(op.c);
  if (w.block->trace || a[0] > kAll - kMost || a[kHalf] > kAll - kMost) return false;  // the low words might carry
  const uint64_t high = op.narrow ? 0 : uint64_t{a[kLanes]} << 32,
                 rest = high + (base[0] | uint64_t{base[kLanes]} << 32) + static_cast<uint64_t>(op.offset);
  Addresses at;  // of those lanes that tell how halves lie
  for (const uint32_t lane : {0u, 1u, kHalf, kHalf + 1}) at.value[lane] = a[lane] + rest;
  const uint64_t low = std::min(at.value[0], at.value[kHalf]), last = std::max(at.value[0], at.value[kHalf]);
  w.block->allocation = w.block->reach[op.index].allocation;
  if ((low | last) % kSize != 0 || last - low >= 1u << 31 || !find(w, low, static_cast<uint32_t>(last - low) + kMost))
    return false;
  remember_allocation(w, op);
  if (w.block->run->counted) count_halves<false>(w, op, at);
  read_halves<1>(w.row(op.target), 0, at);
  return true;
}

/// Whether no lane is off between two that are on.
bool in_one_piece(uint32_t on) {
  const uint32_t from_first = on >> std::countr_zero(on);
  return (from_first & (from_first + 1)) == 0;
}

template <bool kStore>
void global(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const bool counted = w.block->run->counted;
  const Shape shape = counted && (op.watched || !in_one_piece(on)) ? Shape::kScattered : simple_shape(w, op, on, true);
  if ((shape == Shape::kRun || (!kStore && shape == Shape::kOne)) && global_at_once<kStore>(w, op, shape, on)) return;
  if (!kStore && shape == Shape::kHalves && op.size_bytes == 4 && halves_at_once(w, op)) return;
  Addresses at;
  global_addresses(w, op, &at);
  const uint32_t size = op.size_bytes;
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  Request request;
  if (!counted && on == kAll)
    request = {.shape = shape == Shape::kHalves ? shape : Shape::kScattered, .span = span_of(at)};
  else look_at(&at, on, size, request);
  const Span& span = request.span;
  if (!check_aligned(w, span, size)) return;
  w.block->allocation = w.block->reach[op.index].allocation;
  if (span.high - span.low >= 1u << 31 || !find(w, span.low, static_cast<uint32_t>(span.high - span.low) + size)) {
    fill_idle(&at, on);
    return global_apart<kStore>(w, op, at, on, rows);
  }
  remember_allocation(w, op);
  if (counted) count_global<kStore>(w, op, at, request, on);
  move_global<kStore>(op, at, request, on, rows);
}

/// Counts a request that translated code carries out, to where the instruction's lanes went last.
template <typename F>
void count_beside(Warp& w, const Op& op, const F& count) {
  begin_step(w, op, w.counts);
  w.block->allocation = w.block->reach[op.index].allocation;
  count();
  end_step(w, op, *w.block->run);
}

/// Counts what `access` adds to the instruction's row as the part of it that went to local memory.
template <typename F>
void as_local_part(Warp& w, const F& access) {
  simt::InstructionCounts* row = w.count;
  if (!w.block->run->counted) return access();
  const simt::InstructionCounts before = *row;
  access();
  row->generic_local_requests += row->requests - before.requests;
  row->generic_local_sectors += row->sectors - before.sectors;
  row->generic_local_ideal_sectors += row->ideal_sectors - before.ideal_sectors;
  row->generic_local_bytes += row->bytes - before.bytes;
}
/// The same of shared memory.
template <typename F>
void as_shared_part(Warp& w, const F& access) {
  if (!w.block->run->counted) return access();
  const uint64_t before = w.count->bytes;
  access();
  w.count->generic_shared_bytes += w.count->bytes - before;
}

/// A generic access goes where its address lies; lanes may differ.
template <bool kStore>
void generic(Warp& w, const Op& op, uint32_t on) {
  const Addresses at = global_addresses(w, op);
  uint32_t to_shared = 0, to_local = 0;
  const uint32_t to_others = remote_lanes(w, at, on, &to_shared);
  for (const uint32_t lane : set_bits(on)) {
    if (at.value[lane] >> 56 == simt::kLocalWindow >> 56) to_local |= 1u << lane;
  }
  if (to_others) {
    count_remote(w, at, to_others, to_shared, op.size_bytes, kStore ? RemoteCounts::kStore : RemoteCounts::kLoad);
    access_remote(w, op, at, to_others, kStore);
  }
  on &= ~to_others;
  Addresses low = at;
  for (uint64_t& address : low.value) address &= 0xffffffff;
  if (to_shared) as_shared_part(w, [&] { access_shared(w, op, low, to_shared, kStore); });
  if (to_local) as_local_part(w, [&] { access_local(w, op, low, to_local, kStore); });
  const uint32_t to_global = on & ~(to_shared | to_local);
  if (to_global) global<kStore>(w, op, to_global);
  else w.close_by = true;  // shared and local memory are in L1's place
  if (to_others && !to_global) w.extra_cycles += kRemoteWait;
}

bool prepare_global(Decoder& d, Op& op, Handler run, bool is_store) {
  if (!set_size(op)) return false;
  set_global_address(d, op);
  if (is_store) op.b = d.source(op.word.bits(32, 8));
  op.run = run;
  return true;
}
bool prepare_ldg(Decoder& d, Op& op) {
  op.native = Native::kLoadGlobal;
  return prepare_global(d, op, global<false>, false);
}
bool prepare_stg(Decoder& d, Op& op) {
  op.native = Native::kStoreGlobal;
  return prepare_global(d, op, global<true>, true);
}
/// Without a descriptor, 32 bits of offset stand where one would begin, and a store's data behind them.
bool prepare_generic(Decoder& d, Op& op, Handler run, bool is_store) {
  if (!prepare_global(d, op, run, is_store)) return false;
  if (op.word.bit(91)) return true;
  op.offset = static_cast<int32_t>(op.word.immediate());
  if (is_store) op.b = d.source(op.word.source_high());
  return true;
}
bool prepare_ld(Decoder& d, Op& op) { return prepare_generic(d, op, generic<false>, false); }
bool prepare_st(Decoder& d, Op& op) { return prepare_generic(d, op, generic<true>, true); }

/// The time of L1 for a copy's other side: passes over the banks of shared memory beyond the fewest. Counters do not
/// show them.
void count_places(Warp& w, const Op& op, const uint32_t* to, uint32_t on) {
  Addresses places{};
  for (const uint32_t lane : set_bits(on)) places.value[lane] = own_offset(w, to[lane] + op.mode);
  simt::InstructionCounts banks;
  simt::count_shared_lanes(banks, places.value, on, op.size_bytes);
  w.block->cache_lines += banks.wavefronts - banks.ideal_wavefronts;
}

void count_copy(Warp& w, const Op& op, const Addresses& from, uint32_t on) {
  const uint64_t before = w.count->sectors, before_ideal = w.count->ideal_sectors;
  simt::count_global_lanes(*w.count, from.value, on, op.size_bytes);
  note_request(w, from, on, op.size_bytes, false);
  if (op.watched) {
    watch_request(w, from, on, op.size_bytes, false, false, w.count->sectors - before,
                  w.count->ideal_sectors - before_ideal);
  }
}

// With .ZFILL a copy's address is off by as many bytes as it lacks; these are zeros.
/// Global to shared memory without a register between; zeros where the predicate does not hold.
void ldgsts(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const Addresses exact = global_addresses(w, op);
  Addresses from = exact;
  for (uint64_t& address : from.value) address &= op.fills ? ~(op.size_bytes - uint64_t{1}) : ~uint64_t{0};
  const uint32_t *to = w.in(op.d), copied = on & w.value(op.p);
  if (copied && !locate(w, from.value[std::countr_zero(copied)], op.fills ? 1 : op.size_bytes)) return;
  if (copied && w.block->run->counted) {
    count_copy(w, op, from, copied);
    count_places(w, op, to, copied);
  }
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t place = own_offset(w, to[lane] + op.mode);
    uint8_t* target = shared_bytes(w, place, op.size_bytes);
    if (!target) return;
    if (const uint64_t either = place | from.value[lane]; either % op.size_bytes != 0) {
      w.stopped_lane = lane;
      return static_cast<void>(
          stop_misaligned(w, place % op.size_bytes != 0 ? place : from.value[lane], op.size_bytes));
    }
    if (!(copied >> lane & 1)) {
      std::memset(target, 0, op.size_bytes);
      continue;
    }
    const auto missing = static_cast<uint32_t>(exact.value[lane] - from.value[lane]);
    const uint8_t* source = locate(w, from.value[lane], op.size_bytes - missing);
    if (!source) return;
    std::memcpy(target, source, op.size_bytes - missing);
    std::memset(target + op.size_bytes - missing, 0, missing);
  }
  if (copied && w.block->run->counted) note_copy_under_way(w, op);
}
bool prepare_ldgsts(Decoder& d, Op& op) {
  op.fills = op.word.bit(82);
  set_global_address(d, op);
  op.narrow = false;
  op.d = d.source(op.word.bits(16, 8));
  op.offset = op.word.signed_bits(32, 12);
  op.mode = static_cast<uint32_t>(op.word.signed_bits(44, 20));  // offset in shared memory
  op.run = ldgsts;
  if (d.program().architecture >= 100) {
    op.size_bytes = static_cast<uint8_t>(4 << op.word.bits(74, 2));
    return op.size_bytes <= 16;
  }
  return set_size(op) && op.size_bytes >= 4;
}

}  // namespace

void count_row(Warp& w, const Op& op, uint64_t begin) {
  const uint64_t end = begin + uint64_t{kLanes} * op.size_bytes;
  count_beside(w, op, [&] {
    if (op.native == Native::kStoreGlobal) (void)count_run<true>(w, op, begin, end, kAll);
    else (void)count_run<false>(w, op, begin, end, kAll);
  });
}
void count_same(Warp& w, const Op& op, uint64_t address, uint32_t on) {
  count_beside(w, op, [&] { (void)count_one<false>(w, op, address, on); });
}

const Row kGlobalRows[] = {
    {Opcode::kLd, prepare_ld},   {Opcode::kLdg, prepare_ldg},       {Opcode::kSt, prepare_st},
    {Opcode::kStg, prepare_stg}, {Opcode::kLdgsts, prepare_ldgsts}, {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
