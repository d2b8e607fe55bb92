// Atomic operations on global and shared memory.
#include "warplens/run/sass/memory/atomics.h"

#include <algorithm>
#include <bit>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/asynchronous.h"
#include "warplens/run/sass/memory/atomic_counts.h"
#include "warplens/run/sass/memory/sectors.h"
#include "warplens/run/sass/memory/watch.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

enum class Home : uint8_t { kGlobal, kShared, kOtherBlock };

uint8_t* home_of(Warp& w, Home home, uint64_t address, uint32_t size) {
  if (home == Home::kGlobal) return locate(w, address, size);
  return home == Home::kShared ? shared_bytes(w, address, size) : cluster_bytes(w, address & 0xffffffff, size);
}

AtomicLanes values_of(Warp& w, const Op& op, uint32_t on, bool global) {
  AtomicLanes out;
  const bool swap = atomic_what(op) == AtomicOp::kCompareSwap;
  out.value = w.in(swap ? op.d : op.b);
  out.expected = swap ? w.in(op.b) : nullptr;
  out.old = op.target == w.trash ? nullptr : w.row(op.target);
  out.on = on;
  out.own = !global || !w.block->run->parallel;
  out.global = global;
  return out;
}

/// Each lane by itself, wherever it goes, with as many words as it has.
void apply_apart(Warp& w, const Op& op, const Addresses& at, uint32_t on, Home where) {
  const AtomicLanes all = values_of(w, op, on, where == Home::kGlobal);
  for (const uint32_t lane : set_bits(on)) {
    uint8_t* home = home_of(w, where, at.value[lane], uint32_t{op.size_bytes} * op.elements);
    if (!home) return;
    for (uint32_t word = 0; word < op.elements; ++word) {
      AtomicLanes one = all;
      one.on = 1u << lane;
      one.at = at.value;
      one.origin = reinterpret_cast<uint64_t>(home + 4 * word) - at.value[lane];
      one.value += word * kLanes;
      if (one.old) one.old += word * kLanes;
      if (op.sums && w.block->log_sums) {
        const uint64_t value = op.size_bytes == 8 ? wide(one.value, static_cast<int>(lane)) : one.value[lane];
        w.block->pending_sums.push_back({home + 4 * word, &op, value});
      } else {
        apply_lanes(op, one);
      }
    }
  }
}

/// Slices share a request's packets as its lanes lie.
void tally_slices(Warp& w, const Op& op, const Addresses& at, const simt::Padded& words, uint32_t on,
                  const AtomicCounts& counts) {
  AtomicTally& tally = w.block->atomics;
  const uint64_t wave = w.block->wave;
  const auto lanes = static_cast<uint32_t>(std::popcount(on));
  alignas(64) uint32_t slice[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) slice[i] = static_cast<uint32_t>(at.value[i] / kSliceBytes);
  each_value(slice, on, [&](uint32_t first, uint32_t here) {
    const auto there = static_cast<uint32_t>(std::popcount(here));
    tally.add_packets(wave, at.value[first], (uint64_t{counts.serial} * there + lanes - 1) / lanes);
  });
  if (!is_floating(atomic_type(op))) return;
  each_value(words.at, on, [&](uint32_t first, uint32_t same) {
    tally.add_floats(wave, at.value[first], static_cast<uint64_t>(std::popcount(same)));
  });
}
/// Of a run of neighbouring elements: a packet for each 128 bytes; of floats, more.
void tally_slices_of_run(Warp& w, const Op& op, uint64_t begin, uint64_t bytes) {
  const bool floats = is_floating(atomic_type(op));
  for (const uint64_t end = begin + bytes; begin < end; begin = (begin / 128 + 1) * 128) {
    if (floats) w.block->atomics.add_float_run(w.block->wave, begin, std::min(end, (begin / 128 + 1) * 128) - begin);
    else w.block->atomics.add_packets(w.block->wave, begin, 1);
  }
}
/// All on one address.
void tally_slices_of_one(Warp& w, const Op& op, uint64_t address, uint32_t count) {
  w.block->atomics.add_packets(w.block->wave, address, count);
  if (is_floating(atomic_type(op))) w.block->atomics.add_floats(w.block->wave, address, count);
}

