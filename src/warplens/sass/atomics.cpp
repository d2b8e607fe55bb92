// Atomic operations on global and shared memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/emulator/lanes/count.h"
#include "warplens/emulator/memory/atomic.h"
#include "warplens/sass/addresses.h"
#include "warplens/sass/atomics.h"
#include "warplens/sass/cluster.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/watch.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

enum : uint32_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareSwap };
enum class Type : uint8_t { kU32, kS32, kU64, kS64, kF32, kF64, kF16x2, kBf16x2 };

template <typename T>
T changed(uint32_t what, T old, T value) {
  switch (what) {
    case kAdd: return static_cast<T>(old + value);
    case kMin: return old < value ? old : value;
    case kMax: return old < value ? value : old;
    case kInc: return old >= value ? 0 : static_cast<T>(old + 1);
    case kDec: return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case kAnd: return static_cast<T>(static_cast<uint64_t>(old) & static_cast<uint64_t>(value));
    case kOr: return static_cast<T>(static_cast<uint64_t>(old) | static_cast<uint64_t>(value));
    case kXor: return static_cast<T>(static_cast<uint64_t>(old) ^ static_cast<uint64_t>(value));
    default: return value;
  }
}

uint64_t result_of(Type type, uint32_t what, uint64_t old, uint64_t value, bool global) {
  switch (type) {
    case Type::kU32: return changed(what, static_cast<uint32_t>(old), static_cast<uint32_t>(value));
    case Type::kS32:
      return static_cast<uint32_t>(changed(what, static_cast<int32_t>(old), static_cast<int32_t>(value)));
    case Type::kU64: return changed(what, old, value);
    case Type::kS64:
      return static_cast<uint64_t>(changed(what, static_cast<int64_t>(old), static_cast<int64_t>(value)));
    default: break;
  }
  using ptx::Type::kF32, ptx::Type::kF64, ptx::Type::kF16x2, ptx::Type::kBf16x2;
  const ptx::Type as = type == Type::kF32 ? kF32 : type == Type::kF64 ? kF64 : type == Type::kF16x2 ? kF16x2 : kBf16x2;
  return emulator::atomic_result(emulator::AtomicOp::kAdd, as, old, value, 0, global);
}

/// Applies one lane's operation to memory that other CPU threads change too; returns what was there.
template <typename T>
uint64_t exchange(uint8_t* at, Type type, uint32_t what, uint64_t compare, uint64_t value) {
  T* home = reinterpret_cast<T*>(at);
  T old = __atomic_load_n(home, __ATOMIC_RELAXED);
  for (;;) {
    if (what == kCompareSwap && old != static_cast<T>(compare)) return old;
    const T next =
        what == kCompareSwap ? static_cast<T>(value) : static_cast<T>(result_of(type, what, old, value, true));
    if (__atomic_compare_exchange_n(home, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return old;
  }
}
/// The same on memory that is this thread's alone.
template <typename T>
uint64_t exchange_own(uint8_t* at, Type type, uint32_t what, uint64_t compare, uint64_t value) {
  T old;
  std::memcpy(&old, at, sizeof old);
  if (what == kCompareSwap && old != static_cast<T>(compare)) return old;
  const T next =
      what == kCompareSwap ? static_cast<T>(value) : static_cast<T>(result_of(type, what, old, value, false));
  std::memcpy(at, &next, sizeof next);
  return old;
}
uint64_t apply(uint8_t* at, const Op& op, uint64_t compare, uint64_t value, bool own) {
  const auto type = static_cast<Type>(op.mode >> 8);
  const uint32_t what = op.mode & 255;
  if (own && op.size_bytes == 8) return exchange_own<uint64_t>(at, type, what, compare, value);
  if (own) return exchange_own<uint32_t>(at, type, what, compare, value);
  if (op.size_bytes == 8) return exchange<uint64_t>(at, type, what, compare, value);
  return exchange<uint32_t>(at, type, what, compare, value);
}

/// For each lane of `on`, how many of them have its value; nobody else's lanes count.
struct Meeting {
  alignas(64) uint32_t lanes[kLanes] = {};
  uint32_t firsts = 0;  // lanes whose value no lower lane has
};
Meeting meetings(const uint64_t* addresses, uint32_t on) {
  alignas(64) uint32_t key[kLanes], earlier[kLanes] = {};
  for (uint32_t i = 0; i < kLanes; ++i)
    key[i] = on >> i & 1 ? static_cast<uint32_t>(addresses[i] / 4) : 0x80000000u + i;
  Meeting out;
  for (uint32_t k = 0; k < kLanes; ++k) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      const uint32_t same = key[i] == key[k];
      out.lanes[i] += same;
      earlier[i] |= same & static_cast<uint32_t>(k < i);
    }
  }
  for (uint32_t i = 0; i < kLanes; ++i) out.firsts |= (earlier[i] ^ 1) << i;
  out.firsts &= on;
  return out;
}

