// Vector clocks: what a warp knows of the others. Each warp counts the times it published what it had done; an access
// happens before another when the second warp knows the first one's count at the access.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace warplens::emulator {

struct Clock {
  std::vector<uint32_t> block;            // by warp of the own block
  std::map<uint64_t, uint32_t> foreign;   // by warp of the grid: warps of other blocks

  void join(const Clock& other) {
    if (block.size() < other.block.size()) block.resize(other.block.size());
    for (size_t i = 0; i < other.block.size(); ++i) block[i] = std::max(block[i], other.block[i]);
    join_foreign(other);
  }
  void join_foreign(const Clock& other) {
    for (const auto& [warp, count] : other.foreign) {
      uint32_t& known = foreign[warp];
      known = std::max(known, count);
    }
  }
  void clear() { block.assign(block.size(), 0), foreign.clear(); }
};

/// One access to a word, as the shadow memory keeps it.
struct AccessRecord {
  uint32_t warp = 0xffffffff;   // of the grid
  uint32_t clock = 0;           // of that warp; of cp.async the group's number
  uint32_t row = 0;
  uint8_t lane = 0;
  uint8_t bytes = 0;            // of the word, a bit each
  uint8_t flags = 0;            // RecordFlags
  bool empty() const { return warp == 0xffffffff; }
};
enum RecordFlags : uint8_t { kStrong = 1, kWideScope = 2, kAsync = 4 };

/// The latest accesses to four bytes.
struct ShadowWord {
  AccessRecord writes[2], reads[2];
};

}  // namespace warplens::emulator
