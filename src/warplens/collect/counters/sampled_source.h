// Where in the source a sampled program counter stands.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/sampler.h"
#include "warplens/collect/counters/source_lines.h"

namespace warplens::cupti {

/// A warp that waits at a barrier, sleeps or waits for its fence is sampled at an instruction after it: what is told is
/// the line where the program asked for it.
SourceLine source_of(const SourceLines& lines, const PcSamples& place, const std::vector<std::string>& reasons);

}  // namespace warplens::cupti
