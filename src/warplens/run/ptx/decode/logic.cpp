// Logic, shifts, bit fields, comparison, selection.
#include "warplens/run/ptx/decode/plain.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

std::string name_of(const Decoding& d) { return std::string(ptx::text(d.mnemonic().opcode)); }

Status decode_bitwise(Decoding& d) {
  const Type type = d.mnemonic().type();
  const int bits = lane_bits(type);
  const std::string key = name_of(d) + "." + width_name(type);
  if (d.mnemonic().opcode == Opcode::kNot || d.mnemonic().opcode == Opcode::kCnot)
    return emit_plain(d, key, bits, {{bits}});
  return emit_plain(d, key, bits, {{bits}, {bits}});
}

Status decode_shift(Decoding& d) {
  const Type type = d.mnemonic().type();
  const int bits = lane_bits(type);
  if (d.mnemonic().opcode == Opcode::kShl) return emit_plain(d, "shl." + width_name(type), bits, {{bits}, {32}});
  return emit_plain(d, "shr." + integer_name(type), bits, {{bits}, {32}});
}

Status decode_funnel(Decoding& d) {
  return emit_plain(d, std::string("shf.") + (d.has(Mod::kL) ? "l." : "r.") + (d.has(Mod::kWrap) ? "wrap" : "clamp"),
                    32, {{32}, {32}, {32}});
}

/// popc, clz (32-bit results), brev.
Status decode_count(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  const bool same = d.mnemonic().opcode == Opcode::kBrev;
  return emit_plain(d, name_of(d) + "." + std::to_string(bits), same ? bits : 32, {{bits}});
}

Status decode_bfind(Decoding& d) {
  const Type type = d.mnemonic().type();
  return emit_plain(d, std::string("bfind.") + (d.has(Mod::kShiftamt) ? "shiftamt." : "") + integer_name(type), 32,
                    {{lane_bits(type)}});
}

Status decode_bfe(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  return emit_plain(d, "bfe." + integer_name(d.mnemonic().type()), bits, {{bits}, {32}, {32}});
}
Status decode_bfi(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  return emit_plain(d, "bfi." + std::to_string(bits), bits, {{bits}, {bits}, {32}, {32}});
}

Status decode_mask(Decoding& d) {
  const auto& m = d.mnemonic();
  const std::string mode = m.has(Mod::kWrap) ? ".wrap" : ".clamp";
  if (m.opcode == Opcode::kBmsk) return emit_plain(d, "bmsk" + mode, 32, {{32}, {32}});
  return emit_plain(d, "szext" + mode + "." + integer_name(m.type()), 32, {{32}, {32}});
}

Status decode_dot(Decoding& d) {
  const auto& m = d.mnemonic();
  const std::string half = m.opcode == Opcode::kDp2a ? (m.has(Mod::kHi) ? "dp2a.hi." : "dp2a.lo.") : "dp4a.";
  return emit_plain(d, half + integer_name(m.type(0)) + "." + integer_name(m.type(1)), 32, {{32}, {32}, {32}});
}

Status decode_prmt(Decoding& d) {
  static constexpr Mod kModes[] = {Mod::kF4e, Mod::kB4e, Mod::kRc8, Mod::kEcl, Mod::kEcr, Mod::kRc16};
  for (uint8_t i = 0; i < 6; ++i) {
    if (d.has(kModes[i])) return emit_plain(d, "prmt.mode", 32, {{32}, {32}, {32}}, 0, static_cast<uint8_t>(i + 1));
  }
  return emit_plain(d, "prmt", 32, {{32}, {32}, {32}});
}

Status decode_lop3(Decoding& d) {
  Op op;
  const bool predicate = d.has(Mod::kAnd) || d.has(Mod::kOr);
  WL_ASSIGN(op.run, d.find(predicate ? "lop3.pred.32" : "lop3.32"));
  WL_ASSIGN(op.a, d.read(1, 32));
  WL_ASSIGN(op.b, d.read(2, 32));
  WL_ASSIGN(op.c, d.read(3, 32));
  WL_ASSIGN(op.value, d.immediate(4));
  if (predicate) {
    const ptx::Operand& pair = d.operand(0);
    if (pair.kind != OperandKind::kPair) return d.unsupported("this destination");
    WL_ASSIGN(op.d, d.write(d.element(pair, 0), 32));
    WL_ASSIGN(op.e, d.write(d.element(pair, 1), 1));
    WL_ASSIGN(op.predicate, d.read(5, 1));
    op.joins_and = d.has(Mod::kAnd);
  } else {
    WL_ASSIGN(op.d, d.write(0, 32));
  }
  d.emit(op);
  return {};
}

