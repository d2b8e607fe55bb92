// mbarrier, bulk and tensor copies, tensor maps, addresses in a cluster.
#include <algorithm>
#include <array>

#include "warplens/run/ptx/asynchronous/bulk_copy.h"
#include "warplens/run/ptx/asynchronous/mbarrier.h"
#include "warplens/run/ptx/barriers.h"
#include "warplens/run/ptx/decode/address.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/memory/cluster_address.h"
#include "warplens/run/ptx/memory/resolve.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

/// A generic address; `space` is the one that its operand is in.
Result<uint32_t> generic_in(Decoding& d, const ptx::Operand& operand, Space space) {
  WL_ASSIGN(const uint32_t slot, address_value(d, operand, 64));
  if (space != Space::kShared && space != Space::kSharedCta && space != Space::kSharedCluster) return slot;
  return d.compute("add.64", 64, {slot, d.constant(kSharedWindow, 64)});
}

MbarrierOp operation_of(const ptx::Mnemonic& m) {
  const bool expects = m.has(Mod::kExpectTx);
  switch (m.opcode) {
    case Opcode::kMbarrierInit: return MbarrierOp::kInit;
    case Opcode::kMbarrierInval: return MbarrierOp::kInvalidate;
    case Opcode::kMbarrierExpectTx: return MbarrierOp::kExpect;
    case Opcode::kMbarrierCompleteTx: return MbarrierOp::kComplete;
    case Opcode::kMbarrierArriveDrop: return expects ? MbarrierOp::kDropExpect : MbarrierOp::kDrop;
    default: return expects ? MbarrierOp::kArriveExpect : MbarrierOp::kArrive;
  }
}

Status decode_mbarrier(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  op.run = &run_mbarrier;
  op.mbarrier = operation_of(m);
  const bool arrives = m.opcode == Opcode::kMbarrierArrive || m.opcode == Opcode::kMbarrierArriveDrop;
  int at = 0;
  if (arrives && d.operand(0).kind != OperandKind::kAddress) {
    if (d.operand(0).kind != OperandKind::kSink) {
      WL_ASSIGN(op.d, d.write(0, 64));
    }
    at = 1;
  }
  WL_ASSIGN(op.a, generic_in(d, d.operand(at), m.space()));
  if (d.operands() > at + 1) {
    WL_ASSIGN(op.b, d.read(at + 1, 32));
  }
  op.range = d.new_range();
  d.emit(op);
  return {};
}

Status decode_mbarrier_wait(Decoding& d) {
  const bool parity = d.has(Mod::kParity);
  Op op;
  op.run = &run_mbarrier_wait;
  op.by_parity = parity;
  WL_ASSIGN(op.a, generic_in(d, d.operand(1), d.mnemonic().space()));
  WL_ASSIGN(op.b, d.read(2, parity ? 32 : 64));
  WL_ASSIGN(op.d, d.write(0, 1));
  op.range = d.new_range();
  d.emit(op);
  return {};
}

Status decode_pending_count(Decoding& d) {
  Op op;
  op.run = &run_pending_count;
  WL_ASSIGN(op.a, d.read(1, 64));
  WL_ASSIGN(op.d, d.write(0, 32));
  d.emit(op);
  return {};
}

/// Its copies are done when it is reached. Without .noinc the arrival was not counted on: it only orders.
Status decode_copy_arrive(Decoding& d) {
  Op op;
  op.run = &run_mbarrier;
  op.mbarrier = d.has(Mod::kNoinc) ? MbarrierOp::kCopyArrive : MbarrierOp::kCopyTrack;
  WL_ASSIGN(op.a, generic_in(d, d.operand(0), d.mnemonic().space()));
  op.range = d.new_range();
  d.emit(op);
  return {};
}

AtomicOp reduction_of(const ptx::Mnemonic& m) {
  static constexpr std::pair<Mod, AtomicOp> kRows[] = {{Mod::kAdd, AtomicOp::kAdd}, {Mod::kMin, AtomicOp::kMin},
                                                       {Mod::kMax, AtomicOp::kMax}, {Mod::kInc, AtomicOp::kInc},
                                                       {Mod::kDec, AtomicOp::kDec}, {Mod::kAnd, AtomicOp::kAnd},
                                                       {Mod::kOr, AtomicOp::kOr},   {Mod::kXor, AtomicOp::kXor}};
  for (const auto& [mod, op] : kRows) {
    if (m.has(mod)) return op;
  }
  return AtomicOp::kExchange;
}

