// Finding rows by correlation id.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::checks {

/// Rows of a column of ids from `first` on, by id; for equal ids the last row. Id 0 means none.
class RowsById {
 public:
  RowsById(const Column<int64_t>& ids, size_t first) {
    slots_.resize(std::bit_ceil(2 * (ids.size() - first) + 2));
    for (size_t row = first; row < ids.size(); ++row) {
      if (ids[row] != 0) slots_[slot_of(ids[row])] = {ids[row], static_cast<uint32_t>(row)};
    }
  }
  /// kNone when there is no such row.
  uint32_t find(int64_t id) const { return id == 0 ? kNone : slots_[slot_of(id)].row; }

 private:
  struct Slot {
    int64_t id = 0;
    uint32_t row = kNone;
  };
  size_t slot_of(int64_t id) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = (static_cast<uint64_t>(id) * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (slots_[slot].id != 0 && slots_[slot].id != id) slot = (slot + 1) & mask;
    return slot;
  }
  std::vector<Slot> slots_;
};

}  // namespace warplens::checks
