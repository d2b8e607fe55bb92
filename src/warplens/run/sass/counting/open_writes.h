// Stores that L1 puts together before they go to L2: sectors that one store writes in part and another soon after.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warplens::simt::sass_machine {

/// The lines of 128 bytes that a block wrote in part last. More at once than these are not put together: measured on an
/// H200, stores of a warp to 8 lines and more reach L2 sector by sector, to 6 or fewer mostly together, from several
/// warps, too (benchmarks/gpu/merged_stores.cu).
class OpenWrites {
 public:
  static constexpr size_t kLines = 7;
  /// Of a line's `sectors` (bits 0 to 3), those that lie open; all of them do from now on. `line` is never 0.
  uint32_t add(uint64_t line, uint32_t sectors) {
    for (size_t k = 0; k < kLines; ++k) {
      if (lines_[k] != line) continue;
      const auto open = static_cast<uint32_t>(std::popcount(sectors_[k] & sectors));
      sectors_[k] |= sectors;
      return open;
    }
    lines_[next_] = line;
    sectors_[next_] = sectors;
    next_ = (next_ + 1) % kLines;
    return 0;
  }

 private:
  std::array<uint64_t, kLines> lines_{};
  std::array<uint32_t, kLines> sectors_{};
  size_t next_ = 0;
};

}  // namespace warplens::simt::sass_machine
