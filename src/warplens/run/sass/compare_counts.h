// For tests: whether two ways to run a launch count the same.
#pragma once
#include <array>
#include <bit>
#include <string>
#include <tuple>
#include <vector>

#include "warplens/run/sass/machine.h"

namespace warplens::simt::sass_machine::testing {

/// The first count of instructions in which the two differ, with its value in each; empty where none does.
inline std::string first_difference(const std::vector<InstructionCounts>& a, const std::vector<InstructionCounts>& b) {
  constexpr size_t kCounts = sizeof(InstructionCounts) / sizeof(uint64_t);
  if (a.size() != b.size()) return "the number of instructions";
  for (size_t k = 0; k < a.size(); ++k) {
    const auto one = std::bit_cast<std::array<uint64_t, kCounts>>(a[k]),
               two = std::bit_cast<std::array<uint64_t, kCounts>>(b[k]);
    for (size_t count = 0; count < kCounts; ++count) {
      if (one[count] != two[count])
        return "instruction " + std::to_string(k) + ", count " + std::to_string(count) + ": " +
               std::to_string(one[count]) + " and " + std::to_string(two[count]);
    }
  }
  return "";
}

/// The same for whole launches: everything but examples of accesses and reports of checks.
inline std::string first_difference(const MachineCounts& a, const MachineCounts& b) {
  if (std::string found = first_difference(a.instructions, b.instructions); !found.empty()) return found;
  const auto all = [](const MachineCounts& c) {
    return std::tie(c.blocks, c.warps, c.ended_blocks, c.block_cycles, c.longest_block_cycles, c.read_sectors,
                    c.written_sectors, c.lone_sectors, c.apart_sectors, c.exchanged_sectors, c.lost_sectors,
                    c.cache_lines, c.partial_sectors, c.merged_sectors, c.completed_sectors, c.warp_cycles,
                    c.fresh_rate, c.hottest_atomic_cycles, c.l1_hit_rate, c.l1_late_rate, c.l1_sampled_sectors,
                    c.remote.requests, c.remote.sectors, c.remote.whole_sectors, c.polled, c.kept, c.inexact, c.output,
                    c.stop.kind, c.stop.reason, c.stop.block, c.stop.thread, c.stop.pc);
  };
  if (all(a) == all(b)) return "";
  if (a.block_cycles != b.block_cycles) return "block_cycles";
  if (a.stop.kind != b.stop.kind || a.stop.pc != b.stop.pc) return "what stopped it";
  return "a sum of the launch";
}

}  // namespace warplens::simt::sass_machine::testing
