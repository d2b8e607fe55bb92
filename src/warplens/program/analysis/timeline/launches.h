// How launches reach the device: latency, how full the queue is, how many streams work at once.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Does this kernel take less time than its launch call, both as recorded? Copies and fills do not count.
bool shorter_than_launch(const Profile& profile, uint32_t event, uint32_t call);

struct LaunchStatistics {
  int64_t kernels = 0;  // with a recorded launch, starting in the stretch
  int64_t latency_min_ns = 0, latency_median_ns = 0, latency_p99_ns = 0;  // start of the call to start of the kernel
  int64_t shorter_than_launch = 0;                                        // shorter_than_launch() holds of them
  double queue_mean = 0;                                                  // launched and not yet started, over time
  int64_t queue_max = 0;
  int64_t queue_empty_ns = 0;      // the queue was empty
  double streams_mean = 0;         // streams at work, over busy time
  int64_t several_streams_ns = 0;  // two streams or more at work
};

/// Means over equal parts of a stretch of time.
struct QueueOverTime {
  int64_t slot_ns = 0;
  std::vector<double> depth;       // launched and not yet started
  std::vector<double> latency_ns;  // of the kernels that start there, from their call; 0 where none does
};

QueueOverTime queue_over_time(const Profile& profile, const Causes& causes, uint32_t device, int64_t start_ns,
                              int64_t end_ns, size_t slots);

LaunchStatistics launch_statistics(const Profile& profile, const Causes& causes, uint32_t device, int64_t start_ns,
                                   int64_t end_ns);

}  // namespace warplens::analysis
