// Branches, calls, barriers, exchange between lanes.
#include "warplens/run/ptx/barriers.h"
#include "warplens/run/ptx/decode/plain.h"
#include "warplens/run/ptx/guard.h"
#include "warplens/run/ptx/syscalls.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::SymbolKind;
using ptx::Type;

Status decode_branch(Decoding& d) {
  const ptx::Operand& to = d.operand(0);
  if (to.kind != OperandKind::kLabel) return d.unsupported("a branch to this");
  d.end_block(End::kBranch, d.block_of_label(to.id));
  return {};
}

Status decode_indexed(Decoding& d) {
  Op op;
  WL_ASSIGN(op.a, d.read(0, 32));
  const ptx::Operand& list = d.operand(1);
  if (list.kind != OperandKind::kSymbol || list.symbol != SymbolKind::kBranchTargets)
    return d.unsupported("a branch to this");
  auto& targets = d.program().targets;
  const auto first = static_cast<uint32_t>(targets.size());
  for (const uint32_t label : d.function().branch_targets[list.id].labels) targets.push_back(d.block_of_label(label));
  op.value = static_cast<int64_t>(targets.size() - first);
  d.end_block(End::kIndexed, first, op);
  return {};
}

Status decode_return(Decoding& d) {
  d.end_block(d.mnemonic().opcode == Opcode::kExit || d.function().is_kernel ? End::kExit : End::kReturn, kNoBlock);
  return {};
}

/// Offsets of the variables in a call's list, in the caller's local memory.
Result<std::vector<uint32_t>> list_offsets(Decoding& d, const ptx::Operand& list) {
  std::vector<uint32_t> offsets;
  for (uint32_t i = 0; i < list.count; ++i) {
    const ptx::Operand& o = d.element(list, i);
    if (o.kind != OperandKind::kSymbol ||
        (o.symbol != SymbolKind::kLocal && o.symbol != SymbolKind::kParameter && o.symbol != SymbolKind::kResult))
      return d.unsupported("a call with arguments that are not .param variables");
    offsets.push_back(d.local_offset(o.symbol, o.id));
  }
  return offsets;
}

Status emit_system_call(Decoding& d, const std::string& name, const std::vector<uint32_t>& results,
                        const std::vector<uint32_t>& arguments) {
  Op op;
  op.run = system_call(name);
  if (!op.run) return d.unsupported(fmt::format("a call of '{}', which has no body here,", name));
  auto& slots = d.program().slots;
  op.elements = static_cast<uint32_t>(slots.size());
  op.vector = static_cast<uint8_t>(arguments.size());
  slots.insert(slots.end(), arguments.begin(), arguments.end());
  op.b = results.empty() ? kNoSlot : results[0];
  if (name == "vprintf") d.program().prints = true;
  if (name == "malloc" || name == "free") d.program().order_dependent = true;
  d.emit(op);
  return {};
}

/// Pairs of offsets with the size of what the callee declares.
std::vector<Call::Argument> pair_up(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to,
                                    const std::vector<ptx::Variable>& variables, bool results) {
  std::vector<Call::Argument> pairs;
  for (size_t i = 0; i < from.size() && i < to.size(); ++i) {
    const auto bytes = static_cast<uint32_t>((variables[i].size_bytes + 3) / 4 * 4);
    pairs.push_back(results ? Call::Argument{to[i], from[i], bytes} : Call::Argument{from[i], to[i], bytes});
  }
  return pairs;
}

