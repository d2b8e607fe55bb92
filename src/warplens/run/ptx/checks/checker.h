// PTX under checks: what its instructions are to simt::Checker, and what PTX alone says: mbarriers, asynchronous
// groups, registers of wgmma, local memory. Decoding puts run_checked before every memory operation when a check is
// asked for; nothing here runs otherwise.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "warplens/run/ptx/warp.h"
#include "warplens/simt/checks/checker.h"

namespace warplens::simt::ptx_machine {

/// Groups of asynchronous operations of a lane: counts of the agent at which they were committed.
struct AsyncGroups {
  uint32_t open = 1;
  std::vector<uint32_t> ends;
  /// Closes the open group.
  void commit();
  /// The count that is done when all but `pending` of the committed groups are.
  uint32_t done(uint32_t pending) const { return ends.size() > pending ? ends[ends.size() - 1 - pending] : 0; }
};

/// A register that an unfinished wgmma works on, or a copy of one.
struct RegisterInUse {
  uint32_t clock = 0, row = 0;  // the agent's count, the instruction
  uint32_t origin = 0;          // its slot; for a copy, the slot of its source
  bool of_a = false, copy = false;
};

/// A bulk copy that reads shared memory, until its thread has waited for it.
struct BulkRead {
  uint32_t lane = 0, clock = 0, row = 0;
  Address at = 0;
  bool same(const BulkRead& other) const { return lane == other.lane && clock == other.clock && row == other.row; }
};

/// The checks' state for a warp.
struct WarpChecks : CheckedWarp {
  std::array<AsyncGroups, kLanes> copies, bulk;
  AsyncGroups matrices;
  uint32_t at_cluster = 0;  // lanes that arrived at the cluster's barrier and did not wait yet
  std::unordered_map<uint64_t, RegisterInUse> in_use;  // by depth of the call and slot
  std::vector<BulkRead> bulk_reads;
  std::vector<uint8_t> local_written;  // [word * 32 + lane], a bit a byte: of the kernel's own frame
};

/// A copy that completes on an mbarrier.
struct TrackedLoad {
  uint32_t phase = 0, lane = 0, row = 0;
  Warp* warp = nullptr;
};

struct CheckedMbarrier {
  uint32_t number = 0, phase = 1;  // the phase at hand
  uint32_t passed = 0;             // the last one that a thread has waited for
  std::vector<TrackedLoad> loads;  // of phases after it
  Gathered gathered, done;         // from arrivals of this phase, and of those that are complete
};

/// The checks' state for a block.
struct CtaChecks : CheckedBlock {
  std::map<const void*, CheckedMbarrier> mbarriers;
};

/// An access at an address of a state space, generic or not.
struct Touch : simt::Touch {
  Address at = 0;
  ptx::Space space = ptx::Space::kGeneric;
};

/// Precise to the thread.
class ThreadChecker : public simt::Checker {
 public:
  explicit ThreadChecker(Grid& grid);

  void start_block(Cta& cta);
  /// Lanes of `mask` whose access may continue. Reports the errors of the others, and races and unwritten bytes.
  uint32_t access(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);
  /// The same for one access; false if it may not continue.
  bool touch(Warp& w, const Op& op, Touch touch);

  // Instructions that order threads.
  void fence_proxy(Warp& w);
  void arrive(Warp& w, const Op& op, uint32_t barrier);
  void pass(Warp& w, uint32_t barrier, uint32_t lanes);
  void complete(Cta& cta, uint32_t barrier);
  void meet(Warp& w, uint32_t lanes);  // bar.warp.sync
  void cluster_arrive(Warp& w);
  void cluster_complete(Cluster& cluster);
  void cluster_pass(Warp& w, const Op& op, uint32_t lanes);

  // Asynchronous operations.
  void commit(Warp& w, Agent agent);
  void wait(Warp& w, Agent agent, uint32_t pending);  // all but so many groups; ~0: uncommitted ones, too
  /// The agent's count for operations that start now.
  uint32_t open_count(const Warp& w, Agent agent, uint32_t lane) const;

  // Registers of wgmma.
  void matrix_registers(Warp& w, const Op& op, bool of_a, const uint32_t* slots, uint32_t count);
  void matrix_waited(Warp& w);
  void use_registers(Warp& w, const Op& op);

  // Work still pending when threads and blocks end.
  void note_bulk_read(Warp& w, const Op& op, uint32_t lane, uint32_t clock, Address at);
  void note_load(Warp& w, const Op& op, uint32_t lane, const void* object);
  void threads_end(Warp& w, uint32_t lanes);

