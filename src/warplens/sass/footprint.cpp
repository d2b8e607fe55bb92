#include "warplens/sass/footprint.h"

#include <bit>

namespace warplens::sass {

Footprint::Footprint(const std::vector<emulator::Allocation>& allocations) {
  for (const emulator::Allocation& a : allocations) {
    Range range;
    range.begin = a.begin / 32;
    range.sectors = (a.end + 31) / 32 - range.begin;
    for (auto& bits : range.bits) bits = std::make_unique<std::atomic<uint64_t>[]>(range.sectors / 64 + 1);
    range.last = std::make_unique<std::atomic<uint32_t>[]>(range.sectors / Reuse::kSample + 1);
    ranges_.push_back(std::move(range));
  }
}

void Footprint::touch(size_t allocation, const uint64_t* addresses, uint32_t on, uint32_t size_bytes, bool store) {
  if (allocation >= ranges_.size()) return;
  const Range& range = ranges_[allocation];
  uint64_t done = ~uint64_t{0};  // the sector of the lane before: most often the same
  for (; on; on &= on - 1) {
    const uint64_t at = addresses[std::countr_zero(on)];
    const uint64_t first = at / 32 - range.begin, last = (at + size_bytes - 1) / 32 - range.begin;
    for (uint64_t sector = first; sector <= last && sector < range.sectors; ++sector) {
      if (sector != done) mark(range, sector, store);
      done = sector;
    }
  }
}

void Footprint::touch_run(size_t allocation, uint64_t begin, uint64_t bytes, bool store) {
  if (allocation >= ranges_.size()) return;
  const Range& range = ranges_[allocation];
  const uint64_t last = (begin + bytes - 1) / 32 - range.begin;
  for (uint64_t sector = begin / 32 - range.begin; sector <= last && sector < range.sectors; ++sector)
    mark(range, sector, store);
}

uint64_t Footprint::count(int store) const {
  uint64_t total = 0;
  for (const Range& range : ranges_) {
    for (uint64_t word = 0; word <= range.sectors / 64; ++word) {
      total += static_cast<uint64_t>(std::popcount(range.bits[store][word].load(std::memory_order_relaxed)));
    }
  }
  return total;
}

}  // namespace warplens::sass
