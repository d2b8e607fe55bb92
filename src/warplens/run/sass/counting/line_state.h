// The state of an allocation's lines in a launch, for queries from translated code.
#pragma once
#include <cstdint>

namespace warplens::simt::sass_machine {

inline constexpr uint64_t kLineBytes = 128;
/// The state of a line of four sectors: see Footprint.
using LineState = uint16_t;
/// All of it was read and nothing written, and Reuse does not watch it: loads of it change nothing in the footprint.
inline constexpr LineState kOnlyRead = 0xf;

struct Lines {
  const LineState* states = nullptr;
  uint64_t begin = 0;  // the address of the first
};

}  // namespace warplens::simt::sass_machine
