// tcgen05: allocation, moves, copies, products and their completion.
#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/run/ptx/decode/address.h"
#include "warplens/run/ptx/decode/matrix.h"
#include "warplens/run/ptx/tensor_memory/handlers.h"
#include "warplens/run/ptx/tensor_memory/product.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Type;

Status decode_alloc(Decoding& d) {
  Op op;
  op.run = &run_tensor_alloc;
  WL_ASSIGN(op.a, generic_address(d, d.operand(0)));
  WL_ASSIGN(op.b, d.read(1, 32));
  op.range = d.new_range();
  emit_collective(d, op);
  return {};
}

Status decode_dealloc(Decoding& d) {
  Op op;
  op.run = &run_tensor_dealloc;
  WL_ASSIGN(op.a, d.read(0, 32));
  WL_ASSIGN(op.b, d.read(1, 32));
  emit_collective(d, op);
  return {};
}

Status decode_relinquish(Decoding& d) {
  Op op;
  op.run = &run_tensor_relinquish;
  emit_collective(d, op);
  return {};
}

struct ShapeRow {
  Mod modifier;
  TensorShape shape;
  uint8_t registers;  // of .x1
};
constexpr ShapeRow kShapes[] = {{Mod::k32x32b, TensorShape::k32x32, 1},
                                {Mod::k16x64b, TensorShape::k16x64, 1},
                                {Mod::k16x128b, TensorShape::k16x128, 2},
                                {Mod::k16x256b, TensorShape::k16x256, 4},
                                {Mod::k16x32bx2, TensorShape::k16x32Twice, 1}};
constexpr std::pair<Mod, int> kCounts[] = {{Mod::kX1, 1},   {Mod::kX2, 2},   {Mod::kX4, 4},   {Mod::kX8, 8},
                                           {Mod::kX16, 16}, {Mod::kX32, 32}, {Mod::kX64, 64}, {Mod::kX128, 128}};

/// Shape and registers of a load or store; `list` are the registers given.
Status read_shape(Decoding& d, Op& op, const SlotList& list, int split) {
  const auto shape =
      std::find_if(std::begin(kShapes), std::end(kShapes), [&](auto& row) { return d.has(row.modifier); });
  const auto count = std::find_if(std::begin(kCounts), std::end(kCounts), [&](auto& row) { return d.has(row.first); });
  if (shape == std::end(kShapes) || count == std::end(kCounts))
    return d.unsupported("a shape that is none of registers");
  const int registers = shape->registers * count->second;
  if (registers > 128 || static_cast<int>(list.count) != registers)
    return d.unsupported(fmt::format("{} registers where the shape has {}", list.count, registers));
  op.b = list.first;
  op.tensor_shape = shape->shape;
  op.vector = static_cast<uint8_t>(registers);
  if (shape->shape == TensorShape::k16x32Twice) {
    if (d.operands() <= split) return d.unsupported("a shape of two halves without the second's offset");
    WL_ASSIGN(op.c, d.read(split, 32));
  }
  return {};
}

Status decode_load(Decoding& d) {
  const bool reduces = d.mnemonic().opcode == Opcode::kTcgen05LdRed;
  const int address = reduces ? 2 : 1;
  Op op;
  op.run = &run_tensor_load;
  WL_ASSIGN(op.a, address_value(d, d.operand(address), 32));
  WL_ASSIGN(const SlotList list, d.write_list(d.operand(0), 32));
  WL_TRY(read_shape(d, op, list, address + 1));
  if (d.has(Mod::kPack16b)) op.flags |= kHalves;
  if (reduces) {
    WL_ASSIGN(op.e, d.write(1, 32));
    op.size = static_cast<uint8_t>(d.mnemonic().type());
    op.flags |= d.has(Mod::kMin) ? kReduceMin : kReduceMax;
    if (d.has(Mod::kAbs)) op.flags |= kAbsolute;
    if (d.has(Mod::kNan)) op.flags |= kKeepNan;
  }
  emit_collective(d, op);
  return {};
}

