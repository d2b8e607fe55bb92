// The counts of one launch per PTX instruction: raw numbers, before they become metrics.
#pragma once
#include <cstdint>
#include <vector>

namespace warplens::simt {

/// Sums over all warps of a launch, for one PTX instruction.
struct InstructionCounts {
  uint64_t executions = 0;             // warp instructions issued (a guarded one counts even when no lane is on)
  uint64_t active_threads = 0;         // sum of lanes active at issue
  uint64_t predicated_on_threads = 0;  // sum of lanes active and with a true guard

  // Memory instructions. A request is one warp instruction with at least one lane on.
  uint64_t requests = 0;
  uint64_t sectors = 0;           // distinct 32-byte segments a request touches (global, generic-to-global, local)
  uint64_t ideal_sectors = 0;     // the fewest that could hold the distinct bytes it touches
  uint64_t bytes = 0;             // lanes on * access size
  uint64_t wavefronts = 0;        // shared memory passes, by the banks (4-, 8- and 16-byte rules, ldmatrix)
  uint64_t ideal_wavefronts = 0;  // passes were there no conflicts
  uint64_t shared_requests = 0;   // of `requests`, those that went to shared memory (generic accesses may go anywhere)
  // For generic accesses: the part of the above to other memory than the device's.
  uint64_t generic_shared_bytes = 0;
  uint64_t generic_local_requests = 0, generic_local_sectors = 0, generic_local_ideal_sectors = 0,
           generic_local_bytes = 0;

  // Branches.
  uint64_t divergent_branches = 0;  // warp branches with lanes on both sides
  uint64_t taken_threads = 0;       // lanes that took the branch
  uint64_t divergent_threads = 0;   // lanes of divergent branches

  // Atomics and reductions, per request.
  uint64_t atomic_distinct_addresses = 0;  // distinct addresses, summed over requests
  uint64_t atomic_max_multiplicity = 0;    // the largest number of lanes on one address, summed over requests
  uint64_t atomic_sector_serial = 0;       // over sectors, the largest number of lanes on one address in it, summed

  void add(const InstructionCounts& other);
};

/// Which instruction a row of counts is of: indices into the PTX module.
struct InstructionPlace {
  uint32_t function = 0;     // ptx::Module::functions
  uint32_t instruction = 0;  // ptx::Function::instructions
};

/// Counts of one launch. `instructions` and `places` are parallel: the kernel's instructions in their order in the PTX
/// text, then those of every function that it may call.
struct LaunchCounts {
  std::vector<InstructionCounts> instructions;
  std::vector<InstructionPlace> places;
  uint64_t blocks = 0, warps = 0, threads = 0;
  uint64_t warp_instructions = 0;    // sum of executions
  uint64_t thread_instructions = 0;  // sum of predicated_on_threads; 0 of a launch that was not counted
};

}  // namespace warplens::simt
