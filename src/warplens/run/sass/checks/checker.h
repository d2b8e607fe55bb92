// Checks of a launch of machine code: bounds, unwritten bytes, races between warps, barriers. Every instruction that
// touches memory or orders threads runs behind a handler of the checker's; where nothing is checked there is none.
//
// What machine code does not say is taken to be in order: threads of one warp (a compiler drops __syncwarp), loads
// after a strong load (whatever fences follow), asynchronous copies (done where they begin), and warps of a block that
// uses mbarriers.
#pragma once
#include <array>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "warplens/run/sass/machine.h"
#include "warplens/simt/checks/check_log.h"
#include "warplens/simt/checks/handover.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {

/// What a warp knows of others, and what its fences saw.
struct WarpKnowledge {
  uint32_t number = 0;  // in the grid
  uint32_t clock = 1;
  ClockPtr known;
  LevelClocks released;                    // at the last fence, its own or, through barriers, another's
  std::array<uint32_t, 16> at_barrier{};   // lanes that lived when the first thread of the block came to a barrier
  std::array<uint32_t, kLanes> left_at{};  // instructions at which lanes ended
};

struct BlockChecks {
  std::vector<WarpKnowledge> warps;
  std::vector<ShadowWord> words;  // of shared memory
  std::vector<uint8_t> written;   // by byte of shared memory
  std::array<Gathered, 16> barriers;
  std::array<uint32_t, 16> first_at{};  // the instruction of the first to arrive at each
  std::unordered_map<uint64_t, SyncObject> flags;
};

class Checker {
 public:
  Checker(const Run& run, const MachineLaunch& launch);

  /// Instructions of its own, in which it stands before those that it watches.
  std::span<const Op> watch(std::span<const Op> ops);
  Handler body(const Op& op) const { return bodies_[op.index]; }

  void start(Block& block);
  /// Lanes of `on` whose access may be made; reports what is wrong.
  uint32_t access(Warp& w, const Op& op, uint32_t on);

  // What orders threads.
  void fence(Warp& w, bool wide);
  /// Lanes of `on`: those that a predicate sends there.
  void arrive(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected);
  void complete(Block& block, uint32_t barrier);
  void arrive_in_cluster(Warp& w);
  void complete(Cluster& cluster);
  void arrive_in_grid(Warp& w);
  void complete_grid(std::span<const std::unique_ptr<Cluster>> clusters);
  /// Lanes that come to a WARPSYNC whose mask does not name them.
  void check_named(Warp& w, const Op& op, uint32_t on);
  void leave(Warp& w, const Op& op, uint32_t on);

  /// What was found goes to `out`.
  void finish(MachineCounts* out);

 private:
  /// What an instruction does to memory.
  struct Facts {
    uint32_t size_bytes = 0;  // of a lane
    bool watched = false, shared = false, generic = false, reads = false, writes = false;
    bool strong = false, wide = false, copies = false, matrices = false, answers = false;
  };
  /// Where an access goes; `block` is null for device memory.
  struct Location {
    Block* block = nullptr;
    uint64_t at = 0;
  };
  struct Touch {
    Location place;
    uint32_t lanes = 0, size_bytes = 0;  // that do the same; of each
    bool reads = false, writes = false, strong = false, wide = false, same_value = false;
    uint32_t lane() const { return static_cast<uint32_t>(std::countr_zero(lanes)); }
  };

  Facts facts_of(const Op& op) const;
  uint32_t access_lanes(Warp& w, const Op& op, const simt::Addresses& at, uint32_t on, uint32_t shared);
  uint32_t copy(Warp& w, const Op& op, uint32_t on);
  void touch(Warp& w, const Op& op, const Touch& touch);
  bool in_bounds(Warp& w, const Op& op, const Touch& touch);
  uint8_t* written_bytes(Warp& w, const Location& place) const;
  void check_written(Warp& w, const Op& op, const Touch& touch);
  void check_race(Warp& w, const Op& op, const Touch& touch);
  void check_same_lanes(Warp& w, const Op& op, uint32_t lane, uint32_t others, const Location& place);
  void check_arrival(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected);
  bool ordered(const WarpKnowledge& mine, const AccessRecord& before) const;
  void synchronise(Warp& w, const Touch& touch);
  std::string describe(const Warp& w, const Location& place) const;
  Place place_of(uint64_t block, uint32_t thread, uint32_t row) const;
  /// See CheckLog::report.
  size_t report(std::string_view id, const Warp& w, const Op& op, uint32_t lane, std::string message,
                const Location& place, uint32_t size_bytes, const AccessRecord* other = nullptr);
  void add_stop(std::string_view id, const Stop& stop);
  bool checks(Check kind) const { return (launch_.checks & kind) != 0; }

  const Run& run_;
  const MachineLaunch& launch_;
  uint64_t warps_per_block_;
  CheckLog log_;
  bool asynchronous_ = false;  // the kernel has mbarriers or bulk copies: see above
  std::vector<Op> ops_;
  std::vector<Handler> bodies_;    // of ops_, without the checker
  std::vector<Facts> facts_;       // parallel to ops_
  std::vector<uint8_t*> written_;  // of device memory: parallel to Run::allocations
  std::unordered_map<const Block*, BlockChecks> blocks_;
  std::map<const Cluster*, Gathered> clusters_;
  Gathered grid_;
  std::unordered_map<uint64_t, SyncObject> flags_;
};

}  // namespace warplens::simt::sass_machine