void watch_atomic(Warp& w, Addresses at, uint32_t on, uint32_t size, uint64_t sectors, uint64_t ideal) {
  fill_idle(&at, on);
  watch_request(w, at, on, size, false, true, sectors, ideal);
}

/// Lanes without order among them.
void count_scattered(Warp& w, const Op& op, const Addresses& at, uint32_t on, uint32_t size, uint32_t sectors) {
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(std::popcount(on)),
                 ideal = simt::count_request(*w.count, bytes, sectors);
  simt::Padded words;
  words_of(at, on, &words);
  const AtomicCounts counts = meetings_in_sectors(words, on, sectors);
  add_counts(w, counts);
  tally_slices(w, op, at, words, on, counts);
  if (op.watched) watch_atomic(w, at, on, size, sectors, ideal);
}
/// All in one allocation.
void count_in_one(Warp& w, const Op& op, const Addresses& at, uint64_t low, uint32_t on, uint32_t size) {
  Sectors touched;
  find_sectors(at, low, &touched);
  count_scattered(w, op, at, on, size, touched.count);
  note_atomic(w, touched);
}
/// Lanes one behind the other, or all on one address.
void count_run(Warp& w, const Op& op, const Addresses& at, const Request& request, uint32_t on, uint32_t size) {
  const auto count = static_cast<uint32_t>(std::popcount(on));
  const bool one = request.shape == Shape::kOne;
  const uint64_t begin = request.begin, bytes = uint64_t{one ? 1 : count} * size;
  const auto sectors = static_cast<uint32_t>((begin + bytes - 1) / 32 - begin / 32 + 1);
  simt::count_run(*w.count, begin, bytes);
  if (one) w.count->bytes += uint64_t{count - 1} * size;
  add_counts(w, {one ? 1 : count, one ? count : 1, one ? count : sectors});
  for (const bool store : {false, true}) note_copy(w, begin, bytes, store);
  if (one) tally_slices_of_one(w, op, begin, count);
  else tally_slices_of_run(w, op, begin, bytes);
  if (op.watched) watch_atomic(w, at, on, size, sectors, one ? 1 : (bytes + 31) / 32);
}

/// Lanes of several allocations. Those that lie nowhere stop the run when they are applied.
void global_apart(Warp& w, const Op& op, Addresses& at, uint32_t on, uint32_t size) {
  fill_idle(&at, on);
  const bool counted = w.block->run->counted;
  if (counted) count_scattered(w, op, at, on, size, simt::count_sectors(at.value, on, size));
  for (const uint32_t lane : set_bits(counted ? on : 0)) {
    if (find(w, at.value[lane], size)) note_atomic(w, at, 1u << lane, size);
  }
  apply_apart(w, op, at, on, Home::kGlobal);
}

void global_atomic(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  Addresses at = global_addresses(w, op);
  const uint32_t size = uint32_t{op.size_bytes} * op.elements;
  Request request;
  look_at(&at, on, size, request);
  const Span& span = request.span;
  if (!check_aligned(w, span, size)) return;
  if (span.high - span.low >= 1u << 31 || !find(w, span.low, static_cast<uint32_t>(span.high - span.low) + size))
    return global_apart(w, op, at, on, size);
  if (w.block->run->counted) {
    if (request.shape == Shape::kRun || request.shape == Shape::kOne) count_run(w, op, at, request, on, size);
    else count_in_one(w, op, at, span.low, on, size);
  }
  if (op.elements > 1 || (op.sums && w.block->log_sums)) return apply_apart(w, op, at, on, Home::kGlobal);
  AtomicLanes all = values_of(w, op, on, true);
  all.at = at.value;
  all.run = request.shape == Shape::kRun && on == kAll;
  apply_lanes(op, all);
}

