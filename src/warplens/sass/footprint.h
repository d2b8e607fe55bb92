// Which 32-byte sectors of device memory a launch touched: what DRAM must at least give and take.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "warplens/emulator/memory/memory.h"
#include "warplens/sass/reuse.h"

namespace warplens::sass {

class Footprint {
 public:
  explicit Footprint(const std::vector<emulator::Allocation>& allocations);
  /// A request of the lanes of `on`; `allocation` is an index into those given, or out of range when unknown.
  void touch(size_t allocation, const uint64_t* addresses, uint32_t on, uint32_t size_bytes, bool store);
  /// The run of bytes [begin, begin + bytes).
  void touch_run(size_t allocation, uint64_t begin, uint64_t bytes, bool store);

  /// Sectors read that no store of the launch had written in whole before, and sectors written.
  uint64_t read_sectors() const { return count(0); }
  uint64_t written_sectors() const { return count(1); }
  const Reuse& reuse() const { return reuse_; }

 private:
  struct Range {
    uint64_t begin = 0, sectors = 0;
    std::unique_ptr<std::atomic<uint64_t>[]> bits[2];
    std::unique_ptr<std::atomic<uint32_t>[]> last;  // of the watched sectors
  };
  void mark(const Range& range, uint64_t sector, bool store) {
    std::atomic<uint64_t>& word = range.bits[store][sector / 64];
    const uint64_t bit = uint64_t{1} << sector % 64;
    if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
    if (Reuse::watched(sector)) reuse_.touch(range.last[sector / Reuse::kSample], store);
  }
  uint64_t count(int store) const;
  std::vector<Range> ranges_;
  Reuse reuse_;
};

}  // namespace warplens::sass