Status decode_store(Decoding& d) {
  Op op;
  op.run = &run_tensor_store;
  WL_ASSIGN(op.a, address_value(d, d.operand(0), 32));
  const int split = 1, values = d.has(Mod::k16x32bx2) ? 2 : 1;
  if (d.operands() <= values) return d.unsupported("a store without values");
  WL_ASSIGN(const SlotList list, d.read_list(d.operand(values), 32));
  WL_TRY(read_shape(d, op, list, split));
  if (d.has(Mod::kUnpack16b)) op.flags |= kHalves;
  emit_collective(d, op);
  return {};
}

Status decode_copy(Decoding& d) {
  struct Row {
    Mod modifier;
    uint8_t rows, units;
  };
  static constexpr Row kRows[] = {
      {Mod::k128x256b, 128, 2}, {Mod::k128x128b, 128, 1}, {Mod::k64x128b, 64, 1}, {Mod::k32x128b, 32, 1}};
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return d.has(r.modifier); });
  if (row == std::end(kRows)) return d.unsupported("a copy of this shape to tensor memory");
  Op op;
  op.run = &run_tensor_memory_copy;
  WL_ASSIGN(op.a, address_value(d, d.operand(0), 32));
  WL_ASSIGN(op.b, d.read(1, 64));
  op.size = row->rows;
  op.vector = row->units;
  op.mode = d.has(Mod::kWarpx4) ? 3 : d.has(Mod::kWarpx2_02_13) ? 1 : d.has(Mod::kWarpx2_01_23) ? 2 : 0;
  if (row->rows * (op.mode == 3 ? 4 : op.mode == 0 ? 1 : 2) != 128)
    return d.unsupported("a copy of this shape to this many warps");
  op.unpack = d.has(Mod::kB4x16P64) ? TensorUnpack::k4 : d.has(Mod::kB6x16P32) ? TensorUnpack::k6 : TensorUnpack::kNone;
  if (d.has(Mod::kCtaGroup2)) op.e = kPair;
  d.emit(op);
  return {};
}

Status decode_shift(Decoding& d) {
  Op op;
  op.run = &run_tensor_shift;
  WL_ASSIGN(op.a, address_value(d, d.operand(0), 32));
  if (d.has(Mod::kCtaGroup2)) op.e = kPair;
  d.emit(op);
  return {};
}

Status decode_commit(Decoding& d) {
  Op op;
  op.run = &run_tensor_commit;
  WL_ASSIGN(op.a, generic_address(d, d.operand(0)));
  if (d.has(Mod::kMulticastCluster)) {
    WL_ASSIGN(op.e, d.read(1, 32));
  }
  op.range = d.new_range();
  d.emit(op);
  return {};
}

/// Scales a row, by kind and .scale_vec or .block: 0 when they do not fit.
uint8_t scales_a_row(const Decoding& d, TensorKind kind) {
  if (kind == TensorKind::kMxf8f6f4)
    return d.has(Mod::kScaleVec2X) || d.has(Mod::kScaleVec4X) || d.has(Mod::kBlock16) ? 0 : 1;
  if (d.has(Mod::kScaleVec4X) || d.has(Mod::kBlock16)) return kind == TensorKind::kMxf4nvf4 ? 4 : 0;
  return d.has(Mod::kScaleVec1X) ? 0 : 2;
}

TensorKind kind_of(const Decoding& d) {
  static constexpr std::pair<Mod, TensorKind> kKinds[] = {
      {Mod::kKindTf32, TensorKind::kTf32}, {Mod::kKindF8f6f4, TensorKind::kF8f6f4},
      {Mod::kKindI8, TensorKind::kI8},     {Mod::kKindMxf8f6f4, TensorKind::kMxf8f6f4},
      {Mod::kKindMxf4, TensorKind::kMxf4}, {Mod::kKindMxf4nvf4, TensorKind::kMxf4nvf4}};
  for (const auto& [modifier, kind] : kKinds) {
    if (d.has(modifier)) return kind;
  }
  return TensorKind::kF16;
}

