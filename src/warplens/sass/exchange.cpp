// What lanes tell each other, and what they ask of the launch: special registers, shuffles, votes, matches, reductions.
#include <bit>

#include "warplens/sass/decoder.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/machine.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

void special_register(Warp& w, const Op& op, uint32_t on) {
  const Block& block = *w.block;
  if (op.mode >= 0x21 && op.mode <= 0x23)
    return store(w.row(op.target), w.thread[op.mode - 0x21], op.uniform ? kAll : on);
  Lanes out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    uint32_t value = 0;
    switch (op.mode) {
      case 0x00: value = i; break;
      case 0x25: case 0x26: case 0x27: value = block.index[op.mode - 0x25]; break;
      case 0x2e: value = static_cast<uint32_t>(emulator::kLocalWindow >> 32); break;
      case 0x2f: value = static_cast<uint32_t>(emulator::kSharedWindow >> 32); break;
      case 0x38: value = 1u << i; break;
      case 0x39: value = (1u << i) - 1; break;
      case 0x3a: value = (2u << i) - 1; break;
      case 0x3b: value = ~((2u << i) - 1); break;
      case 0x3c: value = ~((1u << i) - 1); break;
      case 0x88: value = block.rank; break;
      default: break;  // clocks, identifiers of hardware: 0
    }
    out.value[i] = value;
  }
  store(w.row(op.target), out, op.uniform ? kAll : on);
}
bool known_register(uint32_t number) {
  switch (number) {
    case 0x00: case 0x03: case 0x21: case 0x22: case 0x23: case 0x25: case 0x26: case 0x27: case 0x2e: case 0x2f:
    case 0x38: case 0x39: case 0x3a: case 0x3b: case 0x3c: case 0x43: case 0x50: case 0x51: case 0x52: case 0x53:
    case 0x88: case 0xff:
      return true;
    default:
      return false;
  }
}
bool prepare_s2r(Decoder&, Op& op) {
  op.mode = op.word.bits(72, 8);
  op.run = special_register;
  return known_register(op.mode);
}
bool prepare_s2ur(Decoder& d, Op& op) {
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.uniform = true;
  return prepare_s2r(d, op);
}
void cs2r_pair(Warp& w, const Op& op, uint32_t on) {
  special_register(w, op, on);
  store(w.row(op.target) + kLanes, Lanes{}, on);
}
bool prepare_cs2r(Decoder& d, Op& op) {
  const bool known = prepare_s2r(d, op);
  if (op.word.bit(80)) op.run = cs2r_pair;
  return known;
}

/// Values of a uniform row, from the lowest lane that is on; the predicate says which lanes have another value.
void r2ur(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t* a = w.in(op.a);
  const uint32_t value = a[std::countr_zero(on)];
  uint32_t others = op.word.bit(84) ? w.predicates[op.set0] : 0;  // .OR
  for (int i = 0; i < kLanes; ++i) others |= static_cast<uint32_t>(a[i] != value) << i;
  w.set(op.set0, others, on);
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, kAll);
}
bool prepare_r2ur(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.run = r2ur;
  return true;
}

void shfl(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  Lanes out;
  uint32_t valid = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t clamp = c[i] & 31, segment = c[i] >> 8 & 31, by = b[i] & 31;
    const uint32_t last = (i & segment) | (clamp & ~segment), first = i & segment;
    int from = static_cast<int>(i);
    bool inside = true;
    switch (op.mode) {
      case 0: from = static_cast<int>(first | (by & ~segment)), inside = from <= static_cast<int>(last); break;
      case 1: from -= static_cast<int>(by), inside = from >= static_cast<int>(last); break;
      case 2: from += static_cast<int>(by), inside = from <= static_cast<int>(last); break;
      default: from ^= static_cast<int>(by), inside = from <= static_cast<int>(last);
    }
    if (!inside) from = static_cast<int>(i);
    out.value[i] = a[from];
    valid |= static_cast<uint32_t>(inside) << i;
  }
  store(w.row(op.target), out, on);
  w.set(op.set0, valid, on);
}
bool prepare_shfl(Decoder& d, Op& op) {
  const Word& w = op.word;
  const uint32_t form = w.form();  // 1: both registers, 2: the mask immediate, 4: the lane immediate, 7: both
  op.a = d.source(w.bits(24, 8));
  op.b = form == 4 || form == 7 ? d.immediate(w.bits(53, 5)) : d.source(w.bits(32, 8));
  op.c = form == 2 || form == 7 ? d.immediate(w.bits(40, 13)) : d.source(w.bits(64, 8));
  op.mode = w.bits(58, 2);
  op.run = shfl;
  return true;
}

