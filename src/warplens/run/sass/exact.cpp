#include "warplens/run/sass/exact.h"

namespace warplens::simt::sass_machine {

bool is_followed_exactly(const Word& w) {
  const uint32_t opcode = w.opcode();
  switch (opcode) {
    // Moves, logic, predicates.
    case 0x002: case 0x003: case 0x004: case 0x007: case 0x00c: case 0x012: case 0x016: case 0x019: case 0x01c:
    case 0x082: case 0x087: case 0x08c: case 0x092: case 0x096: case 0x099: case 0x09c:
    case 0x100: case 0x101: case 0x109: case 0x0bd: case 0x0be: case 0x0bf:
      return true;
    case 0x01a: case 0x01b: case 0x09a: case 0x09b: return !w.bit(75);  // SGXT, BMSK without .W
    // Integers.
    case 0x010: case 0x011: case 0x013: case 0x017: case 0x024: case 0x025:
    case 0x090: case 0x091: case 0x097: case 0x0a4: case 0x0a5:
      return true;
    case 0x027: case 0x0a7: return !w.bit(74) && !w.bit(75);         // IMAD.HI
    case 0x026: case 0x00f: case 0x046: case 0x048: return true;     // IDP, VIMNMX3, VIADDMNMX, VIMNMX
    case 0x036: return w.bits(73, 8) == 0;                           // VIADD: no halves
    case 0x014: return w.bits(74, 2) == 0;                           // VABSDIFF
    case 0x015: return true;
    case 0x040: return true;                                         // HMNMX2
    // Floating point: without .NAN, .XORSIGN and, in compares to a number, .FTZ.
    case 0x020: case 0x021: case 0x023: case 0x028: case 0x029: case 0x02b: case 0x102: return true;
    case 0x00b: return true;
    case 0x008: case 0x00a: return !w.bit(80);
    case 0x009: return true;
    case 0x02a: return w.bits(84, 3) == 7;                           // DSETP with one result: not .MIN, .MAX
    case 0x108: return w.bits(72, 2) == 0 && w.bits(80, 7) == 0;     // MUFU of 32 bits
    case 0x030: case 0x031: case 0x032: case 0x033: case 0x034: case 0x035: return true;  // see half.cpp
    // Conversions.
    case 0x038: case 0x039: case 0x03e: case 0x043: case 0x045: case 0x104: case 0x105: case 0x106: case 0x107: case 0x110:
    case 0x111: case 0x112: case 0x113:
      return true;
    // Lanes among themselves, special registers (see exchange.cpp).
    case 0x005: case 0x006: case 0x086: case 0x0ca: case 0x119: case 0x189: case 0x1a1: case 0x1c2: case 0x1c3:
    case 0x1c4:
      return true;
    case 0x037:
    case 0x03a:
    case 0x03b:
    case 0x03c:
    case 0x03f:
    case 0x044:
      return true;                                                            // matrices
    case 0x1f0: case 0x1f1: case 0x1f3: case 0x1c5: return true;              // warp-group products
    case 0x0b9: case 0x0bb: case 0x1ac: case 0x1ae: return true;              // ULDC, LDCU, LDGSTS
    case 0x18a: case 0x18b: case 0x1a2: return true;                          // ATOM
    // Mbarriers, fences, the copy engine, clusters (see kept.cpp), what only schedules.
    case 0x1a7: case 0x1aa: case 0x1b0: case 0x1b1: case 0x1b2: case 0x1b4: case 0x1b5: case 0x1b6: case 0x1b7:
    case 0x1b8: case 0x1b9: case 0x1ba: case 0x1bb: case 0x1bc: case 0x1bd: case 0x1be: case 0x1c6: case 0x1c7:
    case 0x1c8: case 0x02d: case 0x02e: case 0x02f: case 0x083: case 0x084: case 0x152: case 0x153:
      return true;
    default: break;
  }
  const bool memory = opcode >= 0x180 && opcode <= 0x18e && opcode != 0x18a && opcode != 0x18b;
  const bool atomic = opcode == 0x1a3 || opcode == 0x1a6 || opcode == 0x1a8 || opcode == 0x1a9;
  const bool flow = (opcode >= 0x118 && opcode <= 0x11d && opcode != 0x119) || (opcode >= 0x141 && opcode <= 0x15d);
  return memory || atomic || flow || opcode == 0x18f || opcode == 0x192 || opcode == 0x1ab || opcode == 0x1af;
}

}  // namespace warplens::simt::sass_machine
