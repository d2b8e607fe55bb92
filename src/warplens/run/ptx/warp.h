// The state of running warps, blocks and clusters.
#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warplens/run/ptx/emulator.h"
#include "warplens/run/ptx/program.h"
#include "warplens/run/ptx/tensor_memory.h"

namespace warplens::simt::ptx_machine {

inline constexpr size_t kApart = 128;  // bytes: two lines of the cache, as processors fetch them in pairs

struct Cta;
struct Cluster;
struct Worker;
struct Grid;
struct WarpChecks;
struct CtaChecks;
class ThreadChecker;

struct FreeFrame {
  void operator()(uint8_t* frame) const { std::free(frame); }
};
/// Registers of one call of a function, 64-byte aligned, constants filled in.
using Frame = std::unique_ptr<uint8_t, FreeFrame>;

/// A call of a function by some lanes of a warp; the kernel itself is the first.
struct CallNode {
  CallNode* parent = nullptr;
  Frame frame;
  uint32_t function = 0, resume = kNoBlock, depth = 0;
  uint32_t local_base = 0;                             // of its variables in local memory
  uint32_t local_top = 0;                              // end of them, or of the lanes' highest after alloca
  std::unique_ptr<std::array<uint32_t, kLanes>> tops;  // of each lane, once one has called alloca
  uint32_t lanes = 0;                                  // that have not returned
  uint32_t call = 0;                                   // Program::calls
};

enum class SplitState : uint8_t {
  kReady,
  kLanes,     // at the end of its block, until other lanes come
  kBarrier,   // at the end of its block, until a barrier completes
  kCluster,   // the same, for the cluster's barrier
  kReleased,  // its wait is over: the operation at the end of its block is still to run
};

/// Lanes of a warp that go together.
struct Split {
  uint32_t mask = 0;
  uint32_t block = kNoBlock;
  CallNode* node = nullptr;
  SplitState state = SplitState::kReady;
  bool deferred = false;    // lets the others go first: it spins
  uint8_t barrier = 0;      // which, in state kBarrier
  uint32_t waited_for = 0;  // living lanes that it waited for, in state kLanes
};

struct Warp {
  // The members that handlers use.
  uint8_t* regs = nullptr;  // frame of the running split
  uint32_t mask = 0;        // lanes that the operation runs for
  uint32_t live = 0;        // lanes that have not exited
  Worker* worker = nullptr;
  InstructionCounts* rows = nullptr;  // counts of the worker; nullptr when not counting
  Range* ranges = nullptr;            // of the worker, by Op::range
  uint8_t* shared = nullptr;          // of the block
  uint64_t shared_bytes = 0;
  uint8_t* local = nullptr;  // word w of lane l at (w * 32 + l) * 4
  uint64_t local_bytes = 0;  // a thread
  Cta* cta = nullptr;
  CallNode* node = nullptr;
  const Program* program = nullptr;
  uint32_t index = 0;    // in the block
  uint32_t threads = 0;  // lanes that exist
  bool faulted = false;
  uint32_t spin = 0;       // grows while progress stalls
  bool gives_way = false;  // it saw a phase end: see run_mbarrier_wait
  struct FailedWait {
    uint32_t row = kNoRow, lane = 0;
    Address object = 0;
  } waits_for;  // the last wait for an mbarrier that was in vain, of this turn

  // The members that the scheduler uses.
  std::vector<Split> splits;
  uint32_t current = 0;
  uint64_t rival = 0;          // best rank among the other splits that are ready
  uint64_t cluster_phase = 0;  // of the cluster's barrier that it waits for
  std::vector<uint8_t> local_storage;
  std::vector<std::unique_ptr<CallNode>> nodes;
  std::array<uint32_t, 3 * kLanes> tid;
  uint64_t steps = 0;                  // basic blocks run
  uint32_t left_at_once = 0;           // lanes that exited without doing anything after a branch
  std::shared_ptr<WarpChecks> checks;  // see checks/checker.h

