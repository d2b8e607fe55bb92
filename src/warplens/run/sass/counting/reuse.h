// Reuse distances of a launch in time, estimated from a sample of places: the misses of a cache of a given
// size.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "warplens/run/sass/counting/touches.h"

namespace warplens::simt::sass_machine {

/// Zeros, which take no memory before they are touched.
struct FreeZeros {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using Zeros = std::unique_ptr<T[], FreeZeros>;
template <typename T>
Zeros<T> zeros(uint64_t count) {
  void* const made = std::calloc(count, sizeof(T));
  if (!made) throw std::bad_alloc();
  return Zeros<T>(static_cast<T*>(made));
}

/// Time is the launch's on the GPU, in cycles. Blocks that are resident at once begin together. Their touches come
/// block after block, in the order of the grid, so the answer is the same for any number of CPU threads. Simultaneous
/// touches by several blocks count as one.
class Reuse {
 public:
  static constexpr uint64_t kLineSectors = 4, kSectors = 2;  // L2 keeps lines, and DRAM delivers a half at a time
  /// One of so many lines is watched; a prime, so that no stride of powers of two misses them all.
  static constexpr uint64_t kSample = 61;
  static constexpr bool watched(uint64_t line) { return line % kSample == 0; }

  /// `resident`: blocks that the GPU holds at once; `places`: watched lines.
  Reuse(uint64_t resident, uint64_t places)
      : resident_(resident ? resident : 1), times_(zeros<Times>(std::min(places, WatchedTouch::kMostPlaces))) {}

  uint64_t wave_of(uint64_t block) const { return block / resident_; }
  /// When a block begins: with its wave, waves taking as long as the blocks before it did on average.
  uint64_t start_of(uint64_t block) const { return ended_ ? wave_of(block) * (cycles_ / ended_) : 0; }
  /// A block's touches, if it began at `start`.
  void take(std::span<const WatchedTouch> touches, uint64_t start) {
    for (const WatchedTouch& touch : touches)
      take(&times_[touch.place], start + touch.cycles, touch.halves, touch.store);
  }
  void end_block(uint64_t cycles) {
    cycles_ += cycles;
    ++ended_;
  }

  /// Halves that loads want again, of lines with more than `cache_lines` different ones since. The number of different
  /// ones in a time follows from the average time between touches. This is the average eviction time of Hu et al.,
  /// "Fast miss ratio curve modeling for storage cache", 2018.
  double lost(double cache_lines) const;
  /// Loads that come before DRAM has answered the first one of their half, which they wait for as well.
  double fresh_rate() const;

 private:
  /// The times of a watched line, in cycles and one more: 0 before anything touches it.
  struct Times {
    uint64_t last = 0, given[2] = {};  // given: when DRAM's answer to the first load of a half is there, or a store
  };
  /// Stores take room in the cache but wait for nothing.
  void take(Times* times, uint64_t time, uint32_t halves, bool store) {
    const uint64_t now = time + 1, before = times->last;
    uint32_t again = 0;  // halves that were touched before
    for (const uint32_t half : {0u, 1u}) {
      if (!(halves >> half & 1)) continue;
      again += times->given[half] != 0;
      answer(&times->given[half], now, store);
    }
    times->last = std::max(before, now);
    end_ = std::max(end_, now);
    ++touches_;
    if (before == 0) return;
    const size_t bin = now > before ? bin_of(now - before) : 0;
    ++all_[bin];
    if (!store) loads_[bin] += again;
  }
  void answer(uint64_t* given, uint64_t now, bool store) {
    const uint64_t gives = store ? now : now + kAnswerCycles;
    if (!store) ++(*given == 0 || now < *given ? fresh_ : old_);
    if (*given == 0 || gives < *given) *given = gives;
  }
  static constexpr uint64_t kAnswerCycles = 745;  // of DRAM
  static constexpr size_t kParts = 8;             // bins from one power of two to the next
  /// The cycles between two touches, from 1 up.
  static size_t bin_of(uint64_t cycles) {
    const auto power = static_cast<size_t>(std::bit_width(cycles) - 1);
    const auto part = static_cast<size_t>(((cycles << 3) >> power) & (kParts - 1));
    return 1 + power * kParts + part;
  }
  using Histogram = std::array<uint64_t, 1 + 60 * kParts>;  // the first: at once
  uint64_t resident_;
  Zeros<Times> times_;
  uint64_t touches_ = 0, end_ = 0, cycles_ = 0, ended_ = 0, fresh_ = 0, old_ = 0;
  Histogram all_{}, loads_{};
};

}  // namespace warplens::simt::sass_machine
