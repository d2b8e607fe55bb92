// add, sub, mul, mad, fma, div, ... of integers, f32, f64, f16 and bf16.
#include "warplens/run/ptx/decode/plain.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::Type;

std::string name_of(const Decoding& d) { return std::string(ptx::text(d.mnemonic().opcode)); }

/// f32 and f64: "add.rn.ftz.f32", or "add.any.f32" with rounding and flags at run time.
Status decode_real(Decoding& d, const std::string& name, int operands) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  const uint16_t flags = real_flags(m);
  const uint8_t mode = rounding_mode(m);
  const int bits = lane_bits(type);
  const std::string suffix = type == Type::kF64 ? ".f64" : ".f32";
  const bool fast = mode == 0 && (flags & ~1u) == 0;
  const std::string key = fast ? name + ".rn" + (flags & 1 ? ".ftz" : "") + suffix : name + ".any" + suffix;
  const Source s{bits, type};
  if (operands == 1) return emit_plain(d, key, bits, {s}, flags, mode);
  if (operands == 2) return emit_plain(d, key, bits, {s, s}, flags, mode);
  return emit_plain(d, key, bits, {s, s, s}, flags, mode);
}

/// f32x2: two f32 in a 64-bit register; done half by half.
Status compute_pair_of_f32(Decoding& d, const std::string& name, const std::vector<uint32_t>& sources) {
  const auto& m = d.mnemonic();
  const uint16_t flags = real_flags(m);
  const uint8_t mode = rounding_mode(m);
  const bool fast = mode == 0 && (flags & ~1u) == 0;
  const std::string key = fast ? name + ".rn" + (flags & 1 ? ".ftz" : "") + ".f32" : name + ".any.f32";
  WL_ASSIGN(const Handler run, d.find(key));
  uint32_t halves[2];
  for (int half = 0; half < 2; ++half) {
    Op op;
    op.run = run;
    op.flags = flags;
    op.rounding = mode;
    uint32_t* slots[] = {&op.a, &op.b, &op.c};
    for (size_t i = 0; i < sources.size(); ++i) {
      WL_ASSIGN(*slots[i], d.compute(half ? "unpack.high.64" : "cvt.u32.u64", 32, {sources[i]}));
    }
    op.d = halves[half] = d.temporary(32);
    d.emit_before(op);
  }
  Op join;
  WL_ASSIGN(join.run, d.find("pack.64"));
  join.a = halves[0];
  join.b = halves[1];
  WL_ASSIGN(join.d, d.write(0, 64));
  d.emit(join);
  return {};
}

Status decode_pair_of_f32(Decoding& d, const std::string& name, int operands) {
  std::vector<uint32_t> sources;
  for (int i = 1; i <= operands; ++i) {
    WL_ASSIGN(const uint32_t slot, d.read(i, 64));
    sources.push_back(slot);
  }
  return compute_pair_of_f32(d, name, sources);
}

/// -x, of each half of a packed pair.
Result<uint32_t> sign_flipped(Decoding& d, uint32_t slot, Type type) {
  const int bits = lane_bits(type);
  const uint64_t signs = type == Type::kF64     ? uint64_t{1} << 63
                         : type == Type::kF32x2 ? 0x8000000080000000u
                         : type == Type::kF32   ? 0x80000000u
                         : bits == 32           ? 0x80008000u
                                                : 0x8000u;
  return d.compute(bits == 64 ? "xor.64" : "xor.32", bits, {slot, d.constant(signs, bits)});
}

/// "full.ftz.f32", of the divisions that ptxas makes of a product with a reciprocal.
std::string division_kind(const ptx::Mnemonic& m) {
  return std::string(m.has(Mod::kFull) ? "full" : "approx") + (m.has(Mod::kFtz) ? ".ftz.f32" : ".f32");
}

/// The two factors of a product, or of such a quotient.
Result<std::vector<uint32_t>> factors(Decoding& d, uint32_t instruction, int bits, Type type) {
  const ptx::Instruction& product = d.function().instructions[instruction];
  const ptx::Operand* operands = d.function().operands_of(product);
  WL_ASSIGN(const uint32_t first, d.read(operands[1], bits, type));
  WL_ASSIGN(const uint32_t second, d.read(operands[2], bits, type));
  const ptx::Mnemonic& m = d.module().mnemonic(product);
  if (m.opcode != Opcode::kDiv) return std::vector{first, second};
  WL_ASSIGN(const uint32_t numerator, d.compute("numerator." + division_kind(m), 32, {first, second}));
  WL_ASSIGN(const uint32_t reciprocal, d.compute("reciprocal." + division_kind(m), 32, {second}));
  return std::vector{numerator, reciprocal};
}

