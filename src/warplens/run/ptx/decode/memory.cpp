// ld, st, atom, red, cp.async, and instructions about caches.
#include "warplens/base/text.h"
#include "warplens/run/ptx/asynchronous/async_copy.h"
#include "warplens/run/ptx/barriers.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/decode/address.h"
#include "warplens/run/ptx/decode/plain.h"
#include "warplens/run/ptx/guard.h"
#include "warplens/run/ptx/memory/atomic.h"
#include "warplens/run/ptx/memory/wide_atomic.h"
#include "warplens/simt/atomics/operation.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

/// Memory order and scope, for the checks.
void fill_order(const ptx::Mnemonic& m, AccessInfo& info) {
  info.strong = m.has(Mod::kVolatile) || m.has(Mod::kRelaxed) || m.has(Mod::kAcquire) || m.has(Mod::kRelease) ||
                m.has(Mod::kAcqRel) || m.has(Mod::kMmio) || info.kind == AccessInfo::Kind::kAtomic;
  info.acquires = m.has(Mod::kAcquire) || m.has(Mod::kAcqRel);
  info.releases = m.has(Mod::kRelease) || m.has(Mod::kAcqRel);
  info.scope = m.has(Mod::kCta) ? 0 : m.has(Mod::kCluster) ? 1 : 2;
}

/// "ld.global", "ld.shared32", ...: the handler family for a space; fills in the address.
Result<std::string> family(Decoding& d, const std::string& name, const ptx::Operand& operand, Op& op, Space& space) {
  WL_ASSIGN(const AddressOperand at, d.address(operand));
  space = d.mnemonic().space();
  if (at.space == Space::kLocal && (space == Space::kParam || space == Space::kParamFunction)) space = Space::kLocal;
  if (space == Space::kParamEntry) space = Space::kParam;
  op.value = at.offset;
  op.a = at.slot;
  uint8_t bits = at.bits;
  const bool keeps_32 = is_shared(space);
  if (bits == 32 && !keeps_32) {
    WL_ASSIGN(op.a, d.compute("cvt.u64.u32", 64, {op.a}));
    bits = 64;
  }
  switch (space) {
    case Space::kGlobal: return name + ".global.";
    case Space::kShared:
    case Space::kSharedCta:
    case Space::kSharedCluster: return name + (bits == 32 ? ".shared32." : ".shared64.");
    case Space::kLocal: return name + ".local.";
    case Space::kConst: return name + ".const.";
    case Space::kParam: return name + (at.constant ? ".parameter." : ".param.");
    default: return name + ".generic.";
  }
}

/// Bytes of an element, and how many of them: b128 is two of 8.
void element_size(const ptx::Mnemonic& m, Op& op) {
  const int bytes = ptx::bits(m.type()) / 8;
  op.size = static_cast<uint8_t>(bytes == 16 ? 8 : bytes);
  op.vector = static_cast<uint8_t>(m.vector * (bytes == 16 ? 2 : 1));
}

/// b128 registers as two 64-bit slots each.
SlotList split_128(Decoding& d, const SlotList& list) {
  auto& slots = d.program().slots;
  const SlotList halves{static_cast<uint32_t>(slots.size()), list.count * 2};
  for (uint32_t i = 0; i < list.count; ++i) {
    const uint32_t slot = slots[list.first + i];
    slots.push_back(slot);
    slots.push_back(slot == kNoSlot ? kNoSlot : slot + 256);
  }
  return halves;
}

void set_list(Decoding& d, Op& op, const SlotList& list) {
  if (list.count == 1) op.d = d.program().slots[list.first];
  else op.elements = list.first;
}

/// Parameters of calls lie in local memory, where nothing goes wrong with them.
void note_unless_parameter(Decoding& d, const Op& op, AccessInfo info) {
  const Space named = d.mnemonic().space();
  if (named == Space::kParam || named == Space::kParamEntry || named == Space::kParamFunction)
    info.space = Space::kParam;
  d.note_access(op, info);
}

