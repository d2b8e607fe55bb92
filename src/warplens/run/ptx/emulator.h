// Runs PTX kernels on the CPU: load a module, launch a kernel of it, read what it counted.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/ptx/module.h"
#include "warplens/run/ptx/memory/memory.h"
#include "warplens/simt/counts.h"

namespace warplens::emulator {

struct Program;
struct ModuleSymbols;
using Dim3 = std::array<uint32_t, 3>;

/// A PTX module made ready to run: variables of the .global and .const spaces have memory, kernels are decoded when
/// first launched. Threads may not launch kernels of one Module at the same time.
class Module {
 public:
  /// Errors: an extern symbol without definition, an initialiser that cannot be resolved.
  /// `memory` must outlive the module.
  static Result<std::unique_ptr<Module>> load(std::shared_ptr<const ptx::Module> ptx, Memory& memory);
  ~Module();

  const ptx::Module& ptx() const { return *ptx_; }
  Memory& memory() const { return memory_; }

  /// Bytes of a .global or .const variable, for the host to read and write. Errors: no such symbol (with the nearest).
  struct Symbol {
    void* data;
    uint64_t size_bytes;
    bool names_functions = false;  // its initialiser holds addresses of functions
  };
  Result<Symbol> symbol(std::string_view name) const;
  std::optional<Symbol> find_symbol(std::string_view name) const;

  /// Names of the kernels, in the order of the file.
  std::vector<std::string> kernels() const;
  /// Errors: no such kernel, with the kernels there are.
  Result<const ptx::Function*> kernel(std::string_view name) const;

 private:
  friend struct Launcher;
  Module(std::shared_ptr<const ptx::Module> ptx, Memory& memory);
  std::shared_ptr<const ptx::Module> ptx_;
  Memory& memory_;
  std::unique_ptr<ModuleSymbols> symbols_;
  std::vector<Address> owned_;                      // allocations of its variables
  std::vector<std::unique_ptr<Program>> programs_;  // decoded kernels
};

/// One memory instruction of one warp, as an observer sees it.
struct AccessEvent {
  const ptx::Instruction* instruction;
  uint32_t index;          // row in LaunchCounts::instructions
  uint32_t block, warp;    // linear block, warp in block
  uint32_t mask;           // lanes on
  uint32_t size_bytes;     // per lane
  enum class Kind : uint8_t { kLoad, kStore, kAtomic } kind;
  enum class Space : uint8_t { kGlobal, kShared, kLocal } space;
  const Address* addresses;  // 32: global addresses, or offsets in the block's shared memory or a thread's local one
};

/// Sees every memory access in the order of this run (cache models). Blocks that run at the same time call it at the
/// same time; `order` of LaunchConfig says which blocks those are.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void access(const AccessEvent& event) = 0;
  virtual void block_begin(uint32_t /*block*/) {}
  virtual void block_end(uint32_t /*block*/) {}
};

enum Check : uint8_t { kCheckMemory = 1, kCheckRace = 2, kCheckInit = 4, kCheckSync = 8, kCheckAll = 15 };

/// The order in which blocks and warps get their turns.
struct Schedule {
  enum class Kind : uint8_t { kInOrder, kReversed, kRandom } kind = Kind::kInOrder;
  uint64_t seed = 1;
};

struct Progress {
  uint64_t blocks_done, blocks;
  uint64_t warp_instructions;
};

struct LaunchConfig {
  Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};  // cluster in blocks; {0,0,0} takes .reqnctapercluster
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;            // all blocks resident: grid barriers work
  std::vector<uint8_t> parameters;     // the parameter block: see ptx::Variable::offset, ptx::Function::parameter_bytes

  int architecture = 0;                // 90: behaviour that depends on it; 0: what the module targets
  uint32_t threads = 0;                // CPU threads; 0: default_threads()
  bool deterministic = true;           // same results and counts at any thread count and from run to run
  bool count = true;                   // fill LaunchResult::counts
  uint8_t checks = 0;                  // Check bits
  uint32_t max_reports = 100;          // distinct reports of checks that are kept (more are counted)
  Schedule schedule;
  uint64_t instruction_limit = 0;      // warp instructions; 0: none
  double timeout_s = 0;                // 0: none
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Progress&)> progress;  // called now and then, from one thread at a time
  std::function<void(std::string_view)> print;    // printf output as it comes; default: kept in LaunchResult::output
  Observer* observer = nullptr;
};

/// Where something happened in a kernel.
struct Place {
  std::string kernel;
  Dim3 block{}, thread{};
  uint32_t ptx_line = 0;               // in the PTX text, from 1; 0 unknown
  std::string function;                // the PTX function, when it is not the kernel
  std::string file;                    // source, from .loc; empty when the PTX has none
  uint32_t line = 0;
  std::string caller_file;             // the kernel's own line, when the code at `line` was inlined into it
  uint32_t caller_line = 0;
  uint32_t index = 0;                  // row in LaunchCounts::instructions
  /// "kernel 'k' block (0,0,0) thread (5,0,0) at k.cu:12 (PTX line 40)", "... at h.cuh:3, inlined at k.cu:12 (...)"
  std::string text() const;
};

/// What stopped a launch before its end.
struct Fault {
  enum class Kind : uint8_t {
    kIllegalAddress, kMisaligned, kTrap, kAssert, kDeadlock, kInstructionLimit, kTimeout, kCancelled, kUnsupported,
    kStackOverflow, kInvalid
  } kind;
  std::string message;                 // what, and what to do; without the place
  Place place;
  Address address = 0;
  /// message and place in one.
  std::string text() const;
};
std::string_view name(Fault::Kind kind);  // "illegal-address", ...

/// What --check found: one distinct defect, the first time it was seen, and how often after that.
struct Report {
  std::string id;                      // out-of-bounds, use-after-free, misaligned, uninitialised-read, race, ...
  std::string message;
  Place place;
  std::optional<Place> other;          // the other side of a race
  Address address = 0;
  uint32_t size_bytes = 0;
  uint64_t count = 1;                  // times seen (thread accesses)
};

struct LaunchResult {
  kernel::LaunchCounts counts;
  std::optional<Fault> fault;          // counts and memory are as they were when it happened
  std::vector<Report> reports;
  uint64_t reports_dropped = 0;        // distinct ones past max_reports
  std::string output;                  // of printf
  uint32_t registers_bytes = 0;        // emulated registers a warp
  uint64_t shared_bytes = 0;           // static and dynamic, a block
  uint64_t local_bytes = 0;            // static, a thread
  double seconds = 0;                  // wall clock, decoding included
  bool serialised = false;             // blocks ran one after another because the kernel depends on their order
};

/// Runs a kernel to its end. Errors are of the request (no such kernel, wrong parameter size, too many threads, an
/// instruction of the kernel that cannot be executed is a Fault only when reached); what the kernel does wrong is in
/// LaunchResult::fault.
Result<LaunchResult> launch(Module& module, std::string_view kernel, const LaunchConfig& config);

/// The instruction set that lanes run on here: "avx512", "avx2" or "baseline". WARPLENS_ISA chooses a lesser one.
std::string_view lane_isa();
/// Error: WARPLENS_ISA is none of them. Told when a module is loaded.
Status check_lane_isa();

}  // namespace warplens::emulator
