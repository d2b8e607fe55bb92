// A device's time step by step: busy, idle and exposed time, and the causes of idle time.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/steps/steady_steps.h"
#include "warplens/program/analysis/timeline/activity.h"
#include "warplens/program/analysis/timeline/gaps.h"
#include "warplens/program/analysis/timeline/launches.h"

namespace warplens::analysis {

inline constexpr int64_t kWholeTrace = -1;

struct DeviceStep {
  uint32_t device = 0;         // row of devices
  int64_t step = kWholeTrace;  // its number
  StepRole role = StepRole::kSteady;
  int64_t start_ns = 0, end_ns = 0;
  int64_t busy_ns = 0, computation_ns = 0, communication_ns = 0, copies_ns = 0;
  int64_t exposed_communication_ns = 0, exposed_copies_ns = 0, idle_ns = 0;  // computation + exposed ones + idle = span
  int64_t peer_wait_ns = 0;  // of exposed communication: waiting for other ranks, where their traces are given
  std::array<int64_t, kGapCauses> idle_by_cause{};
  LaunchStatistics launches;
};

struct Timeline {
  std::vector<DeviceStep> rows;        // of each device: the whole trace, then its steps
  std::vector<std::vector<Gap>> gaps;  // of each device with activity, in the order of their whole-trace rows
};

/// Steps have the lengths of step_times(), on host and devices together. Idle time before a step's first kernel and
/// after its last is in its sums, though it is not a gap between two kernels.
Timeline device_timeline(const Profile& profile, const Causes& causes, const StepSet& steps);

}  // namespace warplens::analysis
