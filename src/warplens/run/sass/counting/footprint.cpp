#include "warplens/run/sass/counting/footprint.h"

#include <algorithm>
#include <bit>

namespace warplens::simt::sass_machine {

Footprint::Footprint(std::span<const simt::Allocation> allocations, uint64_t resident, Undo* undo)
    : undo_(undo), reuse_(resident) {
  for (const simt::Allocation& a : allocations) {
    Range range;
    range.allocation = a;
    range.begin = a.begin / 32;
    range.sectors = (a.end + 31) / 32 - range.begin;
    range.last = std::make_unique<std::atomic<uint64_t>[]>(range.sectors / Reuse::kSectors / Reuse::kSample + 1);
    for (auto& chunks : range.chunks) chunks = std::make_unique<std::atomic<Mark*>[]>(range.chunk_count());
    ranges_.push_back(std::move(range));
  }
}

Footprint::~Footprint() {
  for (const Range& range : ranges_) {
    for (const auto& chunks : range.chunks) {
      for (size_t k = 0; k < range.chunk_count(); ++k) delete[] chunks[k].load(std::memory_order_relaxed);
    }
  }
}

Footprint::Mark* Footprint::make_chunk(std::atomic<Mark*>* home) {
  auto* made = new Mark[kChunk]();
  Mark* before = nullptr;
  if (home->compare_exchange_strong(before, made, std::memory_order_acq_rel)) return made;
  delete[] made;  // another thread was faster
  return before;
}

bool Footprint::touch(size_t allocation, int64_t time, const uint64_t* addresses, uint32_t on, uint32_t size_bytes,
                      bool store) {
  if (allocation >= ranges_.size()) return false;
  const Range& range = ranges_[allocation];
  uint64_t last = ~uint64_t{0};
  bool known = true;
  for (; on; on &= on - 1) {  // accesses are aligned to their size, at most 32 bytes: one sector each
    const uint64_t at = addresses[std::countr_zero(on)], sector = at / 32 - range.begin;
    if (sector == last) continue;
    last = sector;
    const bool crosses = size_bytes > 32 || at % 32 + size_bytes > 32;
    known &= crosses ? touch_run(allocation, time, at, size_bytes, store) : touch_sector(range, time, sector, store);
  }
  return known;
}

bool Footprint::touch_sectors(size_t allocation, int64_t time, uint64_t first, const uint32_t* at, uint32_t count,
                              bool store) {
  if (allocation >= ranges_.size()) return false;
  const Range& range = ranges_[allocation];
  bool known = true;
  for (uint32_t k = 0; k < count; ++k) known &= touch_sector(range, time, first + at[k] - range.begin, store);
  return known;
}

void Footprint::keep(const Range& range, uint64_t sector) {
  Mark& kept = marks_of(range, sector, kKept)[sector % kChunk];
  if (kept.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(undo_->mutex);
  if (kept.load(std::memory_order_relaxed)) return;
  const uint64_t begin = (range.begin + sector) * 32, from = std::max<uint64_t>(begin, range.allocation.begin),
                 to = std::min<uint64_t>(begin + 32, range.allocation.end);
  if (from < to) undo_->keep(from, to - from);
  kept.store(1, std::memory_order_release);
}

uint64_t Footprint::lone_sectors() const {
  uint64_t total = 0;
  for (const Range& range : ranges_) {
    for (size_t k = 0; k < range.chunk_count(); ++k) {
      const Mark* chunk = range.chunks[kRead][k].load(std::memory_order_acquire);
      for (uint64_t i = 0; chunk && i < kChunk; i += 2)  // allocations begin at multiples of 256 bytes
        total += chunk[i].load(std::memory_order_relaxed) ^ chunk[i + 1].load(std::memory_order_relaxed);
    }
  }
  return total;
}

uint64_t Footprint::count(size_t kind) const {
  uint64_t total = 0;
  for (const Range& range : ranges_) {
    for (size_t k = 0; k < range.chunk_count(); ++k) {
      const Mark* chunk = range.chunks[kind][k].load(std::memory_order_acquire);
      for (uint64_t i = 0; chunk && i < kChunk; ++i) total += chunk[i].load(std::memory_order_relaxed);
    }
  }
  return total;
}

}  // namespace warplens::simt::sass_machine
