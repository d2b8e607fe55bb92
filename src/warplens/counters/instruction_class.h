// Which memory an instruction of the machine code goes to.
#pragma once
#include <cstdint>

namespace warplens::counters {

enum class Class {
  kOther,
  kGlobalLoad,
  kGlobalStore,
  kLocalLoad,
  kLocalStore,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kAtomic,
  kReduction,
  kGeneric
};

/// `opcode`: bits 0 to 8 of the instruction.
Class class_of(uint32_t opcode);

}  // namespace warplens::counters
