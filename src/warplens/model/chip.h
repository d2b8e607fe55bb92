// Constants that the model has for single chips. Other chips have the H200's.
#pragma once
#include "warplens/gpu/device.h"
#include "warplens/model/constants.h"

namespace warplens::model {

struct Chip {
  double launch_ns, dram_cycles;
};

/// Hopper with HBM3, in an H100 and its variants, has an L2 of 50 MB; with HBM3e, in an H200, of 60. A device that the
/// user describes keeps the L2 of its chip, at every clock and bandwidth.
inline Chip chip_of(const gpu::Device& device) {
  constexpr int kHbm3L2Mb = 50;
  const bool is_h100 = device.architecture().major == 9 && device.l2_mb <= kHbm3L2Mb;
  return is_h100 ? Chip{kH100LaunchNs, kHbm3Cycles} : Chip{kLaunchNs, kDramCycles};
}

}  // namespace warplens::model
