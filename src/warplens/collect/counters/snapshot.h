// Copies of device memory, to run a launch again from its initial state.
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

  /// 0 if taking the memory would leave the program less than half of the free memory.
  uint64_t take(size_t bytes);
  void give_back(uint64_t address);
  /// Frees memory that is not in use.
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

/// The contents of regions of memory at one moment.
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

/// Evicts the lines of earlier launches from the caches. Reads twice the size of the L2 cache and writes almost
/// nothing, so the next launch runs without write-backs of old lines.
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
