// mma.m8n8k4 of f16.
#include "warplens/run/ptx/matrix/quads.h"

#include "warplens/run/ptx/decode/matrix.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Type;

/// The layouts of A and B, in the order written.
void read_layouts(const ptx::Mnemonic& m, MatrixInfo& info) {
  int found = 0;
  for (const Mod modifier : m.modifiers) {
    if (modifier != Mod::kRow && modifier != Mod::kCol) continue;
    if (found++ == 0) info.by_columns = modifier == Mod::kCol;
    else info.transposed = modifier == Mod::kRow;
  }
}

bool is_accumulator(Type type) { return type == Type::kF16 || type == Type::kF32; }

}  // namespace

Status decode_quads(Decoding& d) {
  const auto& m = d.mnemonic();
  MatrixInfo info{m.shape.m, m.shape.n, m.shape.k};
  info.d = m.type(0);
  info.a = m.type(1);
  info.b = m.type(2);
  info.c = m.type(3);
  if (m.type_count != 4 || info.a != Type::kF16 || info.b != Type::kF16 || !is_accumulator(info.c) ||
      !is_accumulator(info.d))
    return d.unsupported("mma.m8n8k4 with these types");
  read_layouts(m, info);
  Op op;
  op.run = &run_quads;
  WL_ASSIGN(const SlotList a, d.read_list(d.operand(1), 32));
  WL_ASSIGN(const SlotList b, d.read_list(d.operand(2), 32));
  WL_ASSIGN(const SlotList c, d.read_list(d.operand(3), 32));
  WL_ASSIGN(const SlotList result, d.write_list(d.operand(0), 32));
  const auto registers = [](Type type) { return type == Type::kF16 ? 4u : 8u; };
  if (a.count != 2 || b.count != 2 || c.count != registers(info.c) || result.count != registers(info.d))
    return d.unsupported("mma.m8n8k4 with another number of registers");
  op.a = a.first;
  op.b = b.first;
  op.c = c.first;
  op.d = result.first;
  WL_TRY(set_matrix_info(d, op, info));
  emit_collective(d, op);
  return {};
}

}  // namespace warplens::simt::ptx_machine
