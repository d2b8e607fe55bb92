#include "warplens/run/ptx/decode/decode.h"

#include <algorithm>
#include <bit>

#include "warplens/base/text.h"
#include "warplens/run/ptx/asynchronous/async_copy.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/guard.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Opcode;

bool ends_block(Opcode opcode) {
  switch (opcode) {
      // clang-format off
    case Opcode::kBra: case Opcode::kBrxIdx: case Opcode::kRet: case Opcode::kExit: case Opcode::kCall:
    case Opcode::kShflSync: case Opcode::kShfl: case Opcode::kVoteSync: case Opcode::kVote:
    case Opcode::kMatchAnySync: case Opcode::kMatchAllSync: case Opcode::kReduxSync: case Opcode::kElectSync:
    case Opcode::kBarWarpSync: case Opcode::kBar: case Opcode::kBarrier: case Opcode::kBarrierClusterArrive:
    case Opcode::kBarrierClusterWait: case Opcode::kNanosleep:
    case Opcode::kMma: case Opcode::kWmmaMma: case Opcode::kWmmaLoad: case Opcode::kWmmaStore: case Opcode::kLdmatrix:
    case Opcode::kStmatrix: case Opcode::kMovmatrix: case Opcode::kWgmmaMmaAsync: case Opcode::kTcgen05Alloc:
    case Opcode::kTcgen05Dealloc: case Opcode::kTcgen05RelinquishAllocPermit: case Opcode::kTcgen05Ld:
    case Opcode::kTcgen05LdRed: case Opcode::kTcgen05St:
    case Opcode::kWgmmaFence: case Opcode::kWgmmaWaitGroup:
    case Opcode::kMmaSp: case Opcode::kMmaSpOrdered: case Opcode::kWgmmaMmaAsyncSp:
      // clang-format on
      return true;
    default: return false;
  }
}

/// Instructions that a loop may use to wait for other threads.
bool may_wait(const ptx::Mnemonic& m) {
  using ptx::Mod;
  switch (m.opcode) {
    case Opcode::kNanosleep:
    case Opcode::kMbarrierTestWait:
    case Opcode::kMbarrierTryWait: return true;
    case Opcode::kLd: return m.has(Mod::kVolatile) || m.has(Mod::kRelaxed) || m.has(Mod::kAcquire) || m.has(Mod::kMmio);
    default: return false;
  }
}

uint32_t place(const ptx::Variable& v, uint32_t& top) {
  const uint32_t alignment = std::max<uint32_t>(4, v.alignment);
  const uint32_t at = (top + alignment - 1) / alignment * alignment;
  top = at + static_cast<uint32_t>((v.size_bytes + 3) / 4 * 4);
  return at;
}

}  // namespace

void lay_out_parameters(const ptx::Function& function, uint32_t& top, std::vector<uint32_t>& parameters,
                        std::vector<uint32_t>& results) {
  for (const auto& v : function.parameters) parameters.push_back(place(v, top));
  for (const auto& v : function.results) results.push_back(place(v, top));
}

Decoding::Decoding(DecodeContext& context, uint32_t function)
    : context_(context),
      ptx_(context.module.functions[context.program.functions[function].ptx]),
      index_(function),
      register_slots_(ptx_.registers.size(), kNoSlot),
      uses_(find_register_uses(context.module, ptx_)),
      contractions_(find_contractions(context.module, ptx_, uses_)) {
  if (context.checks & kCheckRace) matrix_uses_ = find_matrix_register_uses(context.module, ptx_);
}

Status Decoding::run() {
  lay_out_locals();
  find_leaders();
  for (uint32_t i = 0; i < starts_.size(); ++i) WL_TRY(decode_block(i));
  finish_blocks();
  find_cleared();
  judge_reductions();
  code().entry = first_block_;
  code().frame_bytes = std::max(frame_, 64u);
  for (const auto& [key, slot] : constants_) code().constants.push_back({slot, key.second == 64 ? 8u : 4u, key.first});
  return {};
}

void Decoding::lay_out_locals() {
  uint32_t top = 0;
  if (!ptx_.is_kernel) lay_out_parameters(ptx_, top, code().parameter_offsets, code().result_offsets);
  for (const auto& v : ptx_.variables)
    local_offsets_.push_back(v.space == ptx::Space::kLocal || v.space == ptx::Space::kParam ? place(v, top) : 0);
  code().local_bytes = (top + 15) / 16 * 16;
}

void Decoding::find_leaders() {
  const auto count = static_cast<uint32_t>(ptx_.instructions.size());
  leaders_.assign(count + 1, kNoBlock);
  std::vector<uint8_t> starts(count + 1);
  starts[0] = 1;
  for (const auto& label : ptx_.labels) starts[label.instruction] = 1;
  for (uint32_t i = 0; i < count; ++i) {
    if (ends_block(context_.module.mnemonic(ptx_.instructions[i]).opcode)) starts[i + 1] = 1;
  }
  first_block_ = static_cast<uint32_t>(context_.program.blocks.size());
  for (uint32_t i = 0; i <= count; ++i) {
    if (!starts[i]) continue;
    leaders_[i] = first_block_ + static_cast<uint32_t>(starts_.size());
    starts_.push_back(i);
  }
  context_.program.blocks.resize(first_block_ + starts_.size());
  sets_.resize(starts_.size());
}