/// The comparison of setp and set: "setp.lt.ftz.f32"; "" when there is none.
std::string comparison_key(const ptx::Mnemonic& m, Type type) {
  static constexpr struct {
    Mod mod;
    const char* name;
    const char* integer;
  } kRows[] = {{Mod::kEq, "eq", "eq"}, {Mod::kNe, "ne", "ne"},  {Mod::kLt, "lt", "lt"}, {Mod::kLe, "le", "le"},
               {Mod::kGt, "gt", "gt"}, {Mod::kGe, "ge", "ge"},  {Mod::kLo, "", "lt"},   {Mod::kLs, "", "le"},
               {Mod::kHi, "", "gt"},   {Mod::kHs, "", "ge"},    {Mod::kEqu, "equ", ""}, {Mod::kNeu, "neu", ""},
               {Mod::kLtu, "ltu", ""}, {Mod::kLeu, "leu", ""},  {Mod::kGtu, "gtu", ""}, {Mod::kGeu, "geu", ""},
               {Mod::kNum, "num", ""}, {Mod::kIsNan, "nan", ""}};
  const bool real = is_real(type) || is_half(type);
  for (const auto& row : kRows) {
    if (!m.has(row.mod)) continue;
    const std::string name = real ? row.name : row.integer;
    if (name.empty()) return "";
    if (!real) return "setp." + name + "." + integer_name(type);
    return "setp." + name + (m.has(Mod::kFtz) && !is_half(type) ? ".ftz" : "") + (type == Type::kF64 ? ".f64" : ".f32");
  }
  return "";
}

/// Operands 1 and 2, halves widened to f32.
Result<uint32_t> read_compared(Decoding& d, int i, Type type, bool high) {
  if (!is_half(type)) return d.read(i, lane_bits(type), type);
  const bool pair = type == Type::kF16x2 || type == Type::kBf16x2;
  const std::string base = type == Type::kF16 || type == Type::kF16x2 ? "f16" : "bf16";
  WL_ASSIGN(const uint32_t half, d.read(i, pair ? 32 : 16, type));
  return d.compute((high ? "widen.high." : "widen.") + base, 32, {half});
}

/// The comparison as an operation without destination: a, b, c and the logic are filled in.
Result<Op> comparison(Decoding& d, Type type, bool high) {
  const auto& m = d.mnemonic();
  Op op;
  const std::string key = comparison_key(m, type);
  WL_ASSIGN(op.run, d.find(key.empty() ? "setp" : key));
  WL_ASSIGN(op.a, read_compared(d, 1, type, high));
  WL_ASSIGN(op.b, read_compared(d, 2, type, high));
  if (m.has(Mod::kAnd) || m.has(Mod::kOr) || m.has(Mod::kXor)) {
    op.logic = m.has(Mod::kAnd) ? PredicateLogic::kAnd : m.has(Mod::kOr) ? PredicateLogic::kOr : PredicateLogic::kXor;
    WL_ASSIGN(op.c, d.read(3, 1));
  }
  return op;
}

Status decode_setp(Decoding& d) {
  const Type type = d.mnemonic().type();
  const ptx::Operand& to = d.operand(0);
  const bool pair = to.kind == OperandKind::kPair;
  WL_ASSIGN(Op op, comparison(d, type, false));
  WL_ASSIGN(op.d, d.write(pair ? d.element(to, 0) : to, 1));
  if (type == Type::kF16x2 || type == Type::kBf16x2) {  // p is the low half's result, q the high one's
    WL_ASSIGN(Op high, comparison(d, type, true));
    if (pair) {
      WL_ASSIGN(high.d, d.write(d.element(to, 1), 1));
    }
    d.emit(op);
    d.emit(high);
    return {};
  }
  if (pair) {
    WL_ASSIGN(op.e, d.write(d.element(to, 1), 1));
  }
  d.emit(op);
  return {};
}