/// An add or sub that takes in a product: one fma.
Status decode_contracted(Decoding& d, const Contraction& c) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  const int bits = lane_bits(type);
  WL_ASSIGN(std::vector<uint32_t> slots, factors(d, c.product, bits, type));
  WL_ASSIGN(const uint32_t addend, d.read(d.operand(c.addend), bits, type));
  slots.push_back(addend);
  if (c.negate_product) {
    WL_ASSIGN(slots[0], sign_flipped(d, slots[0], type));
  }
  if (c.negate_addend) {
    WL_ASSIGN(slots[2], sign_flipped(d, slots[2], type));
  }
  if (type == Type::kF32x2) return compute_pair_of_f32(d, "fma", slots);
  const uint16_t flags = real_flags(m);
  std::string key = "fma." + std::string(ptx::text(type));
  if (is_half(type) && flags) key = "fma.any." + std::string(ptx::text(type));
  if (is_real(type)) {
    const char* kind = flags & ~1u ? "fma.any." : flags ? "fma.rn.ftz." : "fma.rn.";
    key = kind + std::string(ptx::text(type));
  }
  Op op;
  WL_ASSIGN(op.run, d.find(key));
  op.a = slots[0];
  op.b = slots[1];
  op.c = slots[2];
  op.flags = flags;
  WL_ASSIGN(op.d, d.write(0, bits));
  if (op.d == kNoSlot) op.d = d.temporary(bits);
  d.emit(op);
  return {};
}

Status decode_half(Decoding& d, const std::string& name, int operands) {
  const Type type = d.mnemonic().type();
  const uint16_t flags = real_flags(d.mnemonic());
  const int bits = lane_bits(type);
  const std::string key = name + (flags ? ".any." : ".") + std::string(ptx::text(type));
  const Source s{bits, type};
  if (operands == 1) return emit_plain(d, key, bits, {s}, flags);
  if (operands == 2) return emit_plain(d, key, bits, {s, s}, flags);
  return emit_plain(d, key, bits, {s, s, s}, flags);
}

/// add.f32.f16 d, a, c and fma.f32.f16 d, a, b, c: the f16 or bf16 operands are widened first.
Status decode_mixed(Decoding& d, const std::string& name, int operands) {
  const auto& m = d.mnemonic();
  const std::string narrow(ptx::text(m.type(1)));
  const uint16_t flags = real_flags(m);
  const uint8_t mode = rounding_mode(m);
  Op op;
  WL_ASSIGN(op.run, d.find(mode == 0 && !flags ? name + ".rn.f32" : name + ".any.f32"));
  uint32_t* slots[] = {&op.a, &op.b, &op.c};
  for (int i = 1; i <= operands; ++i) {
    if (i == operands) {
      WL_ASSIGN(*slots[i - 1], d.read(i, 32, Type::kF32));
    } else {
      WL_ASSIGN(const uint32_t half, d.read(i, 16));
      WL_ASSIGN(*slots[i - 1], d.compute("widen." + narrow, 32, {half}));
    }
  }
  op.flags = flags;
  op.rounding = mode;
  WL_ASSIGN(op.d, d.write(0, 32));
  d.emit(op);
  return {};
}

Status decode_packed_integer(Decoding& d) {
  const auto& m = d.mnemonic();
  const std::string key = name_of(d) + (m.has(Mod::kSat) ? ".sat" : "") + (m.has(Mod::kRelu) ? ".relu" : "") + "." +
                          std::string(ptx::text(m.type()));
  return emit_plain(d, key, 32, {{32}, {32}});
}

/// add.cc, addc, sub.cc, subc: flags 1 reads the carry, 2 writes it, 4 subtracts.
Status decode_carry(Decoding& d, bool reads, bool subtracts) {
  const int bits = lane_bits(d.mnemonic().type());
  Op op;
  WL_ASSIGN(op.run, d.find("carry." + std::to_string(bits)));
  WL_ASSIGN(op.a, d.read(1, bits));
  WL_ASSIGN(op.b, d.read(2, bits));
  WL_ASSIGN(op.d, d.write(0, bits));
  op.e = d.carry_slot();
  op.flags = static_cast<uint16_t>((reads ? 1 : 0) | (d.has(Mod::kCc) ? 2 : 0) | (subtracts ? 4 : 0));
  d.emit(op);
  return {};
}

Status decode_mad_carry(Decoding& d, bool reads) {
  const int bits = lane_bits(d.mnemonic().type());
  Op op;
  WL_ASSIGN(op.run, d.find("madcarry." + integer_name(d.mnemonic().type())));
  WL_ASSIGN(op.a, d.read(1, bits));
  WL_ASSIGN(op.b, d.read(2, bits));
  WL_ASSIGN(op.c, d.read(3, bits));
  WL_ASSIGN(op.d, d.write(0, bits));
  op.e = d.carry_slot();
  op.high = d.has(Mod::kHi);
  op.flags = static_cast<uint16_t>((reads ? 1 : 0) | (d.has(Mod::kCc) ? 2 : 0));
  d.emit(op);
  return {};
}

