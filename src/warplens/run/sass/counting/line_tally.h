// A number for each stretch of device memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warplens::simt::sass_machine {

class LineTally {
 public:
  /// The stretch's number, 0 at first; `line` is an address over the length of a stretch, never 0.
  uint64_t& at(uint64_t line) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = find(line);
    if (slot.line == 0) {
      slot.line = line;
      ++used_;
    }
    return slot.number;
  }
  void add(uint64_t line, uint64_t amount) { at(line) += amount; }
  /// 0 if it has none.
  uint64_t number_of(uint64_t line) const { return used_ == 0 ? 0 : find(line).number; }
  void clear() {
    if (used_ != 0) std::fill(slots_.begin(), slots_.end(), Slot{});
    used_ = 0;
  }
  template <typename F>
  void each(F f) const {
    for (const Slot& slot : slots_) {
      if (slot.line) f(slot.line, slot.number);
    }
  }

 private:
  struct Slot {
    uint64_t line = 0, number = 0;
  };
  const Slot& find(uint64_t line) const {
    const size_t mask = slots_.size() - 1;
    size_t at = (line * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[at].line && slots_[at].line != line) at = (at + 1) & mask;
    return slots_[at];
  }
  Slot& find(uint64_t line) { return const_cast<Slot&>(std::as_const(*this).find(line)); }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.line) find(slot.line) = slot;
    }
  }
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace warplens::simt::sass_machine
