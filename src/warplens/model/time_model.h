// How long a launch takes at least, and how long it will probably take.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/gpu/device.h"
#include "warplens/model/work.h"

namespace warplens::model {

struct Resource {
  std::string name;  // "DRAM", "L2", "issue slots", "FMA", ..., "latency", "block launches"
  double ns = 0;     // the launch's time if nothing else limited it
};

struct TimeEstimate {
  double bound_ns = 0;  // no launch on this GPU is faster, caches warm or cold
  std::string bound_by;
  double cold_bound_ns = 0;        // the same with an empty L2: all reads come from DRAM
  double ns = 0;                   // the expected duration, as Nsight Compute measures it, with cold caches
  double low_ns = 0, high_ns = 0;  // four fifths of measured durations are between these
  double recorded_ns = 0;          // as timelines show it, by CUPTI's records of activities, with the data that earlier
                                   // launches left in L2
  double between_events_ns = 0;    // what two events around it show after L2 was written over, as benchmarks do
  std::string limited_by;          // the resource that takes longest in the estimate
  std::vector<Resource> resources;  // all of them, longest first
  double waves = 0;                 // blocks over blocks resident at once
  gpu::Occupancy occupancy;
};

/// Bound: every unit at its peak rate at the boost clock, spread evenly over the SMs that get blocks. DRAM counts only
/// traffic that does not fit L2; for the cold bound, all reads. Estimate: a p-norm combines the resources, with the
/// busiest SM's share of the blocks and the latency of a wave of blocks; streams and block launches get a higher
/// exponent. It adds the cost of a launch. Its constants are fitted or measured on an H200.
TimeEstimate estimate_time(const Work& work, const gpu::Device& device);

/// The estimate's `ns`, were the unit of this name (Resource::name) done in half of its time.
double estimate_with_half(const Work& work, const gpu::Device& device, std::string_view unit);

}  // namespace warplens::model
