#include "warplens/run/ptx/tensor_memory/instruction.h"

#include "warplens/base/text.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

uint32_t field(uint32_t bits, int at, int count) { return bits >> at & ((1u << count) - 1); }

/// kNone for a number that is no type of the kind.
Type element_type(TensorKind kind, uint32_t number) {
  switch (kind) {
    case TensorKind::kF16: return number == 0 ? Type::kF16 : number == 1 ? Type::kBf16 : Type::kNone;
    case TensorKind::kTf32: return number == 2 ? Type::kTf32 : Type::kNone;
    case TensorKind::kI8: return number == 0 ? Type::kU8 : number == 1 ? Type::kS8 : Type::kNone;
    case TensorKind::kMxf4:
    case TensorKind::kMxf4nvf4: return number == 1 ? Type::kE2m1 : Type::kNone;
    default: break;
  }
  static constexpr Type kTypes[8] = {Type::kE4m3, Type::kE5m2, Type::kNone, Type::kE2m3,
                                     Type::kE3m2, Type::kE2m1, Type::kNone, Type::kNone};
  return kTypes[number];
}

Type result_type(TensorKind kind, uint32_t number) {
  if (kind == TensorKind::kI8) return number == 2 ? Type::kS32 : Type::kNone;
  if (number == 1) return Type::kF32;
  return number == 0 && kind != TensorKind::kTf32 ? Type::kF16 : Type::kNone;
}

uint32_t inner_size(TensorKind kind) {
  switch (kind) {
    case TensorKind::kF16: return 16;
    case TensorKind::kTf32: return 8;
    case TensorKind::kMxf4:
    case TensorKind::kMxf4nvf4: return 64;
    default: return 32;
  }
}

bool has_shape(const TensorProduct& p, bool pair) {
  const uint32_t largest = pair ? 256 : 128, smallest = p.scaled ? 128 : largest / 2;
  return (p.m == largest || p.m == smallest) && p.n >= 8 && p.n <= 256 && p.n % (pair ? 16 : 8) == 0;
}

void read_scales(uint32_t bits, TensorKind kind, TensorProduct& p) {
  p.scaled = true;
  p.d = Type::kF32;
  p.m = field(bits, 27, 2) << 7;
  p.scale = field(bits, 23, 1) != 0 ? Type::kUe8m0 : Type::kUe4m3;
  p.a_scale_byte = field(bits, 29, 2);
  p.b_scale_byte = field(bits, 4, 2);
  if (is_packed(kind)) p.b = element_type(kind, field(bits, 10, 2));
}

}  // namespace

Result<TensorProduct> read_instruction(uint32_t bits, TensorKind kind, bool pair) {
  const auto wrong = [&](std::string_view what) {
    return unsupported(fmt::format("instruction descriptor {:#010x} {}", bits, what));
  };
  TensorProduct p;
  p.k = inner_size(kind);
  p.a = element_type(kind, field(bits, 7, 3));
  p.b = element_type(kind, field(bits, 10, 3));
  p.a_transposed = field(bits, 15, 1) != 0;
  p.b_transposed = field(bits, 16, 1) != 0;
  p.negate = field(bits, 13, 1) != field(bits, 14, 1);
  p.n = field(bits, 17, 6) << 3;
  if (kind >= TensorKind::kMxf8f6f4) {
    read_scales(bits, kind, p);
    if (field(bits, 31, 1) != 0) return wrong("has an unusual inner dimension, which is not emulated");
  } else {
    p.d = result_type(kind, field(bits, 4, 2));
    p.m = field(bits, 24, 5) << 4;
    p.saturate = field(bits, 3, 1) != 0;
    if (field(bits, 29, 1) != 0) return wrong("has an unusual inner dimension, which is not emulated");
  }
  if (field(bits, 2, 1) != 0) return wrong("is of a sparse product, which is not emulated");
  if (p.a == Type::kNone || p.b == Type::kNone || p.d == Type::kNone)
    return wrong("names types that this kind of product does not have");
  if (!has_shape(p, pair)) return wrong(fmt::format("is of a product of {}x{}, which does not exist", p.m, p.n));
  return p;
}

}  // namespace warplens::simt::ptx_machine