bool is_packed_integer(Type t) { return t == Type::kU16x2 || t == Type::kS16x2; }

/// add and sub.
Status decode_sum(Decoding& d) {
  if (const Contraction* fused = d.contraction()) return decode_contracted(d, *fused);
  const auto& m = d.mnemonic();
  const Type type = m.type();
  const std::string name = name_of(d);
  if (type == Type::kF32 && m.type_count == 2) return decode_mixed(d, name, 2);
  if (type == Type::kF32x2) return decode_pair_of_f32(d, name, 2);
  if (is_real(type)) return decode_real(d, name, 2);
  if (is_half(type)) return decode_half(d, name, 2);
  if (is_packed_integer(type)) return decode_packed_integer(d);
  if (m.has(Mod::kCc)) return decode_carry(d, false, m.opcode == Opcode::kSub);
  const int bits = lane_bits(type);
  if (m.has(Mod::kSat)) return emit_plain(d, name + ".sat.s32", 32, {{32}, {32}});
  return emit_plain(d, name + "." + std::to_string(bits), bits, {{bits}, {bits}}, 0, 0, is_signed(type));
}

Status decode_product(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  if (type == Type::kF32x2) return decode_pair_of_f32(d, "mul", 2);
  if (is_real(type)) return decode_real(d, "mul", 2);
  if (is_half(type)) return decode_half(d, "mul", 2);
  const int bits = lane_bits(type);
  if (m.has(Mod::kWide))
    return emit_plain(d, "mul.wide." + integer_name(type), bits * 2, {{bits}, {bits}}, 0, 0, is_signed(type));
  if (m.has(Mod::kHi)) return emit_plain(d, "mul.hi." + integer_name(type), bits, {{bits}, {bits}});
  return emit_plain(d, "mul.lo." + std::to_string(bits), bits, {{bits}, {bits}});
}

Status decode_mad(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  if (is_real(type)) return decode_real(d, "fma", 3);
  if (m.has(Mod::kCc)) return decode_mad_carry(d, false);
  const int bits = lane_bits(type);
  if (m.has(Mod::kWide))
    return emit_plain(d, "mad.wide." + integer_name(type), bits * 2, {{bits}, {bits}, {bits * 2}}, 0, 0,
                      is_signed(type));
  if (m.has(Mod::kHi))
    return emit_plain(d, (m.has(Mod::kSat) ? "mad.hi.sat." : "mad.hi.") + integer_name(type), bits,
                      {{bits}, {bits}, {bits}});
  return emit_plain(d, "mad.lo." + std::to_string(bits), bits, {{bits}, {bits}, {bits}});
}

Status decode_fma(Decoding& d) {
  const auto& m = d.mnemonic();
  if (m.type() == Type::kF32 && m.type_count == 2) return decode_mixed(d, "fma", 3);
  if (m.type() == Type::kF32x2) return decode_pair_of_f32(d, "fma", 3);
  if (is_real(m.type())) return decode_real(d, "fma", 3);
  if (m.has(Mod::kOob)) return d.unsupported("the .oob modifier");
  return decode_half(d, "fma", 3);
}

Status decode_24(Decoding& d) {
  const std::string key = name_of(d) + (d.has(Mod::kHi) ? ".hi." : ".lo.") + integer_name(d.mnemonic().type());
  if (d.has(Mod::kSat)) return d.unsupported("saturation of mad24");
  return d.mnemonic().opcode == Opcode::kMul24 ? emit_plain(d, key, 32, {{32}, {32}})
                                               : emit_plain(d, key, 32, {{32}, {32}, {32}});
}

Status decode_sad(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  return emit_plain(d, "sad." + integer_name(d.mnemonic().type()), bits, {{bits}, {bits}, {bits}});
}

Status decode_division(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  if (type == Type::kF32 && (m.has(Mod::kApprox) || m.has(Mod::kFull))) {
    return emit_plain(d, "div." + division_kind(m), 32, {{32, type}, {32, type}});
  }
  if (is_real(type)) return decode_real(d, "div", 2);
  const int bits = lane_bits(type);
  return emit_plain(d, name_of(d) + "." + integer_name(type), bits, {{bits}, {bits}});
}

/// abs and neg.
Status decode_sign(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  const int bits = lane_bits(type);
  const std::string name = name_of(d);
  if (is_half(type)) return decode_half(d, name, 1);
  if (is_real(type))
    return emit_plain(d, name + (m.has(Mod::kFtz) ? ".ftz." : ".") + std::string(ptx::text(type)), bits,
                      {{bits, type}});
  if (m.opcode == Opcode::kNeg) return emit_plain(d, "neg." + std::to_string(bits), bits, {{bits}});
  return emit_plain(d, "abs.s" + std::to_string(bits), bits, {{bits}});
}

