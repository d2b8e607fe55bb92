// The device memory that one block touches, in its own order. The blocks that run beside it change nothing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "warplens/run/sass/counting/line_tally.h"

namespace warplens::simt::sass_machine {

/// A touch of a line that Reuse watches, in 8 bytes: a launch may have millions.
struct WatchedTouch {
  static constexpr uint64_t kMostPlaces = uint64_t{1} << 26, kMostCycles = (uint64_t{1} << 35) - 1;
  uint64_t place : 26;   // among the watched lines
  uint64_t cycles : 35;  // since its block began
  uint64_t halves : 2;   // a bit each, of those that it wants
  uint64_t store : 1;
};
static_assert(sizeof(WatchedTouch) == 8);

struct Touches {
  int64_t now = 0;                    // cycles since the block began
  std::vector<WatchedTouch> watched;  // until Reuse takes them
  LineTally written;                  // by address / 128: a bit for each sector that the block itself has written
  uint64_t exchanged = 0;             // reads of these, summed over requests and blocks

  /// Places beyond the most, half a terabyte of memory, are not watched.
  void watch(uint64_t place, uint32_t halves, bool store) {
    if (place >= WatchedTouch::kMostPlaces) return;
    const uint64_t cycles = std::min(static_cast<uint64_t>(std::max(now, int64_t{0})), WatchedTouch::kMostCycles);
    watched.push_back({place, cycles, halves, store});
  }
  /// The next block begins.
  void start() {
    watched.clear();
    written.clear();
  }
};

}  // namespace warplens::simt::sass_machine
