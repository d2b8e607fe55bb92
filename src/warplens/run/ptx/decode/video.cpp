// Instructions on the bytes or halves of a register (vadd4, vabsdiff2, ...) and cvt.pack.
#include <algorithm>

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/decode/plain.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

enum class ByteOp : uint8_t { kAdd, kSub, kAverage, kDistance, kMin, kMax, kCompare };

namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::Type;

enum ByteFlags : uint16_t { kSignedA = 1, kSignedB = 2, kSignedD = 4, kSaturate = 8, kAccumulate = 16 };

int64_t element(uint32_t word, uint32_t at, uint32_t bits, bool is_signed) {
  const uint32_t value = word >> (at * bits) & ((1u << bits) - 1);
  return is_signed && (value >> (bits - 1)) ? int64_t{value} - (int64_t{1} << bits) : int64_t{value};
}

int64_t saturated(int64_t value, uint32_t bits, bool is_signed) {
  const int64_t top = (int64_t{1} << (bits - is_signed)) - 1;
  return std::clamp<int64_t>(value, is_signed ? -top - 1 : 0, top);
}

bool compare(Mod how, int64_t a, int64_t b) {
  switch (how) {
    case Mod::kEq: return a == b;
    case Mod::kNe: return a != b;
    case Mod::kLt:
    case Mod::kLo: return a < b;
    case Mod::kLe:
    case Mod::kLs: return a <= b;
    case Mod::kGt:
    case Mod::kHi: return a > b;
    default: return a >= b;
  }
}

int64_t combine(const Op& op, int64_t a, int64_t b) {
  switch (op.byte_op) {
    case ByteOp::kAdd: return a + b;
    case ByteOp::kSub: return a - b;
    case ByteOp::kAverage: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case ByteOp::kDistance: return a < b ? b - a : a - b;
    case ByteOp::kMin: return std::min(a, b);
    case ByteOp::kMax: return std::max(a, b);
    default: return compare(op.comparison, a, b);
  }
}

/// Op: size = bits of an element, byte_op, flags = ByteFlags, comparison.
void run_bytes(Warp& w, const Op& op) {
  const uint32_t bits = op.size, count = 32 / bits, ones = (1u << bits) - 1;
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint32_t a = w.lanes<uint32_t>(op.a)[lane], b = w.lanes<uint32_t>(op.b)[lane];
    uint32_t packed = 0, sum = w.lanes<uint32_t>(op.c)[lane];
    for (uint32_t i = 0; i < count; ++i) {
      int64_t value = combine(op, element(a, i, bits, op.flags & kSignedA), element(b, i, bits, op.flags & kSignedB));
      if (op.flags & kSaturate) value = saturated(value, bits, op.flags & kSignedD);
      packed |= (static_cast<uint32_t>(value) & ones) << (i * bits);
      sum += static_cast<uint32_t>(value);
    }
    w.lanes<uint32_t>(op.d)[lane] = op.flags & kAccumulate ? sum : packed;
  }
}

/// cvt.pack: a and b saturated to `size` bits, a above b, below what c holds.
void run_pack(Warp& w, const Op& op) {
  const uint32_t bits = op.size, ones = (1u << bits) - 1;
  const auto narrow = [&](uint32_t x) {
    const int64_t value = op.flags & kSignedA ? int64_t{static_cast<int32_t>(x)} : int64_t{x};
    return static_cast<uint32_t>(saturated(value, bits, op.flags & kSignedD)) & ones;
  };
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint64_t above = w.lanes<uint32_t>(op.c)[lane];
    const uint32_t pair = narrow(w.lanes<uint32_t>(op.a)[lane]) << bits | narrow(w.lanes<uint32_t>(op.b)[lane]);
    w.lanes<uint32_t>(op.d)[lane] = static_cast<uint32_t>(above << (2 * bits)) | pair;
  }
}

Mod comparison_of(const Decoding& d) {
  for (const Mod m : {Mod::kEq, Mod::kNe, Mod::kLt, Mod::kLo, Mod::kLe, Mod::kLs, Mod::kGt, Mod::kHi}) {
    if (d.has(m)) return m;
  }
  return Mod::kGe;
}

Status read_sources(Decoding& d, Op& op, bool has_c) {
  for (int i = 0; i < d.operands(); ++i) {
    if (d.operand(i).component != ptx::kNoComponent) return d.unsupported("a selection of bytes or halves");
  }
  WL_ASSIGN(op.a, d.read(1, 32));
  WL_ASSIGN(op.b, d.read(2, 32));
  op.c = d.constant(0, 32);
  if (has_c && d.operands() > 3) {
    WL_ASSIGN(op.c, d.read(3, 32));
  }
  WL_ASSIGN(op.d, d.write(0, 32));
  if (op.d == kNoSlot) op.d = d.temporary(32);
  return {};
}

template <ByteOp kOp, uint8_t kBits>
Status decode_bytes(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  op.run = &run_bytes;
  op.byte_op = kOp;
  op.size = kBits;
  op.comparison = comparison_of(d);
  const int first = kOp == ByteOp::kCompare ? 0 : 1;  // a comparison names no type for its result
  op.flags =
      static_cast<uint16_t>((is_signed(m.type(first)) ? kSignedA : 0) | (is_signed(m.type(first + 1)) ? kSignedB : 0) |
                            (is_signed(m.type(0)) ? kSignedD : 0) | (d.has(Mod::kSat) ? kSaturate : 0) |
                            (d.has(Mod::kAdd) ? kAccumulate : 0));
  WL_TRY(read_sources(d, op, d.has(Mod::kAdd)));
  d.emit(op);
  return {};
}

Status decode_pack(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  op.run = &run_pack;
  op.size = static_cast<uint8_t>(ptx::bits(m.type(0)));
  if (op.size > 16) return d.unsupported("a conversion to this type");
  op.flags = static_cast<uint16_t>((is_signed(m.type(1)) ? kSignedA : 0) | (is_signed(m.type(0)) ? kSignedD : 0));
  WL_TRY(read_sources(d, op, true));
  d.emit(op);
  return {};
}

template <ByteOp kOp>
void add_pair(DecoderTable& t, Opcode halves, Opcode bytes) {
  t[halves] = &decode_bytes<kOp, 16>;
  t[bytes] = &decode_bytes<kOp, 8>;
}

}  // namespace

void add_video_decoders(DecoderTable& t) {
  add_pair<ByteOp::kAdd>(t, Opcode::kVadd2, Opcode::kVadd4);
  add_pair<ByteOp::kSub>(t, Opcode::kVsub2, Opcode::kVsub4);
  add_pair<ByteOp::kAverage>(t, Opcode::kVavrg2, Opcode::kVavrg4);
  add_pair<ByteOp::kDistance>(t, Opcode::kVabsdiff2, Opcode::kVabsdiff4);
  add_pair<ByteOp::kMin>(t, Opcode::kVmin2, Opcode::kVmin4);
  add_pair<ByteOp::kMax>(t, Opcode::kVmax2, Opcode::kVmax4);
  add_pair<ByteOp::kCompare>(t, Opcode::kVset2, Opcode::kVset4);
  t[Opcode::kCvtPack] = &decode_pack;
}

}  // namespace warplens::simt::ptx_machine
