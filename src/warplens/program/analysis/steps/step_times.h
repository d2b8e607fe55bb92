// How long steps took as recorded: the one length that summary, findings, timeline and diff show.
#pragma once
#include <vector>

#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {

/// Begins when the previous step was done, or at this one's begin if that is later. Ends when its host range and all
/// its launched work have ended. Steps of a rank do not overlap, and the host may run far ahead of the device. Queued
/// work counts for the step that launched it.
struct StepTime {
  uint32_t rank;  // row of ranks
  int64_t number;
  int64_t start_ns, end_ns;
  int64_t length_ns() const { return end_ns - start_ns; }
};

/// One for each of `steps`, in their order. `event_call`: Links::event_call.
std::vector<StepTime> step_times(const Profile& profile, const RowLinks& event_call, const std::vector<Step>& steps);

/// The run of a rank whose trace marks no steps. It lasts from its first event to the last end of host and devices,
/// without the profiler's own synchronization at the end. If a device is still busy with earlier work far behind the
/// host, the run begins when that work is done.
Span run_time(const Profile& profile, const RowLinks& event_call, uint32_t rank);

/// For each device, the end of its earlier work, which left no event, judged by the first recorded work. INT64_MIN if
/// that began soon after its launch. A host that has launched kBacklog more things in the meantime is ahead of a busy
/// device; one that has not is in a slow first launch.
std::vector<int64_t> ends_of_earlier_work(const Profile& profile, const RowLinks& event_call);

inline constexpr int64_t kBacklogNs = 1'000'000;
inline constexpr size_t kBacklog = 8;

}  // namespace warplens::analysis