void count_shared_atomic(Warp& w, const Op& op, Addresses& at, const Request& request, uint32_t on) {
  simt::InstructionCounts& row = *w.count;
  const auto count = static_cast<uint32_t>(std::popcount(on));
  const bool one = request.shape == Shape::kOne, run = request.shape == Shape::kRun && op.size_bytes == 4;
  const bool together = counts_lanes(op.word);
  const uint64_t before = row.wavefronts, before_ideal = row.ideal_wavefronts;
  uint32_t most = one ? count : 1, distinct = one ? 1 : count;
  if (!one && !run) {
    simt::Padded words;
    words_of(at, on, &words);
    const AtomicCounts counts = meetings_of(words, on);
    most = counts.most;
    distinct = counts.distinct;
  }
  if (op.size_bytes != 4 || (together && !one && !run)) {
    simt::count_shared_lanes(row, at.value, on, op.size_bytes);
  } else {
    simt::count_passes(row, {1, 1}, uint64_t{4} * count);
  }
  if (!together) row.wavefronts = before + (one ? count : run ? 1 : busiest_bank_lanes(at, on));
  add_counts(w, {distinct, most, 0});
  if (op.watched) {
    fill_idle(&at, on);
    watch_request(w, at, on, op.size_bytes, true, true, row.wavefronts - before, row.ideal_wavefronts - before_ideal);
  }
  w.extra_cycles = most;
}
void shared_atomic_at(Warp& w, const Op& op, Addresses& at, uint32_t on) {
  Request request;
  look_at(&at, on, op.size_bytes, request);
  if (!check_aligned(w, request.span, op.size_bytes)) return;
  if (w.block->run->counted) count_shared_atomic(w, op, at, request, on);
  if (!simt::fits(request.span.high, op.size_bytes, w.block->shared.size()))
    return apply_apart(w, op, at, on, Home::kShared);
  AtomicLanes all = values_of(w, op, on, false);
  all.origin = reinterpret_cast<uint64_t>(w.block->shared.data());
  all.at = at.value;
  all.run = request.shape == Shape::kRun && on == kAll;
  apply_lanes(op, all);
}
void shared_atomic(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  Addresses at = shared_addresses(w, op);
  shared_atomic_at(w, op, at, on);
}
/// `own`: lanes of the own block that come with the others, and take the same way.
void other_blocks_atomic(Warp& w, const Op& op, const Addresses& at, uint32_t on, uint32_t own) {
  simt::Padded words;
  words_of(at, on, &words);
  const uint32_t sectors = simt::sectors_of(at.value, on);
  AtomicCounts counts = meetings_in_sectors(words, on, sectors);
  count_remote(w, at, on, own, op.size_bytes, RemoteCounts::kAtomic);
  w.block->remote.sectors[RemoteCounts::kAtomic] += counts.serial - sectors;  // of lanes that meet
  counts.serial = 0;                                                          // of global memory alone
  add_counts(w, counts);
  w.extra_cycles = uint64_t{counts.most} * 4;
  apply_apart(w, op, at, on, Home::kOtherBlock);
}

/// Where the address lies decides. With a predicate to answer by, shared memory is left to other instructions.
void generic_atomic(Warp& w, const Op& op, uint32_t on) {
  const Addresses at = global_addresses(w, op);
  uint32_t own = 0;
  const uint32_t others = remote_lanes(w, at, on, &own), global = on & ~(own | others);
  const bool answers = (op.set0 & 7) != 7;
  if (answers) w.set(op.set0, global, on);
  if (!answers && own) {
    Addresses low = at;
    for (uint64_t& address : low.value) address &= kInBlock;
    shared_atomic_at(w, op, low, own);
  }
  if (!answers && others) other_blocks_atomic(w, op, at, others, own);
  if (global) global_atomic(w, op, global);
}

using Type = AtomicType;

