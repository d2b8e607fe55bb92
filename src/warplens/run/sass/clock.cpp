#include "warplens/run/sass/clock.h"

namespace warplens::simt::sass_machine {

Cycles latency_of(uint32_t opcode) {
  switch (opcode) {
    case 0x180: case 0x181: case 0x1ae: return {33, 270, 760};          // LD, LDG, LDGSTS
    case 0x183: return {33, 33, 33};                                    // LDL
    case 0x18a: case 0x1a3: case 0x1a8: case 0x1a9: return {320, 320, 780};  // global atomics: at L2
    case 0x184: case 0x03b: return {29, 29, 29};                        // LDS, LDSM
    case 0x18c: case 0x18d: return {60, 60, 60};                        // shared atomics
    case 0x182: case 0x0b9: case 0x0bb: case 0x1ac: return {40, 40, 40};             // LDC, ULDC
    case 0x189: case 0x1a1: case 0x1c4: return {24, 24, 24};            // SHFL, MATCH, REDUX
    case 0x108: case 0x104: case 0x105: case 0x106: case 0x107: case 0x109: return {22, 22, 22};  // the special pipe
    case 0x110: case 0x111: case 0x112: case 0x113: return {30, 30, 30};
    case 0x028: case 0x029: case 0x02a: case 0x02b: return {16, 16, 16};
    case 0x03c: return {33, 33, 33};                                    // HMMA
    case 0x119: case 0x1c3: return {20, 20, 20};                        // S2R
    default: return {14, 14, 14};
  }
}

}  // namespace warplens::simt::sass_machine
