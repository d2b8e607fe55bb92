// Bulk copies and reductions: UBLKCP, UBLKRED.
#include "warplens/run/sass/memory/bulk.h"

#include <bit>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"

namespace warplens::simt::sass_machine {
namespace {

using simt::MbarrierOp, simt::AtomicOp;

constexpr uint32_t kUnit = 16;
// mode bits: 0..3 the reduction, 4..7 spaces, 8.. the type
constexpr uint32_t kFromGlobal = 16, kToGlobal = 32, kMulticast = 64;

AtomicOp reduction(const Op& op) { return static_cast<AtomicOp>(op.mode & 15); }

/// The bytes that a copy reads, or with `write` changes.
uint8_t* side(Warp& w, const Op& op, const Operand& at, bool global, uint32_t size, bool write) {
  const uint64_t address = global ? uniform_address(w, at) : uniform_value(w, at);
  if (address % kUnit != 0) {
    stop_misaligned(w, address, kUnit);
    return nullptr;
  }
  if (!global) return cluster_bytes(w, address, size);
  return write ? changed_bytes(w, address, size, reduction(op)) : global_bytes(w, address, size, false);
}

/// Offers the bytes to a block, and tells its mbarrier.
bool deliver(Warp& w, const Op& op, const uint8_t* from, uint32_t size, uint32_t to, uint32_t barrier) {
  if (to % kUnit != 0) return stop_misaligned(w, to, kUnit);
  uint8_t* target = cluster_bytes(w, to, size);
  if (!target) return false;
  simt::combine_bytes(target, from, size, reduction(op), static_cast<ptx::Type>(op.mode >> 8));
  const Cycles time = op.mode & kFromGlobal ? arrival_of_bulk(w, op, size) : issue_time(w, op, true);
  return signal_mbarrier(w, barrier, MbarrierOp::kComplete, size, time);
}

void bulk_copy(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t control = uniform_value(w, op.c), size = (control & 0xffff) * kUnit;
  const bool to_global = op.mode & kToGlobal, from_global = op.mode & kFromGlobal;
  const uint8_t* from = side(w, op, op.a, from_global, size, false);
  if (!from) return;
  const uint32_t receivers = op.mode & kMulticast ? receivers_of(control) : 0;
  if (to_global || from_global) {
    count_bulk(w, sectors_of_run(uniform_address(w, to_global ? op.b : op.a), size), size,
               receivers ? static_cast<uint32_t>(std::popcount(receivers)) : 1);
  }
  if (to_global) {
    uint8_t* to = side(w, op, op.b, true, size, true);
    if (to) simt::combine_bytes(to, from, size, reduction(op), static_cast<ptx::Type>(op.mode >> 8));
    return;
  }
  const uint32_t to = uniform_value(w, op.b), barrier = uniform_value(w, op.b, 1);
  if (!receivers) {
    deliver(w, op, from, size, to, barrier);
    return;
  }
  for (const uint32_t rank : set_bits(receivers)) {
    if (!deliver(w, op, from, size, in_block(to, rank), in_block(barrier, rank))) return;
  }
}

bool prepare_bulk(Decoder& d, Op& op) {
  const Word& word = op.word;
  op.a = d.uniform(word.bits(24, 8));
  op.b = d.uniform(word.bits(32, 8));
  op.c = d.uniform_high(word);
  const uint32_t spaces = word.bits(73, 2);  // 1: from global, 2: to global, 3: within the cluster
  op.mode = (spaces == 1 ? kFromGlobal : spaces == 2 ? kToGlobal : 0) | (word.bit(75) ? kMulticast : 0);
  op.run = bulk_copy;
  return word.form() == 1 && spaces != 0 && d.are_uniform(word.bits(32, 8), 2) && d.are_uniform(word.bits(24, 8), 2);
}
bool prepare_bulk_copy(Decoder& d, Op& op) {
  const bool known = prepare_bulk(d, op);
  op.mode |= kCopyMode;
  return known;
}
bool prepare_bulk_reduction(Decoder& d, Op& op) {
  if (!prepare_bulk(d, op)) return false;
  ptx::Type type;
  if (!reduction_type(op.word.bits(81, 4), &type) || op.word.bit(75)) return false;
  op.mode |= static_cast<uint32_t>(reduction_of(op.word)) | static_cast<uint32_t>(type) << 8;
  op.ordered = type != ptx::Type::kU32 && type != ptx::Type::kS32 && type != ptx::Type::kU64 && type != ptx::Type::kS64;
  return true;
}

void nothing(Warp&, const Op&, uint32_t) {}
bool prepare_nothing(Decoder&, Op& op) {
  op.run = nothing;
  return true;
}

}  // namespace

uint8_t* global_bytes(Warp& w, uint64_t address, uint32_t size, bool write) {
  uint8_t* bytes = locate(w, address, size);
  if (bytes) note_copy(w, address, size, write);
  return bytes;
}
uint8_t* changed_bytes(Warp& w, uint64_t address, uint32_t size, simt::AtomicOp what) {
  if (what != AtomicOp::kExchange && !global_bytes(w, address, size, false)) return nullptr;
  return global_bytes(w, address, size, true);
}

void count_bulk(Warp& w, uint64_t sectors, uint64_t bytes, uint32_t receivers) {
  ++w.count->requests;
  w.count->bytes += bytes;
  w.count->ideal_sectors += sectors;
  w.count->sectors += sectors * receivers;
}

AtomicOp reduction_of(const Word& word) { return static_cast<AtomicOp>(word.bits(87, 3)); }
bool reduction_type(uint32_t bits, ptx::Type* type) {
  using ptx::Type;
  switch (bits) {
    case 0: *type = Type::kU32; return true;
    case 1: *type = Type::kS32; return true;
    case 2: *type = Type::kU64; return true;
    case 3: *type = Type::kS64; return true;
    case 4: *type = Type::kF16; return true;
    case 5: *type = Type::kF32; return true;
    case 7: *type = Type::kF64; return true;
    case 8: *type = Type::kBf16; return true;
    default: return false;
  }
}

// Prefetches and the ends of groups of copies change nothing, as copies happen at once.
const Row kBulkRows[] = {
    {Opcode::kUtmacmdflush, prepare_nothing},
    {Opcode::kUtmapf, prepare_nothing},
    {Opcode::kUtmacctl, prepare_nothing},
    {Opcode::kUblkcp, prepare_bulk_copy},
    {Opcode::kUblkred, prepare_bulk_reduction},
    {Opcode::kUblkpf, prepare_nothing},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
