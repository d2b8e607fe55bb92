// Floating-point sums of blocks in device memory, applied in the order of the blocks, because the last bits depend on
// it.
#pragma once
#include <map>
#include <mutex>
#include <vector>

#include "warplens/run/sass/memory/atomics.h"

namespace warplens::simt::sass_machine {

/// Applies the pending sums of blocks, once all blocks before them are done.
class SumsInOrder {
 public:
  void add(uint64_t block, std::vector<PendingSum>* sums) {
    const std::lock_guard lock(mutex_);
    waiting_[block].swap(*sums);
    sums->clear();
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.begin()) {
      for (const PendingSum& sum : first->second) apply_sum(sum);
      waiting_.erase(first);
      ++next_;
    }
  }

 private:
  std::mutex mutex_;
  uint64_t next_ = 0;
  std::map<uint64_t, std::vector<PendingSum>> waiting_;
};

}  // namespace warplens::simt::sass_machine