Status decode_load(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  Space space;
  element_size(m, op);
  WL_ASSIGN(const std::string base, family(d, "ld", d.operand(1), op, space));
  const Type type = m.type();
  const int bits = lane_bits(type);
  const bool sign = is_signed(type);
  const std::string kind = op.size == 1   ? (sign ? "s8" : "u8")
                           : op.size == 2 ? (sign ? "s16" : "u16")
                           : op.size == 4 ? "32"
                                          : "64";
  WL_ASSIGN(op.run, d.find(base + kind));
  WL_ASSIGN(SlotList list, d.write_list(d.operand(0), bits, sign));
  if (list.count != m.vector) return d.unsupported("a vector of another length than the instruction's");
  if (bits == 128) list = split_128(d, list);
  set_list(d, op, list);
  if (op.vector == 1 && op.d == kNoSlot) op.d = d.temporary(64);
  op.range = d.new_range();
  AccessInfo info{AccessInfo::Kind::kLoad, space, static_cast<uint8_t>(base.ends_with("32.") ? 32 : 64)};
  info.size_bytes = op.size * op.vector;
  if (d.operand(0).kind == OperandKind::kVector) {  // compilers widen loads past what is read
    for (uint32_t i = 0; i < d.operand(0).count; ++i) {
      if (!d.is_read(d.element(d.operand(0), i))) info.unread |= static_cast<uint8_t>(1u << i);
    }
    if (info.unread + 1u == 1u << d.operand(0).count) info.unread = 0;
  }
  fill_order(m, info);
  note_unless_parameter(d, op, info);
  if (base == "ld.parameter.") {
    const int64_t end = op.value + static_cast<int64_t>(info.size_bytes);
    if (op.value < 0 || end > static_cast<int64_t>(d.function().parameter_bytes()))
      return d.unsupported("a load past the parameters");
  }
  const bool global = space == Space::kGlobal || space == Space::kGeneric;
  if (global && info.strong) d.program().order_dependent = true;
  if (global && !m.has(Mod::kNc)) d.note_plain_load();
  d.emit(op);
  return {};
}

Status decode_store(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  Space space;
  element_size(m, op);
  WL_ASSIGN(const std::string base, family(d, "st", d.operand(0), op, space));
  const int bits = lane_bits(m.type());
  WL_ASSIGN(op.run, d.find(base + std::to_string(op.size * 8)));
  const ptx::Operand& value = d.operand(1);
  SlotList list;
  if (value.kind == OperandKind::kVector || bits == 128) {
    WL_ASSIGN(list, d.read_list(value, bits));
  } else {
    WL_ASSIGN(const uint32_t slot, d.read(value, bits, m.type()));
    list = {static_cast<uint32_t>(d.program().slots.size()), 1};
    d.program().slots.push_back(slot);
  }
  if (list.count != m.vector) return d.unsupported("a vector of another length than the instruction's");
  if (bits == 128) list = split_128(d, list);
  set_list(d, op, list);
  op.range = d.new_range();
  AccessInfo info{AccessInfo::Kind::kStore, space, static_cast<uint8_t>(base.ends_with("32.") ? 32 : 64)};
  info.size_bytes = op.size * op.vector;
  fill_order(m, info);
  note_unless_parameter(d, op, info);
  d.emit(op);
  return {};
}

Result<AtomicOp> operation_of(const Decoding& d) {
  static constexpr struct {
    Mod mod;
    AtomicOp op;
  } kRows[] = {{Mod::kAdd, AtomicOp::kAdd},        {Mod::kMin, AtomicOp::kMin}, {Mod::kMax, AtomicOp::kMax},
               {Mod::kInc, AtomicOp::kInc},        {Mod::kDec, AtomicOp::kDec}, {Mod::kAnd, AtomicOp::kAnd},
               {Mod::kOr, AtomicOp::kOr},          {Mod::kXor, AtomicOp::kXor}, {Mod::kExch, AtomicOp::kExchange},
               {Mod::kCas, AtomicOp::kCompareSwap}};
  for (const auto& row : kRows) {
    if (d.has(row.mod)) return row.op;
  }
  return d.unsupported("this atomic operation");
}

bool is_float_type(Type t) { return ptx::kind(t) == ptx::TypeKind::kFloat || is_half(t); }

/// How other blocks may see this operation, for deterministic results.
void note_order(Decoding& d, Op& op, Space space, AtomicOp operation, Type type, bool result_used) {
  if (is_shared(space)) return;
  const bool commutes = operation != AtomicOp::kExchange && operation != AtomicOp::kCompareSwap &&
                        operation != AtomicOp::kInc && operation != AtomicOp::kDec;
  if (result_used || !commutes) {
    d.program().order_dependent = true;
  } else if (is_float_type(type) && operation == AtomicOp::kAdd) {
    op.applied_late = 1;
    d.note_reduction();
  }
}