Status Decoding::decode_block(uint32_t number) {
  // Decoders may add blocks' ops only; the vector of blocks does not grow while a function is decoded.
  block_ = &context_.program.blocks[first_block_ + number];
  Block& block = *block_;
  block.function = index_;
  block.first = static_cast<uint32_t>(context_.program.ops.size());
  const uint32_t end =
      number + 1 < starts_.size() ? starts_[number + 1] : static_cast<uint32_t>(ptx_.instructions.size());
  block.next = number + 1 < starts_.size() ? first_block_ + number + 1 : kNoBlock;
  ended_ = false;
  block.rows = end - starts_[number];
  for (uint32_t i = starts_[number]; i < end; ++i) decode_instruction(i, block);
  if (!ended_) {
    block.count = static_cast<uint32_t>(context_.program.ops.size()) - block.first;
    block.end = block.next == kNoBlock ? (ptx_.is_kernel ? End::kExit : End::kReturn) : End::kNext;
  }
  return {};
}

void Decoding::decode_instruction(uint32_t index, Block& block) {
  instruction_ = &ptx_.instructions[index];
  mnemonic_ = &context_.module.mnemonic(*instruction_);
  row_given_ = false;
  pending_writes_.clear();
  pending_after_.clear();
  const uint32_t number = static_cast<uint32_t>(&block - &context_.program.blocks[first_block_]);
  context_.program.row_block[code().first_row + index] = first_block_ + number;
  if (instruction_->guard != ptx::kNone) {
    note_read(register_slot(instruction_->guard));
    context_.program.guarded_rows[code().first_row + index] = 1;
  }
  if (contractions_.absorbed[index]) return;
  const bool polls = mnemonic_->opcode == Opcode::kAtom && (mnemonic_->has(ptx::Mod::kCas) || is_read(operand(0)));
  if (polls || may_wait(*mnemonic_)) sets_[number].waits = true;
  emit_register_check(index);
  const size_t before = context_.program.ops.size();
  const auto decoder = decoders().find(mnemonic_->opcode);
  Status status =
      mnemonic_->form < 0 || decoder == decoders().end() ? unsupported("this instruction") : decoder->second(*this);
  if (status.ok() && ended_ && !pending_after_.empty()) status = unsupported("a destination of this width");
  if (!status.ok()) {
    context_.program.ops.resize(before);
    pending_after_.clear();
    row_given_ = false;
    if (ended_) {
      block.end_op = kNoBlock;
      ended_ = false;
    }
    emit_unsupported(status);
  }
  const bool guarded = instruction_->guard != ptx::kNone;
  for (Op& op : pending_after_) emit(op);
  for (const uint32_t slot : pending_writes_) {
    if (!guarded) sets_[number].defined.push_back(slot);
  }
  if (status.ok() && gives_the_same_everywhere()) hoist(before);
}

/// Whether the instruction computes, by plain arithmetic on constants, parameters of the kernel and the shape of the
/// launch, a register that nothing else writes.
bool Decoding::gives_the_same_everywhere() const {
  if (!ptx_.is_kernel || ended_ || instruction_->guard != ptx::kNone || operands() < 2) return false;
  switch (mnemonic_->opcode) {
    case Opcode::kLd: {
      if (context_.checks || context_.observed || operand(1).kind != ptx::OperandKind::kAddress) return false;
      const ptx::Operand& base = element(operand(1), 0);
      if (base.kind != ptx::OperandKind::kSymbol || base.symbol != ptx::SymbolKind::kParameter) return false;
      break;
    }
      // clang-format off
    case Opcode::kMov: case Opcode::kCvta: case Opcode::kCvt: case Opcode::kAdd: case Opcode::kSub: case Opcode::kMul:
    case Opcode::kMad: case Opcode::kDiv: case Opcode::kRem: case Opcode::kMin: case Opcode::kMax: case Opcode::kShl:
    case Opcode::kShr: case Opcode::kAnd: case Opcode::kOr: case Opcode::kXor: case Opcode::kNot: case Opcode::kSetp:
    case Opcode::kSelp:
      // clang-format on
      if (mnemonic_->has(ptx::Mod::kCc)) return false;
      break;
    default: return false;
  }
  const auto written_once = [&](const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::kRegister && uses_.writes[o.id].size() == 1;
  };
  const auto same = [&](const ptx::Operand& o) {
    switch (o.kind) {
      case ptx::OperandKind::kRegister: return invariant_.contains(register_slots_[o.id]);
      case ptx::OperandKind::kSpecial:
        return o.id == static_cast<uint32_t>(ptx::SpecialRegister::kNtid) ||
               o.id == static_cast<uint32_t>(ptx::SpecialRegister::kNctaid);
      case ptx::OperandKind::kImmediate:
      case ptx::OperandKind::kSymbol:
      case ptx::OperandKind::kAddress: return true;
      default: return false;
    }
  };
  const ptx::Operand& to = operand(0);
  const bool list = to.kind == ptx::OperandKind::kVector || to.kind == ptx::OperandKind::kPair;
  for (uint32_t i = 0; i < (list ? to.count : 1); ++i) {
    if (!written_once(list ? element(to, i) : to)) return false;
  }
  for (int i = 1; i < operands(); ++i) {
    if (!same(operand(i))) return false;
  }
  return true;
}

