// A machine instruction made ready to run, and the state of the warp it runs on.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warplens/run/sass/counting/atomic_tally.h"
#include "warplens/run/sass/counting/clock.h"
#include "warplens/run/sass/counting/l1.h"
#include "warplens/run/sass/counting/line_state.h"
#include "warplens/run/sass/counting/open_writes.h"
#include "warplens/run/sass/counting/remote_counts.h"
#include "warplens/run/sass/counting/touches.h"
#include "warplens/run/sass/instruction_set.h"
#include "warplens/run/sass/native.h"
#include "warplens/run/sass/stop.h"
#include "warplens/simt/counts.h"
#include "warplens/simt/launch.h"
#include "warplens/simt/memory/memory.h"
#include "warplens/simt/requests/request.h"
#include "warplens/simt/requests/sample.h"

namespace warplens::simt::sass_machine {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAll = 0xffffffffu;
inline constexpr uint32_t kRegisterZero = 255;
inline constexpr int kPredicates = 16;  // 0..7 P, 8..15 UP; 7 and 15 are true
inline constexpr int kUniformPredicates = 8;

struct Warp;
struct Op;
/// Runs `op` on the lanes of `on`.
using Handler = void (*)(Warp& warp, const Op& op, uint32_t on);

/// Where 32 lanes of a source come from: a row of the warp's register file, or constant lanes.
struct Operand {
  const uint32_t* fixed = nullptr;  // two rows: low and high words
  uint32_t row = 0;
  bool negate = false, absolute = false;
  bool varies = false;  // `fixed` holds values of another launch
};

/// A predicate source; index 7 is true.
struct Guard {
  uint8_t index = 7;
  bool inverted = false;
};

/// A word for a register, independent of register contents: of all active lanes, and of those of `always`.
struct KnownRow {
  uint32_t row = 0, value = 0, always = 0;
  bool varies = false;  // from launch to launch
};

struct Op {
  Handler run = nullptr;
  const KnownRow* known = nullptr;  // instructions that only load constants: the effect of it and the next `more`
  uint32_t known_count = 0, more = 0;
  Native native = Native::kNone;
  bool plain = false;  // registers only: no guard, memory, branch or wait
  bool guarded = false;
  bool inexact = false;  // its result need not be the hardware's to the last bit
  bool ordered = false;  // its effect on device memory depends on the order of blocks
  bool sums = false;     // a floating-point reduction: its order among blocks is in the last bits
  bool timed = false;    // waits for others, or others wait for it
  bool reads_clock = false;
  uint32_t index = 0;   // in the code
  uint32_t access = 0;  // among the loads and stores that are translated
  Opcode opcode = Opcode::kUnknown;
  Word word;
  Operand a, b, c, d;
  uint32_t target = 0;         // row of the destination
  Guard guard, p, q, r;        // guard; sources at bits 87, 77 and 68
  uint8_t set0 = 7, set1 = 7;  // predicates written, bits 81 and 84
  uint8_t size_bytes = 0;      // of memory accesses
  uint8_t scale = 0;           // shift of a shared-memory address register
  bool sign_extend = false, uniform = false, flow = false;
  bool narrow = false;   // the address register is 32 bits wide
  uint8_t elements = 1;  // of an atomic: values of size_bytes at each address, in consecutive registers
  bool watched = false;  // its costliest request is kept
  bool fills = false;    // a copy that may lack bytes
  bool tests = false;    // a compare-and-swap that answers whether it swapped
  int64_t offset = 0;    // address offset or branch distance in bytes
  uint32_t mode = 0;     // the modifiers that the handler needs
};

struct Split {
  uint32_t pc = 0, lanes = 0;
  // The last three end by themselves once their wait is over: see asynchronous.h.
  enum class State : uint8_t { kReady, kSync, kWarpSync, kBarrier, kCluster, kPhase, kGrid } state = State::kReady;
  uint32_t wanted = 0;   // lanes that must arrive (kSync, kWarpSync)
  uint32_t barrier = 0;  // kSync, kBarrier: its number; kPhase: the mbarrier's address; others: the phase that ends
  bool parity = false;   // kPhase: of the phase that must end
};

struct Block;
struct Tally;
struct BlockChecks;
struct Cluster;
struct LanePattern;

/// A branch that all active lanes of a warp took together, in translated code: how often, and how many lanes in all.
struct TakenBranch {
  uint64_t times = 0, lanes = 0;
};

/// Requests that translated code counts by itself: consecutive lanes, and loads from one address. To shared memory, it
/// counts all of them; to device memory, loads of lines that were read before, and of rows that begin with one.
struct SimpleRequests {
  struct Kind {
    uint64_t times = 0, lanes = 0;
  } runs, ones;
};
/// The passes of shared memory that such a request takes.
inline uint32_t passes_together(simt::Shape shape, uint32_t size_bytes) {
  if (shape == simt::Shape::kOne) return size_bytes < 16 ? 1 : 2;
  return size_bytes < 8 ? 1 : size_bytes / 4;
}

/// The lines of device memory that one takes, where a row begins with a line.
inline uint32_t lines_together(simt::Shape shape, uint32_t size_bytes) {
  return shape == simt::Shape::kOne ? 1 : size_bytes / 4;
}
/// The cycles of L1 that it takes: 128 bytes of answers each, even if lanes share them.
inline uint32_t turns_together(uint32_t size_bytes) { return size_bytes < 8 ? 1 : size_bytes / 4; }
inline bool is_global(const Op& op) { return op.native == Native::kLoadGlobal || op.native == Native::kStoreGlobal; }

struct alignas(64) Lanes {
  uint32_t value[kLanes];
};

struct alignas(64) Warp {
  uint32_t* rows = nullptr;  // register rows of 32 lanes, 64-byte aligned; none before it runs and once it has ended
  uint32_t zero = 0, trash = 0, uniform = 0;  // first rows of zeros, of discarded results, of uniform registers
  std::array<uint32_t, kPredicates> predicates{};
  std::array<std::array<uint32_t, kLanes>, 16> sync_lanes{};  // convergence barriers, a mask a lane
  std::vector<Split> splits;
  size_t current = 0;             // split that runs
  bool yields = false;            // its turn is over
  bool stays = false;             // a branch-like instruction left all lanes where they are
  uint32_t live = 0, active = 0;  // lanes not exited; lanes of the current split
  uint32_t yielded = 0;           // lanes that gave way since they came into the region they are in
  uint32_t pc = 0, next = 0;
  uint32_t stopped_lane = kLanes;  // that stopped the run, where it is known
  uint32_t index = 0;              // in the block
  std::array<Lanes, 3> thread;     // threadIdx
  Block* block = nullptr;
  Clock* clock = nullptr;
  simt::InstructionCounts* count = nullptr;   // row of the instruction that runs
  simt::InstructionCounts* counts = nullptr;  // the first row; set where the code is translated, as are the next three
  TakenBranch* taken = nullptr;               // by Op::index, as is the next
  SimpleRequests* simple_requests = nullptr;
  LanePattern* patterns = nullptr;  // by Op::access
  uint64_t extra_cycles = 0;        // the instruction's time beyond its latency
  uint32_t line_doublings = 0;      // of the requested lines: 32 are 5
  bool traced = false;              // the cache model sees its loads
  bool close_by = false;            // it loads the launch's own writes: L1 has them
  uint8_t* shared = nullptr;        // the block's
  uint32_t shared_bytes = 0;
  uint32_t rank_bits = 0;                   // of the block in its cluster, as shared addresses have them
  std::span<uint8_t> local;                 // 32 * local bytes, word-interleaved as the hardware lays it out
  std::array<Lanes, 2> kept;                // the register Rpc: low and high words
  uint32_t reduced_at = 0, reduced_by = 0;  // the barrier of the last reduction, and which one it was
  uint32_t at_cluster = 0;                  // lanes that have arrived at the cluster's barrier
  uint32_t cluster_phase = 0;               // of the barrier when they did

