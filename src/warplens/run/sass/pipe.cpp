#include "warplens/run/sass/pipe.h"

namespace warplens::simt::sass_machine {

Pipe pipe_of(uint32_t opcode) {
  switch (opcode) {
    case 0x020: case 0x021: case 0x023: case 0x022: return Pipe::kFma;
    case 0x024: case 0x025: case 0x026: case 0x027: return Pipe::kImad;
    case 0x028: case 0x029: case 0x02a: case 0x02b: return Pipe::kFp64;
    case 0x030: case 0x031: case 0x032: case 0x033: case 0x034: case 0x035: case 0x040: case 0x047:
      return Pipe::kHalf;
    case 0x100: case 0x101: case 0x102: case 0x104: case 0x105: case 0x106: case 0x107: case 0x108: case 0x109:
    case 0x110: case 0x111: case 0x112: case 0x113:
      return Pipe::kSpecial;
    case 0x03c: case 0x037: case 0x03f: case 0x1f0: case 0x1f1: case 0x1f3: return Pipe::kTensor;
    case 0x03b:
    case 0x044:
    case 0x119:
    case 0x182:
    case 0x189:
    case 0x1c3:
    case 0x1c4:
    case 0x1a1:
      return Pipe::kMemory;
    default: break;
  }
  if (opcode >= 0x180 && opcode <= 0x18e) return Pipe::kMemory;
  if (opcode >= 0x1a2 && opcode <= 0x1ae && opcode != 0x1ab) return Pipe::kMemory;
  if (opcode >= 0x1b0 && opcode <= 0x1be) return Pipe::kMemory;  // mbarriers, copies of the copy engine
  if (opcode >= 0x080 && opcode <= 0x0bf) return Pipe::kUniform;
  if (opcode >= 0x114) return Pipe::kControl;
  return Pipe::kAlu;
}

}  // namespace warplens::simt::sass_machine
