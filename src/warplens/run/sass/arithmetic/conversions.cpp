#include "warplens/run/sass/arithmetic/conversions.h"

#include <algorithm>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/arithmetic/rounding.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/conversion.h"

namespace warplens::simt::sass_machine {
namespace {

using simt::Conversion, ptx::Type;

/// Sizes are log2 of bytes, as the words have them.
Type float_type(uint32_t size, bool bfloat) {
  return size == 3 ? Type::kF64 : size == 2 ? Type::kF32 : bfloat ? Type::kBf16 : Type::kF16;
}
Type integer_type(uint32_t size, bool is_signed) {
  constexpr Type kSigned[] = {Type::kS8, Type::kS16, Type::kS32, Type::kS64};
  constexpr Type kUnsigned[] = {Type::kU8, Type::kU16, Type::kU32, Type::kU64};
  return is_signed ? kSigned[size] : kUnsigned[size];
}

constexpr int kToBfloat = 77, kFromBfloat = 86;  // bits; the second not of I2F

Conversion conversion_of(const Op& op) {
  const Word& w = op.word;
  const uint32_t to = w.bits(75, 2), from = w.bits(84, 2);
  Conversion c{};
  c.rounding = rounding_of(w.bits(78, 2));
  c.flags = w.bit(80) ? kFtz : 0;
  switch (op.opcode) {
    case Opcode::kF2f:
    case Opcode::kF2f64:
    case Opcode::kUf2f:
      c.to = float_type(w.bit(kToBfloat) ? 1 : to, w.bit(kToBfloat));
      c.from = float_type(from, w.bit(kFromBfloat));
      break;
    case Opcode::kF2i:
    case Opcode::kF2i64:
    case Opcode::kUf2i:
      c.to = integer_type(to, w.bit(72));
      c.from = float_type(from, w.bit(kFromBfloat));
      break;
    case Opcode::kI2f:
    case Opcode::kI2f64:
    case Opcode::kUi2f:
      c.to = float_type(w.bit(kToBfloat) ? 1 : to, w.bit(kToBfloat));
      c.from = integer_type(from, w.bit(74));
      break;
    default:
      c.to = float_type(to, w.bit(kToBfloat));
      c.from = float_type(from, w.bit(kFromBfloat));
      c.whole = true;
      break;
  }
  return c;
}

bool is_float(Type type) { return ptx::kind(type) == ptx::TypeKind::kFloat; }

/// Source bits of a lane: part of a register or a pair, with the signs of floating-point operands.
struct Source {
  const uint32_t* rows;
  int bits;
  uint32_t shift;
  uint64_t keep, flip;
  Source(Warp& w, const Op& op, Type type)
      : rows(w.in(op.b)), bits(ptx::bits(type)), shift(0), keep(~uint64_t{0}), flip(0) {
    if (op.word.form() == 1) shift = bits == 8 ? 8 * op.word.bits(60, 2) : bits == 16 ? 16 * op.word.bits(60, 1) : 0;
    const uint64_t sign = uint64_t{1} << (bits - 1);
    if (is_float(type) && op.b.absolute) keep = ~sign;
    if (is_float(type) && op.b.negate) flip = sign;
  }
  uint64_t operator()(uint32_t lane) const {
    const uint64_t raw = bits == 64 ? rows[lane] | uint64_t{rows[kLanes + lane]} << 32
                                    : (rows[lane] >> shift) & (~uint64_t{0} >> (64 - bits));
    return (raw & keep) ^ flip;
  }
};

void convert_any(Warp& w, const Op& op, uint32_t on) {
  const Conversion c = conversion_of(op);
  const Source source(w, op, c.from);
  uint32_t* to = w.row(op.target);
  const int bits = ptx::bits(c.to);
  for (const uint32_t lane : set_bits(on)) {
    const uint64_t value = simt::convert(source(lane), 0, c);
    to[lane] = static_cast<uint32_t>(value);
    if (bits == 64) to[kLanes + lane] = static_cast<uint32_t>(value >> 32);
  }
}

/// What F2FP packs: `count` floats of `from`, the first source above the second, or two halves of one register.
struct Packing {
  uint32_t modifiers;  // bits 72 to 95 but those of clamping at zero and rounding, and of the half that is unpacked
  Type to, from;
  uint8_t sources;  // 2: a and b; 1: b alone
  bool merges;      // the result's low half goes below the low half of c
};
constexpr uint32_t kRelu75 = 1u << 3, kRound = 3u << 7, kUpperHalf = 1u << 16;
constexpr Packing kPackings[] = {
    {0x000000, Type::kF16x2, Type::kF32, 2, false},      {0x000010, Type::kBf16x2, Type::kF32, 2, false},
    {0x000050, Type::kBf16, Type::kF32, 1, true},        {0x024050, Type::kTf32, Type::kF32, 1, false},
    {0x020006, Type::kF16x2, Type::kE4m3x2, 1, false},   {0x020004, Type::kF16x2, Type::kE5m2x2, 1, false},
    {0x048070, Type::kE4m3x2, Type::kF32, 2, true},      {0x048060, Type::kE5m2x2, Type::kF32, 2, true},
    {0x048032, Type::kE4m3x2, Type::kF16x2, 1, true},    {0x048022, Type::kE5m2x2, Type::kF16x2, 1, true},
    {0x042070, Type::kE2m1x2, Type::kF32, 2, true},      {0x020402, Type::kF16x2, Type::kE2m1x2, 1, false},
    {0x046060, Type::kE2m3x2, Type::kF32, 2, true},      {0x020404, Type::kF16x2, Type::kE2m3x2, 1, false},
    {0x046070, Type::kE3m2x2, Type::kF32, 2, true},      {0x020406, Type::kF16x2, Type::kE3m2x2, 1, false},
    {0x04c060, Type::kUe8m0x2, Type::kF32, 2, true},     {0x04c822, Type::kUe8m0x2, Type::kBf16x2, 1, true},
    {0x020816, Type::kBf16x2, Type::kUe8m0x2, 1, false},
};
const Packing* packing_of(const Word& w) {
  const uint32_t modifiers = (static_cast<uint32_t>(w.high >> 8) & 0x7ffff) & ~(kRelu75 | kRound | kUpperHalf);
  for (const Packing& p : kPackings) {
    if (p.modifiers == modifiers) return &p;
  }
  return nullptr;
}

void pack_floats(Warp& w, const Op& op, uint32_t on) {
  const Packing& p = *packing_of(op.word);
  Conversion c{};
  c.to = p.to;
  c.from = p.from;
  c.rounding = rounding_of(op.word.bits(79, 2));
  c.flags = static_cast<uint16_t>((op.word.bit(75) ? kRelu : 0) | (op.word.bit(90) ? kSatFinite : 0));
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *above = w.in(op.c);
  const SignMask sa(op.a), sb(op.b);
  uint32_t* to = w.row(op.target);
  const bool narrow = p.from != Type::kF32;
  const uint32_t shift = op.word.bit(88) ? 16 : 0;
  const uint64_t used = ~uint64_t{0} >> (64 - ptx::bits(p.from));
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t second = narrow ? b[lane] >> shift : sb(b[lane]);
    const uint64_t value = p.sources == 2 ? simt::convert(sa(a[lane]), second, c) : simt::convert(second & used, 0, c);
    to[lane] = p.merges ? static_cast<uint32_t>(value & 0xffff) | above[lane] << 16 : static_cast<uint32_t>(value);
  }
}
bool prepare_pack_floats(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.form() != 4) {
    op.b.negate = op.word.bit(63);
    op.b.absolute = op.word.bit(62);
  }
  op.a.negate = op.word.bit(72);
  op.a.absolute = op.word.bit(73);
  const Packing* p = packing_of(op.word);
  if (p && p->sources == 1) op.a = d.source(kRegisterZero);
  op.run = pack_floats;
  const bool merges_byte = p && p->to == Type::kE2m1x2 && op.word.source_high() != kRegisterZero;  // in a way not known
  return p != nullptr && !merges_byte;
}