bool set_type(Op& op, Type type, AtomicOp what) {
  const bool eight = type == Type::kU64 || type == Type::kS64 || type == Type::kF64;
  op.size_bytes = type == Type::kB128 ? 16 : eight ? 8 : 4;
  op.mode = atomic_mode(type, what);
  return true;
}
bool integer_type(Op& op, AtomicOp what, int architecture) {
  const uint32_t type = op.word.bits(73, architecture >= 90 && architecture < 100 ? 4 : 3);
  constexpr Type kNew[] = {Type::kU32, Type::kS32, Type::kU64, Type::kS64};
  constexpr Type kOld[] = {Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF16x2, Type::kS64, Type::kF64};
  constexpr uint32_t k128 = 4;  // in global memory
  const bool shared = op.opcode == Opcode::kAtoms || op.opcode == Opcode::kAtomsCas;
  if (architecture >= 90 && type == k128 && !shared && what >= AtomicOp::kExchange)
    return set_type(op, Type::kB128, what);
  if (architecture >= 90) return type < 4 && set_type(op, kNew[type], what);
  return type < 7 && set_type(op, kOld[type], what);
}
/// Since sm_90: one register of a type, or two or four.
bool float_type(Op& op, AtomicOp what) {
  struct Coded {
    Type type;
    uint8_t elements;
  };
  constexpr Coded kNone{Type::kU32, 0};
  constexpr Coded kTypes[] = {{Type::kF16x2, 1},
                              {Type::kF16x2, 2},
                              {Type::kF16x2, 4},
                              {Type::kBf16x2, 1},
                              {Type::kBf16x2, 2},
                              {Type::kBf16x2, 4},
                              kNone,
                              kNone,
                              kNone,
                              {Type::kF32, 1},
                              {Type::kF32, 2},
                              {Type::kF32, 4},
                              {Type::kF32, 1},
                              {Type::kF32, 2},
                              {Type::kF32, 4},
                              {Type::kF64, 1}};
  const auto [type, elements] = kTypes[op.word.bits(73, 4)];
  op.elements = elements;
  return elements > 0 && set_type(op, type, what);
}

/// Atomics with an answer have no descriptor where a uniform register is a base to add (`[R2.U32+UR4]`): bit 71 is
/// clear then, and since compute capability 10.0, bit 76.
void set_uniform_base(Decoder& d, Op& op) {
  const int architecture = d.program().architecture;
  if (architecture < 90 || !op.word.bit(91) || op.word.bit(architecture < 100 ? 71 : 76)) return;
  op.c = d.uniform(op.word.bits(64, 6));
  op.narrow = !op.word.bit(architecture < 100 ? 70 : 63);
}

bool prepare_global_atomic(Decoder& d, Op& op, bool is_float, bool reduction) {
  set_global_address(d, op);
  if (!reduction && !is_float) set_uniform_base(d, op);
  if (d.program().architecture >= 100 && !reduction) op.offset = op.word.signed_bits(40, 23);  // bit 63 is another's
  op.b = d.source(op.word.bits(32, 8));
  if (reduction) op.target = d.layout().trash;
  op.run = global_atomic;
  const bool marked = is_float && d.program().architecture >= 100;  // bit 90 is set where there is an answer
  const uint32_t coded = op.word.bits(87, reduction || marked ? 3 : 4);
  const auto what = static_cast<AtomicOp>(is_float ? coded >> 1 : coded);  // the float opcodes leave out bit 87
  if (what > (is_float ? AtomicOp::kMax : AtomicOp::kExchange) || (is_float && coded % 2 != 0)) return false;
  op.ordered = op.target != d.layout().trash || what == AtomicOp::kExchange;
  if (!(is_float ? float_type(op, what) : integer_type(op, what, d.program().architecture))) return false;
  const bool floating = is_floating(atomic_type(op));  // one opcode has all types before sm_90
  op.sums = floating && op.target == d.layout().trash;
  op.inexact = floating && what != AtomicOp::kAdd;
  return true;
}
bool prepare_red(Decoder& d, Op& op) { return prepare_global_atomic(d, op, false, true); }
bool prepare_red_float(Decoder& d, Op& op) { return prepare_global_atomic(d, op, true, true); }
bool prepare_atomg(Decoder& d, Op& op) { return prepare_global_atomic(d, op, false, false); }
bool prepare_atomg_float(Decoder& d, Op& op) { return prepare_global_atomic(d, op, true, false); }
bool prepare_atomg_cas(Decoder& d, Op& op) {
  set_global_address(d, op);
  op.b = d.source(op.word.bits(32, 8));
  op.d = d.source(op.word.bits(64, 8));
  op.run = global_atomic;
  op.ordered = true;
  return integer_type(op, AtomicOp::kCompareSwap, d.program().architecture);
}

