// Control flow of a function: which block runs first when lanes of a warp are in different ones.
#pragma once
#include <cstdint>
#include <vector>

namespace warplens::simt::ptx_machine {

/// Successors of each block; block 0 is the entry.
using FlowGraph = std::vector<std::vector<uint32_t>>;

struct Loop {
  uint32_t header = 0;
  std::vector<uint32_t> blocks;  // header among them
};

struct Flow {
  /// A topological order of the graph without its back edges in which every loop is contiguous. A lane that has left a
  /// loop, or skipped a branch, waits for those still inside. Unreachable blocks come last.
  std::vector<uint32_t> order;
  std::vector<Loop> loops;  // natural loops, one a header
};

Flow analyse_flow(const FlowGraph& graph);

/// Immediate dominators by block (entry: itself; unreachable: 0xffffffff).
std::vector<uint32_t> immediate_dominators(const FlowGraph& graph);

}  // namespace warplens::simt::ptx_machine