Status decode_call(Decoding& d) {
  std::vector<uint32_t> results, arguments;
  const ptx::Operand* callee = nullptr;
  for (int i = 0; i < d.operands(); ++i) {
    const ptx::Operand& o = d.operand(i);
    if (o.kind == OperandKind::kList) {
      WL_ASSIGN((callee ? arguments : results), list_offsets(d, o));
    } else if (!callee) {
      callee = &o;
    }
  }
  if (!callee) return d.unsupported("this call");
  Call call;
  const auto describe = [&](uint32_t function) {
    const ptx::Function& f = d.module().functions[function];
    uint32_t top = 0;
    std::vector<uint32_t> parameter_offsets, result_offsets;
    lay_out_parameters(f, top, parameter_offsets, result_offsets);
    call.arguments = pair_up(arguments, parameter_offsets, f.parameters, false);
    call.results = pair_up(results, result_offsets, f.results, true);
  };
  Op op;
  if (callee->kind == OperandKind::kSymbol && callee->symbol == SymbolKind::kFunction) {
    const ptx::Function* f = &d.module().functions[callee->id];
    if (f->is_declaration) {
      if (const ptx::Function* body = d.module().function(f->name)) f = body;
    }
    if (f->is_declaration) return emit_system_call(d, f->name, results, arguments);
    const auto id = static_cast<uint32_t>(f - d.module().functions.data());
    call.function = d.function_number(id);
    describe(id);
  } else if (callee->kind == OperandKind::kRegister) {
    WL_ASSIGN(call.address, d.read(*callee, 64));
    // What the callee's parameters look like follows from the prototype, laid out as a function's would be.
    const ptx::Operand& last = d.operand(d.operands() - 1);
    if (last.kind != OperandKind::kSymbol) return d.unsupported("an indirect call without targets or prototype");
    ptx::Function shape;
    if (last.symbol == SymbolKind::kPrototype) {
      shape.parameters = d.function().prototypes[last.id].parameters;
      shape.results = d.function().prototypes[last.id].results;
    } else if (last.symbol == SymbolKind::kCallTargets && !d.function().call_targets[last.id].functions.empty()) {
      for (const uint32_t target : d.function().call_targets[last.id].functions)
        d.context().taken_functions.insert(target);
      shape = d.module().functions[d.function().call_targets[last.id].functions[0]];
    } else {
      return d.unsupported("an indirect call of this kind");
    }
    uint32_t top = 0;
    std::vector<uint32_t> parameter_offsets, result_offsets;
    lay_out_parameters(shape, top, parameter_offsets, result_offsets);
    call.arguments = pair_up(arguments, parameter_offsets, shape.parameters, false);
    call.results = pair_up(results, result_offsets, shape.results, true);
    op.a = call.address;
  } else {
    return d.unsupported("this call");
  }
  d.program().calls.push_back(std::move(call));
  d.end_block(End::kCall, static_cast<uint32_t>(d.program().calls.size() - 1), op);
  return {};
}

Status decode_trap(Decoding& d) {
  Op op;
  op.run = &run_trap;
  d.emit(op);
  return {};
}

Status decode_nanosleep(Decoding& d) {
  Op op;
  op.run = &run_nothing;
  d.sync(SyncKind::kYield, op);
  return {};
}

/// The member mask of a *.sync instruction; all lanes where the old form has none.
Status with_mask(Decoding& d, Op& op, int mask_operand) {
  if (mask_operand >= d.operands()) {
    op.c = d.constant(kFull, 32);
    return {};
  }
  WL_ASSIGN(op.c, d.read(mask_operand, 32));
  return {};
}

/// A destination `d|p`, `d`, or with `only_predicate` `p`.
Status write_pair(Decoding& d, Op& op, int bits) {
  const ptx::Operand& to = d.operand(0);
  const bool pair = to.kind == OperandKind::kPair;
  WL_ASSIGN(op.d, d.write(pair ? d.element(to, 0) : to, bits));
  if (pair) {
    WL_ASSIGN(op.e, d.write(d.element(to, 1), 1));
  }
  return {};
}

/// shfl keeps its clamp in c, so the member mask goes to Op::value's slot: see SyncKind::kLanes.
Status decode_shuffle(Decoding& d) {
  const char* mode = d.has(Mod::kUp)     ? "shfl.up"
                     : d.has(Mod::kDown) ? "shfl.down"
                     : d.has(Mod::kBfly) ? "shfl.bfly"
                                         : "shfl.idx";
  Op op;
  WL_TRY(with_mask(d, op, 4));
  op.value = op.c;
  WL_ASSIGN(op.run, d.find(mode));
  WL_ASSIGN(op.a, d.read(1, 32));
  WL_ASSIGN(op.b, d.read(2, 32));
  WL_ASSIGN(op.c, d.read(3, 32));
  WL_TRY(write_pair(d, op, 32));
  d.sync(SyncKind::kLanes, op);
  return {};
}

Status sync_lanes(Decoding& d, Op op, std::string_view key, int mask_operand) {
  WL_ASSIGN(op.run, d.find(key));
  WL_TRY(with_mask(d, op, mask_operand));
  op.value = op.c;
  d.sync(SyncKind::kLanes, op);
  return {};
}

Status decode_vote(Decoding& d) {
  Op op;
  const bool ballot = d.has(Mod::kBallot);
  WL_ASSIGN(op.a, d.read(1, 1));
  WL_ASSIGN(op.d, d.write(0, ballot ? 32 : 1));
  return sync_lanes(d, op,
                    ballot             ? "vote.ballot"
                    : d.has(Mod::kAll) ? "vote.all"
                    : d.has(Mod::kAny) ? "vote.any"
                                       : "vote.uni",
                    2);
}

