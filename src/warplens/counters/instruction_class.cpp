#include "warplens/counters/instruction_class.h"

namespace warplens::counters {

Class class_of(uint32_t opcode) {
  switch (opcode) {
    case 0x181: case 0x1ae: return Class::kGlobalLoad;
    case 0x186: return Class::kGlobalStore;
    case 0x183: return Class::kLocalLoad;
    case 0x187: return Class::kLocalStore;
    case 0x184: case 0x03b: return Class::kSharedLoad;
    case 0x188: case 0x044: return Class::kSharedStore;
    case 0x18c: case 0x18d: return Class::kSharedAtomic;
    case 0x18a: case 0x1a3: case 0x1a8: case 0x1a9: return Class::kAtomic;
    case 0x18e: case 0x1a6: return Class::kReduction;
    default: return Class::kOther;
  }
}

}  // namespace warplens::counters