Status decode_wide_atomic(Decoding& d, AtomicOp operation) {
  if (operation != AtomicOp::kExchange && operation != AtomicOp::kCompareSwap)
    return d.unsupported("this operation on 128 bits");
  Op op;
  Space space;
  WL_ASSIGN(const std::string base, family(d, "atom", d.operand(1), op, space));
  op.run = &run_wide_atomic;
  WL_ASSIGN(op.b, d.read(2, 128));
  if (operation == AtomicOp::kCompareSwap) {
    WL_ASSIGN(op.c, d.read(3, 128));
  }
  WL_ASSIGN(op.d, d.write(0, 128));
  if (!is_shared(space)) d.program().order_dependent = true;
  op.range = d.new_range();
  AccessInfo info{AccessInfo::Kind::kAtomic, space, static_cast<uint8_t>(base.ends_with("32.") ? 32 : 64)};
  info.size_bytes = 16;
  fill_order(d.mnemonic(), info);
  d.note_access(op, info);
  d.emit(op);
  return {};
}

Status decode_atomic(Decoding& d) {
  const auto& m = d.mnemonic();
  const bool reduces = m.opcode == Opcode::kRed;
  const int first = reduces ? 0 : 1;  // the address operand
  const Type type = m.type();
  const int bits = lane_bits(type);
  WL_ASSIGN(const AtomicOp operation, operation_of(d));
  if (bits == 128) return decode_wide_atomic(d, operation);
  Op op;
  Space space;
  WL_ASSIGN(const std::string base, family(d, "atom", d.operand(first), op, space));
  op.run = &run_atomic;
  op.atomic = operation;
  op.type = type;
  op.size = static_cast<uint8_t>(ptx::bits(type) / 8);
  op.vector = m.vector;
  op.applied_late = 0;
  const ptx::Operand& value = d.operand(first + 1);
  if (op.vector == 1) {
    WL_ASSIGN(op.b, d.read(value, bits, type));
  } else {
    WL_ASSIGN(const SlotList list, d.read_list(value, bits));
    op.b = list.first;
  }
  if (operation == AtomicOp::kCompareSwap) {
    WL_ASSIGN(op.c, d.read(first + 2, bits, type));
  }
  bool used = false;
  if (!reduces) {
    used = d.is_read(d.operand(0));
    if (op.vector == 1) {
      WL_ASSIGN(op.d, d.write(0, bits));
    } else {
      WL_ASSIGN(const SlotList list, d.write_list(d.operand(0), bits));
      op.d = list.first;
    }
  }
  note_order(d, op, space, operation, type, used);
  const bool integer = type == Type::kU32 || type == Type::kS32 || type == Type::kB32;
  const bool in_memory = is_shared(space) || space == Space::kGlobal || space == Space::kGeneric;
  if (in_memory && operation == AtomicOp::kAdd && integer && op.vector == 1) {
    WL_ASSIGN(op.run, d.find(base + "add.32"));
  }
  op.range = d.new_range();
  AccessInfo info{AccessInfo::Kind::kAtomic, space, static_cast<uint8_t>(base.ends_with("32.") ? 32 : 64)};
  info.size_bytes = op.size * op.vector;
  fill_order(m, info);
  d.note_access(op, info);
  d.emit(op);
  return {};
}

/// Copies at once: a kernel may read the destination after it has waited, and not before.
Status decode_cp_async(Decoding& d) {
  Op op;
  op.run = &run_cp_async;
  WL_ASSIGN(op.b, address_value(d, d.operand(0), 32));
  WL_ASSIGN(op.a, address_value(d, d.operand(1), 64));
  WL_ASSIGN(const int64_t size, d.immediate(2));
  op.size = static_cast<uint8_t>(size);
  if (d.operands() > 3 && !(d.operands() == 4 && d.has(Mod::kL2CacheHint))) {
    const ptx::Operand& fourth = d.operand(3);
    const bool predicate = fourth.kind == OperandKind::kRegister && d.register_bits(fourth.id) == 1;
    op.copied = predicate ? CopiedBytes::kUnlessIgnored : CopiedBytes::kCounted;
    WL_ASSIGN(op.c, d.read(fourth, predicate ? 1 : 32));
  }
  op.range = d.new_range();
  AccessInfo info{AccessInfo::Kind::kLoad, Space::kGlobal, 64};
  info.size_bytes = op.size;
  d.note_access(op, info);
  d.note_plain_load();
  d.emit(op);
  return {};
}