/// What stands between the instruction descriptor and the predicate: lanes to leave alone, or addresses of scales.
Status read_middle(Decoding& d, Op& op, std::vector<uint32_t>& slots, int& at) {
  if (kind_of(d) >= TensorKind::kMxf8f6f4) {
    if (d.operands() < at + 3) return d.unsupported("a scaled product without scales");
    for (const TensorProductSlot slot : {kSlotScaleA, kSlotScaleB}) {
      WL_ASSIGN(slots[slot], address_value(d, d.operand(at++), 32));
    }
    return {};
  }
  if (d.operands() <= at || d.operand(at).kind != OperandKind::kVector) return {};
  WL_ASSIGN(const SlotList masks, d.read_list(d.operand(at++), 32));
  if (masks.count != (d.has(Mod::kCtaGroup2) ? 8u : 4u)) return d.unsupported("another number of masks of lanes");
  op.flags |= kMasksLanes;
  for (uint32_t i = 0; i < masks.count; ++i) slots.push_back(d.program().slots[masks.first + i]);
  return {};
}

Status decode_product(Decoding& d) {
  if (d.has(Mod::kAshift)) return d.unsupported("a product with .ashift");
  const TensorKind kind = kind_of(d);
  Op op;
  op.run = &run_tensor_product;
  op.tensor_kind = kind;
  if (d.has(Mod::kCtaGroup2)) op.flags |= kOnPair;
  std::vector<uint32_t> slots(kSlotMasks, kNoSlot);
  WL_ASSIGN(slots[kSlotD], address_value(d, d.operand(0), 32));
  if (d.operand(1).kind == OperandKind::kAddress) {
    op.flags |= kATensor;
    WL_ASSIGN(slots[kSlotA], address_value(d, d.operand(1), 32));
  } else {
    WL_ASSIGN(slots[kSlotA], d.read(1, 64));
  }
  WL_ASSIGN(slots[kSlotB], d.read(2, 64));
  WL_ASSIGN(slots[kSlotDescriptor], d.read(3, 32));
  int at = 4;
  WL_TRY(read_middle(d, op, slots, at));
  if (d.operands() <= at) return d.unsupported("a product without its predicate");
  WL_ASSIGN(slots[kSlotEnable], d.read(at++, 1));
  if (d.operands() > at) {
    WL_ASSIGN(const int64_t power, d.immediate(at));
    if (power < 0 || power > 15 || (kind != TensorKind::kF16 && kind != TensorKind::kTf32))
      return d.unsupported("this scale of D");
    op.size = static_cast<uint8_t>(power);
  }
  if (kind >= TensorKind::kMxf8f6f4) op.vector = scales_a_row(d, kind);
  if (op.vector == 0) return d.unsupported("this number of scales a row");
  op.list = static_cast<uint32_t>(d.program().slots.size());
  d.program().slots.insert(d.program().slots.end(), slots.begin(), slots.end());
  d.emit(op);
  return {};
}

}  // namespace

void add_tensor_memory_decoders(DecoderTable& t) {
  t[Opcode::kTcgen05Alloc] = &decode_alloc;
  t[Opcode::kTcgen05Dealloc] = &decode_dealloc;
  t[Opcode::kTcgen05RelinquishAllocPermit] = &decode_relinquish;
  t[Opcode::kTcgen05Ld] = t[Opcode::kTcgen05LdRed] = &decode_load;
  t[Opcode::kTcgen05St] = &decode_store;
  t[Opcode::kTcgen05Cp] = &decode_copy;
  t[Opcode::kTcgen05Shift] = &decode_shift;
  t[Opcode::kTcgen05Commit] = &decode_commit;
  t[Opcode::kTcgen05Mma] = &decode_product;
  for (const Opcode o :
       {Opcode::kTcgen05WaitLd, Opcode::kTcgen05WaitSt, Opcode::kTcgen05FenceBefore, Opcode::kTcgen05FenceAfter})
    t[o] = &decode_nothing;
}

}  // namespace warplens::simt::ptx_machine
