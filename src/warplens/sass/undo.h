// Device memory as it was before a run wrote it: pages are kept when they are first written.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "warplens/emulator/memory/memory.h"

namespace warplens::sass {

class Undo {
 public:
  explicit Undo(const std::vector<emulator::Allocation>& allocations);

  /// Call before bytes [begin, begin + size) of allocation number `allocation` change. Safe from several threads.
  void before_write(size_t allocation, uint64_t begin, uint64_t size) {
    if (allocation >= ranges_.size()) return;
    Range& range = ranges_[allocation];
    for (uint64_t page = (begin - range.begin) / kPage; page <= (begin + size - 1 - range.begin) / kPage; ++page) {
      if (range.kept[page].load(std::memory_order_acquire) == 0) keep(&range, page);
    }
  }
  /// Puts every byte back.
  void restore();

 private:
  static constexpr uint64_t kPage = 16384;
  struct Range {
    uint64_t begin = 0, end = 0;
    std::unique_ptr<std::atomic<uint8_t>[]> kept;  // a page each
  };
  struct Page {
    uint64_t begin = 0;
    std::vector<uint8_t> bytes;
  };
  void keep(Range* range, uint64_t page);
  std::vector<Range> ranges_;
  std::mutex mutex_;
  std::vector<Page> pages_;
};

}  // namespace warplens::sass