/// Lanes one behind the other: nobody meets.
bool is_run(const uint64_t* addresses, uint32_t on, uint32_t size) {
  if (on != kAll) return false;
  uint64_t off = 0;
  for (uint32_t i = 0; i < kLanes; ++i) off |= addresses[i] ^ (addresses[0] + uint64_t{i} * size);
  return off == 0;
}

void count_meetings(Warp& w, const uint64_t* addresses, uint32_t on, uint32_t size) {
  if (is_run(addresses, on, size)) {
    w.count->atomic_distinct_addresses += kLanes;
    ++w.count->atomic_max_multiplicity;
    w.count->atomic_sector_serial += (addresses[31] + size - 1) / 32 - addresses[0] / 32 + 1;
    return;
  }
  const Meeting meeting = meetings(addresses, on);
  uint32_t most = 0;
  for (uint32_t i = 0; i < kLanes; ++i) most = std::max(most, on >> i & 1 ? meeting.lanes[i] : 0);
  uint64_t sectors[kLanes];
  uint32_t serial[kLanes], count = 0;
  for (uint32_t left = meeting.firsts; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t sector = addresses[lane] >> 5;
    uint32_t k = 0;
    while (k < count && sectors[k] != sector) ++k;
    if (k == count) sectors[count] = sector, serial[count++] = 0;
    serial[k] = std::max(serial[k], meeting.lanes[lane]);
  }
  w.count->atomic_distinct_addresses += static_cast<uint32_t>(std::popcount(meeting.firsts));
  w.count->atomic_max_multiplicity += most;
  for (uint32_t k = 0; k < count; ++k) w.count->atomic_sector_serial += serial[k];
}

uint64_t lane_value(const uint32_t* rows, uint32_t lane, uint32_t size) {
  return size == 8 ? wide(rows, static_cast<int>(lane)) : rows[lane];
}

void put_old(Warp& w, const Op& op, uint32_t lane, uint64_t old) {
  uint32_t* rows = w.row(op.target);
  rows[lane] = static_cast<uint32_t>(old);
  if (op.size_bytes == 8) rows[lane + kLanes] = static_cast<uint32_t>(old >> 32);
}

enum class Home : uint8_t { kGlobal, kShared, kOtherBlock };

uint8_t* home_of(Warp& w, Home home, uint64_t address, uint32_t size) {
  if (home == Home::kGlobal) return locate(w, address, size);
  return home == Home::kShared ? shared_bytes(w, address, size) : cluster_bytes(w, address & 0xffffffff, size);
}

void atomic_lanes(Warp& w, const Op& op, const Addresses& at, uint32_t on, Home where) {
  const bool is_shared = where != Home::kGlobal;
  const bool swap = (op.mode & 255) == kCompareSwap;
  const uint32_t *b = w.in(op.b), *c = w.in(op.d);
  const uint64_t before = w.count->atomic_max_multiplicity;
  const uint64_t sectors = w.count->atomic_sector_serial;
  count_meetings(w, at.value, on, op.size_bytes);
  if (where == Home::kOtherBlock)
    w.block->remote.sectors[RemoteCounts::kAtomic] += w.count->atomic_sector_serial - sectors;
  if (is_shared) w.count->atomic_sector_serial = sectors;  // of global memory alone
  if (is_shared) w.extra_cycles = (w.count->atomic_max_multiplicity - before) * 4;
  for (uint32_t lanes = on; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint32_t words = op.vector ? 4 : 1;
    uint8_t* home = home_of(w, where, at.value[lane], op.size_bytes * words);
    if (!home) return;
    uint64_t old = 0;
    for (uint32_t word = 0; word < words; ++word) {
      const uint64_t value = swap ? lane_value(c, lane, op.size_bytes)
                                  : op.word.form() == 7 ? 1 : lane_value(b + word * kLanes, lane, op.size_bytes);
      if (op.sums && w.block->log_sums) w.block->pending_sums.push_back({home + 4 * word, &op, value});
      else old = apply(home + 4 * word, op, swap ? lane_value(b, lane, op.size_bytes) : 0, value, is_shared);
    }
    put_old(w, op, lane, op.tests ? old == lane_value(b, lane, op.size_bytes) : old);
  }
}

