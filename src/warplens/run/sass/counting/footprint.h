// The 32-byte sectors of device memory that a launch touched: the least traffic of DRAM.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/counting/l2_contents.h"
#include "warplens/run/sass/counting/line_state.h"
#include "warplens/run/sass/counting/reuse.h"
#include "warplens/run/sass/counting/touches.h"
#include "warplens/run/sass/counting/undo.h"
#include "warplens/run/sass/counting/written.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::sass_machine {

/// An atomic reads and writes, at L2.
enum class MemoryAccess : uint8_t { kLoad, kStore, kAtomic };

/// An Undo, if given, keeps the sectors that stores change after a read. A second run of the launch needs them to do
/// the same again. Sectors that nobody read before the store need no copy.
class Footprint {
 public:
  /// `resident`: blocks that the GPU holds at once.
  Footprint(std::span<const simt::Allocation> allocations, uint64_t resident, Undo* undo = nullptr);
  Footprint(const Footprint&) = delete;
  Footprint& operator=(const Footprint&) = delete;

  /// A request of the lanes of `on`, in the block of `by`. `allocation` is an index into the given ones, or out of
  /// range if unknown. Returns true for loads of nothing but the block's own writes.
  bool touch(size_t allocation, Touches* by, const uint64_t* addresses, uint32_t on, uint32_t size_bytes,
             MemoryAccess access);
  /// The sectors first + at[0 .. count).
  bool touch_sectors(size_t allocation, Touches* by, uint64_t first, const uint32_t* at, uint32_t count,
                     MemoryAccess access);
  /// The run of bytes [begin, begin + bytes).
  bool touch_run(size_t allocation, Touches* by, uint64_t begin, uint64_t bytes, MemoryAccess access) {
    if (allocation >= ranges_.size() || bytes == 0) return false;
    const Range& range = ranges_[allocation];
    const uint64_t first = begin / 32 - range.begin, last = (begin + bytes - 1) / 32 - range.begin;
    if (last >= range.sectors) return false;
    bool known = true;
    for (uint64_t line = first / kLineSectors; line <= last / kLineSectors; ++line) {
      const uint64_t start = line * kLineSectors;
      uint32_t sectors = kAllSectors;
      if (start < first) sectors &= kAllSectors << (first - start);
      if (start + kLineSectors > last + 1) sectors &= kAllSectors >> (start + kLineSectors - last - 1);
      known &= touch_line(range, line, sectors, by, access);
    }
    return known;
  }

  /// The sectors of an allocation; none if it is unknown.
  Lines lines_of(size_t allocation) const {
    if (allocation >= ranges_.size()) return {};
    return {ranges_[allocation].lines.get(), ranges_[allocation].begin * 32};
  }

  /// Distinct sectors read, and written.
  uint64_t read_sectors() const { return count(kRead); }
  uint64_t written_sectors() const { return count(kWritten); }
  /// Sectors that are read although their neighbour in the same 64 bytes is not: DRAM delivers both.
  uint64_t lone_sectors() const;
  /// Those of them whose line has no other sector that is read.
  uint64_t apart_sectors() const;
  Reuse& reuse() { return reuse_; }
  /// All that was touched, by address.
  std::vector<TouchedRun> runs() const;
  /// The written sectors, by address.
  std::vector<WrittenRun> written_runs() const;

 private:
  static constexpr uint64_t kLineSectors = kLineBytes / 32, kChunkLines = 8192;
  static constexpr uint32_t kAllSectors = 0xf;
  /// Where a line's state holds a bit for each sector, and the bit of lines that Reuse watches.
  enum : uint32_t { kRead = 0, kWritten = 4, kKept = 8, kWatched = 1u << 12 };
  static_assert(kOnlyRead == kAllSectors << kRead);
  struct Range {
    uint64_t begin = 0, sectors = 0;  // the first one's address / 32
    uint64_t places = 0;              // watched lines of the allocations before it
    simt::Allocation allocation;
    Zeros<LineState> lines;
    Zeros<uint8_t> touched;  // chunks of lines: whether any is in another state than at first
    uint64_t chunk_count() const { return sectors / kLineSectors / kChunkLines + 1; }
  };
  /// A bit for each half that has any of the sectors.
  static constexpr uint32_t halves_of(uint32_t sectors) {
    constexpr uint32_t kOfHalf = (1u << Reuse::kSectors) - 1;
    return ((sectors & kOfHalf) != 0 ? 1u : 0) | ((sectors >> Reuse::kSectors & kOfHalf) != 0 ? 2u : 0);
  }
  static uint64_t places_of(std::span<const simt::Allocation> allocations);
  static std::atomic_ref<LineState> state_of(const Range& range, uint64_t line) {
    return std::atomic_ref(range.lines[line]);
  }
  /// `sectors`: a bit each. True for loads of nothing but the block's own writes.
  bool touch_line(const Range& range, uint64_t line, uint32_t sectors, Touches* by, MemoryAccess access) {
    const std::atomic_ref<LineState> state = state_of(range, line);
    const uint32_t before = state.load(std::memory_order_acquire);
    if (before == kOnlyRead && access == MemoryAccess::kLoad) return false;
    return change_line(range, line, sectors, by, access, before);
  }
  bool change_line(const Range& range, uint64_t line, uint32_t sectors, Touches* by, MemoryAccess access,
                   uint32_t before) {
    const bool loads = access != MemoryAccess::kStore, stores = access != MemoryAccess::kLoad;
    uint32_t marks = (loads ? sectors << kRead : 0) | (stores ? sectors << kWritten : 0);
    if (Reuse::watched(line)) {
      marks |= kWatched;
      if (loads) by->watch(range.places + line / Reuse::kSample, halves_of(sectors), false);
      if (stores) by->watch(range.places + line / Reuse::kSample, halves_of(sectors), true);
    }
    if (stores && undo_) {
      const uint32_t read = loads ? kAllSectors : before >> kRead;
      for (const uint32_t sector : set_bits(read & ~(before >> kKept) & sectors))
        keep(range, line * kLineSectors + sector);
    }
    if (marks & ~before) {
      state_of(range, line).fetch_or(static_cast<LineState>(marks), std::memory_order_acq_rel);
      std::atomic_ref(range.touched[line / kChunkLines]).store(1, std::memory_order_relaxed);
    }
    const uint64_t place = range.begin / kLineSectors + line;
    if (access == MemoryAccess::kStore) by->written.at(place) |= sectors;
    if (access != MemoryAccess::kLoad || !(before >> kWritten & sectors)) return false;
    const auto exchanged = static_cast<uint32_t>(by->written.number_of(place)) & sectors;
    by->exchanged += static_cast<uint32_t>(std::popcount(exchanged));
    return exchanged == sectors;
  }
  bool touch_sector(const Range& range, Touches* by, uint64_t sector, MemoryAccess access) {
    if (sector >= range.sectors) return false;
    return touch_line(range, sector / kLineSectors, 1u << sector % kLineSectors, by, access);
  }
  void keep(const Range& range, uint64_t sector);
  template <typename F>
  uint64_t sum(F count) const;
  uint64_t count(uint32_t kind) const;
  Undo* undo_;
  std::vector<Range> ranges_;
  Reuse reuse_;
};

}  // namespace warplens::simt::sass_machine
