// Instructions that order threads: barriers, fences with strong accesses, waits for asynchronous operations.
#pragma once
#include <array>
#include <bit>
#include <memory>
#include <unordered_map>

#include "warplens/simt/check_names.h"
#include "warplens/simt/checks/handover.h"
#include "warplens/simt/checks/shadow.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// The knowledge of a warp's threads. If only warps are compared, lane 0 represents all.
struct Knowledge {
  uint32_t number = 0;  // of the warp in the grid
  uint32_t clock = 1;
  std::array<LaneCounts, kLanes> met{};     // [i][j]: the clock at which i and j last met
  std::array<ClockPtr, kLanes> known;       // of others
  static constexpr size_t kWaits = 4;       // kCopy, kBulkRead, kBulkWrite, kMatrix
  std::array<LaneCounts, kWaits> waited{};  // of its own asynchronous operations
  uint32_t& waits(Agent agent, uint32_t lane) { return waited[static_cast<size_t>(agent) - 2][lane]; }
};

/// A fence of a warp: what its threads knew there.
struct Fence {
  Knowledge then;
  uint32_t lanes = 0;  // that asked last what to pass on, and the answer
  ClockPtr passed_on;
};

/// The effects of fences, earlier and later, pass through barriers. A fence, a barrier and another thread's strong
/// store pass on as much as the fence and the store of one thread.
struct WarpOrder : Knowledge {
  std::array<std::array<std::shared_ptr<Fence>, kLanes>, kLevels> released;  // at the last fence
  std::array<std::array<ClockPtr, kLanes>, kLevels> carried;  // of the fences of others, through barriers
  std::array<std::array<ClockPtr, kLanes>, kLevels> pending;  // seen through strong loads, known after the next fence
};

/// The effect of a strong access.
struct Strong {
  bool loads = false, stores = false;
  bool acquires = false, releases = false;  // without a fence beside it
  uint32_t scope = kBlockLevel;             // a Level
};

class Order {
 public:
  explicit Order(Precision precision) : precision_(precision) {}

  /// True if the work of `before` is known to `lane`; `fenced`: and carried past the proxy of asynchronous operations.
  /// `strong`: to a strong read, which comes after the strong reads before it and needs no fence: it passes by the L1.
  bool ordered(const WarpOrder& mine, uint32_t lane, const AccessRecord& before, bool fenced, bool strong) const;
  /// The knowledge that these lanes pass to those who leave a barrier.
  Gathered arrive(WarpOrder* who, uint32_t lanes) const;
  void take(WarpOrder* who, const Gathered& from, uint32_t lanes) const;
  /// Lanes of one warp meet, as at bar.warp.sync.
  void meet(WarpOrder* who, uint32_t lanes) const;
  void fence(WarpOrder* who, uint32_t lanes, uint32_t level) const;
  void fence_proxy(WarpOrder* who, uint32_t lanes) const;
  /// A strong access passes on the knowledge of the last fence, and gives the next one the knowledge of others.
  void synchronise(WarpOrder* who, uint32_t lane, BlockNumbers block, const Strong& access,
                   std::unordered_map<Address, SyncObject>* objects, Address at) const;

 private:
  uint32_t apart(uint32_t lanes) const { return precision_ == Precision::kThread ? lanes : lanes != 0; }
  ClockPtr published(const Knowledge& who, uint32_t lanes) const;
  ClockPtr passed_on(const WarpOrder& who, uint32_t level, uint32_t lanes) const;
  Gathered given(const WarpOrder& who, uint32_t lanes) const;
  static void learn(Knowledge* who, const ClockPtr& clock, uint32_t lanes);

  Precision precision_;
};

}  // namespace warplens::simt
