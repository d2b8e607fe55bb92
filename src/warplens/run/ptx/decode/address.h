// Whole addresses, base and offset added, as values in a slot.
#pragma once
#include "warplens/run/ptx/decode/decode.h"

namespace warplens::simt::ptx_machine {

/// The address as 32 or 64 bits, in its own space (shared memory: offset in the window).
Result<uint32_t> address_value(Decoding& d, const ptx::Operand& operand, int bits);
/// The address as 64 bits of the generic space, for any space that the instruction names.
Result<uint32_t> generic_address(Decoding& d, const ptx::Operand& operand);

}  // namespace warplens::simt::ptx_machine
