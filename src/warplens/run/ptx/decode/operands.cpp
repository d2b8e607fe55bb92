// Operands of instructions as register slots.
#include <bit>

#include "warplens/base/text.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/special_registers.h"

namespace warplens::simt::ptx_machine {

using ptx::OperandKind;

uint32_t Decoding::allocate(int bits) {
  if (bits == 1) {
    if (predicate_next_ == predicate_end_) {
      predicate_next_ = frame_;
      predicate_end_ = frame_ += 128;
    }
    predicate_next_ += 4;
    return predicate_next_ - 4;
  }
  const uint32_t at = frame_;
  frame_ += bits <= 32 ? 128 : bits <= 64 ? 256 : 512;
  return at;
}

uint32_t Decoding::temporary(int bits) { return allocate(bits); }

uint32_t Decoding::constant(uint64_t value, int bits) {
  const int width = bits <= 32 ? 32 : 64;
  if (width == 32) value = static_cast<uint32_t>(value);
  const auto [found, added] = constants_.try_emplace({value, width}, kNoSlot);
  if (added) found->second = allocate(width);
  return found->second;
}

uint32_t Decoding::carry_slot() {
  if (carry_ == kNoSlot) carry_ = allocate(1);
  return carry_;
}

int Decoding::register_bits(uint32_t id) const { return lane_bits(ptx_.registers[id].type); }

uint32_t Decoding::register_slot(uint32_t id) {
  uint32_t& slot = register_slots_[id];
  if (slot == kNoSlot) {
    const int bits = register_bits(id);
    slot = allocate(bits);
    slot_bytes_[slot] = bits == 1 ? 4 : bits <= 32 ? 128 : bits <= 64 ? 256 : 512;
  }
  return slot;
}

void Decoding::note_read(uint32_t slot) {
  BlockSets& sets = sets_[static_cast<size_t>(block_ - &context_.program.blocks[first_block_])];
  for (const uint32_t defined : sets.defined) {
    if (defined == slot) return;
  }
  if (sets.used.empty() || sets.used.back() != slot) sets.used.push_back(slot);
}

Result<uint32_t> Decoding::compute(std::string_view key, int bits, std::initializer_list<uint32_t> sources) {
  Op op;
  WL_ASSIGN(op.run, find(key));
  uint32_t* const slots[] = {&op.a, &op.b, &op.c};
  for (size_t i = 0; i < sources.size(); ++i) *slots[i] = sources.begin()[i];
  op.d = temporary(bits);
  emit_before(op);
  return op.d;
}

Result<uint32_t> Decoding::read_register(const ptx::Operand& operand, int bits) {
  const int have = register_bits(operand.id);
  if (ptx_.registers[operand.id].vector != 1) return unsupported("a vector register as operand");
  const uint32_t slot = register_slot(operand.id);
  note_read(slot);
  if ((have == 1) != (bits == 1))
    return unsupported(fmt::format("register {} as an operand of {} bits", ptx_.register_name(operand.id), bits));
  if (have == 1 && operand.negated) return compute("not.pred", 1, {slot});
  if (have == 1) return slot;
  uint32_t result = slot;
  if (have == 64 && bits <= 32) {
    WL_ASSIGN(result, compute("cvt.u32.u64", 32, {slot}));
  } else if (have <= 32 && bits == 64) {
    WL_ASSIGN(result, compute(have == 16 ? "cvt.u64.u16" : "cvt.u64.u32", 64, {slot}));
  } else if (have == 16 && bits == 32) {
    WL_ASSIGN(result, compute("cvt.u32.u16", 32, {slot}));
  } else if ((have == 128) != (bits == 128) && have < 128) {
    return unsupported("a register narrower than 128 bits");
  }
  if (operand.negated) return compute(bits == 64 ? "neg.64" : "neg.32", bits, {result});
  return result;
}

uint64_t Decoding::immediate_bits(const ptx::Operand& operand, int bits, ptx::Type type) const {
  const bool real = ptx::kind(type) == ptx::TypeKind::kFloat;
  if (operand.immediate == ptx::Immediate::kFloat64) {
    const double value = std::bit_cast<double>(operand.value);
    if (bits <= 32)
      return real || type == ptx::Type::kNone ? std::bit_cast<uint32_t>(static_cast<float>(value)) : operand.value;
    return operand.value;
  }
  if (operand.immediate == ptx::Immediate::kFloat32 && bits == 64 && real)
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.value))));
  return operand.value;
}