Status decode_match(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  const bool all = d.mnemonic().opcode == Opcode::kMatchAllSync || d.has(Mod::kAll);
  Op op;
  WL_ASSIGN(op.a, d.read(1, bits));
  WL_TRY(write_pair(d, op, 32));
  return sync_lanes(d, op, std::string(all ? "match.all." : "match.any.") + std::to_string(bits), 2);
}

Status decode_redux(Decoding& d) {
  static constexpr struct {
    Mod mod;
    const char* name;
  } kRows[] = {{Mod::kAdd, "add"}, {Mod::kMin, "min"}, {Mod::kMax, "max"},
               {Mod::kAnd, "and"}, {Mod::kOr, "or"},   {Mod::kXor, "xor"}};
  Op op;
  std::string key = "redux.";
  for (const auto& row : kRows) {
    if (d.has(row.mod)) key += row.name;
  }
  WL_ASSIGN(op.a, d.read(1, 32));
  WL_ASSIGN(op.d, d.write(0, 32));
  op.flags = real_flags(d.mnemonic());
  return sync_lanes(d, op, key + "." + std::string(ptx::text(d.mnemonic().type())), 2);
}

Status decode_elect(Decoding& d) {
  Op op;
  WL_TRY(write_pair(d, op, 32));
  return sync_lanes(d, op, "elect", 1);
}

Status decode_activemask(Decoding& d) {
  Op op;
  WL_ASSIGN(op.run, d.find("activemask"));
  WL_ASSIGN(op.d, d.write(0, 32));
  d.emit(op);
  return {};
}

Status decode_warp_sync(Decoding& d) {
  Op op;
  op.run = &run_nothing;
  WL_TRY(with_mask(d, op, 0));
  op.value = op.c;
  d.sync(SyncKind::kLanes, op);
  return {};
}

/// bar and barrier: sync, arrive, red.
Status decode_barrier(Decoding& d) {
  const auto& m = d.mnemonic();
  Op op;
  op.run = &run_nothing;
  if (m.has(Mod::kRed)) {
    const bool count = m.has(Mod::kPopc);
    WL_ASSIGN(op.a, d.read(1, 32));
    const int predicate = d.operands() - 1;
    if (predicate == 3) {
      WL_ASSIGN(op.b, d.read(2, 32));
    }
    WL_ASSIGN(op.c, d.read(predicate, 1));
    WL_ASSIGN(op.d, d.write(0, count ? 32 : 1));
    op.run = count ? &read_barrier_count : m.has(Mod::kAnd) ? &read_barrier_all : &read_barrier_any;
  } else {
    WL_ASSIGN(op.a, d.read(0, 32));
    if (d.operands() > 1) {
      WL_ASSIGN(op.b, d.read(1, 32));
    }
  }
  op.flags = m.opcode == Opcode::kBar || m.has(Mod::kAligned);  // every lane of the warp must come
  d.sync(m.has(Mod::kArrive) ? SyncKind::kArrive : SyncKind::kBarrier, op);
  return {};
}

Status decode_cluster_arrive(Decoding& d) {
  Op op;
  op.run = &arrive_cluster;
  d.sync(SyncKind::kYield, op);
  return {};
}

Status decode_cluster_wait(Decoding& d) {
  Op op;
  op.run = &run_nothing;
  d.sync(SyncKind::kCluster, op);
  return {};
}

}  // namespace

void add_control_decoders(DecoderTable& t) {
  t[Opcode::kBra] = &decode_branch;
  t[Opcode::kBrxIdx] = &decode_indexed;
  t[Opcode::kRet] = t[Opcode::kExit] = &decode_return;
  t[Opcode::kCall] = &decode_call;
  t[Opcode::kTrap] = t[Opcode::kBrkpt] = &decode_trap;
  t[Opcode::kNanosleep] = &decode_nanosleep;
  t[Opcode::kShflSync] = t[Opcode::kShfl] = &decode_shuffle;
  t[Opcode::kVoteSync] = t[Opcode::kVote] = &decode_vote;
  t[Opcode::kMatchAnySync] = t[Opcode::kMatchAllSync] = &decode_match;
  t[Opcode::kReduxSync] = &decode_redux;
  t[Opcode::kElectSync] = &decode_elect;
  t[Opcode::kActivemask] = &decode_activemask;
  t[Opcode::kBarWarpSync] = &decode_warp_sync;
  t[Opcode::kBar] = t[Opcode::kBarrier] = &decode_barrier;
  t[Opcode::kBarrierClusterArrive] = &decode_cluster_arrive;
  t[Opcode::kBarrierClusterWait] = &decode_cluster_wait;
}

}  // namespace warplens::simt::ptx_machine
