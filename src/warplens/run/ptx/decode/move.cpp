// mov with packing, cvt, cvta and the questions about addresses.
#include "warplens/run/ptx/convert.h"
#include "warplens/run/ptx/decode/plain.h"
#include "warplens/run/ptx/special_registers.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

Status emit_unary(Decoding& d, std::string_view key, uint32_t from, uint32_t to, uint32_t second = kNoSlot) {
  Op op;
  WL_ASSIGN(op.run, d.find(key));
  op.a = from;
  op.b = second;
  op.d = to;
  if (to != kNoSlot) d.emit(op);
  return {};
}

/// {a, b, ...} -> one register. The lowest element comes first.
Status decode_pack(Decoding& d, int bits) {
  const ptx::Operand& from = d.operand(1);
  const int each = bits / static_cast<int>(from.count);
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < from.count; ++i) {
    WL_ASSIGN(const uint32_t part, d.read(d.element(from, i), each <= 16 ? 16 : each));
    parts.push_back(part);
  }
  WL_ASSIGN(const uint32_t to, d.write(0, bits));
  if (to == kNoSlot) return {};
  const auto join = [&](uint32_t low, uint32_t high, const char* key) -> Result<uint32_t> {
    return d.compute(key, 64, {low, high});
  };
  if (each == 8) {  // pairs of bytes first
    std::vector<uint32_t> pairs;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      WL_ASSIGN(const uint32_t pair, d.compute("prmt", 32, {parts[i], parts[i + 1], d.constant(0x0040, 32)}));
      pairs.push_back(pair);
    }
    parts = pairs;
    if (parts.size() == 1) return emit_unary(d, "mov.32", parts[0], to);
  }
  if (bits == 64 && parts.size() == 4) {
    WL_ASSIGN(const uint32_t low, join(parts[0], parts[1], "pack.32"));
    WL_ASSIGN(const uint32_t high, join(parts[2], parts[3], "pack.32"));
    return emit_unary(d, "pack.64", low, to, high);
  }
  if (bits == 32 && parts.size() == 2) return emit_unary(d, "pack.32", parts[0], to, parts[1]);
  if (bits == 64 && parts.size() == 2) return emit_unary(d, "pack.64", parts[0], to, parts[1]);
  if (bits == 128 && parts.size() == 4) {
    WL_TRY(emit_unary(d, "pack.64", parts[0], to, parts[1]));
    return emit_unary(d, "pack.64", parts[2], to + 256, parts[3]);
  }
  if (bits == 128 && parts.size() == 2) {
    WL_TRY(emit_unary(d, "mov.64", parts[0], to));
    return emit_unary(d, "mov.64", parts[1], to + 256);
  }
  return d.unsupported("this packing");
}

/// One register -> {a, b, ...}.
Status decode_unpack(Decoding& d, int bits) {
  const ptx::Operand& to = d.operand(0);
  const int each = bits / static_cast<int>(to.count);
  WL_ASSIGN(const uint32_t from, d.read(1, bits));
  if (bits == 128 && to.count != 2 && to.count != 4) return d.unsupported("this unpacking");
  // Destinations may overlap the source register only when each is its own; parts are cut from a copy-free source.
  for (uint32_t i = 0; i < to.count; ++i) {
    WL_ASSIGN(const uint32_t part, d.write(d.element(to, i), each <= 16 ? 16 : each));
    if (part == kNoSlot) continue;
    if (bits == 128 && each == 64) {
      WL_TRY(emit_unary(d, "mov.64", from + 256 * i, part));
    } else if (bits == 128) {
      WL_TRY(emit_unary(d, i % 2 ? "unpack.high.64" : "cvt.u32.u64", from + 256 * (i / 2), part));
    } else if (each == 32) {
      WL_TRY(emit_unary(d, i ? "unpack.high.64" : "cvt.u32.u64", from, part));
    } else {
      Op op;
      WL_ASSIGN(op.run, d.find(bits == 64 ? "bfe.u64" : "bfe.u32"));
      op.a = from;
      op.b = d.constant(static_cast<uint64_t>(each) * i, 32);
      op.c = d.constant(static_cast<uint64_t>(each), 32);
      if (bits == 64) {
        op.d = d.temporary(64);
        d.emit_before(op);
        WL_TRY(emit_unary(d, "cvt.u32.u64", op.d, part));
      } else {
        op.d = part;
        d.emit(op);
      }
    }
  }
  return {};
}

Status decode_mov(Decoding& d) {
  const Type type = d.mnemonic().type();
  const int bits = lane_bits(type);
  if (d.operand(1).kind == OperandKind::kVector) return decode_pack(d, bits);
  if (d.operand(0).kind == OperandKind::kVector) return decode_unpack(d, bits);
  if (bits == 128) {
    WL_ASSIGN(const uint32_t from, d.read(1, 128));
    WL_ASSIGN(const uint32_t to, d.write(0, 128));
    if (to == kNoSlot) return {};
    WL_TRY(emit_unary(d, "mov.64", from, to));
    return emit_unary(d, "mov.64", from + 256, to + 256);
  }
  if (d.operand(1).kind == OperandKind::kSpecial && special_register_bits(d.operand(1)) == bits) {
    Op op = special_register_op(d.operand(1));
    if (!op.run) return d.unsupported("this special register");
    WL_ASSIGN(op.d, d.write(0, bits));
    d.emit(op);
    return {};
  }
  return emit_plain(d, "mov." + width_name(type), bits, {{bits, type}});
}