Result<uint32_t> Decoding::read(const ptx::Operand& operand, int bits, ptx::Type type) {
  if (bits == 128 && operand.kind != OperandKind::kRegister) return unsupported("128 bits that are in no register");
  switch (operand.kind) {
    case OperandKind::kRegister: return read_register(operand, bits);
    case OperandKind::kImmediate: {
      if (bits == 1) {
        Op op;
        op.run = &read_constant_predicate;
        op.value = operand.value ? -1 : 0;
        op.d = temporary(1);
        emit_before(op);
        return op.d;
      }
      return constant(immediate_bits(operand, bits, type), bits);
    }
    case OperandKind::kSpecial: {
      const int have = special_register_bits(operand);
      Op op = special_register_op(operand);
      if (!op.run) return unsupported("this special register");
      op.d = temporary(have);
      emit_before(op);
      if (have == 64 && bits <= 32) return compute("cvt.u32.u64", 32, {op.d});
      if (have == 32 && bits == 64) return compute("cvt.u64.u32", 64, {op.d});
      return op.d;
    }
    case OperandKind::kSymbol:
    case OperandKind::kAddress: return read_symbol(operand, bits);
    default: return unsupported("an operand of this kind");
  }
}

uint32_t Decoding::local_offset(ptx::SymbolKind kind, uint32_t id) const {
  const FunctionCode& code = context_.program.functions[index_];
  if (kind == ptx::SymbolKind::kParameter) return code.parameter_offsets[id];
  if (kind == ptx::SymbolKind::kResult) return code.result_offsets[id];
  return local_offsets_[id];
}

/// The address of a symbol in its own state space, as a value.
Result<uint32_t> Decoding::read_symbol(const ptx::Operand& operand, int bits) {
  WL_ASSIGN(const AddressOperand at, address(operand));
  if (!at.constant) {
    uint32_t base = at.slot;
    if (at.bits != bits) {
      WL_ASSIGN(base, compute(bits == 64 ? "cvt.u64.u32" : "cvt.u32.u64", bits, {base}));
    }
    return compute(bits == 64 ? "add.64" : "add.32", bits, {base, constant(static_cast<uint64_t>(at.offset), bits)});
  }
  return constant(static_cast<uint64_t>(at.offset), bits);
}

Result<AddressOperand> Decoding::address(const ptx::Operand& operand) {
  AddressOperand result;
  const ptx::Operand& base = operand.kind == OperandKind::kAddress ? element(operand, 0) : operand;
  result.offset = static_cast<int64_t>(operand.kind == OperandKind::kAddress ? operand.value : 0);
  if (base.kind == OperandKind::kRegister) {
    result.bits = static_cast<uint8_t>(register_bits(base.id) == 64 ? 64 : 32);
    WL_ASSIGN(result.slot, read(base, result.bits));
    return result;
  }
  result.constant = true;
  result.slot = constant(0, 64);
  if (base.kind == OperandKind::kImmediate) {
    result.offset += static_cast<int64_t>(base.value);
    return result;
  }
  if (base.kind != OperandKind::kSymbol) return unsupported("an address of this kind");
  result.offset += static_cast<int64_t>(base.value);
  const auto local = [&](uint32_t offset, ptx::Space space) -> AddressOperand {
    result.space = space;
    result.offset += offset;
    if (ptx_.is_kernel) return result;  // a kernel's variables begin at 0
    Op op;
    op.run = &read_local_base;
    op.d = temporary(64);
    emit_before(op);
    result.slot = op.d;
    result.constant = false;
    return result;
  };
  switch (base.symbol) {
    case ptx::SymbolKind::kGlobal: {
      const ptx::Variable& v = module().variables[base.id];
      result.space = v.space;
      const bool shared = v.space == ptx::Space::kShared || v.space == ptx::Space::kSharedCta;
      if (v.space == ptx::Space::kLocal)
        return unsupported(fmt::format("the module-level .local variable '{}'", v.name));
      result.offset += static_cast<int64_t>(shared ? program().shared_offsets[base.id] : context_.variables[base.id]);
      return result;
    }
    case ptx::SymbolKind::kParameter:
      if (!ptx_.is_kernel) return local(local_offset(base.symbol, base.id), ptx::Space::kLocal);
      result.space = ptx::Space::kParam;
      result.offset += ptx_.parameters[base.id].offset;
      return result;
    case ptx::SymbolKind::kResult: return local(local_offset(base.symbol, base.id), ptx::Space::kLocal);
    case ptx::SymbolKind::kLocal: {
      const ptx::Variable& v = ptx_.variables[base.id];
      if (v.space == ptx::Space::kLocal || v.space == ptx::Space::kParam)
        return local(local_offset(base.symbol, base.id), ptx::Space::kLocal);
      result.space = v.space;
      result.offset += static_cast<int64_t>(context_.function_variables.at({code().ptx, base.id}));
      return result;
    }
    case ptx::SymbolKind::kFunction:
      result.space = ptx::Space::kGlobal;
      result.offset += static_cast<int64_t>(kFunctionWindow + base.id * 16);
      context_.taken_functions.insert(base.id);
      return result;
    default: return unsupported("the address of this symbol");
  }
}

