// One warp's memory request, kept as an example of an instruction's requests.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "warplens/simt/requests/banks.h"

namespace warplens::simt {

struct AccessSample {
  enum class Space : uint8_t { kGlobal, kShared } space = Space::kGlobal;
  bool store = false;
  Joins joins = Joins::kByActive;   // of shared memory: how groups of lanes go together
  uint32_t instruction = 0;         // index in the code that was counted
  std::array<uint32_t, 3> block{};  // blockIdx
  uint32_t warp = 0;                // in the block
  uint32_t lanes = 0;               // a bit each, those that took part
  uint32_t size_bytes = 0;          // of one lane's access
  std::array<uint64_t, 32>
      addresses{};               // device addresses, or offsets in shared memory; kByAll: of lanes that are off too
  bool apart = false;            // lanes on one word take a pass each, as shared atomics do
  uint32_t group_lanes = 0;      // lanes that are served by themselves (ldmatrix: 8); 0: by the access size
  uint64_t cost = 0, ideal = 0;  // sectors of 32 bytes, or passes over shared memory
};

/// Adds `sample`, or puts it in the place of a cheaper one of its instruction.
void keep_costliest(std::vector<AccessSample>* samples, const AccessSample& sample);

/// The passes over shared memory that serve a sample: for each, the lane that each of the 32 banks serves, or -1. Lanes
/// that read the same word are served together, and the lowest represents them.
std::vector<std::array<int, 32>> shared_passes(const AccessSample& sample);

}  // namespace warplens::simt
