#include "warplens/sass/undo.h"

#include <algorithm>
#include <cstring>

namespace warplens::sass {

Undo::Undo(const std::vector<emulator::Allocation>& allocations) {
  for (const emulator::Allocation& a : allocations) {
    ranges_.push_back({a.begin, a.end, std::make_unique<std::atomic<uint8_t>[]>((a.end - a.begin) / kPage + 1)});
  }
}

void Undo::keep(Range* range, uint64_t page) {
  const std::lock_guard lock(mutex_);
  if (range->kept[page].load(std::memory_order_relaxed)) return;
  const uint64_t begin = range->begin + page * kPage, size = std::min(kPage, range->end - begin);
  const auto* bytes = reinterpret_cast<const uint8_t*>(begin);
  pages_.push_back({begin, std::vector<uint8_t>(bytes, bytes + size)});
  range->kept[page].store(1, std::memory_order_release);
}

void Undo::restore() {
  for (const Page& page : pages_)
    std::memcpy(reinterpret_cast<void*>(page.begin), page.bytes.data(), page.bytes.size());
}

}  // namespace warplens::sass