/// min and max; f32 may have three operands.
Status decode_extreme(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  const int bits = lane_bits(type);
  const std::string name = name_of(d);
  if (is_half(type)) return decode_half(d, name, 2);
  if (is_packed_integer(type)) return decode_packed_integer(d);
  if (!is_real(type))
    return emit_plain(d, name + (m.has(Mod::kRelu) ? ".relu." : ".") + integer_name(type), bits, {{bits}, {bits}});
  const uint16_t flags = real_flags(m);
  const std::string key = name + (flags ? ".any." : ".") + std::string(ptx::text(type));
  if (d.operands() < 4) return emit_plain(d, key, bits, {{bits, type}, {bits, type}}, flags);
  Op first, second;
  WL_ASSIGN(first.run, d.find(key));
  WL_ASSIGN(first.a, d.read(1, bits, type));
  WL_ASSIGN(first.b, d.read(2, bits, type));
  first.flags = flags;
  first.d = d.temporary(bits);
  d.emit_before(first);
  second.run = first.run;
  second.flags = flags;
  second.a = first.d;
  WL_ASSIGN(second.b, d.read(3, bits, type));
  WL_ASSIGN(second.d, d.write(0, bits));
  d.emit(second);
  return {};
}

/// ex2 and tanh of halves: widened, computed in f32, rounded back.
Status decode_special_half(Decoding& d, const std::string& name) {
  const Type type = d.mnemonic().type();
  const bool pair = lane_bits(type) == 32;
  const std::string half = type == Type::kF16 || type == Type::kF16x2 ? "f16" : "bf16";
  const bool flushes = d.has(Mod::kFtz) && half == "f16";
  WL_ASSIGN(const uint32_t from, d.read(1, pair ? 32 : 16));
  uint32_t results[2] = {};
  for (int i = 0; i < (pair ? 2 : 1); ++i) {
    WL_ASSIGN(const uint32_t wide, d.compute((i ? "widen.high." : "widen.") + half, 32, {from}));
    WL_ASSIGN(results[i], d.compute(name + (flushes ? ".approx.ftz.f32" : ".approx.f32"), 32, {wide}));
  }
  Op narrow;
  WL_ASSIGN(narrow.run, d.find(pair ? "pack." + half + "x2" : "narrow." + half));
  narrow.a = pair ? results[1] : results[0];
  narrow.b = results[0];
  WL_ASSIGN(narrow.d, d.write(0, lane_bits(type)));
  d.emit(narrow);
  return {};
}

/// rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh.
Status decode_special(Decoding& d) {
  const auto& m = d.mnemonic();
  const Type type = m.type();
  const std::string name = name_of(d);
  if (is_half(type)) return decode_special_half(d, name);
  if (!m.has(Mod::kApprox)) return decode_real(d, name, 1);
  const std::string key = name + ".approx" + (m.has(Mod::kFtz) ? ".ftz." : ".") + std::string(ptx::text(type));
  return emit_plain(d, key, lane_bits(type), {{lane_bits(type), type}});
}

Status decode_copysign(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  return emit_plain(d, "copysign." + std::string(ptx::text(d.mnemonic().type())), bits,
                    {{bits, d.mnemonic().type()}, {bits, d.mnemonic().type()}});
}

}  // namespace

void add_arithmetic_decoders(DecoderTable& t) {
  t[Opcode::kAdd] = t[Opcode::kSub] = &decode_sum;
  t[Opcode::kMul] = &decode_product;
  t[Opcode::kMad] = &decode_mad;
  t[Opcode::kFma] = &decode_fma;
  t[Opcode::kMul24] = t[Opcode::kMad24] = &decode_24;
  t[Opcode::kAddc] = [](Decoding& d) { return decode_carry(d, true, false); };
  t[Opcode::kSubc] = [](Decoding& d) { return decode_carry(d, true, true); };
  t[Opcode::kMadc] = [](Decoding& d) { return decode_mad_carry(d, true); };
  t[Opcode::kSad] = &decode_sad;
  t[Opcode::kDiv] = t[Opcode::kRem] = &decode_division;
  t[Opcode::kAbs] = t[Opcode::kNeg] = &decode_sign;
  t[Opcode::kMin] = t[Opcode::kMax] = &decode_extreme;
  for (const Opcode o : {Opcode::kRcp, Opcode::kSqrt, Opcode::kRsqrt, Opcode::kSin, Opcode::kCos, Opcode::kLg2,
                         Opcode::kEx2, Opcode::kTanh})
    t[o] = &decode_special;
  t[Opcode::kCopysign] = &decode_copysign;
}

}  // namespace warplens::simt::ptx_machine
