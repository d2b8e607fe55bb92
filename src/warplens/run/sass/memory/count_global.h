// The counts of a request to device memory, by the pattern of its lanes. These are the work of L1 and L2, and the
// touched sectors.
#pragma once
#include <algorithm>
#include <array>
#include <bit>

#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/sectors.h"
#include "warplens/run/sass/memory/watch.h"
#include "warplens/simt/requests/count_lanes.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// `turns` of L1 for so many lines.
inline void add_lines(Warp& w, uint64_t turns, uint64_t lines) {
  w.extra_cycles = turns - 1;
  w.line_doublings = static_cast<uint32_t>(std::bit_width(lines - 1));
  w.block->cache_lines += turns;
}

/// The time of L1 for lanes in so many lines, in units of one line. It looks up three at a time, but a bank gives
/// one word at a time. Measured on an H200: rows with a lane each take their lines one by one, random words do
/// not.
inline uint64_t lines_at_once(uint64_t lines, uint64_t bank_passes) {
  constexpr uint64_t kTags = 3;
  return std::min(lines, std::max(bank_passes, (lines + kTags - 1) / kTags));
}

inline uint64_t serial_lines(const Addresses& at, uint32_t on, uint32_t size, uint64_t lines) {
  if (lines <= 1) return lines;
  simt::InstructionCounts banks;
  simt::count_shared_lanes(banks, at.value, on, size);
  return lines_at_once(lines, banks.wavefronts);
}

/// Do two half-warps, each with 16 consecutive words or one, need different words of a bank?
inline bool halves_share_banks(const uint64_t* a) {
  const uint64_t first = a[0] / 4, second = a[16] / 4, low = a[0] == a[1] ? 1 : 16, high = a[16] == a[17] ? 1 : 16;
  const uint64_t apart = (second - first) % 32;  // of their first banks
  return second != first && (apart < low || 32 - apart < high);
}

/// When, within its block: see Clock.
inline int64_t store_time(const Warp& w) { return w.clock->now_within(w.block->run->schedules[w.pc].before); }

/// These bytes in a row, a bit each of their sector.
inline uint32_t bytes_of_sector(uint64_t begin, uint64_t bytes) {
  return static_cast<uint32_t>(((uint64_t{1} << bytes) - 1) << begin % 32);
}

/// A store to these bytes in a row, which fill some sector in part.
inline void store_in_part(Warp& w, uint64_t begin, uint64_t bytes) {
  const int64_t now = store_time(w);
  for (uint64_t line = begin / 128; line <= (begin + bytes - 1) / 128; ++line) {
    OpenWrites::Bytes of_line{};
    for (uint64_t sector = 4 * line; sector < 4 * line + 4; ++sector) {
      const uint64_t from = std::max(begin, sector * 32), to = std::min(begin + bytes, sector * 32 + 32);
      if (from < to) of_line[sector % 4] = bytes_of_sector(from, to - from);
    }
    w.block->open_writes.add(line, of_line, now);
  }
}

/// A store of lanes that lie anywhere, to so many lines.
inline void store_in_part(Warp& w, const Addresses& at, uint32_t on, uint32_t size, uint32_t lines) {
  if (lines > OpenWrites::kLines) return;
  std::array<uint64_t, OpenWrites::kLines> line{};
  std::array<OpenWrites::Bytes, OpenWrites::kLines> bytes{};
  for (; on; on &= on - 1) {
    const uint64_t address = at.value[std::countr_zero(on)];
    size_t k = 0;
    while (line[k] != 0 && line[k] != address / 128) ++k;
    line[k] = address / 128;
    bytes[k][address % 128 / 32] |= bytes_of_sector(address, size);
  }
  const int64_t now = store_time(w);
  for (size_t k = 0; k < lines; ++k) w.block->open_writes.add(line[k], bytes[k], now);
}

// The counts of a request to one allocation; its bytes move afterwards, once the undo log has the old ones.

/// Lanes that lie anywhere.
template <bool kStore>
void count_scattered(Warp& w, const Op& op, const Addresses& at, uint64_t low, uint32_t on) {
  Sectors touched;
  find_sectors(at, low, &touched);
  const uint64_t bytes = uint64_t{op.size_bytes} * static_cast<uint32_t>(std::popcount(on)), sectors = touched.count,
                 ideal = simt::count_request(*w.count, bytes, sectors);
  add_lines(w, std::max(serial_lines(at, on, op.size_bytes, touched.lines), answers_of(on, op.size_bytes)),
            touched.lines);
  if (kStore && sectors * 32 > bytes) {
    w.block->partial_sectors += sectors;
    store_in_part(w, at, on, op.size_bytes, touched.lines);
  }
  if (op.watched) watch_request(w, at, on, op.size_bytes, false, kStore, sectors, ideal);
  note_sectors(w, touched, kStore);
}

