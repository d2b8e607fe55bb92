// Where an access went and what would have ordered it, in words.
#pragma once
#include <string>
#include <string_view>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// Of an address that no allocation holds as asked: "16 bytes past the end of 'x' of 400 bytes".
std::string describe_address(const Memory& memory, Address address);
/// Of one that does: "0x2000, byte 16 of 'x' of 400 bytes".
std::string describe_place(const Memory& memory, Address address);
/// What would have ordered two threads of one block, or of two.
std::string_view what_orders(bool same_block);

}  // namespace warplens::simt
