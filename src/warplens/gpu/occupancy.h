// How many blocks and warps an SM holds at once, and the limiting resource, as in cuda_occupancy.h (CUDA 13).
#pragma once
#include <string>
#include <vector>

#include "warplens/gpu/arch.h"

namespace warplens::gpu {

struct BlockNeeds {
  int threads = 256;
  int registers = 32;  // a thread
  int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  int barriers = 1;           // named barriers the kernel uses
  int carveout_percent = -1;  // cudaFuncAttributePreferredSharedMemoryCarveout; -1: the driver's choice
};

enum Limiter : unsigned {
  kLimitWarps = 1,
  kLimitRegisters = 2,
  kLimitShared = 4,
  kLimitBlocks = 8,
  kLimitBarriers = 16,
};

struct Occupancy {
  int blocks = 0;                // resident a SM; 0: the block cannot run at all
  int warps = 0, max_warps = 0;  // resident a SM, and the most it can hold
  unsigned limiters = 0;         // every Limiter that allows no more than `blocks`
  int by_warps = 0, by_registers = 0, by_shared = 0, by_blocks = 0, by_barriers = 0;  // blocks that each allows alone
  int64_t shared_bytes_allocated = 0;                                                 // a block
  int64_t shared_bytes_configured = 0;                                                // the carve-out the blocks need
  double fraction() const { return max_warps ? static_cast<double>(warps) / max_warps : 0; }
};

inline constexpr int kUnlimited = 0x7fffffff;

Occupancy occupancy(const Arch& arch, const BlockNeeds& needs);

/// The limiters' names: "registers", "shared memory", ...
std::vector<std::string> limiter_names(unsigned limiters);

/// The largest block size that reaches the highest occupancy, as cudaOccMaxPotentialOccupancyBlockSize picks it;
/// 0 when no block runs.
int best_block_size(const Arch& arch, BlockNeeds needs);

/// A change of one resource that raises the resident warps, with the new number.
struct Step {
  std::string change;  // "registers a thread 40 -> 32"
  int warps = 0, blocks = 0;
};

/// For each resource that a kernel can reduce (registers, shared memory, block size): the smallest change that raises
/// occupancy by itself. Empty if no single change does.
std::vector<Step> next_steps(const Arch& arch, const BlockNeeds& needs);

}  // namespace warplens::gpu
