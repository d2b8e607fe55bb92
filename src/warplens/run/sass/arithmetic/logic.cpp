// Moves, logic, shifts, selections, integer compares, and predicates.

#include "warplens/run/sass/arithmetic/compare.h"
#include "warplens/run/sass/arithmetic/pair_integers.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/bits.h"
#include "warplens/simt/lanes/integers.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

void mov(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on, [](uint32_t, uint32_t b, uint32_t) { return b; });
}
bool prepare_mov(Decoder& d, Op& op) {
  if (is_pair_move(d, op)) return prepare_pair_move(d, op);
  d.operands(op);
  op.run = op.b.fixed ? load_known : mov;
  op.native = Native::kMove;
  if (op.b.fixed) d.load_constants(op, 1);
  return true;
}

void shf(Warp& w, const Op& op, uint32_t on) {
  const bool right = op.mode & kShiftRight, high = op.mode & kShiftHigh, sign = op.mode & kShiftSigned;
  const uint32_t limit = op.mode & kShift32 ? 32 : 64;
  const bool wrap = op.mode & kShiftWrap;
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t by = wrap ? b & (limit - 1) : b < limit ? b : limit;
    const uint64_t both = a | static_cast<uint64_t>(c) << 32;
    const uint64_t value = !right ? simt::shift_left(both, by)
                           : sign ? static_cast<uint64_t>(simt::shift_right(static_cast<int64_t>(both), by))
                                  : simt::shift_right(both, by);
    return static_cast<uint32_t>(high ? value >> 32 : value);
  });
}
void shift_left(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on, [](uint32_t a, uint32_t b, uint32_t) { return simt::shift_left(a, b); });
}
/// Down, 32 bits, of the high word alone: >> of a 32-bit number.
template <typename T>
void shift_right_high(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on,
      [](uint32_t, uint32_t b, uint32_t c) { return static_cast<uint32_t>(simt::shift_right(static_cast<T>(c), b)); });
}
bool prepare_shf(Decoder& d, Op& op) {
  d.operands(op);
  const uint32_t type = op.word.bits(73, 2);  // s64, u64, s32, u32
  op.mode = (type % 2 == 0 ? kShiftSigned : 0) | (type >= 2 ? kShift32 : 0) | (op.word.bit(75) ? kShiftWrap : 0) |
            (op.word.bit(76) ? kShiftRight : 0) | (op.word.bit(80) ? kShiftHigh : 0);
  op.run = shf;
  const bool spreads = (op.mode & kShiftSigned) && !(op.mode & (kShiftHigh | kShift32));  // the sign, into low words
  op.native = (op.mode & kShiftRight) && spreads ? Native::kNone : Native::kShiftWide;
  if (!(op.mode & (kShiftRight | kShiftHigh | kShiftWrap))) {
    op.run = shift_left;
    op.native = Native::kShiftLeft;
  }
  if ((op.mode & ~kShiftSigned) == (kShiftRight | kShiftHigh | kShift32)) {
    op.run = op.mode & kShiftSigned ? shift_right_high<int32_t> : shift_right_high<uint32_t>;
    op.native = op.mode & kShiftSigned ? Native::kShiftRightSigned : Native::kShiftRight;
  }
  return true;
}

void prmt(Warp& w, const Op& op, uint32_t on) {
  const uint32_t mode = op.mode;
  map(w, op, on,
      [=](uint32_t a, uint32_t b, uint32_t c) { return permute(a, c, mode ? permute_selectors(mode, b) : b); });
}
/// The same bytes in all lanes, as compilers mostly write it: op.mode holds their selectors.
void prmt_known(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *c = w.in(op.c);
  Lanes out{};
  for (uint32_t byte = 0; byte < 4; ++byte) {
    const uint32_t selector = op.mode >> 4 * byte & 15, down = selector % 4 * 8, up = 8 * byte;
    const uint32_t* from = selector & 4 ? c : a;
    if (selector & 8) {
      for (int i = 0; i < kLanes; ++i) out.value[i] |= (0u - (from[i] >> down >> 7 & 1)) >> 24 << up;
    } else {
      for (int i = 0; i < kLanes; ++i) out.value[i] |= (from[i] >> down & 0xff) << up;
    }
  }
  store(w.row(op.target), out, on);
}
bool prepare_prmt(Decoder& d, Op& op) {
  d.operands(op);
  const uint32_t mode = op.word.bits(72, 3);
  if (mode == 7) return false;
  op.mode = mode;
  op.run = prmt;
  if (!op.b.fixed || op.b.varies) return true;
  op.mode = mode ? permute_selectors(mode, op.b.fixed[0]) : op.b.fixed[0] & 0xffff;
  op.run = prmt_known;
  const bool spreads = op.mode & 0x8888;  // signs of bytes
  op.native = spreads ? Native::kNone : Native::kPermuteBytes;
  return true;
}

