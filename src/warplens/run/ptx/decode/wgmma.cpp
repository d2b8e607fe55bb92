// wgmma.mma_async and its sparse form.
#include "warplens/run/ptx/matrix/wgmma.h"

#include <algorithm>

#include "warplens/run/ptx/decode/decode.h"
#include "warplens/simt/matrix/sparsity.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;

/// A's descriptor or registers, B's descriptor. True when A is in registers.
Result<bool> read_sources(Decoding& d, Op& op) {
  const bool registers = d.operand(1).kind == ptx::OperandKind::kVector;
  if (registers) {
    op.mode |= kAInRegisters;
    WL_ASSIGN(const SlotList a, d.read_list(d.operand(1), 32));
    op.a = a.first;
  } else {
    WL_ASSIGN(op.a, d.read(1, 64));
  }
  WL_ASSIGN(op.b, d.read(2, 64));
  return registers;
}

/// Which elements of a sparse A are kept.
Status read_metadata(Decoding& d, Op& op, MatrixInfo& info) {
  WL_ASSIGN(op.e, d.read(3, 32));
  WL_ASSIGN(const int64_t selector, d.immediate(4));
  if (ptx::bits(info.a) < 8 || info.k % (2 * group_elements(info.a)) != 0)
    return d.unsupported("a sparse wgmma of this shape");
  const int most = info.k / group_elements(info.a) <= 8 ? 1 : 0;
  if (selector < 0 || selector > most) return d.unsupported("a sparsity selector that this shape does not have");
  info.selector = static_cast<uint8_t>(selector);
  return {};
}

/// From scale-d on: the signs of A and B, and whether they lie transposed.
Status read_scales(Decoding& d, Op& op, int at, bool registers) {
  WL_ASSIGN(op.c, d.read(at++, 1));
  if (d.operands() > at + 1) {
    WL_ASSIGN(const int64_t scale_a, d.immediate(at));
    WL_ASSIGN(const int64_t scale_b, d.immediate(at + 1));
    if (scale_a * scale_b < 0) op.mode |= kNegate;
  }
  at += 2;
  if (!registers && at < d.operands()) {
    WL_ASSIGN(const int64_t transpose, d.immediate(at++));
    if (transpose != 0) op.mode |= kTransposeA;
  }
  if (at < d.operands()) {
    WL_ASSIGN(const int64_t transpose, d.immediate(at));
    if (transpose != 0) op.mode |= kTransposeB;
  }
  return {};
}

Status decode_wgmma(Decoding& d) {
  const auto& m = d.mnemonic();
  MatrixInfo info{m.shape.m, m.shape.n, m.shape.k};
  info.d = info.c = m.type(0);
  info.a = m.type(1);
  info.b = m.type(2);
  info.saturate = m.has(Mod::kSatfinite);
  info.sparse = m.opcode == Opcode::kWgmmaMmaAsyncSp;
  Op op;
  op.run = &run_wgmma;
  WL_ASSIGN(const bool registers, read_sources(d, op));
  if (info.sparse) {
    WL_TRY(read_metadata(d, op, info));
  }
  WL_TRY(read_scales(d, op, info.sparse ? 5 : 3, registers));
  WL_ASSIGN(const SlotList before, d.read_list(d.operand(0), 32));
  WL_ASSIGN(const SlotList list, d.write_list(d.operand(0), 32));
  if (before.count != list.count || static_cast<int>(list.count) * 32 < info.n / 2 * ptx::bits(info.d)) {
    return d.unsupported("wgmma with too few registers");
  }
  op.d = list.first;
  auto& all = d.program().matrices;
  const auto found = std::find(all.begin(), all.end(), info);
  op.matrix = static_cast<uint16_t>(found - all.begin());
  if (found == all.end()) all.push_back(info);
  op.value = d.constant(kFull, 32);
  d.sync(SyncKind::kLanes, op);
  return {};
}

}  // namespace

void add_wgmma_decoders(DecoderTable& t) { t[Opcode::kWgmmaMmaAsync] = t[Opcode::kWgmmaMmaAsyncSp] = &decode_wgmma; }

}  // namespace warplens::simt::ptx_machine