bool prepare_atom(Decoder& d, Op& op) {
  const bool known = prepare_global_atomic(d, op, false, false);
  op.run = generic_atomic;
  return known;
}
bool prepare_atom_float(Decoder& d, Op& op) {
  const bool known = prepare_global_atomic(d, op, true, false);
  op.run = generic_atomic;
  return known;
}
bool prepare_atom_cas(Decoder& d, Op& op) {
  const bool known = prepare_atomg_cas(d, op);
  op.tests = op.word.bit(87);
  op.run = generic_atomic;
  return known;
}

bool prepare_atoms(Decoder& d, Op& op) {
  constexpr uint32_t kArrive = 9;
  if (d.program().architecture < 90 && op.word.bits(87, 4) == kArrive) return prepare_arrival_before90(d, op);
  set_shared_address(d, op, 64);
  if (d.program().architecture < 90) set_scale(op);
  op.b = d.source(op.word.bits(32, 8));
  op.run = shared_atomic;
  const bool increment = counts_lanes(op.word);
  if (increment) op.b = d.immediate(1);
  const auto what = increment ? AtomicOp::kAdd : static_cast<AtomicOp>(op.word.bits(87, 4));
  if (increment) return set_type(op, Type::kU32, what);
  return what <= AtomicOp::kExchange && integer_type(op, what, d.program().architecture);
}
/// Since sm_100 the answer whether it swapped is a predicate.
void shared_swap(Warp& w, const Op& op, uint32_t on) {
  shared_atomic(w, op, on);
  uint32_t swapped = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) swapped |= (w.row(op.target)[lane] != 0 ? 1u : 0u) << lane;
  w.set(op.set0, swapped & on, on);
}
bool prepare_atoms_cas(Decoder& d, Op& op) {
  set_shared_address(d, op, 64);
  if (d.program().architecture < 90) set_scale(op);
  op.c = d.source(kRegisterZero);  // bits 64 and up hold the new value
  op.b = d.source(op.word.bits(32, 8));
  op.d = d.source(op.word.bits(64, 8));
  op.tests = op.word.bit(87);
  op.run = shared_atomic;
  if (op.tests && d.program().architecture >= 100) {
    op.target = d.layout().trash + 1;  // a row that is written, unlike the first
    op.run = shared_swap;
  }
  return integer_type(op, AtomicOp::kCompareSwap, d.program().architecture) && !op.word.bit(91);
}

}  // namespace

const Row kAtomicRows[] = {
    {Opcode::kAtom, prepare_atom},
    {Opcode::kAtomCas, prepare_atom_cas},
    {Opcode::kAtomFloat, prepare_atom_float},
    {Opcode::kAtoms, prepare_atoms},
    {Opcode::kAtomsCas, prepare_atoms_cas},
    {Opcode::kRed, prepare_red},
    {Opcode::kRedg, prepare_red},
    {Opcode::kAtomgFloat, prepare_atomg_float},
    {Opcode::kRedgFloat, prepare_red_float},
    {Opcode::kAtomg, prepare_atomg},
    {Opcode::kAtomgCas, prepare_atomg_cas},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
