// The shape in the bits of a warp-group product.
#pragma once
#include "warplens/isa/ptx/types.h"
#include "warplens/run/sass/instruction_set.h"

namespace warplens::simt::sass_machine {

struct GroupShape {
  uint32_t n = 0, k = 0;
  ptx::Type a{}, b{}, d{};
  bool known = false;  // false: unknown bits
};
GroupShape group_shape(Opcode opcode, const Word& word);

}  // namespace warplens::simt::sass_machine
