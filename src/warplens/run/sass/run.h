// The state that all blocks of a launch share, inside of the room.
#pragma once
#include <span>

#include "warplens/run/sass/machine.h"
#include "warplens/run/sass/op.h"

namespace warplens::simt::sass_machine {

class Footprint;
class Translation;
class WarpChecker;

struct Run {
  const Program* program = nullptr;
  const MachineLaunch* launch = nullptr;
  const ConstantBanks* constants = nullptr;
  std::span<const Op> ops;
  uint32_t register_rows = 0, zero_row = 0, trash_row = 0, uniform_row = 0;
  uint32_t shared_bytes = 0, local_bytes = 0;
  uint32_t accesses = 0;                          // of ops: see Op::access
  bool keep = false;                              // results stay in memory
  bool counted = true;                            // requests to memory, and the time that blocks take
  std::span<const simt::Allocation> allocations;  // by address
  std::span<const Schedule> schedules;            // parallel to ops, and one more
  const Translation* translation = nullptr;       // of ops, without counting; nullptr: they are interpreted
  Footprint* footprint = nullptr;
  WarpChecker* checker = nullptr;  // nullptr: no checks
  bool parallel = false;           // blocks run on several CPU threads
  uint32_t grid_phase = 0;         // how often the grid's barrier has opened: one CPU thread runs all its blocks
  bool waits = false;              // warps may poll for others' work
  int64_t deadline_ns = 0;         // by monotonic_ns(); 0: none
  /// The host bytes of [address, address + size), or nullptr when no allocation holds them.
  uint8_t* find(uint64_t address, uint32_t size, size_t* hint) const;
};

}  // namespace warplens::simt::sass_machine
