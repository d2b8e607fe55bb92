// A kernel's instructions, ready to run: decoded, and translated if this computer can. Making them takes longer than a
// small launch, so they are kept from launch to launch. Only the parts that launches change are filled in anew.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "warplens/run/sass/code_cache.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/launch_state.h"
#include "warplens/run/sass/run.h"
#include "warplens/run/sass/translation/translation.h"

namespace warplens::simt::sass_machine {

/// Bytes of local memory that a thread has.
uint32_t local_bytes_of(const Program& program);

struct ReadyCode {
  LaunchState state;
  std::optional<Decoder> decoder;             // owns the objects that the ops point at
  std::vector<Op> ops;                        // and one that stops execution past the end
  std::vector<Schedule> schedules;            // parallel to ops, and one more
  uint32_t accesses = 0;                      // of ops: see Op::access
  std::unique_ptr<Translation> translation;   // of ops; nullptr: they are interpreted
  std::vector<simt::Allocation> allocations;  // where loads and stores may go, by address
  struct AllocationsOf {
    const Memory* memory = nullptr;
    uint64_t version = 0, parameters_begin = 0, parameters_end = 0, grid_barrier = 0, constants = 0;
    bool operator==(const AllocationsOf&) const = default;
  } allocations_of;
  bool counted = true, waits_in_code = true;  // the second: warps may poll for others' work
};

}  // namespace warplens::simt::sass_machine
