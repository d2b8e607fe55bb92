// Collectives of one rank by their payload: times, bandwidth, and the usual rate of such links.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// All collectives of one kind, message and group on one device. Their durations include waiting for other ranks. The
/// duration that three in four exceed is nearest to the transfer alone.
struct CollectiveWork {
  std::string name;              // "allreduce", as the trace or the operator gives it
  uint32_t device = 0;           // row of devices
  int64_t bytes = 0;             // of the message as nccl-tests counts it; 0 when not known
  int32_t group_size = 0;        // 0 when not known
  std::vector<uint32_t> events;  // rows of device_events
  int64_t total_ns = 0, best_ns = 0, quartile_ns = 0, median_ns = 0;
  double bus_gbs(int64_t duration_ns) const;  // 0 where bytes are not known
};

/// From the collective's metadata, else from the shapes of the operator that launched it. The costliest first.
std::vector<CollectiveWork> collective_work(const Profile& profile, const Forest& operators, const Links& links);

/// Bus bandwidth in GB/s of a well-connected GPU of this name in a group of this size. Up to 8 ranks use NVLink or
/// Infinity Fabric if the GPU has it; otherwise PCIe or a 200 Gb/s network (docs/timeline.md).
double usual_bus_gbs(std::string_view gpu, int32_t group_size);

/// Time of a collective at that bandwidth, with its start-up cost.
int64_t usual_collective_ns(const CollectiveWork& work, double bus_gbs);

}  // namespace warplens::analysis