/// set: the comparison into a predicate, then one of two constants.
Status decode_set(Decoding& d) {
  const Type to = d.mnemonic().type(0), from = d.mnemonic().type(1);
  const bool packed = to == Type::kF16x2 || to == Type::kBf16x2 || from == Type::kF16x2 || from == Type::kBf16x2;
  const int bits = lane_bits(to);
  const auto one = [&](Type t) -> uint64_t {
    switch (t) {
      case Type::kF32: return 0x3f800000;
      case Type::kF16:
      case Type::kF16x2: return 0x3c00;
      case Type::kBf16:
      case Type::kBf16x2: return 0x3f80;
      default: return packed ? 0xffff : 0xffffffff;
    }
  };
  WL_ASSIGN(Op low, comparison(d, from, false));
  low.d = d.temporary(1);
  d.emit_before(low);
  Op choose;
  WL_ASSIGN(choose.run, d.find("selp." + std::to_string(bits)));
  choose.a = d.constant(one(to), bits);
  choose.b = d.constant(0, bits);
  choose.c = low.d;
  WL_ASSIGN(const uint32_t destination, d.write(0, bits));
  choose.d = destination;
  if (packed) {
    WL_ASSIGN(Op high, comparison(d, from, true));
    high.d = d.temporary(1);
    d.emit_before(high);
    choose.d = d.temporary(32);
    d.emit_before(choose);
    Op upper = choose;
    upper.a = d.constant(one(to) << 16, 32);
    upper.c = high.d;
    upper.d = d.temporary(32);
    d.emit_before(upper);
    Op join;
    WL_ASSIGN(join.run, d.find("or.32"));
    join.a = choose.d;
    join.b = upper.d;
    join.d = destination;
    d.emit(join);
    return {};
  }
  d.emit(choose);
  return {};
}

Status decode_selp(Decoding& d) {
  const Type type = d.mnemonic().type();
  const int bits = lane_bits(type);
  return emit_plain(d, "selp." + std::to_string(bits), bits, {{bits, type}, {bits, type}, {1}});
}

Status decode_slct(Decoding& d) {
  const Type type = d.mnemonic().type(0), by = d.mnemonic().type(1);
  const int bits = lane_bits(type);
  return emit_plain(d, "slct." + std::to_string(bits) + "." + std::string(ptx::text(by)), bits,
                    {{bits, type}, {bits, type}, {32, by}}, real_flags(d.mnemonic()));
}

Status decode_testp(Decoding& d) {
  static constexpr Mod kTests[] = {Mod::kFinite,     Mod::kInfinite, Mod::kNumber,
                                   Mod::kNotanumber, Mod::kNormal,   Mod::kSubnormal};
  const Type type = d.mnemonic().type();
  for (uint8_t i = 0; i < 6; ++i) {
    if (d.has(kTests[i]))
      return emit_plain(d, "testp." + std::string(ptx::text(type)), 1, {{lane_bits(type), type}}, 0, i);
  }
  return d.unsupported("this test");
}

}  // namespace

void add_logic_decoders(DecoderTable& t) {
  for (const Opcode o : {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kNot, Opcode::kCnot}) t[o] = &decode_bitwise;
  t[Opcode::kShl] = t[Opcode::kShr] = &decode_shift;
  t[Opcode::kShf] = &decode_funnel;
  t[Opcode::kPopc] = t[Opcode::kClz] = t[Opcode::kBrev] = &decode_count;
  t[Opcode::kBfind] = &decode_bfind;
  t[Opcode::kFns] = [](Decoding& d) { return emit_plain(d, "fns", 32, {{32}, {32}, {32}}); };
  t[Opcode::kBfe] = &decode_bfe;
  t[Opcode::kBfi] = &decode_bfi;
  t[Opcode::kBmsk] = t[Opcode::kSzext] = &decode_mask;
  t[Opcode::kDp4a] = t[Opcode::kDp2a] = &decode_dot;
  t[Opcode::kPrmt] = &decode_prmt;
  t[Opcode::kLop3] = &decode_lop3;
  t[Opcode::kSetp] = &decode_setp;
  t[Opcode::kSet] = &decode_set;
  t[Opcode::kSelp] = &decode_selp;
  t[Opcode::kSlct] = &decode_slct;
  t[Opcode::kTestp] = &decode_testp;
}

}  // namespace warplens::simt::ptx_machine
