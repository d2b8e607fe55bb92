// The knowledge that publishing threads pass to reading threads: through places of memory, and through barriers.
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

/// The knowledge that strong accesses left at a place for its readers.
class SyncObject {
 public:
  /// The knowledge that a thread of `who` gains of threads of each level.
  LevelClocks seen(BlockNumbers who) const;
  void release(BlockNumbers who, uint32_t level, const ClockPtr& clock);

 private:
  ClockPtr wide_;
  std::map<uint64_t, ClockPtr> blocks_, clusters_;  // the knowledge of these threads through it
};

/// The knowledge that arrivals at a barrier pass to the threads that leave it. Fences are included: a fence, a barrier
/// and another thread's strong store pass on as much as the fence and the store of one thread.
struct Gathered {
  ClockPtr clock;
  LevelClocks released, pending;
  void join(const Gathered& other);
};

/// Raises each of `all` to at least `more`.
void join_levels(LevelClocks* all, const LevelClocks& more);

}  // namespace warplens::simt
