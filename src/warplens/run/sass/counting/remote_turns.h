// How requests of a cluster's blocks meet at one of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace warplens::simt::sass_machine {

/// Warps of a cluster leave its barrier together, so the first requests of all of them meet, then the second ones. A
/// block's connection answers one sector after another: the block that most of a turn's sectors go to holds up the
/// turn.
class RemoteTurns {
 public:
  /// The next request of this warp.
  uint64_t next(const void* warp) { return turn_of_[warp]++ % kTurns; }
  /// In this turn, so many sectors of a block's shared memory.
  void add(uint64_t turn, uint32_t rank, uint64_t sectors) {
    if (turn >= turns_.size()) turns_.resize(turn + 1);
    if (rank >= turns_[turn].size()) turns_[turn].resize(rank + 1);
    turns_[turn][rank] += sectors;
  }
  /// The sectors of so many blocks, if all had as many in each turn as the block with the most; the barrier opens.
  uint64_t take(uint64_t blocks) {
    uint64_t sum = 0;
    for (const std::vector<uint64_t>& of_ranks : turns_) {
      if (!of_ranks.empty()) sum += blocks * *std::max_element(of_ranks.begin(), of_ranks.end());
    }
    turns_.clear(), turn_of_.clear();
    return sum;
  }

 private:
  static constexpr uint64_t kTurns = 4096;  // later ones count with the first: memory stays bounded
  std::map<const void*, uint64_t> turn_of_;
  std::vector<std::vector<uint64_t>> turns_;
};

}  // namespace warplens::simt::sass_machine
