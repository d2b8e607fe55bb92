// The load of global atomics on L2.
#pragma once
#include <cstdint>

#include "warplens/run/sass/counting/line_tally.h"

namespace warplens::simt::sass_machine {

/// Neighbouring bytes that one slice of L2 works on: 64 counters take one slice, 256 two, 1,024 eight on an H200.
inline constexpr uint64_t kSliceBytes = 512;

/// In twentieths of a cycle, by waves of blocks. Blocks of one wave run at once, and access other places than the next
/// one's if a launch walks through its results.
class AtomicTally {
 public:
  /// `packets`: of lanes in one sector at different addresses. 1.45 cycles each, from counters of an H200 (14 kernels,
  /// 1.40 to 1.49).
  void add_packets(uint64_t wave, uint64_t address, uint64_t packets) {
    slices_.add(wave << kPlaceBits | address / kSliceBytes, 29 * packets);
  }
  /// Neighbouring floats, `bytes` of them within 128: 4.7 cycles for 128 bytes (two kernels timed on an H200).
  void add_float_run(uint64_t wave, uint64_t address, uint64_t bytes) {
    slices_.add(wave << kPlaceBits | address / kSliceBytes, 94 * bytes / 128);
  }
  /// Floats on one address wait for each other, 3.48 cycles each.
  void add_floats(uint64_t wave, uint64_t address, uint64_t lanes) {
    words_.add(wave << kPlaceBits | address / 4, 70 * lanes);
  }
  void add(const AtomicTally& other);
  /// Cycles of L2, of the slice that takes longest in each wave of blocks.
  uint64_t busiest_cycles() const;

 private:
  static constexpr uint32_t kPlaceBits = 46;  // of an address over 4
  LineTally slices_, words_;
};

}  // namespace warplens::simt::sass_machine