void sel(Warp& w, const Op& op, uint32_t on) {
  Lanes a, b;
  copy_lanes(a.value, w.in(op.a));
  copy_lanes(b.value, w.in(op.b));
  store(w.row(op.target), choose(w.value(op.p), a, b), on);
}
bool prepare_sel(Decoder& d, Op& op) {
  if (is_pair_select(d, op)) return prepare_pair_select(d, op);
  d.operands(op);
  op.run = sel;
  op.native = Native::kSelect;
  return true;
}

/// Of a place or a number of bits: with .W it wraps.
uint32_t counted_bits(const Op& op) { return op.word.bit(75) ? 31 : kAll; }

void sgxt(Warp& w, const Op& op, uint32_t on) {
  const bool is_signed = op.mode;
  const uint32_t mask = counted_bits(op);
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) {
    return is_signed ? sign_extended(a, b & mask) : zero_extended(a, b & mask);
  });
}
bool prepare_sgxt(Decoder& d, Op& op) {
  d.operands(op);
  op.mode = op.word.bit(73);
  op.run = sgxt;
  return true;
}

void bmsk(Warp& w, const Op& op, uint32_t on) {
  const uint32_t mask = counted_bits(op);
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) { return ones_at(a & mask, b & mask); });
}
bool prepare_bmsk(Decoder& d, Op& op) {
  d.operands(op);
  op.run = bmsk;
  return true;
}

uint32_t flip_of(const Op& op) { return op.word.bit(63) && op.word.form() != 4 ? kAll : 0; }

void flo(Warp& w, const Op& op, uint32_t on) {
  const uint32_t flip = flip_of(op);
  const bool is_signed = op.word.bit(73), from_above = op.word.bit(74);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) {
    const uint32_t x = b ^ flip;
    return is_signed ? leading_bit(static_cast<int32_t>(x), from_above) : leading_bit(x, from_above);
  });
}
void brev(Warp& w, const Op& op, uint32_t on) {
  const uint32_t flip = flip_of(op);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) { return reversed(b ^ flip); });
}
void popc(Warp& w, const Op& op, uint32_t on) {
  const uint32_t flip = flip_of(op);
  map(w, op, on, [=](uint32_t, uint32_t b, uint32_t) { return set_bits_of(b ^ flip); });
}
template <Handler kRun>
bool prepare_one(Decoder& d, Op& op) {
  d.operands(op);
  op.run = kRun;
  return true;
}

template <typename T>
uint32_t compare(uint32_t how, const uint32_t* a, const uint32_t* b) {
  return compare_lanes(how, [=](int i) { return static_cast<T>(a[i]); }, [=](int i) { return static_cast<T>(b[i]); });
}

void isetp(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const uint32_t how = op.word.bits(76, 3);
  const bool is_signed = op.word.bit(73);
  auto lanes = [&](uint32_t h) { return is_signed ? compare<int32_t>(h, a, b) : compare<uint32_t>(h, a, b); };
  uint32_t result = lanes(how);
  if (op.word.bit(72)) {  // .EX: equal high words leave it to the low words
    const uint32_t equal = lanes(2);
    result = (result & ~equal) | (w.value(op.r) & equal);
  }
  finish_compare(w, op, result, on);
}
/// Without .EX, one predicate written, and-ed with another.
template <typename T>
void isetp_plain(Warp& w, const Op& op, uint32_t on) {
  w.set(op.set0, compare<T>(op.mode, w.in(op.a), w.in(op.b)) & w.value(op.p), on);
}
bool prepare_isetp(Decoder& d, Op& op) {
  if (is_pair_compare(d, op)) return prepare_pair_compare(d, op);
  d.operands(op);
  op.run = isetp;
  op.native = Native::kCompareIntegers;
  op.mode = op.word.bits(76, 3);
  const bool plain = !op.word.bit(72) && op.word.bits(74, 2) == 0 && (op.set1 & 7) == 7;
  if (plain) op.run = op.word.bit(73) ? isetp_plain<int32_t> : isetp_plain<uint32_t>;
  return true;
}

