// Machine code under checks: what its instructions are to simt::Checker. Every instruction that touches memory or
// orders threads runs behind a handler of the checker's; where nothing is checked there is none.
//
// Anything that machine code does not show is assumed to be in order: threads of one warp (a compiler drops
// __syncwarp); loads after a strong load (with any fences after it); asynchronous copies (done when they begin); and
// warps of a block that uses mbarriers.
#pragma once
#include <array>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "warplens/run/sass/run.h"
#include "warplens/simt/checks/checker.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {

struct WarpChecks : CheckedWarp {
  std::array<uint32_t, kLanes> left_at{};  // instructions at which lanes ended
};

struct BlockChecks : CheckedBlock {
  std::vector<WarpChecks> warps;
};

/// Precise to the warp.
class WarpChecker : public simt::Checker {
 public:
  WarpChecker(const Run& run, const MachineLaunch& launch);

  /// Its own instructions, each before an instruction that it watches.
  std::span<const Op> watch(std::span<const Op> ops);
  Handler body(const Op& op) const { return bodies_[op.index]; }

  void start(Block& block);
  /// Lanes of `on` whose access is allowed; reports the errors of the others.
  uint32_t access(Warp& w, const Op& op, uint32_t on);

  // Instructions that order threads.
  void fence(Warp& w, uint32_t on, bool wide);
  /// Lanes of `on`: those that a predicate sends there.
  void arrive(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected);
  void complete(Block& block, uint32_t barrier);
  void arrive_in_cluster(Warp& w);
  void complete(Cluster& cluster);
  void arrive_in_grid(Warp& w);
  void complete_grid(std::span<const std::unique_ptr<Cluster>> clusters);
  /// Lanes that reach a WARPSYNC whose mask does not name them.
  void check_named(Warp& w, const Op& op, uint32_t on);
  void leave(Warp& w, const Op& op, uint32_t on);

  /// The defects go to `out`.
  void finish(MachineCounts* out);

 private:
  /// The effect of an instruction on memory.
  struct Facts {
    uint32_t size_bytes = 0;  // of a lane
    bool watched = false, shared = false, generic = false, reads = false, writes = false;
    bool strong = false, wide = false, copies = false, matrices = false, answers = false;
  };
  Facts facts_of(const Op& op) const;
  uint32_t access_lanes(Warp& w, const Op& op, const simt::Addresses& at, uint32_t on, uint32_t shared);
  uint32_t copy(Warp& w, const Op& op, uint32_t on);
  void touch(Warp& w, const Touch& touch);
  bool in_bounds(Warp& w, const Touch& touch);
  uint8_t* written_bytes(Warp& w, const Touch& touch) const;
  void check_same_lanes(Warp& w, const Op& op, uint32_t others, const Touch& touch);
  void pass(const Meeting& meeting, Cluster& cluster) const;
  void check_arrival(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected);
  Place place_of(uint64_t block, uint32_t thread, uint32_t row) const;
  void add_stop(std::string_view id, const Stop& stop);

  const Run& run_;
  const MachineLaunch& launch_;
  uint64_t warps_per_block_;
  bool asynchronous_ = false;  // the kernel has mbarriers or bulk copies: see above
  std::vector<Op> ops_;
  std::vector<Handler> bodies_;    // of ops_, without the checker
  std::vector<Facts> facts_;       // parallel to ops_
  std::vector<uint8_t*> written_;  // of device memory: parallel to Run::allocations
  std::unordered_map<const Block*, BlockChecks> blocks_;
  std::map<uint64_t, Meeting> clusters_;  // by number
  Meeting grid_;
};

}  // namespace warplens::simt::sass_machine