uint64_t busiest_bank_lanes(const Addresses& at, uint32_t on) {
  uint32_t lanes_of[32] = {}, most = 0;
  for (; on; on &= on - 1) most = std::max(most, ++lanes_of[at.value[std::countr_zero(on)] / 4 % 32]);
  return most;
}

/// What L2 takes for a request's lanes on one 128-byte line, in cycles. Measured on an H200: a lane by itself 3;
/// several 16, however they lie; floats on one address wait for each other.
uint64_t line_cycles(uint32_t lanes, uint32_t on_one_address, bool is_float) {
  if (lanes == 1) return 3;
  return std::max<uint64_t>(16, is_float ? 3 * on_one_address : 0);
}
void tally_lines(Warp& w, const Op& op, const Addresses& at, uint32_t on) {
  const bool is_float = op.mode >> 8 >= static_cast<uint32_t>(Type::kF32);
  for (uint32_t left = on; left;) {
    const uint64_t line = at.value[std::countr_zero(left)] / 128, first = at.value[std::countr_zero(left)];
    uint32_t here = 0, same = 0;
    for (uint32_t others = left; others; others &= others - 1) {
      const int lane = std::countr_zero(others);
      here |= static_cast<uint32_t>(at.value[lane] / 128 == line) << lane;
      same += at.value[lane] == first;
    }
    left &= ~here;
    w.block->atomic_lines.add(line, line_cycles(static_cast<uint32_t>(std::popcount(here)), same, is_float));
  }
}

/// All lanes at once where one allocation holds them. Those that lie nowhere stop the run later, when they are applied.
void note_atomic_lanes(Warp& w, const Addresses& at, uint32_t on, uint32_t size) {
  const Span span = span_of(at);
  if (span.high - span.low < 1u << 31 && find(w, span.low, static_cast<uint32_t>(span.high - span.low) + size))
    return note_atomic(w, at, on, size);
  for (uint32_t left = on; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (find(w, at.value[lane], size)) note_atomic(w, at, 1u << lane, size);
  }
}

void global_atomic(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  Addresses at = global_addresses(w, op);
  fill_idle(&at, on);
  const uint32_t size = op.size_bytes * (op.vector ? 4u : 1u);
  if (!check_aligned(w, span_of(at), op.size_bytes)) return;
  const uint64_t before = w.count->sectors, before_ideal = w.count->ideal_sectors;
  emulator::WARPLENS_ISA_NAME::count_global_lanes(*w.count, at.value, on, size);
  note_atomic_lanes(w, at, on, size);
  tally_lines(w, op, at, on);
  if (op.watched)
    watch_request(w, at, on, size, false, true, w.count->sectors - before, w.count->ideal_sectors - before_ideal);
  atomic_lanes(w, op, at, on, Home::kGlobal);
}
void shared_atomic_at(Warp& w, const Op& op, Addresses& at, uint32_t on) {
  fill_idle(&at, on);
  if (!check_aligned(w, span_of(at), op.size_bytes)) return;
  const uint64_t before = w.count->wavefronts, before_ideal = w.count->ideal_wavefronts;
  emulator::WARPLENS_ISA_NAME::count_shared_lanes(*w.count, at.value, on, op.size_bytes);
  // Lanes on one address take a pass each, but where the instruction itself counts them (POPC.INC).
  if (op.word.form() != 7) w.count->wavefronts = before + busiest_bank_lanes(at, on);
  if (op.watched) {
    watch_request(w, at, on, op.size_bytes, true, true, w.count->wavefronts - before,
                  w.count->ideal_wavefronts - before_ideal);
  }
  atomic_lanes(w, op, at, on, Home::kShared);
}
void shared_atomic(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  Addresses at = shared_addresses(w, op);
  shared_atomic_at(w, op, at, on);
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
    for (uint64_t& address : low.value) address &= 0xffffff;
    shared_atomic_at(w, op, low, own);
  }
  if (!answers && others) {
    ++w.block->remote.requests[RemoteCounts::kAtomic];
    atomic_lanes(w, op, at, others, Home::kOtherBlock);
  }
  if (global) global_atomic(w, op, global);
}

