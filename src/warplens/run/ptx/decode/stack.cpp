// alloca, stacksave, stackrestore.
#include "warplens/run/ptx/memory/stack.h"

#include "warplens/run/ptx/decode/decode.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Opcode;

constexpr int64_t kDefaultAlignment = 8;  // of alloca, by the PTX ISA

Status decode_alloca(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  Op op;
  op.run = &run_alloca;
  op.size = static_cast<uint8_t>(bits / 8);
  op.value = kDefaultAlignment;
  WL_ASSIGN(op.a, d.read(1, bits));
  if (d.operands() > 2) {
    WL_ASSIGN(op.value, d.immediate(2));
  }
  if (op.value < 1 || op.value > (1 << 12) || (op.value & (op.value - 1)) != 0)
    return d.unsupported("an alignment that is not a power of two up to 4096");
  WL_ASSIGN(op.d, d.write(0, bits));
  if (op.d == kNoSlot) op.d = d.temporary(bits);
  d.emit(op);
  return {};
}

Status decode_stack_save(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  Op op;
  op.run = &run_stack_save;
  op.size = static_cast<uint8_t>(bits / 8);
  WL_ASSIGN(op.d, d.write(0, bits));
  if (op.d == kNoSlot) op.d = d.temporary(bits);
  d.emit(op);
  return {};
}

Status decode_stack_restore(Decoding& d) {
  const int bits = lane_bits(d.mnemonic().type());
  Op op;
  op.run = &run_stack_restore;
  op.size = static_cast<uint8_t>(bits / 8);
  WL_ASSIGN(op.a, d.read(0, bits));
  d.emit(op);
  return {};
}

}  // namespace

void add_stack_decoders(DecoderTable& t) {
  t[Opcode::kAlloca] = &decode_alloca;
  t[Opcode::kStacksave] = &decode_stack_save;
  t[Opcode::kStackrestore] = &decode_stack_restore;
}

}  // namespace warplens::simt::ptx_machine
