// Numbers for distinct sites: open addressing, made for one look-up an event.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace warplens::stream {

template <typename Site>
class SiteTable {
  static_assert(sizeof(Site) % sizeof(uint32_t) == 0 && std::is_trivially_copyable_v<Site>);

 public:
  SiteTable() : slots_(64) {}

  /// The number of `site`, and whether it is new; then it gets `next`.
  std::pair<uint32_t, bool> find_or_add(const Site& site, uint32_t next) {
    size_t slot = hash(site) & (slots_.size() - 1);
    for (; slots_[slot].used; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].site == site) return {slots_[slot].number, false};
    }
    slots_[slot] = {site, next, true};
    if (++size_ * 2 > slots_.size()) grow();
    return {next, true};
  }

 private:
  struct Slot {
    Site site;
    uint32_t number;
    bool used = false;
  };

  static size_t hash(const Site& site) {
    uint32_t words[sizeof(Site) / sizeof(uint32_t)];
    std::memcpy(words, &site, sizeof site);
    uint64_t state = 0;
    for (const uint32_t word : words) state = std::rotl((state ^ word) * 0x9e3779b97f4a7c15u, 29);
    return state ^ (state >> 32);
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (!slot.used) continue;
      size_t to = hash(slot.site) & (slots_.size() - 1);
      while (slots_[to].used) to = (to + 1) & (slots_.size() - 1);
      slots_[to] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace warplens::stream