bool set_type(Op& op, Type type, uint32_t what) {
  op.size_bytes = type == Type::kU64 || type == Type::kS64 || type == Type::kF64 ? 8 : 4;
  op.mode = what | static_cast<uint32_t>(type) << 8;
  return true;
}
bool integer_type(Op& op, uint32_t what, int architecture) {
  const uint32_t type = op.word.bits(73, architecture >= 90 ? 4 : 3);
  constexpr Type kNew[] = {Type::kU32, Type::kS32, Type::kU64, Type::kS64};
  constexpr Type kOld[] = {Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF16x2, Type::kS64, Type::kF64};
  if (architecture >= 90) return type < 4 && set_type(op, kNew[type], what);
  return type < 7 && set_type(op, kOld[type], what);
}
bool float_type(Op& op, uint32_t what) {
  switch (op.word.bits(73, 4)) {
    case 0: return set_type(op, Type::kF16x2, what);
    case 2: op.vector = true; return set_type(op, Type::kF16x2, what);
    case 3: return set_type(op, Type::kBf16x2, what);
    case 5: op.vector = true; return set_type(op, Type::kBf16x2, what);
    case 9: case 12: return set_type(op, Type::kF32, what);
    case 15: return set_type(op, Type::kF64, what);
    default: return false;
  }
}

bool prepare_global_atomic(Decoder& d, Op& op, bool is_float, bool reduction) {
  set_global_address(d, op);
  op.b = d.source(op.word.bits(32, 8));
  if (reduction) op.target = d.layout().trash;
  op.run = global_atomic;
  const uint32_t what = op.word.bits(87, reduction ? 3 : 4);
  op.sums = is_float && op.target == d.layout().trash;
  op.inexact = is_float && what != kAdd;
  op.ordered = op.target != d.layout().trash || what == kExchange;
  return is_float ? float_type(op, what) : integer_type(op, what, d.program().architecture);
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
  return integer_type(op, kCompareSwap, d.program().architecture);
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
  set_shared_address(d, op, 64);
  op.b = d.source(op.word.bits(32, 8));
  op.run = shared_atomic;
  const bool increment = op.word.form() == 7;  // POPC.INC
  return increment ? set_type(op, Type::kU32, kAdd) : integer_type(op, op.word.bits(87, 4), d.program().architecture);
}
bool prepare_atoms_cas(Decoder& d, Op& op) {
  set_shared_address(d, op, 64);
  op.c = d.source(kRegisterZero);  // bits 64 and up hold the new value
  op.b = d.source(op.word.bits(32, 8));
  op.d = d.source(op.word.bits(64, 8));
  op.tests = op.word.bit(87);
  op.run = shared_atomic;
  return integer_type(op, kCompareSwap, d.program().architecture) && !op.word.bit(91);
}

}  // namespace

void apply_sum(const PendingSum& sum) { apply(sum.home, *sum.op, 0, sum.value, false); }

const Row kAtomicRows[] = {
    {0x18a, "ATOM", prepare_atom},       {0x18b, "ATOM.CAS", prepare_atom_cas},
    {0x1a2, "ATOM", prepare_atom_float},     {0x18c, "ATOMS", prepare_atoms},
    {0x18d, "ATOMS.CAS", prepare_atoms_cas}, {0x18e, "RED", prepare_red},
    {0x1a3, "ATOMG", prepare_atomg_float},   {0x1a6, "RED", prepare_red_float},
    {0x1a8, "ATOMG", prepare_atomg},     {0x1a9, "ATOMG.CAS", prepare_atomg_cas},
    {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
