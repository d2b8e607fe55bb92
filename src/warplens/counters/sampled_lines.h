// The time of a program's kernels, line by line, and the reasons for which warps wait there.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/counters/counts.h"
#include "warplens/output/table.h"

namespace warplens::counters {

struct SampledLine {
  std::string kernel, file;  // the kernel as people write it
  uint32_t line = 0;         // 0: the code has no line information; `offset` is its instruction's
  uint64_t offset = 0;
  uint64_t samples = 0;
  std::vector<std::pair<std::string, uint64_t>> reasons;  // "long scoreboard", most first
};

/// One a line of source (an instruction where there are no lines), the most sampled first.
std::vector<SampledLine> sampled_lines(const Sampling& sampling);

/// The share of its kernel that each line has, with its first reasons.
Table sampled_table(const std::vector<SampledLine>& lines);

/// The kernels, and the costly lines of each, with the meaning of their first stall reason and the remedy.
std::string sampled_text(const Sampling& sampling, size_t width);

void write_sampling(json::Writer& writer, const Sampling& sampling);

}  // namespace warplens::counters
