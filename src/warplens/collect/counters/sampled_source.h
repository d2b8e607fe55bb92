// Where in the source a sampled program counter stands.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/sampler.h"

namespace warplens::cupti {

struct SourceLine {
  std::string file;  // empty where the cubin has no line information
  uint32_t line = 0;
};

/// A warp that waits at a barrier, sleeps or waits for its fence is sampled at an instruction after it, and intrinsics
/// stand in the toolkit's headers: what is told is the line where the program asked for it.
SourceLine source_of(const SamplingLibrary& sampling, const std::vector<char>& cubin, const PcSamples& place,
                     const std::vector<std::string>& reasons);

}  // namespace warplens::cupti
