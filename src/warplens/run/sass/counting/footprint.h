// Which 32-byte sectors of device memory a launch touched: what DRAM must at least give and take.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warplens/run/sass/counting/reuse.h"
#include "warplens/run/sass/counting/undo.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::sass_machine {

/// Where an Undo is given, it keeps what stores change of sectors that were read before: what a second run of the
/// launch needs to do the same again. What nobody read before it was written needs no keeping.
class Footprint {
 public:
  /// `resident`: blocks that the GPU holds at once.
  Footprint(std::span<const simt::Allocation> allocations, uint64_t resident, Undo* undo = nullptr);
  ~Footprint();
  Footprint(const Footprint&) = delete;
  Footprint& operator=(const Footprint&) = delete;

  /// A request of the lanes of `on` at `time` (see Reuse); `allocation` is an index into those given, or out of range
  /// when unknown. These three are true of loads of nothing but what the launch has written.
  bool touch(size_t allocation, int64_t time, const uint64_t* addresses, uint32_t on, uint32_t size_bytes, bool store);
  /// The sectors first + at[0 .. count).
  bool touch_sectors(size_t allocation, int64_t time, uint64_t first, const uint32_t* at, uint32_t count, bool store);
  /// The run of bytes [begin, begin + bytes).
  bool touch_run(size_t allocation, int64_t time, uint64_t begin, uint64_t bytes, bool store) {
    if (allocation >= ranges_.size() || bytes == 0) return false;
    const Range& range = ranges_[allocation];
    uint64_t sector = begin / 32 - range.begin;
    const uint64_t last = (begin + bytes - 1) / 32 - range.begin;
    if (last >= range.sectors) return false;
    constexpr uint64_t kApart = Reuse::kSample * Reuse::kSectors;  // sectors between watched granules
    for (uint64_t next = (sector / Reuse::kSectors + Reuse::kSample - 1) / Reuse::kSample; next * kApart <= last;
         ++next)
      reuse_.touch(range.last[next], time, store);
    bool known = true;
    for (; sector <= last; sector = (sector / kChunk + 1) * kChunk)
      known &= note(range, sector, std::min(last, sector / kChunk * kChunk + kChunk - 1), store);
    return known;
  }

  /// Distinct sectors read, and written.
  uint64_t read_sectors() const { return count(kRead); }
  uint64_t written_sectors() const { return count(kWritten); }
  /// Reads of a sector that the launch had written, summed over requests.
  uint64_t exchanged_sectors() const { return exchanged_.load(std::memory_order_relaxed); }
  /// Of the sectors read, those whose neighbour in the same 64 bytes is not: DRAM gives both.
  uint64_t lone_sectors() const;
  Reuse& reuse() { return reuse_; }

 private:
  using Mark = std::atomic<uint8_t>;         // one a sector: told by a plain store, which needs no other thread's word
  static constexpr uint64_t kChunk = 32768;  // marks of a megabyte of memory: made when first touched
  enum : size_t { kRead, kWritten, kKept, kKinds };
  struct Range {
    uint64_t begin = 0, sectors = 0;
    simt::Allocation allocation;
    std::unique_ptr<std::atomic<Mark*>[]> chunks[kKinds];
    std::unique_ptr<std::atomic<uint64_t>[]> last;  // of the watched granules
    size_t chunk_count() const { return static_cast<size_t>(sectors / kChunk + 1); }
  };
  static Mark* make_chunk(std::atomic<Mark*>* home);
  static Mark* marks_of(const Range& range, uint64_t sector, size_t kind) {
    std::atomic<Mark*>& home = range.chunks[kind][sector / kChunk];
    Mark* chunk = home.load(std::memory_order_acquire);
    return chunk ? chunk : make_chunk(&home);
  }
  /// Sectors `first` to `last` of one chunk. True of loads of nothing but what the launch has written.
  bool note(const Range& range, uint64_t first, uint64_t last, bool store) {
    if (store && undo_) {
      const Mark* read = range.chunks[kRead][first / kChunk].load(std::memory_order_acquire);
      for (uint64_t sector = first; read && sector <= last; ++sector) {
        if (read[sector % kChunk].load(std::memory_order_relaxed)) keep(range, sector);
      }
    }
    const bool known = !store && count_exchanged(range, first, last) == last - first + 1;
    Mark* marks = marks_of(range, first, store ? kWritten : kRead);
    for (uint64_t sector = first; sector <= last; ++sector) {
      Mark& mark = marks[sector % kChunk];
      if (!mark.load(std::memory_order_relaxed)) mark.store(1, std::memory_order_relaxed);
    }
    return known;
  }
  uint64_t count_exchanged(const Range& range, uint64_t first, uint64_t last) {
    const Mark* written = range.chunks[kWritten][first / kChunk].load(std::memory_order_acquire);
    if (!written) return 0;
    uint64_t count = 0;
    for (uint64_t sector = first; sector <= last; ++sector)
      count += written[sector % kChunk].load(std::memory_order_relaxed);
    if (count) exchanged_.fetch_add(count, std::memory_order_relaxed);
    return count;
  }
  bool touch_sector(const Range& range, int64_t time, uint64_t sector, bool store) {
    if (sector >= range.sectors) return false;
    const uint64_t granule = sector / Reuse::kSectors;
    if (Reuse::watched(granule)) reuse_.touch(range.last[granule / Reuse::kSample], time, store);
    return note(range, sector, sector, store);
  }
  void keep(const Range& range, uint64_t sector);
  uint64_t count(size_t kind) const;
  Undo* undo_;
  Reuse reuse_;
  std::atomic<uint64_t> exchanged_{0};
  std::vector<Range> ranges_;
};

}  // namespace warplens::simt::sass_machine
