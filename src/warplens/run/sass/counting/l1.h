// A model of an SM's L1 cache: lines of 128 bytes in four sectors, least recently used first out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>

namespace warplens::simt::sass_machine {

struct CacheCounts {
  uint64_t hits = 0, late_hits = 0, misses = 0;
};

class L1Cache {
 public:
  explicit L1Cache(uint64_t bytes) : lines_(bytes / 128) {}
  /// Warps that take turns have all waited for memory once more. A hit counts as late in the round of the miss that
  /// fetched its sector: it waits for it too.
  void begin_round() { ++round_; }
  /// Reads one sector (address / 32): true when it was there. A miss brings it in.
  bool read(uint64_t sector);
  CacheCounts counts, first_half;

 private:
  struct Line {
    uint64_t tag;
    uint32_t sectors;
    uint64_t fetched[4];
  };
  uint64_t lines_, round_ = 0;
  std::list<Line> order_;  // most recently used first
  std::unordered_map<uint64_t, std::list<Line>::iterator> where_;
};

/// The sectors that a block's warps read, request by request: a count, then so many sectors. A count with kWaited had
/// the warp wait for memory before it: others come in between.
struct L1Trace {
  static constexpr uint64_t kWaited = uint64_t{1} << 63;
  static constexpr int64_t kWait = 200;          // cycles, were all loads answered by DRAM
  static constexpr size_t kMostWords = 1 << 20;  // of a block; later accesses are not recorded
  std::vector<std::vector<uint64_t>> warps;
  std::vector<int64_t> last;  // parallel to warps: when the last request was made
  size_t words = 0;
};

/// Sectors that warps read: all of them, and each warp's distinct ones, summed.
struct DistinctSectors {
  uint64_t all = 0, of_warps = 0;
};

/// The traffic of the first blocks, as many as are counted quickly.
DistinctSectors distinct_sectors(const std::map<uint64_t, L1Trace>& blocks);

/// Replays blocks of one SM, `resident` at a time, their warps taking turns whenever they wait. `first_half` of the
/// result has the counts after half of the blocks.
L1Cache replay(const std::map<uint64_t, L1Trace>& blocks, size_t resident, uint64_t cache_bytes);

}  // namespace warplens::simt::sass_machine
