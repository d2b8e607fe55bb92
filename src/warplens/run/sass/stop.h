// Why a run of machine code ended early.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "warplens/simt/launch.h"

namespace warplens::simt::sass_machine {

/// The reason that stopped a run before its end.
struct Stop {
  using Kind = simt::FaultKind;
  Kind kind = Kind::kNone;
  std::string reason;
  bool placed = false;                        // the following members are known
  std::array<uint32_t, 3> block{}, thread{};  // thread: the first of those that did it
  uint32_t pc = 0;                            // in the code
};

}  // namespace warplens::simt::sass_machine
