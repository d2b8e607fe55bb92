// Decoding of operations that read up to three registers and write one.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/simt/modifiers.h"

namespace warplens::simt::ptx_machine {

struct Source {
  int bits;
  ptx::Type type = ptx::Type::kNone;
};

/// Emits `key` with operand 0 as destination of `bits` bits and the operands after it as sources.
inline Status emit_plain(Decoding& d, std::string_view key, int bits, std::initializer_list<Source> sources,
                         uint16_t flags = 0, uint8_t mode = 0, bool is_signed = false) {
  Op op;
  WL_ASSIGN(op.run, d.find(key));
  uint32_t* slots[] = {&op.a, &op.b, &op.c, &op.e};
  int i = 0;
  for (const Source& source : sources) {
    WL_ASSIGN(*slots[i], d.read(i + 1, source.bits, source.type));
    ++i;
  }
  WL_ASSIGN(op.d, d.write(0, bits, is_signed));
  op.flags = flags;
  op.mode = mode;
  if (op.d == kNoSlot) op.d = d.temporary(bits);
  d.emit(op);
  return {};
}

/// "16", "32", "64", "pred": the width that operations on plain bits are named by.
inline std::string width_name(ptx::Type type) {
  const int bits = lane_bits(type);
  return bits == 1 ? "pred" : std::to_string(bits);
}

/// ".u32" for types without a sign of their own: "u32" of b32 and u32, "s32" of s32.
inline std::string integer_name(ptx::Type type) {
  return (is_signed(type) ? "s" : "u") + std::to_string(lane_bits(type));
}

/// RealFlags.
inline uint16_t real_flags(const ptx::Mnemonic& m) {
  using ptx::Mod;
  constexpr std::pair<Mod, RealFlags> kFlags[] = {
      {Mod::kFtz, kFtz}, {Mod::kSat, kSat},   {Mod::kNan, kNanResult},       {Mod::kXorsign, kXorSign},
      {Mod::kAbs, kAbs}, {Mod::kRelu, kRelu}, {Mod::kSatfinite, kSatFinite},
  };
  uint32_t out = 0;
  for (const auto& [modifier, flag] : kFlags) out |= m.has(modifier) ? static_cast<uint32_t>(flag) : 0u;
  return static_cast<uint16_t>(out);
}

inline bool is_half(ptx::Type t) {
  using ptx::Type;
  return t == Type::kF16 || t == Type::kBf16 || t == Type::kF16x2 || t == Type::kBf16x2;
}
inline bool is_real(ptx::Type t) { return t == ptx::Type::kF32 || t == ptx::Type::kF64; }

}  // namespace warplens::simt::ptx_machine
