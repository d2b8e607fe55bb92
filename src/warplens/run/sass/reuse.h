// How far apart in time a launch comes back to the same sectors of memory, told by a sample of them: what a cache of a
// given size would have lost by then.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace warplens::simt::sass_machine {

class Reuse {
 public:
  /// One of so many sectors is watched; a prime, so that no stride of powers of two misses them all.
  static constexpr uint64_t kSample = 61;
  static constexpr bool watched(uint64_t sector) { return sector % kSample == 0; }

  /// A watched sector is touched; `last` is its own, 0 at first. Stores take room in the cache but wait for nothing.
  void touch(std::atomic<uint32_t>& last, bool store) {
    const uint32_t now = clock_.fetch_add(1, std::memory_order_relaxed) + 1;
    const uint32_t before = last.exchange(now, std::memory_order_relaxed);
    if (before == 0 || before >= now) return;
    const auto bits = static_cast<size_t>(std::bit_width(now - before));
    all_[bits].fetch_add(1, std::memory_order_relaxed);
    if (!store) loads_[bits].fetch_add(1, std::memory_order_relaxed);
  }

  /// Loads' sectors, of all, that had been touched before, with more than `cache_sectors` different ones since. How many
  /// different ones so many touches are follows from how soon touches come back on average (the average eviction time of
  /// Hu et al., "Fast miss ratio curve modeling for storage cache", 2018).
  double lost(double cache_sectors) const;

 private:
  using Histogram = std::array<std::atomic<uint64_t>, 33>;  // by bits of the number of watched touches between
  std::atomic<uint32_t> clock_{0};
  Histogram all_{}, loads_{};
};

}  // namespace warplens::simt::sass_machine