void fill_reduction(Decoding& d, Op& op) {
  op.atomic = reduction_of(d.mnemonic());
  op.type = d.mnemonic().type();
  if (op.atomic != AtomicOp::kExchange && d.mnemonic().spaces[0] == Space::kGlobal) d.program().order_dependent = true;
}

/// The multicast mask stands after the mbarrier.
Status read_multicast(Decoding& d, Op& op, int at) {
  if (!d.has(Mod::kMulticastCluster)) return {};
  WL_ASSIGN(op.e, d.read(at, 32));
  return {};
}

Status decode_bulk_copy(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  op.run = &run_bulk_copy;
  WL_ASSIGN(op.b, generic_in(d, d.operand(0), m.spaces[0]));
  WL_ASSIGN(op.a, generic_in(d, d.operand(1), m.spaces[1]));
  WL_ASSIGN(op.c, d.read(2, 32));
  if (m.has(Mod::kCompleteTxBytes)) {
    WL_ASSIGN(op.d, generic_in(d, d.operand(3), Space::kShared));
    WL_TRY(read_multicast(d, op, 4));
  }
  if (m.has(Mod::kCpMask) || m.has(Mod::kIgnoreOob)) return d.unsupported("a bulk copy with a byte mask");
  fill_reduction(d, op);
  op.range = d.new_range();
  if (m.spaces[1] == Space::kGlobal) d.note_plain_load();
  d.emit(op);
  return {};
}

Status decode_tensor_copy(Decoding& d) {
  const auto& m = d.mnemonic();
  const bool load = m.has(Mod::kCompleteTxBytes);
  if (m.has(Mod::kIm2col) || m.has(Mod::kIm2colW) || m.has(Mod::kIm2colNoOffs) || m.has(Mod::kTileGather4) ||
      m.has(Mod::kTileScatter4)) {
    return d.unsupported("a tensor copy other than .tile");
  }
  Op op;
  op.run = &run_tensor_copy;
  const ptx::Operand& tensor = d.operand(load ? 1 : 0);
  if (tensor.kind != OperandKind::kBracket || tensor.count < 2)
    return d.unsupported("a tensor copy without coordinates");
  WL_ASSIGN(op.a, d.read(d.element(tensor, 0), 64));
  WL_ASSIGN(const SlotList coordinates, d.read_list(d.element(tensor, 1), 32));
  op.c = coordinates.first;
  op.vector = static_cast<uint8_t>(coordinates.count);
  WL_ASSIGN(op.b, generic_in(d, d.operand(load ? 0 : 1), Space::kShared));
  if (load) {
    WL_ASSIGN(op.d, generic_in(d, d.operand(2), Space::kShared));
    WL_TRY(read_multicast(d, op, 3));
    d.note_plain_load();
  }
  fill_reduction(d, op);
  op.range = d.new_range();
  d.emit(op);
  return {};
}

Status decode_store_async(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  op.run = &run_store_async;
  const int bits = lane_bits(m.type());
  if (bits == 128 || ptx::bits(m.type()) < 32) return d.unsupported("this type of an asynchronous store");
  op.size = static_cast<uint8_t>(bits / 8);
  WL_ASSIGN(op.b, generic_in(d, d.operand(0), m.space()));
  WL_ASSIGN(const SlotList values, d.read_list(d.operand(1), bits));
  if (values.count != m.vector) return d.unsupported("a vector of another length than the instruction's");
  op.c = values.first;
  op.vector = static_cast<uint8_t>(values.count);
  if (d.operands() > 2) {
    WL_ASSIGN(op.d, generic_in(d, d.operand(2), m.space()));
  }
  fill_reduction(d, op);
  op.range = d.new_range();
  d.emit(op);
  return {};
}