/// Sectors, and the fewest that would do.
struct Counted {
  uint64_t sectors = 1, ideal = 1;
};

template <bool kStore>
Counted count_one(Warp& w, const Op& op, uint64_t address, uint32_t on) {
  simt::count_run(*w.count, address, op.size_bytes);
  w.count->bytes += uint64_t{op.size_bytes} * static_cast<uint32_t>(std::popcount(on) - 1);
  note_run(w, address, op.size_bytes, kStore);
  add_lines(w, turns_together(op.size_bytes), 1);
  if (kStore) {
    ++w.block->partial_sectors;
    store_in_part(w, address, op.size_bytes);
  }
  return {};
}

/// Lanes in a row, without gaps.
template <bool kStore>
Counted count_run(Warp& w, const Op& op, uint64_t begin, uint64_t end, uint32_t on) {
  const uint32_t size = op.size_bytes;
  const uint64_t sectors = (end - 1) / 32 - begin / 32 + 1;
  simt::count_run(*w.count, begin, end - begin);
  note_run(w, begin, end - begin, kStore);
  if (on == kAll && size >= 4) {
    add_lines(w, size / 4, size / 4);
    return {sectors, size};
  }
  const uint64_t lines = (end - 1) / 128 - begin / 128 + 1;
  add_lines(w, std::max(lines, answers_of(on, size)), lines);
  if (kStore && sectors * 32 > end - begin) {
    w.block->partial_sectors += sectors;
    store_in_part(w, begin, end - begin);
  }
  return {sectors, (end - begin + 31) / 32};
}

/// Both halves of a full warp, each a run or one address: the first two of 16 lanes decide, except in the cache model.
template <bool kStore>
void count_halves(Warp& w, const Op& op, const Addresses& at) {
  const uint32_t size = op.size_bytes;
  const uint64_t *a = at.value, low = a[0] == a[1] ? size : 16 * size, high = a[16] == a[17] ? size : 16 * size;
  const uint64_t bytes = uint64_t{kLanes} * size, sectors = simt::sectors_of_two(a[0], low, a[16], high),
                 ideal = simt::count_request(*w.count, bytes, sectors);
  const uint64_t lines = simt::sectors_of_two(a[0] / 4, (a[0] + low - 1) / 4 - a[0] / 4 + 1, a[16] / 4,
                                              (a[16] + high - 1) / 4 - a[16] / 4 + 1);
  const uint64_t looked_up = lines > 1 && size == 4 ? lines_at_once(lines, halves_share_banks(a) ? 2 : 1) : lines;
  add_lines(w, std::max(looked_up, answers_of(kAll, size)), lines);
  if (kStore && sectors * 32 > bytes) w.block->partial_sectors += sectors;
  if (op.watched) watch_request(w, at, kAll, size, false, kStore, sectors, ideal);
  if (w.block->trace && !kStore) return note_request(w, at, kAll, size, kStore);
  note_run(w, a[0], low, kStore);
  note_run(w, a[16], high, kStore);
}

template <bool kStore>
void count_global(Warp& w, const Op& op, const Addresses& at, const Request& request, uint32_t on) {
  if (request.shape == Shape::kHalves) return count_halves<kStore>(w, op, at);
  if (request.shape != Shape::kRun && request.shape != Shape::kOne)
    return count_scattered<kStore>(w, op, at, request.span.low, on);
  const Counted counted = request.shape == Shape::kOne
                              ? count_one<kStore>(w, op, request.begin, on)
                              : count_run<kStore>(w, op, request.begin, request.span.high + op.size_bytes, on);
  if (op.watched) watch_request(w, at, on, op.size_bytes, false, kStore, counted.sectors, counted.ideal);
}

/// Lanes that go to different allocations.
template <bool kStore>
void count_apart(Warp& w, const Op& op, const Addresses& at, uint32_t on) {
  Addresses lines;
  for (uint32_t i = 0; i < kLanes; ++i) lines.value[i] = at.value[i] / 4;  // whose sectors they are
  const uint64_t bytes = uint64_t{op.size_bytes} * static_cast<uint32_t>(std::popcount(on)),
                 sectors = simt::count_sectors(at.value, on, op.size_bytes),
                 ideal = simt::count_request(*w.count, bytes, sectors);
  const uint64_t distinct = simt::count_sectors(lines.value, on, 1);
  add_lines(w, std::max(distinct, answers_of(on, op.size_bytes)), distinct);
  if (kStore && sectors * 32 > bytes) w.block->partial_sectors += sectors;
  if (op.watched) watch_request(w, at, on, op.size_bytes, false, kStore, sectors, ideal);
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
