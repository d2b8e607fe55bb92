// The driver's preparation of a launch: constant bank 0, the parameters in memory, the barrier of a cooperative grid.
#pragma once
#include <vector>

#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {

/// A block's shared memory, with the system's part, in the GPU's allocation units.
uint32_t shared_bytes_in_all(const Program& program, const MachineLaunch& launch);

class LaunchState {
 public:
  LaunchState() = default;
  LaunchState(const LaunchState&) = delete;  // bank 0 holds addresses in it
  LaunchState& operator=(const LaunchState&) = delete;

  /// Errors: a cluster or a cooperative grid that this architecture, or the launch's size, does not allow.
  Status prepare(const Program& program, const MachineLaunch& launch, uint32_t local_bytes);

  ConstantBanks constants;
  simt::Allocation constant_memory() const;  // as the launch has it; empty: the kernel knows no such variables
  simt::Allocation parameters() const;
  simt::Allocation grid_barrier() const;

 private:
  std::vector<uint8_t> parameters_;
  uint64_t parameters_at_ = 0;
  std::vector<uint64_t> grid_barrier_;
};

}  // namespace warplens::simt::sass_machine
