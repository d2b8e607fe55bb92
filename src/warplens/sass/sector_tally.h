// How many requests each sector of device memory got.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warplens::sass {

class SectorTally {
 public:
  /// The sum after adding `requests` to `sector` (address / 32, never 0).
  uint64_t add(uint64_t sector, uint64_t requests = 1) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = find(sector);
    if (slot.sector == 0) slot.sector = sector, ++used_;
    return slot.requests += requests;
  }
  template <typename F>
  void each(F f) const {
    for (const Slot& slot : slots_) {
      if (slot.sector) f(slot.sector, slot.requests);
    }
  }

 private:
  struct Slot {
    uint64_t sector = 0, requests = 0;
  };
  Slot& find(uint64_t sector) {
    const size_t mask = slots_.size() - 1;
    size_t at = (sector * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[at].sector && slots_[at].sector != sector) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.sector) find(slot.sector) = slot;
    }
  }
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace warplens::sass
