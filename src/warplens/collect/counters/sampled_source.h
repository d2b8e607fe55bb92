// Maps sampled program counters to the source.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/sampler.h"
#include "warplens/collect/counters/source_lines.h"

namespace warplens::cupti {

/// A warp that waits at a barrier, sleeps or waits for its fence is sampled at a later instruction. Reports the line of
/// the wait itself.
SourceLine source_of(const SourceLines& lines, const PcSamples& place, const std::vector<std::string>& reasons);

}  // namespace warplens::cupti
