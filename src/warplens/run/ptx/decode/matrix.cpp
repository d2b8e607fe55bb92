// mma, mma.sp, wmma, ldmatrix, stmatrix, movmatrix.
#include "warplens/run/ptx/decode/matrix.h"

#include <algorithm>

#include "warplens/run/ptx/decode/address.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/matrix/matrix.h"
#include "warplens/simt/matrix/fragments.h"
#include "warplens/simt/matrix/sparsity.h"

namespace warplens::simt::ptx_machine {

Status set_matrix_info(Decoding& d, Op& op, const MatrixInfo& info) {
  auto& all = d.program().matrices;
  const auto found = std::find(all.begin(), all.end(), info);
  if (found == all.end() && all.size() > 0xffff) return d.unsupported("more than 65536 kinds of matrix instructions");
  op.matrix = static_cast<uint16_t>(found - all.begin());
  if (found == all.end()) all.push_back(info);
  return {};
}

void emit_collective(Decoding& d, Op op) {
  op.value = d.constant(kFull, 32);
  d.sync(SyncKind::kLanes, op);
}

namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::Type;

bool is_sparse(Opcode opcode) { return opcode == Opcode::kMmaSp || opcode == Opcode::kMmaSpOrdered; }

/// Scale factors of rows of A and columns of B: their registers go to Op::e, and where in them and in which lanes to
/// Op::scale_places.
Status read_scales(Decoding& d, Op& op, MatrixInfo& info) {
  const auto& m = d.mnemonic();
  info.scale = m.type(4);
  info.packed = !m.has(Mod::kKindMxf8f6f4);
  info.scale_blocks = m.has(Mod::kScaleVec4X) ? 4 : m.has(Mod::kScaleVec2X) || info.packed ? 2 : 1;
  const bool fits = info.m == 16 && info.n == 8 && info.k == (info.packed ? 64 : 32) &&
                    (!info.packed || info.scale_blocks > 1) && (info.packed || info.scale_blocks == 1);
  if (d.operands() != 8 || !fits || (info.scale != Type::kUe8m0 && info.scale != Type::kUe4m3))
    return d.unsupported("block scaling with these types, shape and scales");
  std::vector<uint32_t> slots;
  for (int i = 0; i < 2; ++i) {
    WL_ASSIGN(const uint32_t slot, d.read(4 + 2 * i, 32));
    slots.push_back(slot);
    const ptx::Operand& place = d.operand(5 + 2 * i);
    if (place.kind != ptx::OperandKind::kVector || place.count != 2) return d.unsupported("a scale without its place");
    for (uint32_t k = 0; k < 2; ++k) {
      const ptx::Operand& number = d.element(place, k);
      if (number.kind != ptx::OperandKind::kImmediate || number.value > 3)
        return d.unsupported("a place of a scale that is not 0 to 3");
      op.scale_places |= static_cast<uint32_t>(number.value) << (4 * i + 2 * static_cast<int>(k));
    }
  }
  for (const int shift : {0, 4}) {
    if ((op.scale_places >> shift & 3) + info.scale_blocks > 4) return d.unsupported("scales beyond their register");
  }
  op.elements = static_cast<uint32_t>(d.program().slots.size());
  d.program().slots.insert(d.program().slots.end(), slots.begin(), slots.end());
  return {};
}

/// Which elements of A are kept.
Status read_metadata(Decoding& d, Op& op, MatrixInfo& info) {
  if (d.has(Mod::kBlockScale)) return d.unsupported("block scaling of a sparse matrix");
  WL_ASSIGN(op.e, d.read(4, 32));
  WL_ASSIGN(const int64_t selector, d.immediate(5));
  const int each = group_elements(info.a), groups = info.k / each;
  if (info.m != 16 || info.k % (2 * each) != 0 || groups > 16) return d.unsupported("a sparse mma of this shape");
  if (selector < 0 || selector >= (groups <= 4 ? 4 : groups <= 8 ? 2 : 1))
    return d.unsupported("a sparsity selector that this shape does not have");
  info.selector = static_cast<uint8_t>(selector);
  return {};
}

Status decode_mma(Decoding& d) {
  const auto& m = d.mnemonic();
  const bool wmma = m.opcode == Opcode::kWmmaMma;
  const bool scaled = m.has(Mod::kBlockScale);
  MatrixInfo info{m.shape.m, m.shape.n, m.shape.k};
  if (info.m == 8 && info.n == 8 && info.k == 4 && m.type(0) != Type::kF64) return decode_quads(d);
  info.opaque = wmma;
  info.sparse = is_sparse(m.opcode);
  info.saturate = m.has(Mod::kSatfinite);
  info.use_xor = m.has(Mod::kXor);
  info.d = m.type(0);
  if (m.type_count == 4 + (scaled ? 1 : 0)) {
    info.a = m.type(1);
    info.b = m.type(2);
    info.c = m.type(3);
  } else if (wmma && m.type_count == 2) {  // f16 inputs: only D and C are named
    info.a = info.b = Type::kF16;
    info.c = m.type(1);
  } else {
    return d.unsupported("mma with these types");
  }
  const bool wide = info.d == Type::kF64;
  Op op;
  op.run = &run_mma;
  if (scaled) {
    WL_TRY(read_scales(d, op, info));
  }
  if (info.sparse) {
    WL_TRY(read_metadata(d, op, info));
  }
  const int bits = wide ? 64 : 32;
  WL_ASSIGN(const SlotList a, d.read_list(d.operand(1), bits));
  WL_ASSIGN(const SlotList b, d.read_list(d.operand(2), bits));
  WL_ASSIGN(const SlotList c, d.read_list(d.operand(3), bits));
  WL_ASSIGN(const SlotList result, d.write_list(d.operand(0), bits));
  op.a = a.first;
  op.b = b.first;
  op.c = c.first;
  op.d = result.first;
  info.a_count = static_cast<uint8_t>(a.count);
  info.b_count = static_cast<uint8_t>(b.count);
  info.c_count = static_cast<uint8_t>(c.count);
  info.d_count = static_cast<uint8_t>(result.count);
  const auto enough = [&](const SlotList& list, int elements, Type type) {
    return static_cast<int>(list.count) * bits >= elements * (wide ? 64 : ptx::bits(type)) / static_cast<int>(kLanes);
  };
  if (!enough(a, info.m * info.k / (info.sparse ? 2 : 1), info.a) || !enough(b, info.k * info.n, info.b) ||
      !enough(c, info.m * info.n, info.c) || !enough(result, info.m * info.n, info.d)) {
    return d.unsupported("mma with too few registers");
  }
  WL_TRY(set_matrix_info(d, op, info));
  auto& places = d.program().matrix_places;
  places.resize(d.program().matrices.size());
  if (!wide && places[op.matrix].a.empty())
    places[op.matrix] = {dense_places(info, 0), dense_places(info, 1), dense_places(info, 2)};
  emit_collective(d, op);
  return {};
}

Status decode_matrix_move(Decoding& d) {
  const auto& m = d.mnemonic();
  const bool loads = m.opcode == Opcode::kLdmatrix;
  if (m.shape.m != 8 || m.shape.n != 8 || m.type() != Type::kB16)
    return d.unsupported("matrices other than .m8n8 .b16");
  MatrixInfo info;
  info.count = m.has(Mod::kX4) ? 4 : m.has(Mod::kX2) ? 2 : 1;
  info.transposed = m.has(Mod::kTrans);
  Op op;
  op.run = loads ? &run_ldmatrix : &run_stmatrix;
  WL_ASSIGN(op.a, address_value(d, d.operand(loads ? 1 : 0), 32));
  WL_ASSIGN(const SlotList list, loads ? d.write_list(d.operand(0), 32) : d.read_list(d.operand(1), 32));
  if (list.count != info.count) return d.unsupported("another number of registers than matrices");
  op.b = list.first;
  op.range = d.new_range();
  WL_TRY(set_matrix_info(d, op, info));
  emit_collective(d, op);
  return {};
}

Status decode_movmatrix(Decoding& d) {
  Op op;
  op.run = &run_movmatrix;
  WL_ASSIGN(op.a, d.read(1, 32));
  WL_ASSIGN(op.d, d.write(0, 32));
  emit_collective(d, op);
  return {};
}

Status decode_wmma_move(Decoding& d) {
  const auto& m = d.mnemonic();
  const bool loads = m.opcode == Opcode::kWmmaLoad;
  MatrixInfo info{m.shape.m, m.shape.n, m.shape.k};
  info.opaque = true;
  info.by_columns = m.has(Mod::kCol);
  info.fragment = m.has(Mod::kA) ? 0 : m.has(Mod::kB) ? 1 : 2;
  info.a = info.b = info.c = info.d = m.type();
  Op op;
  op.run = loads ? &run_wmma_load : &run_wmma_store;
  WL_ASSIGN(op.a, generic_address(d, d.operand(loads ? 1 : 0)));
  const int bits = m.type() == Type::kF64 ? 64 : 32;
  WL_ASSIGN(const SlotList list, loads ? d.write_list(d.operand(0), bits) : d.read_list(d.operand(1), bits));
  op.b = list.first;
  info.count = static_cast<uint8_t>(list.count);
  if (d.operands() > 2) {
    WL_ASSIGN(op.c, d.read(2, 32));
  } else {
    const int rows = info.fragment == 1 ? info.k : info.m, columns = info.fragment == 0 ? info.k : info.n;
    op.c = d.constant(static_cast<uint64_t>(info.by_columns ? rows : columns), 32);
  }
  op.range = d.new_range();
  if (loads) d.note_plain_load();
  WL_TRY(set_matrix_info(d, op, info));
  auto& places = d.program().matrix_places;
  places.resize(d.program().matrices.size());
  if (places[op.matrix].a.empty()) places[op.matrix].a = fragment_places(info);
  emit_collective(d, op);
  return {};
}

}  // namespace

void add_matrix_decoders(DecoderTable& t) {
  t[Opcode::kMma] = t[Opcode::kWmmaMma] = t[Opcode::kMmaSp] = t[Opcode::kMmaSpOrdered] = &decode_mma;
  t[Opcode::kLdmatrix] = t[Opcode::kStmatrix] = &decode_matrix_move;
  t[Opcode::kMovmatrix] = &decode_movmatrix;
  t[Opcode::kWmmaLoad] = t[Opcode::kWmmaStore] = &decode_wmma_move;
}

}  // namespace warplens::simt::ptx_machine
