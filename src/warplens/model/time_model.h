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
  double cold_bound_ns = 0;         // the same if none of its input is in L2 yet: DRAM must deliver all of it
  double ns = 0;                    // its expected duration as Nsight Compute reports it, from cold caches
  double low_ns = 0, high_ns = 0;   // four fifths of measured durations are between
  double recorded_ns = 0;           // as timeline recorders report it, by CUPTI's activity records: the L2 contents
                                    // of earlier launches are there
  double between_events_ns = 0;     // the time between two events around it after L2 was overwritten, as benchmarks do
  std::string limited_by;           // the resource that takes longest in the estimate
  std::vector<Resource> resources;  // all of them, longest first
  double waves = 0;                 // blocks over blocks resident at once
  gpu::Occupancy occupancy;
};

/// Bound: every unit at its peak rate at the boost clock, spread evenly over the SMs that get blocks. DRAM counts only
/// traffic that does not fit L2; for the cold bound, all reads. Estimate: a p-norm combines the resources, with the
/// busiest SM's share of the blocks and the latency of a wave of blocks; streams and block launches get a higher
/// exponent. It adds the cost of a launch. Its constants are fitted or measured on an H200.
TimeEstimate estimate_time(const Work& work, const gpu::Device& device);

/// Products of halves of all tensor cores in a cycle at their peak.
double matrix_flops_per_cycle(const gpu::Device& device);

/// The estimate's `ns`, were the unit of this name (Resource::name) done in half of its time.
double estimate_with_half(const Work& work, const gpu::Device& device, std::string_view unit);

}  // namespace warplens::model
