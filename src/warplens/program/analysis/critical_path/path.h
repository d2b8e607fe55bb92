// The chain of host work, launches, kernels and waits that decided how long the program took.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/program/analysis/critical_path/simulate.h"

namespace warplens::analysis {

enum class PathKind : uint8_t { kHost, kLaunch, kKernel, kCopy, kCommunication, kDeviceGap, kReturn };

std::string_view path_kind_name(PathKind kind);  // "host", "launch latency", "kernel", ...

struct PathSegment {
  PathKind kind;
  uint32_t row;  // kernel, copy, communication: row of device_events; host: row of calls it leads to; else kNone
  int64_t duration_ns;
};

struct CriticalPath {
  std::vector<PathSegment> segments;  // from the beginning to the end; they add up to total_ns
  int64_t total_ns = 0;               // one run of the window from an idle device, the profiler's cost taken out
};

/// Walks back from the last event to finish, each time to the event that the segment had waited for.
CriticalPath critical_path(const Profile& profile, const Program& program);

}  // namespace warplens::analysis
