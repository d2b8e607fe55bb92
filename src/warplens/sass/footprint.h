// Which 32-byte sectors of device memory a launch touched: what DRAM must at least give and take.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "warplens/emulator/memory/memory.h"
#include "warplens/sass/reuse.h"
#include "warplens/sass/undo.h"

namespace warplens::sass {

/// Where an Undo is given, it keeps what stores change of sectors that were read before: what a second run of the
/// launch needs to do the same again. What nobody read before it was written needs no keeping.
class Footprint {
 public:
  explicit Footprint(const std::vector<emulator::Allocation>& allocations, Undo* undo = nullptr);
  ~Footprint();
  Footprint(const Footprint&) = delete;
  Footprint& operator=(const Footprint&) = delete;

  /// A request of the lanes of `on`; `allocation` is an index into those given, or out of range when unknown.
  void touch(size_t allocation, const uint64_t* addresses, uint32_t on, uint32_t size_bytes, bool store);
  /// The run of bytes [begin, begin + bytes).
  void touch_run(size_t allocation, uint64_t begin, uint64_t bytes, bool store) {
    if (allocation >= ranges_.size() || bytes == 0) return;
    const Range& range = ranges_[allocation];
    uint64_t sector = begin / 32 - range.begin;
    const uint64_t last = (begin + bytes - 1) / 32 - range.begin;
    if (last >= range.sectors) return;
    for (uint64_t watched = (sector + Reuse::kSample - 1) / Reuse::kSample; watched * Reuse::kSample <= last; ++watched)
      reuse_.touch(range.last[watched], store);
    for (; sector <= last; sector = (sector / 64 + 1) * 64) {
      const uint64_t in_word = last / 64 == sector / 64 ? last % 64 : 63;
      note(range, sector, ~uint64_t{0} << sector % 64 & ~uint64_t{0} >> (63 - in_word), store);
    }
  }

  /// Sectors read that no store of the launch had written in whole before, and sectors written.
  uint64_t read_sectors() const { return count(kRead); }
  uint64_t written_sectors() const { return count(kWritten); }
  const Reuse& reuse() const { return reuse_; }

 private:
  using Word = std::atomic<uint64_t>;
  static constexpr uint64_t kChunkWords = 512;  // bits of a megabyte of memory: made when first touched
  enum : size_t { kRead, kWritten, kKept, kKinds };
  struct Range {
    uint64_t begin = 0, sectors = 0;
    emulator::Allocation allocation;
    std::unique_ptr<std::atomic<Word*>[]> chunks[kKinds];
    std::unique_ptr<std::atomic<uint32_t>[]> last;  // of the watched sectors
    size_t chunk_count() const { return static_cast<size_t>(sectors / (64 * kChunkWords) + 1); }
  };
  static Word* make_chunk(std::atomic<Word*>* home);
  static Word& word(const Range& range, uint64_t sector, size_t kind) {
    std::atomic<Word*>& home = range.chunks[kind][sector / (64 * kChunkWords)];
    Word* chunk = home.load(std::memory_order_acquire);
    if (!chunk) chunk = make_chunk(&home);
    return chunk[sector / 64 % kChunkWords];
  }
  static void mark(Word& word, uint64_t bits) {
    if ((word.load(std::memory_order_relaxed) & bits) != bits) word.fetch_or(bits, std::memory_order_relaxed);
  }
  /// Those sectors of a word that were read, among `bits`.
  static uint64_t read_before(const Range& range, uint64_t sector, uint64_t bits) {
    const Word* chunk = range.chunks[kRead][sector / (64 * kChunkWords)].load(std::memory_order_acquire);
    return chunk ? chunk[sector / 64 % kChunkWords].load(std::memory_order_relaxed) & bits : 0;
  }
  /// `sector` is one of the word's, `bits` are those that are touched.
  void note(const Range& range, uint64_t sector, uint64_t bits, bool store) {
    if (store && undo_) {
      if (const uint64_t read = read_before(range, sector, bits)) keep(range, sector, read);
    }
    mark(word(range, sector, store ? kWritten : kRead), bits);
  }
  void keep(const Range& range, uint64_t sector, uint64_t bits);
  uint64_t count(size_t kind) const;
  Undo* undo_;
  Reuse reuse_;
  std::vector<Range> ranges_;
};

}  // namespace warplens::sass
