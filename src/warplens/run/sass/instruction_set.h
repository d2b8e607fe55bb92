// The machine's view of the instruction set.
#pragma once
#include "warplens/isa/sass/instructions.h"

namespace warplens::simt::sass_machine {

using sass::Access, sass::Category, sass::Form, sass::Latency, sass::Opcode, sass::Pipe;
using sass::Instruction, sass::Word, sass::instruction, sass::instruction_of, sass::instructions, sass::kOpcodes;
using sass::moves_matrices;

}  // namespace warplens::simt::sass_machine
