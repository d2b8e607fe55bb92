// Results of blocks, taken in the order of the grid and not in that of their ends.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace warplens::simt::sass_machine {

/// `Left` is of one block; blocks are numbered from 0.
template <typename Left>
class InOrder {
 public:
  /// Calls `take` with a block's number and what it left, once all blocks before it have been taken. A block whose turn
  /// it is keeps its `left`, to use the memory again.
  template <typename Take>
  void add(uint64_t block, Left* left, Take take) {
    const std::lock_guard lock(mutex_);
    if (block != next_) {
      std::swap(waiting_[block], *left);
      return;
    }
    take(next_++, *left);
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.begin()) {
      take(next_++, first->second);
      waiting_.erase(first);
    }
  }

 private:
  std::mutex mutex_;
  uint64_t next_ = 0;
  std::map<uint64_t, Left> waiting_;
};

}  // namespace warplens::simt::sass_machine
