#include "warplens/run/sass/counting/footprint.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"

namespace warplens::simt::sass_machine {

namespace {

uint64_t sectors_of(const simt::Allocation& a) { return (a.end + 31) / 32 - a.begin / 32; }
/// Watched lines.
uint64_t places_in(uint64_t sectors) { return sectors / Reuse::kLineSectors / Reuse::kSample + 1; }

}  // namespace

uint64_t Footprint::places_of(std::span<const simt::Allocation> allocations) {
  uint64_t places = 0;
  for (const simt::Allocation& a : allocations) places += places_in(sectors_of(a));
  return places;
}

Footprint::Footprint(std::span<const simt::Allocation> allocations, uint64_t resident, Undo* undo)
    : undo_(undo), reuse_(resident, places_of(allocations)) {
  uint64_t places = 0;
  for (const simt::Allocation& a : allocations) {
    Range range;
    range.allocation = a;
    range.begin = a.begin / 32;
    range.sectors = sectors_of(a);
    range.places = places;
    places += places_in(range.sectors);
    range.lines = zeros<LineState>(range.chunk_count() * kChunkLines);
    range.touched = zeros<uint8_t>(range.chunk_count());
    ranges_.push_back(std::move(range));
  }
}

bool Footprint::touch(size_t allocation, Touches* by, const uint64_t* addresses, uint32_t on, uint32_t size_bytes,
                      MemoryAccess access) {
  if (allocation >= ranges_.size()) return false;
  const Range& range = ranges_[allocation];
  uint64_t last = ~uint64_t{0};
  bool known = true;
  for (; on; on &= on - 1) {  // accesses are aligned to their size, at most 32 bytes: one sector each
    const uint64_t at = addresses[std::countr_zero(on)], sector = at / 32 - range.begin;
    if (sector == last) continue;
    last = sector;
    const bool crosses = size_bytes > 32 || at % 32 + size_bytes > 32;
    known &= crosses ? touch_run(allocation, by, at, size_bytes, access) : touch_sector(range, by, sector, access);
  }
  return known;
}

bool Footprint::touch_sectors(size_t allocation, Touches* by, uint64_t first, const uint32_t* at, uint32_t count,
                              MemoryAccess access) {
  if (allocation >= ranges_.size()) return false;
  const Range& range = ranges_[allocation];
  bool known = true;
  for (uint32_t k = 0; k < count; ++k) known &= touch_sector(range, by, first + at[k] - range.begin, access);
  return known;
}

void Footprint::keep(const Range& range, uint64_t sector) {
  const std::atomic_ref<LineState> state = state_of(range, sector / kLineSectors);
  const uint32_t kept = 1u << (kKept + sector % kLineSectors);
  const std::lock_guard lock(undo_->mutex);
  if (state.load(std::memory_order_relaxed) & kept) return;
  const uint64_t begin = (range.begin + sector) * 32, from = std::max<uint64_t>(begin, range.allocation.begin),
                 to = std::min<uint64_t>(begin + 32, range.allocation.end);
  if (from < to) undo_->keep(from, to - from);
  state.fetch_or(static_cast<LineState>(kept), std::memory_order_release);
}

namespace {

constexpr uint64_t everywhere(uint32_t state) { return uint64_t{0x0001000100010001} * state; }
uint64_t bits(uint64_t of) { return static_cast<uint64_t>(std::popcount(of)); }

}  // namespace

/// The sum of `count` over the states of all lines, four at a time. All threads are through.
template <typename F>
uint64_t Footprint::sum(F count) const {
  uint64_t total = 0;
  for (const Range& range : ranges_) {
    for (uint64_t chunk = 0; chunk < range.chunk_count(); ++chunk) {
      if (!range.touched[chunk]) continue;
      for (uint64_t line = 0; line < kChunkLines; line += 4) {
        uint64_t states;
        std::memcpy(&states, &range.lines[chunk * kChunkLines + line], sizeof states);
        total += count(states);
      }
    }
  }
  return total;
}

uint64_t Footprint::lone_sectors() const {
  constexpr uint64_t kFirstOfPairs = everywhere(0b0101);  // allocations begin at multiples of 256 bytes
  return sum([](uint64_t states) { return bits((states ^ states >> 1) & kFirstOfPairs); });
}

uint64_t Footprint::apart_sectors() const {
  return sum([](uint64_t states) {
    uint64_t apart = 0;
    for (uint32_t sector = 0; sector < kLineSectors; ++sector) {
      // A line of which this sector alone is read.
      const uint64_t others = states ^ everywhere(1u << sector);
      uint64_t any = others | others >> 1;
      any |= any >> 2;
      apart += 4 - bits(any & everywhere(1));
    }
    return apart;
  });
}

uint64_t Footprint::count(uint32_t kind) const {
  return sum([kind](uint64_t states) { return bits(states >> kind & everywhere(kAllSectors)); });
}

std::vector<TouchedRun> Footprint::runs() const {
  constexpr uint64_t kLines = TouchedRun::kPieceBytes / kLineBytes;
  static_assert(kChunkLines % kLines == 0);
  std::vector<TouchedRun> out;
  const auto add = [&](uint64_t piece, uint16_t read, uint16_t touched) {
    TouchedRun* const last = out.empty() ? nullptr : &out.back();
    if (last != nullptr && last->end() == piece && last->read == read && last->touched == touched) ++last->pieces;
    else out.push_back({piece, 1, read, touched});
  };
  for (const Range& range : ranges_) {
    for (uint64_t first = 0; first < range.chunk_count() * kChunkLines; first += kLines) {
      if (!range.touched[first / kChunkLines]) {
        first += kChunkLines - kLines;
        continue;
      }
      uint64_t read = 0, touched = 0;
      for (uint64_t line = first; line < first + kLines; ++line) {
        const uint64_t state = range.lines[line];
        read += bits(state >> kRead & kAllSectors);
        touched += bits((state >> kRead | state >> kWritten) & kAllSectors);
      }
      const uint64_t piece = (range.begin * 32 + first * kLineBytes) / TouchedRun::kPieceBytes;
      if (touched != 0) add(piece, static_cast<uint16_t>(read), static_cast<uint16_t>(touched));
    }
  }
  return out;
}

std::vector<WrittenRun> Footprint::written_runs() const {
  std::vector<WrittenRun> out;
  const auto add = [&](const simt::Allocation& allocation, uint64_t sector) {
    const uint64_t begin = std::max<uint64_t>(sector * 32, allocation.begin),
                   end = std::min<uint64_t>(sector * 32 + 32, allocation.end);
    if (!out.empty() && out.back().begin + out.back().size_bytes == begin) out.back().size_bytes += end - begin;
    else out.push_back({begin, end - begin});
  };
  for (const Range& range : ranges_) {
    for (uint64_t line = 0; line < range.chunk_count() * kChunkLines; ++line) {
      if (line % kChunkLines == 0 && !range.touched[line / kChunkLines]) {
        line += kChunkLines - 1;
        continue;
      }
      for (const uint32_t sector : set_bits(range.lines[line] >> kWritten & kAllSectors))
        add(range.allocation, range.begin + line * kLineSectors + sector);
    }
  }
  return out;
}

}  // namespace warplens::simt::sass_machine