Result<uint32_t> Decoding::write(const ptx::Operand& operand, int bits, bool is_signed) {
  if (operand.kind == OperandKind::kSink) return kNoSlot;
  if (operand.kind != OperandKind::kRegister) return unsupported("a destination that is not a register");
  const int have = register_bits(operand.id);
  if ((have == 1) != (bits == 1)) return unsupported(fmt::format("a destination of {} bits", have));
  if (bits == 128 && have != 128) return unsupported("a destination narrower than 128 bits");
  const uint32_t slot = register_slot(operand.id);
  pending_writes_.push_back(slot);
  const bool wide = have == 64, writes_wide = bits == 64;
  if (have == 128 || bits == 128 || wide == writes_wide) return slot;
  Op after;
  after.a = temporary(bits);
  after.d = slot;
  after.run = handlers().find(wide ? (is_signed ? "cvt.s64.s32" : "cvt.u64.u32") : "cvt.u32.u64");
  pending_after_.push_back(after);
  return after.a;
}

Result<int64_t> Decoding::immediate(int i) const {
  const ptx::Operand& o = operand(i);
  if (o.kind != OperandKind::kImmediate) return unsupported(fmt::format("operand {} that is not a constant", i + 1));
  return static_cast<int64_t>(o.value);
}

Result<SlotList> Decoding::read_list(const ptx::Operand& operand, int bits) {
  std::vector<uint32_t> slots;
  if (operand.kind != OperandKind::kVector) {
    WL_ASSIGN(const uint32_t slot, read(operand, bits));
    slots.push_back(slot);
  } else {
    for (uint32_t i = 0; i < operand.count; ++i) {
      WL_ASSIGN(const uint32_t slot, read(element(operand, i), bits));
      slots.push_back(slot);
    }
  }
  auto& all = program().slots;
  const SlotList list{static_cast<uint32_t>(all.size()), static_cast<uint32_t>(slots.size())};
  all.insert(all.end(), slots.begin(), slots.end());
  return list;
}

Result<SlotList> Decoding::write_list(const ptx::Operand& operand, int bits, bool is_signed) {
  std::vector<uint32_t> slots;
  if (operand.kind != OperandKind::kVector) {
    WL_ASSIGN(const uint32_t slot, write(operand, bits, is_signed));
    slots.push_back(slot);
  } else {
    for (uint32_t i = 0; i < operand.count; ++i) {
      WL_ASSIGN(const uint32_t slot, write(element(operand, i), bits, is_signed));
      slots.push_back(slot);
    }
  }
  auto& all = program().slots;
  const SlotList list{static_cast<uint32_t>(all.size()), static_cast<uint32_t>(slots.size())};
  all.insert(all.end(), slots.begin(), slots.end());
  return list;
}

}  // namespace warplens::simt::ptx_machine
