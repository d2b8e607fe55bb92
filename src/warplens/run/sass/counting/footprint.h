// The 32-byte sectors of device memory that a launch touched: the least traffic of DRAM.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "warplens/run/sass/counting/l2_contents.h"
#include "warplens/run/sass/counting/line_state.h"
#include "warplens/run/sass/counting/reuse.h"
#include "warplens/run/sass/counting/undo.h"
#include "warplens/run/sass/counting/written.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt::sass_machine {

/// An Undo, if given, keeps the sectors that stores change after a read. A second run of the launch needs them to do
/// the same again. Sectors that nobody read before the store need no copy.
class Footprint {
 public:
  /// `resident`: blocks that the GPU holds at once.
  Footprint(std::span<const simt::Allocation> allocations, uint64_t resident, Undo* undo = nullptr);
  Footprint(const Footprint&) = delete;
  Footprint& operator=(const Footprint&) = delete;

  /// A request of the lanes of `on` at `time` (see Reuse). `allocation` is an index into the given ones, or out of
  /// range if unknown. Returns true for loads of nothing but the launch's own writes.
  bool touch(size_t allocation, int64_t time, const uint64_t* addresses, uint32_t on, uint32_t size_bytes, bool store);
  /// The sectors first + at[0 .. count).
  bool touch_sectors(size_t allocation, int64_t time, uint64_t first, const uint32_t* at, uint32_t count, bool store);
  /// The run of bytes [begin, begin + bytes).
  bool touch_run(size_t allocation, int64_t time, uint64_t begin, uint64_t bytes, bool store) {
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
      known &= touch_line(range, line, sectors, time, store);
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
  /// Reads of a sector that the launch had written, summed over requests.
  uint64_t exchanged_sectors() const { return exchanged_.load(std::memory_order_relaxed); }
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
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  /// Zeros, which take no memory before they are touched.
  template <typename T>
  using Zeros = std::unique_ptr<T[], Free>;
  template <typename T>
  static Zeros<T> zeros(uint64_t count) {
    void* const made = std::calloc(count, sizeof(T));
    if (!made) throw std::bad_alloc();
    return Zeros<T>(static_cast<T*>(made));
  }
  struct Range {
    uint64_t begin = 0, sectors = 0;  // the first one's address / 32
    simt::Allocation allocation;
    Zeros<LineState> lines;
    Zeros<Reuse::Times> times;  // of the watched granules
    Zeros<uint8_t> touched;     // chunks of lines: whether any is in another state than at first
    uint64_t chunk_count() const { return sectors / kLineSectors / kChunkLines + 1; }
  };
  static std::atomic_ref<LineState> state_of(const Range& range, uint64_t line) {
    return std::atomic_ref(range.lines[line]);
  }
  /// `sectors`: a bit each. True for loads of nothing but the launch's own writes.
  bool touch_line(const Range& range, uint64_t line, uint32_t sectors, int64_t time, bool store) {
    const std::atomic_ref<LineState> state = state_of(range, line);
    const uint32_t before = state.load(std::memory_order_acquire);
    if (before == kOnlyRead && !store) return false;
    return change_line(range, line, sectors, time, store, before);
  }
  bool change_line(const Range& range, uint64_t line, uint32_t sectors, int64_t time, bool store, uint32_t before) {
    constexpr uint64_t kGranules = kLineSectors / Reuse::kSectors;
    constexpr uint32_t kOfGranule = (1u << Reuse::kSectors) - 1;
    uint32_t marks = sectors << (store ? kWritten : kRead);
    const uint64_t next = (line * kGranules + Reuse::kSample - 1) / Reuse::kSample;  // watched granule from here on
    const uint64_t k = next * Reuse::kSample - line * kGranules;
    if (k < kGranules) {
      marks |= kWatched;
      if (sectors >> k * Reuse::kSectors & kOfGranule) reuse_.touch(&range.times[next], time, store);
    }
    if (store && undo_) {
      for (uint32_t left = before >> kRead & ~(before >> kKept) & sectors; left; left &= left - 1)
        keep(range, line * kLineSectors + static_cast<uint32_t>(std::countr_zero(left)));
    }
    const uint32_t exchanged = store ? 0 : before >> kWritten & sectors;
    if (exchanged) exchanged_.fetch_add(static_cast<uint32_t>(std::popcount(exchanged)), std::memory_order_relaxed);
    if (marks & ~before) {
      state_of(range, line).fetch_or(static_cast<LineState>(marks), std::memory_order_acq_rel);
      std::atomic_ref(range.touched[line / kChunkLines]).store(1, std::memory_order_relaxed);
    }
    return !store && exchanged == sectors;
  }
  bool touch_sector(const Range& range, int64_t time, uint64_t sector, bool store) {
    if (sector >= range.sectors) return false;
    return touch_line(range, sector / kLineSectors, 1u << sector % kLineSectors, time, store);
  }
  void keep(const Range& range, uint64_t sector);
  template <typename F>
  uint64_t sum(F count) const;
  uint64_t count(uint32_t kind) const;
  Undo* undo_;
  Reuse reuse_;
  std::atomic<uint64_t> exchanged_{0};
  std::vector<Range> ranges_;
};

}  // namespace warplens::simt::sass_machine