  /// One that runs: lanes that wait elsewhere may hold an older value of a warp-wide register.
  size_t some_lane() const { return static_cast<size_t>(std::countr_zero(active)); }
  uint32_t* row(uint32_t index_) { return rows + index_ * kLanes; }
  const uint32_t* in(const Operand& o) const { return o.fixed ? o.fixed : rows + o.row * kLanes; }
  uint32_t value(const Guard& g) const { return g.inverted ? ~predicates[g.index] : predicates[g.index]; }
  void set(uint8_t index_, uint32_t lanes, uint32_t on) {
    if ((index_ & 7) != 7) predicates[index_] = (predicates[index_] & ~on) | (lanes & on);
  }
};

struct Run;

/// The allocation that an instruction's lanes went to last, and where the first of them did.
struct Reach {
  uint64_t begin = ~uint64_t{0}, end = 0, last = 0;
  size_t allocation = 0;
  Lines lines;  // the allocation's, in a launch that is counted
};

/// A floating-point reduction that waits for those of earlier blocks.
struct PendingSum {
  uint8_t* home;
  const Op* op;
  uint64_t value;
};

/// The large things that a block needs: see recycled.h.
struct BlockMemory {
  std::vector<uint8_t> shared;    // with the reserved kilobyte in front
  std::vector<uint8_t> local;     // of all warps
  std::vector<uint32_t> storage;  // register rows
  std::vector<Reach> reach;       // by Op::index
  size_t bytes() const { return shared.size() + local.size() + 4 * storage.size() + sizeof(Reach) * reach.size(); }
};

struct Block : BlockMemory {
  Run* run = nullptr;
  Cluster* cluster = nullptr;
  uint32_t rank = 0;  // in the cluster
  std::array<uint32_t, 3> index{};
  std::vector<Warp> warps;
  std::vector<uint32_t*> free_rows;  // one warp after another takes the same while they are in the CPU's cache
  struct Barrier {
    uint32_t arrived = 0, expected = 0;     // threads
    uint32_t yes = 0, asked = 0;            // threads, of a reduction
    uint32_t last_yes = 0, last_asked = 0;  // of the one that ended last
  };
  std::array<Barrier, 16> barriers{};
  uint32_t begun_barriers = 0;   // a bit each: threads have arrived
  uint32_t live_warps = 0;       // that have not ended
  Tally* counts = nullptr;       // of the CPU thread that runs it
  std::vector<Clock> clocks;     // parallel to warps
  uint64_t wave = 0;             // of blocks that the GPU holds at once
  Touches touches;               // of device memory
  uint64_t cache_lines = 0;      // distinct 128-byte lines, summed over requests to global memory
  uint64_t partial_sectors = 0;  // sectors that stores wrote in part
  OpenWrites open_writes;        // of those
  AtomicTally atomics;
  RemoteCounts remote;
  bool polled = false;                      // a warp looked for the end of a phase in vain
  std::vector<simt::AccessSample> samples;  // the costliest request of each watched instruction
  bool inexact = false;                     // something happened that is not followed to the last bit
  size_t allocation = 0;                    // of device memory: the one that was found last
  bool log_sums = false;                    // keep floating-point reductions, to be done in the order of blocks
  std::vector<PendingSum> pending_sums;
  L1Trace* trace = nullptr;       // of a block whose loads the cache model sees
  std::string output;             // of printf
  BlockChecks* checks = nullptr;  // on request
  Stop let_pass;                  // see MachineCounts
  Stop stop;
  void fail(Stop::Kind kind, std::string reason) {
    if (stop.kind == Stop::Kind::kNone) stop = {.kind = kind, .reason = std::move(reason)};
  }
};

}  // namespace warplens::simt::sass_machine