/// Moves the operations from `first_op` on to the prologue.
void Decoding::hoist(size_t first_op) {
  auto& ops = context_.program.ops;
  code().prologue.insert(code().prologue.end(), ops.begin() + static_cast<std::ptrdiff_t>(first_op), ops.end());
  ops.resize(first_op);
  invariant_.insert(pending_writes_.begin(), pending_writes_.end());
}

void Decoding::emit_unsupported(const Status& why) {
  Op op;
  op.run = &run_unsupported;
  op.text = static_cast<uint32_t>(context_.program.texts.size());
  context_.program.texts.push_back(why.message());
  noted_ = false;  // there is no access to check: it may have been noted before decoding gave up
  emit(op);
}

Status Decoding::unsupported(std::string what) const {
  return warplens::unsupported(fmt::format("{} cannot be executed: '{}'", what, mnemonic_->text));
}

Op& Decoding::emit(Op op) {
  if (!row_given_) {
    op.row = code().first_row + static_cast<uint32_t>(instruction_ - ptx_.instructions.data());
    row_given_ = true;
  }
  if (instruction_->guard != ptx::kNone && !ended_) {
    op.guard = register_slot(instruction_->guard);
    op.guard_flip = instruction_->guard_negated;
    op.body = op.run;
    op.run = &run_guarded;
  }
  if (noted_ && (context_.checks || context_.observed)) {
    if (op.guard == kNoSlot) op.body = op.run;
    op.run = &run_checked;
  }
  noted_ = false;
  context_.program.ops.push_back(op);
  return context_.program.ops.back();
}

void Decoding::emit_before(Op op) { context_.program.ops.push_back(op); }

Result<Handler> Decoding::find(std::string_view key) const {
  if (const Handler handler = handlers().find(key)) return handler;
  return unsupported(fmt::format("no handler '{}':", key));
}

void Decoding::sync(SyncKind kind, Op op) {
  Program& program = context_.program;
  block_->end = End::kSync;
  block_->sync = static_cast<uint8_t>(kind);
  const auto is_mask = [&](const auto& c) { return c.second == static_cast<uint32_t>(op.value); };
  block_->same_members = kind == SyncKind::kLanes && std::any_of(constants_.begin(), constants_.end(), is_mask);
  if (instruction_->guard != ptx::kNone) {
    block_->guard = register_slot(instruction_->guard);
    block_->guard_flip = instruction_->guard_negated;
  }
  block_->count = static_cast<uint32_t>(program.ops.size()) - block_->first;
  op.row = code().first_row + static_cast<uint32_t>(instruction_ - ptx_.instructions.data());
  row_given_ = true;
  block_->end_op = static_cast<uint32_t>(program.ops.size());
  program.ops.push_back(op);
  ended_ = true;
}

void Decoding::end_block(End end, uint32_t target, Op op) {
  sync(SyncKind::kYield, op);
  block_->end = end;
  block_->target = target;
}

void Decoding::note_plain_load() {
  sets().loads = true;
  sets().loads_after_reduction |= sets().reduces;
}

void Decoding::note_reduction() { sets().reduces = true; }

bool Decoding::is_read(const ptx::Operand& destination) const {
  if (destination.kind == ptx::OperandKind::kSink) return false;
  if (destination.kind != ptx::OperandKind::kRegister) return true;
  const auto index = static_cast<uint32_t>(instruction_ - ptx_.instructions.data());
  const auto& reads = uses_.reads[destination.id];
  return std::any_of(reads.begin(), reads.end(),
                     [&](const RegisterUse& use) { return use.instruction != index || use.operand != 0; });
}

void Decoding::note_access(const Op& op, const AccessInfo& info) {
  auto& accesses = context_.program.accesses;
  if (accesses.size() <= op.range) accesses.resize(op.range + 1);
  accesses[op.range] = info;
  noted_ = op.run != &run_cp_async;  // which looks at its lanes itself
}

int lane_bits(ptx::Type type) {
  const int bits = ptx::bits(type);
  return bits <= 1 ? 1 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
}

bool is_signed(ptx::Type type) { return ptx::kind(type) == ptx::TypeKind::kSigned; }

uint8_t rounding_mode(const ptx::Mnemonic& m) {
  using ptx::Mod;
  return m.has(Mod::kRz) || m.has(Mod::kRzi)   ? 1
         : m.has(Mod::kRm) || m.has(Mod::kRmi) ? 2
         : m.has(Mod::kRp) || m.has(Mod::kRpi) ? 3
         : m.has(Mod::kRna)                    ? 4
                                               : 0;
}

}  // namespace warplens::simt::ptx_machine