/// Operations that only the check of races knows.
Status emit_for_races(Decoding& d, Handler run, Op op) {
  if (!(d.context().checks & kCheckRace)) return {};
  op.run = run;
  d.emit(op);
  return {};
}

Status decode_fence(Decoding& d) {
  Op op;
  op.scope = d.has(Mod::kCta) ? 0 : d.has(Mod::kCluster) ? 1 : 2;
  return emit_for_races(d, &run_fence, op);
}
Status decode_fence_proxy(Decoding& d) {
  return contains(d.mnemonic().text, "proxy.async") ? emit_for_races(d, &run_fence_proxy, {}) : Status();
}

/// Whose groups an instruction commits or waits for.
Agent agent_of(const Decoding& d) {
  switch (d.mnemonic().opcode) {
    case Opcode::kWgmmaCommitGroup:
    case Opcode::kWgmmaWaitGroup: return Agent::kMatrix;
    case Opcode::kCpAsyncBulkCommitGroup: return Agent::kBulkWrite;
    case Opcode::kCpAsyncBulkWaitGroup: return d.has(Mod::kRead) ? Agent::kBulkRead : Agent::kBulkWrite;
    default: return Agent::kCopy;
  }
}
Status decode_commit(Decoding& d) {
  Op op;
  op.agent = agent_of(d);
  return emit_for_races(d, &run_commit_group, op);
}
Status decode_wait_all(Decoding& d) {
  Op op;
  op.agent = agent_of(d);
  op.value = -1;
  return emit_for_races(d, &run_wait_group, op);
}
/// Products read shared memory for all four warps: none goes on before all are done.
Status decode_wgmma_wait(Decoding& d) {
  Op op;
  op.run = d.context().checks & kCheckRace ? &run_wait_group : &run_nothing;
  op.agent = agent_of(d);
  WL_ASSIGN(op.value, d.immediate(0));
  d.sync(SyncKind::kWarpgroup, op);
  return {};
}
Status decode_wait_group(Decoding& d) {
  Op op;
  op.agent = agent_of(d);
  WL_ASSIGN(op.value, d.immediate(0));
  return emit_for_races(d, &run_wait_group, op);
}

Status decode_createpolicy(Decoding& d) {
  Op op;
  WL_ASSIGN(op.run, d.find("mov.64"));
  op.a = d.constant(0, 64);
  WL_ASSIGN(op.d, d.write(0, 64));
  d.emit(op);
  return {};
}

}  // namespace

void add_memory_decoders(DecoderTable& t) {
  t[Opcode::kLd] = t[Opcode::kLdu] = &decode_load;
  t[Opcode::kSt] = &decode_store;
  t[Opcode::kAtom] = t[Opcode::kRed] = &decode_atomic;
  t[Opcode::kCpAsync] = &decode_cp_async;
  t[Opcode::kCreatepolicy] = &decode_createpolicy;
  t[Opcode::kMembar] = t[Opcode::kFence] = &decode_fence;
  t[Opcode::kFenceProxy] = &decode_fence_proxy;
  t[Opcode::kCpAsyncCommitGroup] = t[Opcode::kCpAsyncBulkCommitGroup] = t[Opcode::kWgmmaCommitGroup] = &decode_commit;
  t[Opcode::kCpAsyncWaitGroup] = t[Opcode::kCpAsyncBulkWaitGroup] = &decode_wait_group;
  t[Opcode::kWgmmaWaitGroup] = &decode_wgmma_wait;
  t[Opcode::kCpAsyncWaitAll] = &decode_wait_all;
  for (const Opcode o : {Opcode::kPrefetch, Opcode::kPrefetchu, Opcode::kApplypriority, Opcode::kDiscard,
                         Opcode::kFenceMbarrierInit, Opcode::kPmevent, Opcode::kSetmaxnreg, Opcode::kGriddepcontrol})
    t[o] = &decode_nothing;
}

}  // namespace warplens::simt::ptx_machine
