// The place of an access and its remedy, in words.
#pragma once
#include <string>
#include <string_view>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// For an address that no allocation holds as requested: "16 bytes past the end of 'x' of 400 bytes".
std::string describe_address(const Memory& memory, Address address);
/// Of one that does: "0x2000, byte 16 of 'x' of 400 bytes".
std::string describe_place(const Memory& memory, Address address);
/// The remedy that orders two threads of one block, or of two.
std::string_view what_orders(bool same_block);

}  // namespace warplens::simt
