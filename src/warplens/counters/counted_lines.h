// The counts of each source line of a program's kernels, from those of its instructions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/counters/counts.h"
#include "warplens/output/table.h"

namespace warplens::counters {

/// Sums over all launches of the kernel that were counted.
struct CountedLine {
  std::string kernel, file;  // the kernel as people write it
  uint32_t line = 0;         // 0: the code has no line information; `offset` is its instruction's
  uint64_t offset = 0;
  uint64_t executed = 0;                     // warp instructions
  uint64_t active_threads = 0, threads = 0;  // at them; those of them that were on
  uint64_t global_sectors = 0, global_ideal_sectors = 0;
  uint64_t shared_wavefronts = 0, shared_ideal_wavefronts = 0;
  uint64_t local_sectors = 0, divergent_branches = 0;
};

/// One a line of source (an instruction where there are no lines): most executed first, kernel by kernel.
std::vector<CountedLine> counted_lines(const Instructions& instructions);

Table counted_lines_table(const std::vector<CountedLine>& lines);
/// The table, and findings with their lines.
std::string counted_lines_text(const Instructions& instructions, size_t width);

void write_counted_lines(json::Writer& writer, const Instructions& instructions);

}  // namespace warplens::counters
