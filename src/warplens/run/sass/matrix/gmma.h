// What the bits of a warp-group product say of its shape.
#pragma once
#include "warplens/isa/ptx/types.h"
#include "warplens/run/sass/instruction_set.h"

namespace warplens::simt::sass_machine {

struct GroupShape {
  uint32_t n = 0, k = 0;
  ptx::Type a{}, b{}, d{};
  bool known = false;  // false: bits that nobody has read yet
};
GroupShape group_shape(Opcode opcode, const Word& word);

}  // namespace warplens::simt::sass_machine