void pack(Warp& w, const Op& op, uint32_t on, const Conversion& c) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *above = w.in(op.c);
  uint32_t* to = w.row(op.target);
  const int bits = ptx::bits(c.to);
  const uint32_t mask = (1u << bits) - 1;
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t low = static_cast<uint32_t>(simt::convert(b[lane], 0, c)) & mask,
                   high = static_cast<uint32_t>(simt::convert(a[lane], 0, c)) & mask;
    to[lane] = bits == 16 ? low | high << 16 : low | high << 8 | above[lane] << 16;
  }
}

/// Clamped to 8 or 16 bits.
void clamp_integer(Warp& w, const Op& op, uint32_t on) {
  Conversion c{};
  c.to = integer_type(op.mode >> 1 & 1, op.mode & 1);
  c.from = Type::kS32;
  c.flags = kSat;
  const uint32_t* b = w.in(op.b);
  uint32_t* to = w.row(op.target);
  for (const uint32_t lane : set_bits(on)) to[lane] = static_cast<uint32_t>(simt::convert(b[lane], 0, c));
}
bool prepare_clamp(Decoder& d, Op& op) {
  d.operands(op);
  op.mode = op.word.bits(76, 2);
  op.run = clamp_integer;
  return op.word.bits(72, 4) == 0 && op.word.bits(78, 9) == 0;
}

