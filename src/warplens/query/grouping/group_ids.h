// Numbers for the groups that rows fall into.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace warplens::query {

/// Numbers for pairs of (a number so far, a key), in the order in which they are first seen.
class GroupIds {
 public:
  /// Replaces each of `ids` by the number of (it, its key).
  void refine(std::span<const int64_t> keys, std::span<uint32_t> ids);
  uint32_t count() const { return count_; }

 private:
  struct Slot {
    int64_t key;
    uint32_t before, id;  // id + 1; 0: free
  };
  uint32_t find(int64_t key, uint32_t before);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  uint32_t count_ = 0;
  std::vector<uint32_t> dense_;  // small keys of the group 0: id + 1
};

}  // namespace warplens::query
