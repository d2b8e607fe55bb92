#include "warplens/run/ptx/decode/address.h"

#include "warplens/base/text.h"

namespace warplens::simt::ptx_machine {
namespace {

Result<uint32_t> added(Decoding& d, uint32_t slot, uint64_t value, int bits) {
  if (value == 0) return slot;
  return d.compute(fmt::format("add.{}", bits), bits, {slot, d.constant(value, bits)});
}

}  // namespace

Result<uint32_t> address_value(Decoding& d, const ptx::Operand& operand, int bits) {
  WL_ASSIGN(const AddressOperand at, d.address(operand));
  uint32_t slot = at.slot;
  if (at.bits != bits) {
    WL_ASSIGN(slot, d.compute(bits == 64 ? "cvt.u64.u32" : "cvt.u32.u64", bits, {slot}));
  }
  return added(d, slot, static_cast<uint64_t>(at.offset), bits);
}

Result<uint32_t> generic_address(Decoding& d, const ptx::Operand& operand) {
  WL_ASSIGN(const uint32_t slot, address_value(d, operand, 64));
  return is_shared(d.mnemonic().space()) ? added(d, slot, kSharedWindow, 64) : Result<uint32_t>(slot);
}

}  // namespace warplens::simt::ptx_machine
