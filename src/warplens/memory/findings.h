// Findings about a device's memory.
#pragma once
#include <vector>

#include "warplens/memory/analysis.h"

namespace warplens::memory {

/// Adds findings of one device: memory-leak, allocator-thrash, fragmented-oom, out-of-memory, fragmentation.
void add_findings(const Snapshot& snapshot, const DeviceMemory& device, const std::vector<Event>& events,
                  std::vector<Finding>& findings);

}  // namespace warplens::memory
