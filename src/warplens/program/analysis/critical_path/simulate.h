// Runs a program again, as recorded or with something changed, and says how long a step takes then.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warplens/program/analysis/critical_path/program.h"

namespace warplens::analysis {

/// The changes of a what-if. Rows are those of the profile.
struct Change {
  std::vector<Span> host_removed;  // recorded host time to remove, in any order; its launches stay
  std::vector<std::pair<uint32_t, int64_t>> event_duration;  // row of device_events -> new length
  std::vector<uint32_t> events_removed;                      // rows of device_events
  std::vector<uint32_t> calls_not_waiting;                   // rows of calls that return at once
  std::vector<uint32_t> prefetched;  // rows of device_events on a stream of their own, within the step
  std::vector<uint32_t> detached;    // rows of device_events on a stream of their own that nothing waits for
  std::vector<uint32_t> undelayed;   // rows of device_events that start as soon as their stream and their waits allow
  std::vector<std::pair<int64_t, int64_t>> host_added;  // (recorded time, host work put in there)
  bool graph = false;  // launches within host_removed are nodes of a graph: no launch latency, small gaps
  bool prefetch_across_steps = false;  // prefetched events may run during the step before
};

inline constexpr int64_t kGraphNodeGapNs = 600;  // between kernels of a CUDA graph, measured on an H200

/// Why something began when it did: its last wait.
enum class Bound : uint8_t { kStart, kHost, kLaunch, kStream, kEvent, kDevice, kQueue };

/// Times of one run; filled on request.
struct Schedule {
  std::vector<int64_t> call_start_ns, call_end_ns, event_start_ns, event_end_ns;
  std::vector<Bound> call_bound, event_bound;
  std::vector<uint32_t> call_waited, event_waited;  // index of the event waited for, or kNone
  int64_t host_end_ns = 0;
};

/// Nanoseconds a step takes when steps follow each other, as in a program that runs without a profiler.
int64_t step_time_ns(const Program& program, const Change& change = {});

/// One run from an idle device.
Schedule run_once(const Program& program, const Change& change = {});

}  // namespace warplens::analysis
