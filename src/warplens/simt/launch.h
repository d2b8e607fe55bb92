// A launch of a kernel as input of either machine, and its result.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/gpu/launch_limits.h"
#include "warplens/simt/counts.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

using Dim3 = std::array<uint32_t, 3>;

enum Check : uint8_t { kCheckMemory = 1, kCheckRace = 2, kCheckInit = 4, kCheckSync = 8, kCheckAll = 15 };

/// The order in which blocks and warps get their turns.
struct Schedule {
  enum class Kind : uint8_t { kInOrder, kReversed, kRandom } kind = Kind::kInOrder;
  uint64_t seed = 1;
};

/// A kernel's demands on its GPU, from its code.
struct KernelDemands {
  uint32_t registers = 0;    // a thread; 0: not known
  uint32_t max_threads = 0;  // a block, by its launch bounds; 0: any
  uint64_t static_shared_bytes = 0;
};

struct Progress {
  uint64_t blocks_done, blocks;
  uint64_t warp_instructions;
};

/// One memory instruction of one warp, as an observer sees it.
struct AccessEvent {
  uint32_t index;        // row in LaunchCounts::instructions
  uint32_t block, warp;  // linear block, warp in block
  uint32_t mask;         // lanes on
  uint32_t size_bytes;   // per lane
  enum class Kind : uint8_t { kLoad, kStore, kAtomic } kind;
  enum class Space : uint8_t { kGlobal, kShared, kLocal } space;
  const Address* addresses;  // 32: global addresses, or offsets in the block's shared memory or a thread's local one
};

/// Sees every memory access in the order of this run (cache models). Blocks that run at the same time call it at the
/// same time; `schedule` of Launch says which blocks those are.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void access(const AccessEvent& event) = 0;
  virtual void block_begin(uint32_t /*block*/) {}
  virtual void block_end(uint32_t /*block*/) {}
};

/// The number of threads of a launch, and the shared memory of their blocks.
struct LaunchShape {
  Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};  // cluster in blocks; {0,0,0}: as the kernel demands
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // all blocks resident: grid barriers work
};

/// A launch, and how it is to be run.
struct Launch : LaunchShape {
  std::vector<uint8_t> parameters;  // the parameter block: see ptx::Variable::offset, ptx::Function::parameter_bytes

  int architecture = 0;                 // 90: behaviour that depends on it; 0: the module's target
  const gpu::Device* device = nullptr;  // the GPU to be, with its limits; nullptr: the best known of the architecture
  uint32_t threads = 0;                 // CPU threads; 0: default_threads()
  bool deterministic = true;            // same results and counts at any thread count and from run to run
  bool count = true;                    // fill LaunchResult::counts
  uint8_t checks = 0;                   // Check bits
  uint32_t max_reports = 100;           // distinct reports of checks that are kept (more are counted)
  Schedule schedule;
  uint64_t instruction_limit = 0;  // warp instructions, of machine code a block; 0: none
  double timeout_s = 0;            // 0: none
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Progress&)> progress;  // called now and then, from one thread at a time
  std::function<void(std::string_view)> print;    // gets printf output at once; default: kept in LaunchResult::output
  Observer* observer = nullptr;
};

/// The GPU that a launch of code for `architecture` runs as.
const gpu::Device& device_of(const Launch& launch, int architecture);

/// Every launch passes here, on either machine. `cluster`: as requested, or the kernel's own. Errors: the GPU refuses
/// it, by its own limits.
Status check_limits(const Launch& launch, const Dim3& cluster, const KernelDemands& demands, const gpu::Device& device);

/// Shared memory of a block, in the GPU's allocation units, without the system's part.
uint64_t allocated_shared_bytes(const gpu::Arch& arch, uint64_t own_bytes);

/// Where something happened in a kernel.
struct Place {
  std::string kernel;
  Dim3 block{}, thread{};
  uint32_t ptx_line = 0;  // in the PTX text, from 1; 0 unknown
  std::string function;   // the PTX function, when it is not the kernel
  std::string file;       // source, from .loc; empty if the PTX has none
  uint32_t line = 0;
  std::string caller_file;  // the kernel's own line, when the code at `line` was inlined into it
  uint32_t caller_line = 0;
  uint32_t index = 0;            // row in LaunchCounts::instructions
  bool is_machine_code = false;  // which then are the kernel's machine instructions
  /// "kernel 'k' block (0,0,0) thread (5,0,0) at k.cu:12 (PTX line 40)", "... at h.cuh:3, inlined at k.cu:12 (...)"
  std::string text() const;
};

/// Why a launch ended early, on either machine.
enum class FaultKind : uint8_t {
  kNone,
  kIllegalAddress,
  kMisaligned,
  kNoSuchBlock,  // an address of a block that the cluster lacks
  kTrap,
  kAssert,
  kDeadlock,
  kInstructionLimit,
  kTimeout,
  kCancelled,
  kUnsupported,
  kStackOverflow,
  kInvalid,
  kInvalidPc
};
std::string_view name(FaultKind kind);  // "illegal-address", ...

/// The fault that stopped a launch before its end.
struct Fault {
  using Kind = FaultKind;
  Kind kind;
  std::string message;  // cause and remedy; without the place
  Place place;
  Address address = 0;
  /// message and place in one.
  std::string text() const;
};

/// One distinct defect of --check: its first occurrence, and the number of later ones.
struct Report {
  std::string id;  // out-of-bounds, use-after-free, misaligned, uninitialised-read, race, ...
  std::string message;
  Place place;
  std::optional<Place> other;  // the other side of a race
  Address address = 0;
  uint32_t size_bytes = 0;
  uint64_t count = 1;  // times seen (thread accesses)
};

struct LaunchResult {
  LaunchCounts counts;
  std::optional<Fault> fault;  // counts and memory are as they were when it happened
  std::vector<Report> reports;
  uint64_t reports_dropped = 0;  // distinct ones past max_reports
  std::string output;            // of printf
  uint32_t registers_bytes = 0;  // emulated registers a warp
  uint64_t shared_bytes = 0;     // static and dynamic, a block
  uint64_t local_bytes = 0;      // static, a thread
  double seconds = 0;            // wall clock, decoding included
  bool serialised = false;       // blocks ran one after another because the kernel depends on their order
};

}  // namespace warplens::simt
