// Counters over time that events imply, for viewers that draw them above the events.
#pragma once
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Adds samples, one at each change, on the process of each device:
///   "GPU 0 queue"                     launched and not yet started
///   "GPU 0 host to device GB/s"       bytes over duration of the copies under way; so for each direction
///   "GPU 0 allocated MiB", "reserved MiB"  of PyTorch's allocator, if memory was recorded
void add_counters(Profile& profile);

}  // namespace warplens::analysis
