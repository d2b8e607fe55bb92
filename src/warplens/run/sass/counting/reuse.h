// Reuse distances of a launch in time, estimated from a sample of places: the misses of a cache of a given
// size.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace warplens::simt::sass_machine {

/// Time is the launch's on the GPU, in cycles. Blocks that are resident at once begin together, in any order of the
/// CPU, and simultaneous touches by several of them count as one.
class Reuse {
 public:
  static constexpr uint64_t kSectors = 2;  // a granule: 64 bytes, which DRAM delivers at a time
  /// One of so many granules is watched; a prime, so that no stride of powers of two misses them all.
  static constexpr uint64_t kSample = 61;
  static constexpr bool watched(uint64_t granule) { return granule % kSample == 0; }

  /// `resident`: blocks that the GPU holds at once.
  explicit Reuse(uint64_t resident) : resident_(resident ? resident : 1) {}

  uint64_t wave_of(uint64_t block) const { return block / resident_; }
  /// When a block begins: with its wave, waves taking as long as the blocks that have ended did on average.
  int64_t start_of(uint64_t block) const {
    const uint64_t ended = ended_.load(std::memory_order_relaxed), wave = wave_of(block);
    return ended ? static_cast<int64_t>(wave * (cycles_.load(std::memory_order_relaxed) / ended)) : 0;
  }
  void end_block(uint64_t cycles) {
    cycles_.fetch_add(cycles, std::memory_order_relaxed);
    ended_.fetch_add(1, std::memory_order_relaxed);
  }

  /// The times of a watched granule, in cycles and one more: 0 before anything touches it.
  struct Times {
    uint64_t last = 0, given = 0;  // given: when DRAM's answer to the first load is there, or a store
  };
  /// A watched granule is touched. Stores take room in the cache but wait for nothing.
  void touch(Times* times, int64_t time, bool store) {
    const std::atomic_ref<uint64_t> last(times->last), given(times->given);
    const uint64_t now = static_cast<uint64_t>(time) + 1, before = last.load(std::memory_order_relaxed),
                   gives = store ? now : now + kAnswerCycles, there = given.load(std::memory_order_relaxed);
    if (there == 0 || gives < there) given.store(gives, std::memory_order_relaxed);
    if (!store) (now < there || there == 0 ? fresh_ : old_).fetch_add(1, std::memory_order_relaxed);
    if (now > before) last.store(now, std::memory_order_relaxed);
    if (now > end_.load(std::memory_order_relaxed)) end_.store(now, std::memory_order_relaxed);
    touches_.fetch_add(1, std::memory_order_relaxed);
    if (before == 0) return;
    const size_t bin = now > before ? bin_of(now - before) : 0;
    all_[bin].fetch_add(1, std::memory_order_relaxed);
    if (!store) loads_[bin].fetch_add(1, std::memory_order_relaxed);
  }

  /// Granules of loads that were touched before, with more than `cache_granules` different ones since. The number of
  /// different ones in a time follows from the average time between touches. This is the average eviction time of Hu et
  /// al., "Fast miss ratio curve modeling for storage cache", 2018.
  double lost(double cache_granules) const;
  /// Loads that come before DRAM has answered the first one of their granule, which they wait for as well.
  double fresh_rate() const;

 private:
  static constexpr uint64_t kAnswerCycles = 745;  // of DRAM
  static constexpr size_t kParts = 8;             // bins from one power of two to the next
  /// The cycles between two touches, from 1 up.
  static size_t bin_of(uint64_t cycles) {
    const auto power = static_cast<size_t>(std::bit_width(cycles) - 1);
    const auto part = static_cast<size_t>(((cycles << 3) >> power) & (kParts - 1));
    return 1 + power * kParts + part;
  }
  using Histogram = std::array<std::atomic<uint64_t>, 1 + 60 * kParts>;  // the first: at once
  uint64_t resident_;
  std::atomic<uint64_t> touches_{0}, end_{0}, cycles_{0}, ended_{0}, fresh_{0}, old_{0};
  Histogram all_{}, loads_{};
};

}  // namespace warplens::simt::sass_machine
