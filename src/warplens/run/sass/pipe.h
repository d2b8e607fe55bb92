// Which unit of an SM carries out a machine instruction.
#pragma once
#include <cstdint>

namespace warplens::simt::sass_machine {

enum class Pipe : uint8_t { kAlu, kFma, kImad, kFp64, kHalf, kSpecial, kMemory, kTensor, kUniform, kControl };
inline constexpr int kPipes = 10;

Pipe pipe_of(uint32_t opcode);

}  // namespace warplens::simt::sass_machine