  // mbarriers. False: misused, and reported when synchronisation is checked.
  bool mbarrier_init(Warp& w, const Op& op, uint32_t lane, const void* object, uint32_t count);
  bool mbarrier_usable(Warp& w, const Op& op, uint32_t lane, const void* object);
  void mbarrier_drop(Warp& w, const void* object);
  /// `agent`: kCopy or kMatrix if such work for the lanes must be done, too, and is then known; else kThread.
  void mbarrier_arrive(Warp& w, uint32_t lanes, const void* object, Agent agent);
  void mbarrier_complete(Warp& w, const void* object);
  void mbarrier_pass(Warp& w, uint32_t lanes, const void* object);
  void mbarrier_misused(Warp& w, const Op& op, uint32_t lane, const void* object, std::string what);
  /// Fills in the writer of a copy that completes on this mbarrier.
  void by_mbarrier(Warp& w, const void* object, Touch& touch);
  /// "at offset 16 of shared memory"
  std::string place_of_mbarrier(const Warp& w, const void* object) const;

  size_t report(std::string_view id, Warp& w, const Op& op, uint32_t lane, std::string message, Address address = 0,
                uint64_t size_bytes = 0, const AccessRecord* other = nullptr) {
    return simt::Checker::report(id, *w.checks, op.row, lane, std::move(message), address, size_bytes, other);
  }
  /// A barrier that warps reach with other thread counts, or at other instructions when it is the whole block's.
  void check_barrier(Warp& w, const Op& op, uint32_t barrier, uint32_t expected);

  /// Withdraws races of reads whose value only a thread uses that is in order, or a compare-and-swap that confirms it.
  void finish();

 private:
  /// True if one allocation holds all accesses of `size` bytes from `first` to `last`.
  bool in_one_range(Warp& w, const Op& op, Address first, Address last, uint32_t size, bool writes);
  /// True if one test proves all lanes' accesses sound, as most are; their writes are then recorded.
  bool sound_together(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);
  bool locate(const Warp& w, Touch* touch) const;
  bool in_bounds(Warp& w, const Op& op, const Touch& touch);
  void note(Warp& w, const Touch& touch);
  bool local_access(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at);
  bool local_written(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at);
  bool stores_same(Warp& w, const Op& op, const Address* all, uint32_t done, const Touch& touch) const;
  void report_register(Warp& w, const Op& op, const RegisterInUse& use, std::string_view verb);
  void copy_register(Warp& w, const Op& op, uint32_t from, uint32_t to);
  void report_loads(Warp& w, const void* object, const CheckedMbarrier& m);
  CheckedMbarrier* find_mbarrier(const Warp& w, const void* object);
  Cta* owner(const Warp& w, const void* object) const;

  /// The reads of a race, by row the threads of a block; `only`: no write raced with a write.
  struct RacingReads {
    bool only = true;
    std::map<uint32_t, std::vector<bool>> threads;
  };
  void raced(size_t report, const CheckedWarp& w, const simt::Touch& touch, const AccessRecord& before,
             bool wrote) override;
  bool nobody_minds(const RacingReads& reads) const;

  Grid& grid_;
  std::map<size_t, RacingReads> racing_reads_;  // by report
  std::vector<uint32_t> storing_;               // by row: see only_user
  std::map<uint64_t, Meeting> clusters_;
  uint32_t mbarriers_ = 0;  // numbered so far
};

/// Shows an access to the observer and the checks, if there are any; returns the lanes that may continue.
uint32_t examine(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);

/// Runs Op::body for the lanes whose access is sound.
void run_checked(Warp& w, const Op& op);
/// Op: a = first of the slots in Program::slots: b that are read, then c that are written; copies: a mov.
void run_register_check(Warp& w, const Op& op);
/// membar, fence: scope is the level that it reaches.
void run_fence(Warp& w, const Op& op);
void run_fence_proxy(Warp& w, const Op& op);
/// commit_group and wait_group of Op::agent; value = groups that may be pending, -1: wait_all.
void run_commit_group(Warp& w, const Op& op);
void run_wait_group(Warp& w, const Op& op);

/// A *.sync instruction run for `lanes` that names `members`: lanes not named, or named and gone elsewhere.
void check_members(Warp& w, const Op& op, uint32_t lanes, uint32_t members, uint32_t missing);
/// barrier.cluster.wait of lanes that did not arrive before.
void check_cluster_wait(Warp& w, const Op& op, uint32_t lanes);
/// A barrier that completes without some lanes of a warp whose other lanes reached it. They are at another instruction,
/// or, for a barrier of the whole block, went past it and ended.
void check_completion(Cta& cta, uint32_t barrier);

}  // namespace warplens::simt::ptx_machine
