// What threads that publish hand over to those who read it: through places of memory, and through barriers.
#pragma once
#include <array>
#include <cstdint>
#include <map>

#include "warplens/simt/checks/clock.h"

namespace warplens::simt {

/// How far a fence or an atomic reaches: threads of the block, of the cluster, of all.
enum Level : uint32_t { kBlockLevel, kClusterLevel, kWideLevel, kLevels };
using LevelClocks = std::array<ClockPtr, kLevels>;

/// A block and its cluster, by number.
struct BlockNumbers {
  uint64_t block, cluster;
};

/// What strong accesses left at a place for those who read it.
class SyncObject {
 public:
  /// What a thread of `who` learns of threads of each level.
  LevelClocks seen(BlockNumbers who) const;
  void release(BlockNumbers who, uint32_t level, const ClockPtr& clock);

 private:
  ClockPtr wide_;
  std::map<uint64_t, ClockPtr> blocks_, clusters_;  // what threads of these know through it
};

/// What those who have arrived at a barrier give to those who pass it. Fences go along: a fence, a barrier and another
/// thread's strong store pass on as much as the fence and the store of one thread.
struct Gathered {
  ClockPtr clock;
  LevelClocks released, pending;
  void join(const Gathered& other);
};

/// Raises each of `all` to what `more` knows.
void join_levels(LevelClocks* all, const LevelClocks& more);

}  // namespace warplens::simt
