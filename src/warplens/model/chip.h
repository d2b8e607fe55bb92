// Constants that the model has for single chips. Other chips have the H200's.
#pragma once
#include "warplens/gpu/device.h"
#include "warplens/model/constants.h"

namespace warplens::model {

struct Chip {
  double launch_ns, dram_cycles;
  double cluster_barrier_cycles, cluster_barrier_warp_cycles;
};

/// Hopper with HBM3, in an H100 and its variants, has an L2 of 50 MB; with HBM3e, in an H200, of 60. A device that the
/// user describes keeps the L2 of its chip, at every clock and bandwidth.
inline Chip chip_of(const gpu::Device& device) {
  constexpr int kHbm3L2Mb = 50;
  const bool is_h100 = device.architecture().major == 9 && device.l2_mb <= kHbm3L2Mb;
  if (is_h100) return {kH100LaunchNs, kHbm3Cycles, kH100ClusterBarrierCycles, kH100ClusterBarrierWarpCycles};
  return {kLaunchNs, kDramCycles, kClusterBarrierCycles, kClusterBarrierWarpCycles};
}

}  // namespace warplens::model
