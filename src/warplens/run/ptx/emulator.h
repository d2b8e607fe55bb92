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
#include "warplens/simt/launch.h"

namespace warplens::simt::ptx_machine {

struct Program;
struct ModuleSymbols;

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

/// Runs a kernel to its end. Errors are of the request (no such kernel, wrong parameter size, too many threads, an
/// instruction of the kernel that cannot be executed is a Fault only when reached); what the kernel does wrong is in
/// LaunchResult::fault.
Result<LaunchResult> launch(Module& module, std::string_view kernel, const LaunchConfig& config);

}  // namespace warplens::simt::ptx_machine
