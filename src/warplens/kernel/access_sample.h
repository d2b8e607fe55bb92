// One warp's memory request, kept as an example of what an instruction asks for.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace warplens::kernel {

struct AccessSample {
  enum class Space : uint8_t { kGlobal, kShared } space = Space::kGlobal;
  bool store = false;
  uint32_t instruction = 0;            // index in the code that was counted
  std::array<uint32_t, 3> block{};     // blockIdx
  uint32_t warp = 0;                   // in the block
  uint32_t lanes = 0;                  // a bit each, those that took part
  uint32_t size_bytes = 0;             // of one lane's access
  std::array<uint64_t, 32> addresses{};  // device addresses, or offsets in shared memory
  uint64_t cost = 0, ideal = 0;        // sectors of 32 bytes, or passes over shared memory
};

}  // namespace warplens::kernel