Status decode_cluster_address(Decoding& d) {
  const auto& m = d.mnemonic();
  const bool map = m.opcode == Opcode::kMapa;
  const int bits = lane_bits(m.type());
  Op op;
  op.run = map ? &run_mapa : &run_getctarank;
  op.size = static_cast<uint8_t>(bits / 8);
  WL_ASSIGN(op.a, d.read(1, bits));
  if (map) {
    WL_ASSIGN(op.b, d.read(2, 32));
  }
  WL_ASSIGN(op.d, d.write(0, map ? bits : 32));
  d.emit(op);
  return {};
}

Status decode_tensormap_replace(Decoding& d) {
  static constexpr std::array<std::pair<Mod, bool>, 11> kFields = {{{Mod::kGlobalAddress, false},
                                                                    {Mod::kRank, false},
                                                                    {Mod::kBoxDim, true},
                                                                    {Mod::kGlobalDim, true},
                                                                    {Mod::kGlobalStride, true},
                                                                    {Mod::kElementStride, true},
                                                                    {Mod::kElemtype, false},
                                                                    {Mod::kInterleaveLayout, false},
                                                                    {Mod::kSwizzleMode, false},
                                                                    {Mod::kFillMode, false},
                                                                    {Mod::kSwizzleAtomicity, false}}};
  Op op;
  op.run = &run_tensormap_replace;
  size_t field = 0;
  while (field < kFields.size() && !d.has(kFields[field].first)) ++field;
  if (field == kFields.size()) return d.unsupported("this field of a tensor map");
  op.field = static_cast<TensorField>(field);
  WL_ASSIGN(op.a, generic_in(d, d.operand(0), d.mnemonic().space()));
  int value = 1;
  if (kFields[field].second) {
    WL_ASSIGN(op.value, d.immediate(1));
    const int64_t most = d.has(Mod::kGlobalStride) ? 3 : 4;
    if (op.value < 0 || op.value > most) return d.unsupported("a dimension past the fifth");
    value = 2;
  }
  WL_ASSIGN(op.b, d.read(value, 64));
  op.range = d.new_range();
  d.emit(op);
  return {};
}

Status decode_tensormap_copy(Decoding& d) {
  Op op;
  op.run = &run_tensormap_copy;
  WL_ASSIGN(op.b, generic_in(d, d.operand(0), d.mnemonic().spaces[0]));
  WL_ASSIGN(op.a, generic_in(d, d.operand(1), d.mnemonic().spaces[1]));
  op.range = d.new_range();
  d.emit(op);
  return {};
}

/// The four warps start their products together: what each of them waited for, all have then.
Status decode_wgmma_fence(Decoding& d) {
  Op op;
  op.run = &run_nothing;
  d.sync(SyncKind::kWarpgroup, op);
  return {};
}

}  // namespace

void add_hopper_decoders(DecoderTable& t) {
  for (const Opcode o : {Opcode::kMbarrierInit, Opcode::kMbarrierInval, Opcode::kMbarrierExpectTx,
                         Opcode::kMbarrierCompleteTx, Opcode::kMbarrierArrive, Opcode::kMbarrierArriveDrop}) {
    t[o] = &decode_mbarrier;
  }
  t[Opcode::kMbarrierTestWait] = t[Opcode::kMbarrierTryWait] = &decode_mbarrier_wait;
  t[Opcode::kMbarrierPendingCount] = &decode_pending_count;
  t[Opcode::kCpAsyncMbarrierArrive] = &decode_copy_arrive;
  t[Opcode::kCpAsyncBulk] = t[Opcode::kCpReduceAsyncBulk] = &decode_bulk_copy;
  t[Opcode::kCpAsyncBulkTensor] = t[Opcode::kCpReduceAsyncBulkTensor] = &decode_tensor_copy;
  t[Opcode::kStAsync] = t[Opcode::kRedAsync] = &decode_store_async;
  t[Opcode::kMapa] = t[Opcode::kGetctarank] = &decode_cluster_address;
  t[Opcode::kTensormapReplace] = &decode_tensormap_replace;
  t[Opcode::kTensormapCpFenceproxy] = &decode_tensormap_copy;
  t[Opcode::kWgmmaFence] = &decode_wgmma_fence;
  t[Opcode::kCpAsyncBulkPrefetch] = t[Opcode::kCpAsyncBulkPrefetchTensor] = &decode_nothing;
}

}  // namespace warplens::simt::ptx_machine
