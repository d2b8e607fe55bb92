#include "warplens/simt/requests/count.h"

#include <cstring>

#include "warplens/base/set_bits.h"

namespace warplens::simt {
namespace {

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
    for (uint32_t at = place(value); used_[at / 64] >> (at % 64) & 1; at = (at + 1) % kSlots) {
      if (slots_[at] == value) return true;
    }
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

}  // namespace

uint32_t count_sectors(const Address* addresses, uint32_t mask, uint32_t size) {
  DistinctCounter sectors;
  for (const uint32_t lane : set_bits(mask)) {
    const Address at = addresses[lane];
    for (Address sector = at >> 5; sector <= (at + size - 1) >> 5; ++sector) sectors.add(sector);
  }
  return sectors.count();
}

void count_global(InstructionCounts& row, const Address* addresses, uint32_t mask, uint32_t size) {
  if (!mask) return;
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask));
  count_request(row, bytes, count_sectors(addresses, mask, size));
}

void count_shared(InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size, Joins joins) {
  if (!mask) return;
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask));
  count_passes(row, count_wavefronts(offsets, mask, size, joins), bytes);
}

void count_local(InstructionCounts& row, const Address* offsets, uint32_t mask, uint32_t size) {
  if (!mask) return;
  const uint64_t bytes = uint64_t{size} * static_cast<uint32_t>(__builtin_popcount(mask));
  DistinctCounter sectors;
  for (uint32_t word = 0; word < (size + 3) / 4; ++word) {
    for (const uint32_t lane : set_bits(mask)) sectors.add(((offsets[lane] / 4 + word) * 32 + lane) * 4 >> 5);
  }
  count_request(row, bytes, sectors.count());
}

}  // namespace warplens::simt
