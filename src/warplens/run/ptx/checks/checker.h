// Checks of a launch: bounds, initialisation, races, synchronisation. Decoding puts run_checked before every memory
// operation when one is asked for; nothing here runs otherwise.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "warplens/run/ptx/warp.h"
#include "warplens/simt/checks/check_log.h"
#include "warplens/simt/checks/handover.h"

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

/// What the threads of a warp know.
struct Knowledge {
  uint32_t number = 0;  // in the grid
  uint32_t clock = 1;
  std::array<LaneCounts, kLanes> met{};     // [i][j]: the clock at which i and j last met
  std::array<ClockPtr, kLanes> known;       // of others
  static constexpr size_t kWaits = 4;       // kCopy, kBulkRead, kBulkWrite, kMatrix
  std::array<LaneCounts, kWaits> waited{};  // of its own asynchronous operations
  uint32_t& waits(Agent agent, uint32_t lane) { return waited[static_cast<size_t>(agent) - 2][lane]; }
};

/// A register that an unfinished wgmma works on, or a copy of one.
struct RegisterInUse {
  uint32_t clock = 0, row = 0;  // the agent's count, the instruction
  uint32_t origin = 0;          // its slot, of a copy the slot of what it is a copy of
  bool of_a = false, copy = false;
};

/// A bulk copy that reads shared memory, until its thread has waited for it.
struct BulkRead {
  uint32_t lane = 0, clock = 0, row = 0;
  Address at = 0;
  bool same(const BulkRead& other) const { return lane == other.lane && clock == other.clock && row == other.row; }
};

/// What the checks keep of a warp. What fences saw and will see goes along with barriers: a fence, a barrier and
/// another thread's strong store pass on as much as the fence and the store of one thread.
struct WarpChecks : Knowledge {
  std::array<std::array<std::shared_ptr<const Knowledge>, kLanes>, kLevels> released;  // at the last fence
  std::array<std::array<ClockPtr, kLanes>, kLevels> carried;  // of the fences of others, through barriers
  std::array<std::array<ClockPtr, kLanes>, kLevels> pending;  // seen through strong loads, known after the next fence
  std::array<AsyncGroups, kLanes> copies, bulk;
  AsyncGroups matrices;
  uint32_t at_cluster = 0;                // lanes that arrived at the cluster's barrier and did not wait yet
  std::array<uint32_t, 16> at_barrier{};  // lanes that lived when the first of them came to a barrier
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

/// What the checks keep of a block.
struct CtaChecks {
  std::vector<ShadowWord> words;  // of shared memory
  std::vector<uint8_t> written;   // by byte of shared memory
  std::array<Gathered, 16> barriers;
  std::array<uint32_t, 16> rows{};  // the instruction of the first to arrive at each
  std::unordered_map<Address, SyncObject> objects;
  std::map<const void*, CheckedMbarrier> mbarriers;
};

/// An access by a lane, or by what works for it.
struct Touch {
  uint32_t lane = 0;
  uint32_t lanes = 0;  // that share it; 0: `lane` alone
  uint32_t alike = 0;  // lanes that read the same each for itself, `lane` the first of them; 0: no other does
  Address at = 0;      // generic, or of `space`
  ptx::Space space = ptx::Space::kGeneric;
  uint64_t size_bytes = 0;
  uint32_t alignment = 1;
  bool reads = false, writes = false;
  bool strong = false, wide = false, same_value = false;
  uint8_t unread = 0;  // elements of `element_bytes` bytes that nothing will use
  uint8_t element_bytes = 1;
  Agent agent = Agent::kThread;
  uint32_t number = 0, clock = 0;   // of the agent, unless it is the thread
  bool asynchronous_proxy = false;  // reads past what ordinary stores wrote without fence.proxy.async
};

class Checker {
 public:
  explicit Checker(Grid& grid);

  void start_block(Cta& cta);
  /// Lanes of `mask` whose access may go on; reports what is wrong with the others, and races and unwritten bytes.
  uint32_t access(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);
  /// The same for one access; false when it may not go on.
  bool touch(Warp& w, const Op& op, const Touch& touch);

  // What orders threads.
  void fence(Warp& w, uint32_t level);
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
  void wait(Warp& w, Agent agent, uint32_t pending);  // all but so many groups; ~0: what is not committed, too
  /// The agent's count for operations that start now.
  uint32_t open_count(const Warp& w, Agent agent, uint32_t lane) const;

  // Registers of wgmma.
  void matrix_registers(Warp& w, const Op& op, bool of_a, const uint32_t* slots, uint32_t count);
  void matrix_waited(Warp& w);
  void use_registers(Warp& w, const Op& op);

  // What is not done when threads and blocks end.
  void note_bulk_read(Warp& w, const Op& op, uint32_t lane, uint32_t clock, Address at);
  void note_load(Warp& w, const Op& op, uint32_t lane, const void* object);
  void threads_end(Warp& w, uint32_t lanes);