void plop3(Warp& w, const Op& op, uint32_t on) {
  const uint32_t a = w.value(op.p), b = w.value(op.q), c = w.value(op.r);
  if ((op.set0 & 7) != 7) w.set(op.set0, logic(op.mode & 255, a, b, c), on);
  if ((op.set1 & 7) != 7) w.set(op.set1, logic(op.mode >> 8, a, b, c), on);
}
/// One result, from sources that do not change.
void known_plop3(Warp& w, const Op& op, uint32_t on) { w.set(op.set0, op.mode, on); }
bool prepare_plop3(Decoder&, Op& op) {
  if (!op.uniform && op.word.bit(67)) op.r.index = static_cast<uint8_t>(op.r.index + 8);  // a uniform predicate
  op.mode = op.word.bits(64, 3) | op.word.bits(72, 5) << 3 | op.word.bits(16, 8) << 8;
  op.run = plop3;
  const auto known = [](const Guard& g) { return (g.index & 7) == 7; };
  const auto value = [](const Guard& g) { return g.inverted ? 0 : kAll; };
  if ((op.set1 & 7) == 7 && known(op.p) && known(op.q) && known(op.r)) {
    op.mode = logic(op.mode & 255, value(op.p), value(op.q), value(op.r));
    op.run = known_plop3;
  }
  return true;
}

/// The signs of three registers in place of predicates.
void plop3_of_signs(Warp& w, const Op& op, uint32_t on) {
  const auto signs = [&](const Operand& o) {
    Lanes out;
    for (int i = 0; i < kLanes; ++i) out.value[i] = w.in(o)[i] >> 31;
    return mask_of(out);
  };
  const uint32_t a = signs(op.a), b = signs(op.b), c = signs(op.c);
  w.set(op.set0, logic(op.word.bits(72, 8), a, b, c), on);
  w.set(op.set1, logic(op.word.bits(16, 8), a, b, c), on);
}
bool prepare_plop3_of_signs(Decoder& d, Op& op) {
  d.operands(op);
  op.run = plop3_of_signs;
  const bool mixes = op.word.bit(80) || op.word.bits(87, 4) != 0 || op.word.bits(40, 24) != 0;
  return op.word.is(Form::kRegisters) && !mixes;
}

void p2r(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  Lanes out{};
  for (size_t k = 0; k < 7; ++k) {
    const uint32_t lanes = w.predicates[k];
    for (uint32_t i = 0; i < kLanes; ++i) out.value[i] |= (lanes >> i & 1) << k;
  }
  for (int i = 0; i < kLanes; ++i) out.value[i] = (a[i] & ~b[i]) | (out.value[i] & b[i]);
  store(w.row(op.target), out, on);
}
constexpr int kByteAt = 76;  // which byte of the register predicates come from: .B1

void r2p(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  for (uint8_t k = 0; k < 7; ++k) {
    Lanes bits, chosen;
    for (int i = 0; i < kLanes; ++i) {
      bits.value[i] = a[i] >> (op.mode + k) & 1;
      chosen.value[i] = b[i] >> k & 1;
    }
    w.set(k, mask_of(bits), on & mask_of(chosen));
  }
}
bool prepare_p2r(Decoder& d, Op& op) {
  d.operands(op);
  op.run = p2r;
  return op.word.bits(kByteAt, 2) == 0;
}
bool prepare_r2p(Decoder& d, Op& op) {
  d.operands(op);
  op.run = r2p;
  op.mode = 8 * op.word.bits(kByteAt, 2);
  return true;
}

}  // namespace

const Row kLogicRows[] = {
    {Opcode::kMov, prepare_mov},         {Opcode::kP2r, prepare_p2r},
    {Opcode::kR2p, prepare_r2p},         {Opcode::kSel, prepare_sel},
    {Opcode::kIsetp, prepare_isetp},     {Opcode::kPrmt, prepare_prmt},
    {Opcode::kShf, prepare_shf},         {Opcode::kSgxt, prepare_sgxt},
    {Opcode::kBmsk, prepare_bmsk},       {Opcode::kPlop3Mixed, prepare_plop3_of_signs},
    {Opcode::kPlop3, prepare_plop3},     {Opcode::kUmov, prepare_mov},
    {Opcode::kUsel, prepare_sel},        {Opcode::kUisetp, prepare_isetp},
    {Opcode::kUprmt, prepare_prmt},      {Opcode::kUshf, prepare_shf},
    {Opcode::kUsgxt, prepare_sgxt},      {Opcode::kUbmsk, prepare_bmsk},
    {Opcode::kUplop3, prepare_plop3},    {Opcode::kUflo, prepare_one<flo>},
    {Opcode::kUbrev, prepare_one<brev>}, {Opcode::kUpopc, prepare_one<popc>},
    {Opcode::kFlo, prepare_one<flo>},    {Opcode::kBrev, prepare_one<brev>},
    {Opcode::kPopc, prepare_one<popc>},  {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
