// What lanes and warps arrange among themselves on Hopper: a leader, uniform predicates in a register, registers that
// move between warps, the kind of memory behind an address.
#include <bit>

#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"

namespace warplens::simt::sass_machine {
namespace {

void set_uniform(Warp& w, const Op& op, uint32_t value) {
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, kAll);
}

/// The lowest lane leads.
void elect(Warp& w, const Op& op, uint32_t on) {
  const uint32_t candidates = on & w.value(op.p);
  if (!candidates) return w.set(op.set0, 0, on);
  w.set(op.set0, candidates & (0 - candidates), on);
  set_uniform(w, op, static_cast<uint32_t>(std::countr_zero(candidates)));
}
bool prepare_elect(Decoder& d, Op& op) {
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.run = elect;
  return op.word.form() == 4;
}

/// Uniform predicates as bits of one byte of a register, and back; `mode`: the byte.
void predicates_out(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  uint32_t bits = 0;
  for (uint32_t k = 0; k < 7; ++k) bits |= (w.predicates[kUniformPredicates + k] >> w.some_lane() & 1) << k;
  const uint32_t at = 8 * op.mode, value = w.in(op.a)[w.some_lane()];
  set_uniform(w, op, (value & ~(0xffu << at)) | (bits & *op.b.fixed & 0xff) << at);
}
void predicates_in(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t bits = w.in(op.a)[w.some_lane()] >> 8 * op.mode, chosen = *op.b.fixed;
  for (uint32_t k = 0; k < 7; ++k) {
    if (chosen >> k & 1) w.predicates[kUniformPredicates + k] = bits >> k & 1 ? kAll : 0;
  }
}
bool prepare_predicates(Decoder& d, Op& op, Handler run) {
  op.a = d.uniform(op.word.bits(24, 8));
  op.b = d.immediate(op.word.bits(32, 32));
  op.mode = op.word.bits(76, 2);
  op.run = run;
  return op.word.form() == 4;
}
bool prepare_predicates_out(Decoder& d, Op& op) { return prepare_predicates(d, op, predicates_out); }
bool prepare_predicates_in(Decoder& d, Op& op) { return prepare_predicates(d, op, predicates_in); }

/// Asking for registers always succeeds; all are there from the start.
void set_max_registers(Warp& w, const Op& op, uint32_t on) {
  if (on) w.set(op.set0, kAll, kAll);
}
bool prepare_set_max_registers(Decoder&, Op& op) {
  op.run = set_max_registers;
  return op.word.form() == 4;
}

void keep(Warp& w, const Op& op, uint32_t on) {
  Lanes in;
  std::memcpy(in.value, w.in(op.b), sizeof in.value);
  store(w.kept[op.mode].value, in, on);
}
void give_back(Warp& w, const Op& op, uint32_t on) { store(w.row(op.target), w.kept[op.mode], on); }
bool prepare_keep(Decoder& d, Op& op) {
  op.b = d.source(op.word.bits(32, 8));
  op.mode = op.word.bit(31);
  op.run = keep;
  return op.word.form() == 1;
}
bool prepare_give_back(Decoder&, Op& op) {
  op.mode = op.word.bit(31);
  op.run = give_back;
  return op.word.form() == 1;
}

/// What QSPC asks for: bits 72 to 75.
enum Space : uint32_t { kGlobalSpace = 1, kLocalSpace = 3, kOwnShared = 5, kAnyShared = 7 };

bool lies_in(uint64_t address, uint32_t space, uint32_t rank) {
  const bool shared = address >> 56 == kSharedWindow >> 56, local = address >> 56 == kLocalWindow >> 56;
  switch (space) {
    case kGlobalSpace: return !shared && !local;
    case kLocalSpace: return local;
    case kOwnShared: return shared && rank_of(address) == rank;
    default: return shared;
  }
}

/// Which memory does a generic address lie in?
void query_space(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  uint32_t yes = 0;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t address = wide(a, i) + static_cast<uint64_t>(op.offset);
    yes |= static_cast<uint32_t>(lies_in(address, op.mode, w.block->rank)) << i;
  }
  w.set(op.set0, yes, on);
}
bool prepare_query_space(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.offset = op.word.signed_bits(40, 24);
  op.mode = op.word.bits(72, 4);
  op.run = query_space;
  return op.mode % 2 == 1 && op.mode <= kAnyShared;
}

void nothing(Warp&, const Op&, uint32_t) {}
bool prepare_nothing(Decoder&, Op& op) {
  op.run = nothing;
  return true;
}

}  // namespace

const Row kElectRows[] = {
    {Opcode::kPreexit, prepare_nothing},
    {Opcode::kAcqbulk, prepare_nothing},
    {Opcode::kElect, prepare_elect},
    {Opcode::kUp2ur, prepare_predicates_out},
    {Opcode::kUr2up, prepare_predicates_in},
    {Opcode::kRpcmovIn, prepare_keep},
    {Opcode::kRpcmovOut, prepare_give_back},
    {Opcode::kQspc, prepare_query_space},
    {Opcode::kUsetmaxreg, prepare_set_max_registers},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
