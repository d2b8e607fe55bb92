#include "warplens/run/ptx/memory/access.h"

#include <algorithm>
#include <cstring>

namespace warplens::emulator {
namespace {

constexpr uint32_t kBanks = 32;

/// Distinct numbers among a few dozen; ascending ones take no search.
class DistinctCounter {
 public:
  DistinctCounter() { std::memset(used_, 0, sizeof used_); }
  void add(uint64_t value) {
    if (count_ == 0 || value > largest_) {
      largest_ = value;
    } else if (value == last_ || contains(value)) {
      return;
    }
    last_ = value;
    insert(value);
    ++count_;
  }
  uint32_t count() const { return count_; }

 private:
  static constexpr uint32_t kSlots = 512;  // at most 32 lanes * 3 sectors
  static uint32_t place(uint64_t value) { return static_cast<uint32_t>(value * 0x9e3779b97f4a7c15u >> 55); }
  bool contains(uint64_t value) const {
    for (uint32_t at = place(value); used_[at / 64] >> (at % 64) & 1; at = (at + 1) % kSlots)
      if (slots_[at] == value) return true;
    return false;
  }
  void insert(uint64_t value) {
    uint32_t at = place(value);
    while (used_[at / 64] >> (at % 64) & 1) at = (at + 1) % kSlots;
    used_[at / 64] |= uint64_t{1} << (at % 64);
    slots_[at] = value;
  }
  uint64_t used_[kSlots / 64], slots_[kSlots];
  uint64_t largest_ = 0, last_ = 0;
  uint32_t count_ = 0;
};

/// The busiest bank's distinct words.
uint32_t passes(const Address* offsets, uint32_t mask, uint32_t size) {
  uint32_t count[kBanks] = {};
  uint32_t words[kBanks][4 * kBanks];
  uint32_t most = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const Address at = offsets[__builtin_ctz(lanes)];
    for (Address word = at / 4; word <= (at + size - 1) / 4; ++word) {
      const uint32_t bank = word % kBanks, w = static_cast<uint32_t>(word);
      uint32_t& n = count[bank];
      if (n && w <= words[bank][n - 1] && std::find(words[bank], words[bank] + n, w) != words[bank] + n) continue;
      // Kept ascending at its end, so that a larger word needs no search.
      if (n && w < words[bank][n - 1]) {
        words[bank][n] = words[bank][n - 1];
        words[bank][n - 1] = w;
      } else {
        words[bank][n] = w;
      }
      most = std::max(most, ++n);
    }
  }
  return most;
}

/// address(lane) = address(lane ^ step) wherever both are active.
bool paired(const Address* offsets, uint32_t mask, uint32_t step) {
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(lanes)), other = lane ^ step;
    if ((mask >> other & 1) && offsets[lane] != offsets[other]) return false;
  }
  return true;
}

void add_group(Wavefronts& sum, const Address* offsets, uint32_t mask, uint32_t size) {
  if (!mask) return;
  sum.actual += passes(offsets, mask, size);
  sum.ideal += 1;
}

/// The groups `mask & low` and `mask & high`, joined when the rule allows.
void add_halves(Wavefronts& sum, const Address* offsets, uint32_t mask, uint32_t low, uint32_t size, bool store) {
  const bool joined = !store && (paired(offsets, mask, 1) || paired(offsets, mask, 2));
  add_group(sum, offsets, joined ? mask : mask & low, size);
  if (!joined) add_group(sum, offsets, mask & ~low, size);
}

}  // namespace

uint32_t count_sectors(const Address* addresses, uint32_t mask, uint32_t size) {
  DistinctCounter sectors;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const Address at = addresses[__builtin_ctz(lanes)];
    for (Address sector = at >> 5; sector <= (at + size - 1) >> 5; ++sector) sectors.add(sector);
  }
  return sectors.count();
}

Wavefronts count_wavefronts(const Address* offsets, uint32_t mask, uint32_t size, bool store) {
  Wavefronts sum;
  if (size <= 4) {
    add_group(sum, offsets, mask, size);
  } else if (size <= 8) {
    add_halves(sum, offsets, mask, 0x0000ffff, size, store);
  } else {
    add_halves(sum, offsets, mask & 0x0000ffff, 0x000000ff, size, store);
    add_halves(sum, offsets, mask & 0xffff0000, 0x00ff0000, size, store);
  }
  return sum;
}

void count_global(kernel::InstructionCounts& row, const Address* addresses, uint32_t mask, uint32_t size) {
  if (!mask) return;
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask));
  count_request(row, bytes, count_sectors(addresses, mask, size));
}

void count_shared(kernel::InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size, bool store) {
  if (!mask) return;
  const Wavefronts wavefronts = count_wavefronts(offsets, mask, size, store);
  ++row.requests;
  ++row.shared_requests;
  row.bytes += uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask));
  row.wavefronts += wavefronts.actual;
  row.ideal_wavefronts += wavefronts.ideal;
}

void count_local(kernel::InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size) {
  if (!mask) return;
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask));
  DistinctCounter sectors;
  for (uint32_t word = 0; word < (size + 3) / 4; ++word) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(lanes));
      sectors.add(((offsets[lane] / 4 + word) * 32 + lane) * 4 >> 5);
    }
  }
  count_request(row, bytes, sectors.count());
}

}  // namespace warplens::emulator
