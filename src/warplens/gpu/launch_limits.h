// The launches that a GPU refuses.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "warplens/gpu/device.h"
#include "warplens/gpu/occupancy.h"

namespace warplens::gpu {

/// Limits of every GPU since compute capability 7.0.
inline constexpr std::array<uint32_t, 3> kMostGrid{0x7fffffff, 0xffff, 0xffff}, kMostBlock{1024, 1024, 64};
inline constexpr uint32_t kMostCluster = 16, kPortableCluster = 8;  // blocks; more than 8 need a kernel's consent

struct LaunchDemands {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};  // in blocks, threads, blocks
  BlockNeeds needs;             // threads are those of `block`; 0 registers: not known
  uint32_t kernel_threads = 0;  // the most a block may have by the kernel's launch bounds; 0: any
  int64_t shared_opted_in = 0;  // static and dynamic bytes that the kernel was allowed; 0: all that a block can have
  bool large_clusters = true;   // the kernel consents to more than kPortableCluster
  bool cooperative = false;     // all blocks must be resident at once
};

/// In the order in which they are looked at.
enum class LaunchLimit : uint8_t {
  kNone,
  kEmpty,          // an empty grid or block
  kGrid,           // blocks
  kBlock,          // threads
  kKernelThreads,  // threads, by the kernel's launch bounds
  kShared,         // bytes of shared memory that a block may have
  kRegisters,      // a block takes more than an SM has
  kResources,      // the same of its other needs
  kClusterShape,   // empty, not a divisor of the grid, or too large
  kNoClusters,     // the GPU lacks it
  kCooperative     // more blocks than are resident
};

struct LaunchRefusal {
  LaunchLimit limit = LaunchLimit::kNone;
  std::string why;  // the request, and the GPU's limit
};

/// Why `device` refuses the launch before it begins, if it does.
LaunchRefusal refuse_launch(const Device& device, const LaunchDemands& demands);

}  // namespace warplens::gpu