void vote(Warp& w, const Op& op, uint32_t on) {
  const uint32_t lanes = w.value(op.p) & on;
  const bool result = op.mode == 0 ? lanes == on : op.mode == 1 ? lanes != 0 : lanes == 0 || lanes == on;
  Lanes out;
  for (uint32_t& lane : out.value) lane = lanes;
  store(w.row(op.target), out, op.uniform ? kAll : on);
  w.set(op.set0, result ? kAll : 0, op.uniform ? kAll : on);
}
bool prepare_vote(Decoder&, Op& op) {
  op.mode = op.word.bits(72, 2);
  op.run = vote;
  return true;
}
bool prepare_voteu(Decoder& d, Op& op) {
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.set0 = static_cast<uint8_t>(op.set0 + 8);
  op.uniform = true;
  return prepare_vote(d, op);
}

void match(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* a = w.in(op.a);
  const bool pair = op.mode & 2, all = op.mode & 1;
  auto value = [&](int i) { return pair ? wide(a, i) : a[i]; };
  Lanes out{};
  uint32_t same_everywhere = 0;
  for (int i = 0; i < kLanes; ++i) {
    if (!(on >> i & 1)) continue;
    uint32_t same = 0;
    for (int k = 0; k < kLanes; ++k) same |= static_cast<uint32_t>((on >> k & 1) && value(k) == value(i)) << k;
    out.value[i] = all && same != on ? 0 : same;
    same_everywhere |= static_cast<uint32_t>(same == on) << i;
  }
  store(w.row(op.target), out, on);
  if (all) w.set(op.set0, same_everywhere, on);
}
bool prepare_match(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.mode = (op.word.bit(79) ? 0 : 1) | (op.word.bit(73) ? 2 : 0);
  op.run = match;
  return true;
}

uint32_t reduced(uint32_t what, bool is_signed, uint32_t x, uint32_t y) {
  const bool less = is_signed ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
  switch (what) {
    case 0: return x & y;
    case 1: return x | y;
    case 2: return x ^ y;
    case 3: return x + y;
    case 4: return less ? x : y;
    default: return less ? y : x;
  }
}
void redux(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t* a = w.in(op.a);
  const int first = std::countr_zero(on);
  uint32_t value = a[first];
  for (int i = first + 1; i < kLanes; ++i) {
    if (on >> i & 1) value = reduced(op.mode, op.sign_extend, value, a[i]);
  }
  Lanes out;
  for (uint32_t& lane : out.value) lane = value;
  store(w.row(op.target), out, kAll);
}
bool prepare_redux(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.target = d.uniform_destination(op.word.bits(16, 8));
  op.mode = op.word.bits(78, 3);
  op.sign_extend = op.word.bit(73);
  op.run = redux;
  return op.mode <= 5;
}

}  // namespace

const Row kExchangeRows[] = {
    {0x005, "CS2R", prepare_cs2r},   {0x006, "VOTE", prepare_vote},   {0x086, "VOTEU", prepare_voteu},
    {0x0ca, "R2UR", prepare_r2ur},   {0x119, "S2R", prepare_s2r},     {0x189, "SHFL", prepare_shfl},
    {0x1a1, "MATCH", prepare_match}, {0x1c2, "R2UR", prepare_r2ur},   {0x1c3, "S2UR", prepare_s2ur},
    {0x1c4, "REDUX", prepare_redux}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
