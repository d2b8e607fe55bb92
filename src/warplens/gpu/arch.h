// An SM of each compute capability: limits of residency and rates of its units.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::gpu {

/// Limits as in cuda_occupancy.h. Rates are CUDA's "throughput of native arithmetic instructions", in threads a cycle
/// an SM unless the name says otherwise.
struct Arch {
  int major, minor;
  const char* family;
  int warps_per_sm, blocks_per_sm, threads_per_block;
  int registers_per_sm, register_unit, registers_per_thread, subpartitions;
  int shared_bytes_per_sm, shared_unit_bytes, shared_reserved_bytes, shared_default_bytes, shared_optin_bytes;
  int barriers_per_block_slot;   // named barriers an SM has for each block it can hold
  std::vector<int> carveout_kb;  // possible sizes of shared memory
  int unified_kb;                // L1 and shared memory together
  int fp32_lanes, fp64_lanes, half2_lanes, int32_lanes, mufu_lanes, lsu_lanes;
  int fma_latency_cycles, shared_latency_cycles, l1_latency_cycles, l2_latency_cycles, dram_latency_cycles;

  std::string name() const;  // "sm_90"
  int cc() const { return major * 10 + minor; }
};

const std::vector<Arch>& all_archs();

/// "sm_90", "sm_90a", "90", "9.0" or "compute_90". The error lists the known ones.
Result<const Arch*> find_arch(std::string_view name);

}  // namespace warplens::gpu