  // mbarriers. False: misused, and reported when synchronisation is checked.
  bool mbarrier_init(Warp& w, const Op& op, uint32_t lane, const void* object, uint32_t count);
  bool mbarrier_usable(Warp& w, const Op& op, uint32_t lane, const void* object);
  void mbarrier_drop(Warp& w, const void* object);
  /// `agent`: kCopy or kMatrix when what these do for the lanes must be done, too, and is then known; else kThread.
  void mbarrier_arrive(Warp& w, uint32_t lanes, const void* object, Agent agent);
  void mbarrier_complete(Warp& w, const void* object);
  void mbarrier_pass(Warp& w, uint32_t lanes, const void* object);
  void mbarrier_misused(Warp& w, const Op& op, uint32_t lane, const void* object, std::string what);
  /// Fills in who writes for a copy that completes on this mbarrier.
  void by_mbarrier(Warp& w, const void* object, Touch& touch);
  /// "at offset 16 of shared memory"
  std::string place_of_mbarrier(const Warp& w, const void* object) const;

  /// See CheckLog::report.
  size_t report(std::string_view id, Warp& w, const Op& op, uint32_t lane, std::string message, Address address,
                uint32_t size_bytes, const AccessRecord* other = nullptr);

  /// Takes back races of reads whose value nobody goes on with but a thread that is in order, or a compare-and-swap
  /// that confirms it.
  void finish();

  CheckLog log;

 private:
  /// Where an access goes: `cta` is null for global memory.
  struct Location {
    Cta* cta = nullptr;
    Address at = 0;
  };
  bool checks(uint8_t what) const { return (grid_.config->checks & what) != 0; }
  /// Whether one allocation holds what accesses of `size` bytes from `first` to `last` touch.
  bool in_one_range(Warp& w, const Op& op, Address first, Address last, uint32_t size, bool writes);
  /// Whether all lanes' accesses are sound by one look at all of them, as most are; what they write is noted then.
  bool sound_together(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask);
  bool locate(const Warp& w, const Touch& touch, Location& place) const;
  bool in_bounds(Warp& w, const Op& op, const Touch& touch, const Location& place);
  void note(Warp& w, const Op& op, const Touch& touch, const Location& place);
  bool local_access(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at);
  bool local_written(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at);
  /// False: it was reported.
  bool check_written(Warp& w, const Op& op, const Touch& touch, const Location& place);
  void check_race(Warp& w, const Op& op, const Touch& touch, const Location& place);
  void race_in_word(Warp& w, const Op& op, const Touch& touch, const Location& place, Address at,
                    const AccessRecord& mine, ShadowWord* word);
  void report_race(Warp& w, const Op& op, const Touch& touch, const Location& place, const AccessRecord& before,
                   bool wrote, bool fence_missing);
  bool ordered(const Warp& w, uint32_t lane, const AccessRecord& before, bool fenced) const;
  bool ordered(const Warp& w, const Touch& touch, const AccessRecord& before, bool fenced) const;
  bool stores_same(Warp& w, const Op& op, uint32_t lane, const Address* all, uint32_t done,
                   const Location& place) const;
  void synchronise(Warp& w, const AccessInfo& info, uint32_t lane, const Location& place);
  void acquire(Warp& w, const AccessInfo& info, uint32_t lane, const LevelClocks& seen);
  static ClockPtr published(const Knowledge& who, uint32_t lanes);
  static ClockPtr passed_on(const WarpChecks& who, uint32_t level, uint32_t lanes);
  Gathered given(const WarpChecks& who, uint32_t lanes) const;
  void take(Warp& w, const Gathered& from, uint32_t lanes);
  void learn(Warp& w, const ClockPtr& clock, uint32_t lanes);
  void report_register(Warp& w, const Op& op, const RegisterInUse& use, std::string_view verb);
  void copy_register(Warp& w, const Op& op, uint32_t from, uint32_t to);
  void report_loads(Warp& w, const void* object, const CheckedMbarrier& m);
  CheckedMbarrier* find_mbarrier(const Warp& w, const void* object);
  Cta* owner(const Warp& w, const void* object) const;
  ShadowWord& word_at(const Location& place, Address at);
  std::string describe(const Warp& w, const Location& place) const;

  /// The reads of a race, by row the threads of a block; `only`: no write raced with a write.
  struct RacingReads {
    bool only = true;
    std::map<uint32_t, std::vector<bool>> threads;
  };
  void note_racing_read(size_t report, Warp& w, const Op& op, uint32_t lane, bool writes, const AccessRecord& before,
                        bool wrote);
  bool nobody_minds(const RacingReads& reads) const;

  Grid& grid_;
  std::map<size_t, RacingReads> racing_reads_;  // by report
  std::vector<uint32_t> storing_;               // by row: see only_user
  std::unordered_map<Address, SyncObject> objects_;
  struct ClusterClocks {
    Gathered gathered, done;
  };
  std::map<uint64_t, ClusterClocks> clusters_;
  uint32_t mbarriers_ = 0;  // numbered so far
};

/// Shows an access to the observer and the checks, when there are any; gives the lanes that may go on.
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
/// A barrier that warps reach with other thread counts, or at other instructions when it is the whole block's.
void check_barrier(Warp& w, const Op& op, uint32_t barrier, uint32_t expected);
/// A barrier that completes without some lanes of a warp that others of it reached, or at another instruction for them,
/// or, when it is the whole block's, because threads went past it and ended.
void check_completion(Cta& cta, uint32_t barrier);

}  // namespace warplens::simt::ptx_machine