  // Never functions by themselves: lanes' sources of all instruction sets use them.
  template <typename T>
  __attribute__((always_inline)) T* lanes(uint32_t slot) {
    return reinterpret_cast<T*>(regs + slot);
  }
  __attribute__((always_inline)) uint32_t& predicate(uint32_t slot) {
    return *reinterpret_cast<uint32_t*>(regs + slot);
  }
};

inline constexpr uint32_t kNamedBarriers = 16;

/// One of the sixteen named barriers of a block, or where a warpgroup meets.
struct Barrier {
  uint32_t arrived = 0;   // threads, whole warps counting 32 when a count is given
  uint32_t expected = 0;  // 0: all threads
  uint32_t popc = 0;      // of bar.red
  bool all = true, any = false;
  uint32_t last_popc = 0;  // results of the phase that was completed last
  bool last_all = true, last_any = false;
};

/// A float reduction to be applied in block order.
struct PendingReduction {
  Address address;
  uint64_t value;
  uint8_t type;       // ptx::Type
  uint8_t operation;  // AtomicOp
};

struct Cta {
  Dim3 index{};  // ctaid
  uint64_t linear = 0;
  uint32_t rank = 0;  // in the cluster
  Cluster* cluster = nullptr;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<uint8_t> shared_storage;
  uint8_t* shared = nullptr;
  uint32_t threads = 0, exited = 0;
  uint32_t left_late = 0;                            // of those exited: not at once after a branch
  std::array<Barrier, kNamedBarriers + 8> barriers;  // the last: a warpgroup each
  std::unique_ptr<TensorMemory> tensor_memory;       // once it allocated some
  std::shared_ptr<CtaChecks> checks;
};

/// Blocks that run together: a cluster, or one block. The unit of scheduling.
struct Cluster {
  Grid* grid = nullptr;
  Worker* worker = nullptr;
  uint64_t linear = 0;
  Dim3 index{};
  std::vector<std::unique_ptr<Cta>> ctas;
  uint32_t barrier_arrived = 0;  // threads at barrier.cluster
  uint64_t barrier_phase = 0;
  std::vector<PendingReduction> reductions;
  std::string output;        // of printf
  uint64_t passes = 0;       // turns that its warps had
  uint64_t changes = 0;      // of mbarriers, and waits for them that succeeded
  uint32_t idle_passes = 0;  // in a row in which all warps waited for mbarriers in vain
};

/// Work that a finished cluster leaves to be applied in block order.
struct Leftovers {
  std::vector<PendingReduction> reductions;
  std::string output;
};

/// One launch.
struct Grid {
  const Program* program = nullptr;
  const Launch* config = nullptr;
  Module* module = nullptr;
  Memory* memory = nullptr;
  const gpu::Device* device = nullptr;
  int architecture = 0;
  Dim3 cluster{1, 1, 1};
  uint64_t clusters = 0;
  uint32_t threads_per_block = 0, warps_per_block = 0;
  uint64_t own_shared_bytes = 0;  // static and dynamic
  uint64_t shared_bytes = 0;      // the system's part too, for kernels that use it
  /// Where the system's part begins, after the kernel's own.
  uint64_t reserved_shared_begin() const { return allocated_shared_bytes(device->architecture(), own_shared_bytes); }
  std::vector<uint8_t> parameters;   // padded
  uint64_t workspace = 0;            // of cooperative grids
  ThreadChecker* checker = nullptr;  // if checks are requested
  uint64_t memory_version = 0;       // that the cached ranges are of, under checks
  std::vector<uint64_t> order;       // clusters in the order of their turns; empty: as numbered
  int64_t deadline_ns = 0;           // 0: none
  size_t workers = 1;
  // Data that workers write is apart from data that they only read: a write takes the line from the others' caches.
  alignas(kApart) std::atomic<uint64_t> next{0};  // the next cluster to take
  alignas(kApart) std::atomic<uint64_t> instructions{0};
  alignas(kApart) std::atomic<uint64_t> last_cluster{~uint64_t{0}};  // clusters after it stop: one before has faulted
  alignas(kApart) std::mutex mutex;                                  // of the following members
  std::optional<Fault> fault;
  uint64_t fault_cluster = ~uint64_t{0};
  std::map<uint64_t, Leftovers> finished;  // by cluster: those that wait for an earlier one
  uint64_t next_leftovers = 0;
  uint64_t blocks_told = 0;  // to Launch::progress
  std::string output;
};

/// Where the elements of a wmma fragment are in memory for one stride, and the cost of loading or storing it.
struct FragmentWalk {
  uint64_t key = ~uint64_t{0};    // the stride, and the other keys
  std::vector<uint32_t> offsets;  // bytes from the first element, at [place * 32 + lane]
  uint32_t end = 0;               // of the last element
  InstructionCounts cost;
};

/// One CPU thread of a launch.
struct alignas(kApart) Worker {
  Grid* grid = nullptr;
  uint64_t next = 0, end = 0;  // taken clusters that are not started
  uint64_t blocks_done = 0, blocks_told = 0;
  std::vector<InstructionCounts> rows;
  std::vector<uint64_t> block_runs, block_lanes;  // by Program::blocks
  std::vector<Range> ranges;
  std::vector<FragmentWalk> fragment_walks;     // by Program::matrices
  std::vector<std::vector<Frame>> free_frames;  // by function
  std::vector<std::unique_ptr<CallNode>> free_nodes;
  std::vector<std::unique_ptr<Cluster>> free_clusters;
  uint64_t steps = 0, instructions = 0;  // basic blocks, warp instructions
  uint64_t reported = 0;                 // of the instructions, those added to Grid::instructions
  bool parallel = false;                 // other workers run: atomics must be atomic
};

enum class WarpStop : uint8_t { kDone, kBlocked, kSpinning, kGaveWay, kFaulted };
/// Runs a warp until it ends, waits, gives way, or seems to spin. `force`: lanes that wait for others continue without
/// them.
WarpStop run_warp(Warp& warp, bool force);
/// Whether any of its lanes could continue.
bool can_run(const Warp& warp);
/// Puts a warp at the kernel's entry.
void start_warp(Warp& warp);

/// Runs its blocks until all have ended (true), or all that remain spin or have faulted (false).
bool run_cluster(Cluster& cluster);

/// Stops the launch: the first fault in block order is the one reported.
void raise(Warp& warp, const Op& op, Fault::Kind kind, uint32_t lane, Address address, std::string message);

}  // namespace warplens::simt::ptx_machine
