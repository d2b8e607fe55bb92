// Vector clocks: a thread's knowledge of the others. Each warp counts the times that one of its threads published its
// work. An access happens before another if the second thread knows a count of the first that is not below the one at
// the access. Asynchronous work of a thread has counts of its own.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "warplens/simt/lanes/values.h"

namespace warplens::simt {

using LaneCounts = std::array<uint32_t, kLanes>;

/// The owner of the counts in an entry of a clock. All but kMbarrier are numbered by the warp in the grid.
enum class Agent : uint8_t {
  kThread,     // the threads of a warp
  kFenced,     // the same counts, if a fence.proxy.async carried them to asynchronous copies
  kCopy,       // cp.async: by commit, known to those who waited
  kBulkRead,   // bulk copies in groups: their reads
  kBulkWrite,  // and their writes
  kMatrix,     // wgmma's reads: by group
  kMbarrier,   // bulk copies that complete on an mbarrier, numbered by mbarrier: by phase
};

using Actor = uint64_t;
inline Actor actor(Agent agent, uint32_t number) { return uint64_t{static_cast<uint8_t>(agent)} << 32 | number; }

class Clock {
 public:
  /// The count known of a lane (of the agent's); 0: none.
  uint32_t at(Actor actor, uint32_t lane) const;
  void raise(Actor actor, uint32_t count);
  void raise(Actor actor, const LaneCounts& counts);
  void join(const Clock& other);
  bool covers(const Clock& other) const;
  /// Raises kFenced counts to those of kThread.
  void fence_proxy();

 private:
  struct Entry {
    Actor actor;
    uint32_t all = 0;                         // at least this much of every lane
    std::shared_ptr<const LaneCounts> lanes;  // more of some; nullptr: of none
    uint32_t of(uint32_t lane) const { return lanes && (*lanes)[lane] > all ? (*lanes)[lane] : all; }
    bool covers(const Entry& other) const;
    void join(const Entry& other);
  };
  Entry& entry(Actor actor);

  std::vector<Entry> entries_;  // by actor
};

/// Clocks do not change once others have them.
using ClockPtr = std::shared_ptr<const Clock>;
/// The maximum of both; nullptr is empty.
ClockPtr joined(const ClockPtr& a, const ClockPtr& b);

}  // namespace warplens::simt