/// The same of two, packed: the first source above the second, and below the low half of c.
void pack_integers(Warp& w, const Op& op, uint32_t on) {
  Conversion c{};
  c.to = integer_type(op.mode >> 1 & 1, op.mode & 1);
  c.from = Type::kS32;
  c.flags = kSat;
  pack(w, op, on, c);
}
/// The same of 4 or 2 bits, below all of c that has room above them.
void pack_small_integers(Warp& w, const Op& op, uint32_t on) {
  const bool is_signed = op.mode & 1;
  const uint32_t bits = op.mode >> 1 == 3 ? 4 : 2;
  const int32_t least = is_signed ? -(1 << (bits - 1)) : 0, most = (1 << (is_signed ? bits - 1 : bits)) - 1;
  const auto clamped = [&](uint32_t value) {
    return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(value), least, most)) & ((1u << bits) - 1);
  };
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *above = w.in(op.c);
  uint32_t* to = w.row(op.target);
  for (const uint32_t lane : set_bits(on))
    to[lane] = clamped(b[lane]) | clamped(a[lane]) << bits | above[lane] << 2 * bits;
}
bool prepare_pack_integers(Decoder& d, Op& op) {
  d.operands(op);
  op.mode = op.word.bits(76, 3);
  const uint32_t part_of_c = op.word.bits(72, 2), size = op.mode >> 1;
  op.run = size >= 2 ? pack_small_integers : pack_integers;
  return op.word.bit(75) == 0 && op.word.bits(79, 8) == 0 && part_of_c == (size == 3 ? 2 : size == 2 ? 3 : 0);
}

/// Rounded to 8 or 16 bits and packed: the first source above the second, and below the low half of c.
void pack_rounded(Warp& w, const Op& op, uint32_t on) {
  Conversion c{};
  c.to = integer_type(op.mode >> 1 & 1, op.mode & 1);
  c.from = Type::kF32;
  c.rounding = rounding_of(op.word.bits(78, 2));
  pack(w, op, on, c);
}
bool prepare_pack_rounded(Decoder& d, Op& op) {
  d.operands(op);
  op.mode = op.word.bits(76, 2);
  op.run = pack_rounded;
  return (op.word.bits(72, 4) & ~4u) == 0 && op.word.bits(80, 7) == 0;
}

}  // namespace

bool prepare_any_conversion(Op& op) {
  op.run = convert_any;
  const Word& w = op.word;
  const bool to_integer = op.opcode == Opcode::kF2i || op.opcode == Opcode::kF2i64 || op.opcode == Opcode::kUf2i,
             from_integer = op.opcode == Opcode::kI2f || op.opcode == Opcode::kI2f64 || op.opcode == Opcode::kUi2f;
  const uint32_t known = to_integer ? 1u : from_integer ? 4u : 0;  // bits 72 to 74
  const bool bfloats = to_integer || op.opcode == Opcode::kF2f || (op.opcode == Opcode::kFrnd && w.bit(kToBfloat));
  return (w.bits(72, 3) & ~known) == 0 && (bfloats || !w.bit(kFromBfloat));
}

const Row kConversionRows[] = {
    {Opcode::kF2fp, prepare_pack_floats},  {Opcode::kI2i, prepare_clamp}, {Opcode::kI2ip, prepare_pack_integers},
    {Opcode::kF2ip, prepare_pack_rounded}, {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
