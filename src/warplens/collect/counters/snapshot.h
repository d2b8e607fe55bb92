// Copies of memory on the device, to run a launch again from what it began with.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/memory_map.h"

namespace warplens::cupti {

/// Memory on the device of the current context, kept for the next snapshots once it is given back.
class SnapshotRoom {
 public:
  SnapshotRoom() = default;
  SnapshotRoom(const SnapshotRoom&) = delete;
  SnapshotRoom& operator=(const SnapshotRoom&) = delete;

  /// 0 where taking so much would leave the program less than half of what is free now.
  uint64_t take(size_t bytes);
  void give_back(uint64_t address);
  /// Frees what is not taken.
  void release();
  size_t bytes() const { return bytes_; }

 private:
  struct Block {
    uint64_t address = 0;
    size_t bytes = 0;
    bool taken = false;
  };
  std::vector<Block> blocks_;
  size_t bytes_ = 0;
};

/// What regions of memory held at one moment.
class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(Snapshot&& other) noexcept;
  Snapshot& operator=(Snapshot&&) = delete;
  ~Snapshot();

  /// False where there is no room, or a region cannot be copied. All that the device was given must have ended.
  bool save(SnapshotRoom* room, std::vector<Region> regions);
  /// Puts everything back, without waiting for it to be there.
  bool restore() const;

 private:
  SnapshotRoom* room_ = nullptr;
  std::vector<Region> regions_;
  uint64_t copy_ = 0;
};

/// Empties the caches of what launches before left in them: reads twice what the L2 cache holds, and writes next to
/// nothing, so that no lines are left to be written while the next launch runs.
class CacheFlusher {
 public:
  /// False where there is no memory for it.
  bool flush();
  void release();

 private:
  uint64_t scratch_ = 0;
  size_t bytes_ = 0;
};

}  // namespace warplens::cupti