std::string plain_name(Type t) { return std::string(ptx::text(t)); }

/// The key of a fast handler for this conversion, or "".
std::string fast_conversion(const ptx::Mnemonic& m, Type to, Type from, uint16_t flags, int operands) {
  const bool to_integer = ptx::kind(to) != ptx::TypeKind::kFloat && ptx::kind(to) != ptx::TypeKind::kPacked;
  const bool from_integer = ptx::kind(from) != ptx::TypeKind::kFloat && ptx::kind(from) != ptx::TypeKind::kPacked;
  const uint8_t mode = rounding_mode(m);
  const bool whole = m.has(Mod::kRni) || m.has(Mod::kRzi) || m.has(Mod::kRmi) || m.has(Mod::kRpi);
  static constexpr const char* kWhole[] = {"rni.", "rzi.", "rmi.", "rpi."};
  if (to_integer && from_integer) return flags & 2 ? "" : "cvt." + plain_name(to) + "." + plain_name(from);
  if (to_integer) {
    const bool fits = is_real(from) && ptx::bits(to) >= 32 && mode < 4;
    return fits ? std::string("cvt.") + kWhole[mode] + plain_name(to) + "." + plain_name(from) : "";
  }
  if (flags) return "";
  if (from_integer) return mode == 0 && is_real(to) ? "cvt.rn." + plain_name(to) + "." + plain_name(from) : "";
  if (whole)
    return to == from && is_real(to) ? std::string("cvt.") + kWhole[mode] + plain_name(to) + "." + plain_name(from)
                                     : "";
  if (to == Type::kF64 && from == Type::kF32) return "cvt.f64.f32";
  if (to == Type::kF32 && (from == Type::kF16 || from == Type::kBf16)) return "widen." + plain_name(from);
  if (mode != 0) return "";
  if (to == Type::kF32 && from == Type::kF64) return "cvt.rn.f32.f64";
  if ((to == Type::kF16 || to == Type::kBf16) && from == Type::kF32) return "narrow." + plain_name(to);
  if ((to == Type::kF16x2 || to == Type::kBf16x2) && from == Type::kF32 && operands == 3)
    return "pack." + plain_name(to);
  return "";
}

Status decode_cvt(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type to = m.type(0), from = m.type(1);
  if (m.has(Mod::kRs)) return d.unsupported("stochastic rounding");
  if (m.has(Mod::kScaledN2Ue8m0)) return d.unsupported("scaled conversion");
  const uint16_t flags = real_flags(m);
  const int to_bits = lane_bits(to), from_bits = lane_bits(from);
  const bool two = d.operands() == 3;
  const std::string key = fast_conversion(m, to, from, flags, d.operands());
  Op op;
  if (!key.empty() && handlers().find(key)) {
    WL_ASSIGN(op.run, d.find(key));
  } else {
    op.run = &run_convert;
    const bool whole = m.has(Mod::kRni) || m.has(Mod::kRzi) || m.has(Mod::kRmi) || m.has(Mod::kRpi);
    op.types = {to, from, whole};
    op.size = to_bits == 64 ? 8 : 4;
    op.vector = from_bits == 64 ? 8 : 4;
  }
  op.rounding = rounding_mode(m);
  op.flags = flags;
  WL_ASSIGN(op.a, d.read(1, from_bits, from));
  if (two) {
    WL_ASSIGN(op.b, d.read(2, from_bits, from));
  }
  WL_ASSIGN(op.d, d.write(0, to_bits, is_signed(to)));
  d.emit(op);
  return {};
}

Address window_of(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCta:
    case Space::kSharedCluster: return kSharedWindow;
    case Space::kLocal: return kLocalWindow;
    case Space::kParam:
    case Space::kParamEntry: return kParamWindow;
    default: return 0;  // global and const addresses are generic ones
  }
}

/// Generic addresses of global memory and constants are the addresses themselves.
Status decode_cvta(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  const Address window = window_of(d.mnemonic().space());
  if (window == 0 || bits == 32) return emit_plain(d, "mov." + std::to_string(bits), bits, {{bits}});
  Op op;
  WL_ASSIGN(op.run, d.find(d.has(Mod::kTo) ? "sub.64" : "add.64"));
  WL_ASSIGN(op.a, d.read(1, 64));
  op.b = d.constant(window, 64);
  WL_ASSIGN(op.d, d.write(0, 64));
  d.emit(op);
  return {};
}

Status decode_isspacep(Decoding& d) {
  const Space space = d.mnemonic().space();
  WL_ASSIGN(const uint32_t address, d.read(1, 64));
  const Address window = window_of(space);
  Op compare;
  WL_ASSIGN(compare.run, d.find("setp.eq.u64"));
  WL_ASSIGN(compare.a, d.compute("shr.u64", 64, {address, d.constant(56, 32)}));
  compare.b = d.constant(space == Space::kConst ? 0xff : window >> 56, 64);
  WL_ASSIGN(compare.d, d.write(0, 1));
  d.emit(compare);
  return {};
}

}  // namespace

void add_move_decoders(DecoderTable& t) {
  t[Opcode::kMov] = &decode_mov;
  t[Opcode::kCvt] = &decode_cvt;
  t[Opcode::kCvta] = &decode_cvta;
  t[Opcode::kIsspacep] = &decode_isspacep;
}

}  // namespace warplens::simt::ptx_machine
