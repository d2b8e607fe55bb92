// Idle stretches of a device, each with the cause that explains most of it.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

enum class GapCause : uint8_t {
  kLaunchGap,        // the next kernel was already queued: the device's own time between two kernels
  kOtherStream,      // it was queued, and waited for an event of another stream that had just ended
  kQueued,           // it was queued, and waited for something that left no event here
  kSynchronization,  // the host had waited for the device and launched only then
  kPeer,             // it had waited for another rank: for a collective that this rank reached early, or in a barrier
  kInput,            // the host loaded or made data
  kAllocator,        // the host allocated or freed memory with the driver
  kPageableCopy,     // the host staged a pageable copy
  kProfiler,         // the profiler's own work (buffer flush, instrumentation)
  kLaunchBound,      // the host was in operators and launches
  kPython,           // the host was in no operator and no call
  kHost,             // the same, for a program that may not be Python
  kGil,              // the host waited for Python's lock, which another thread held
  kUnknown,          // the kernel after it has no recorded launch
};
inline constexpr size_t kGapCauses = 14;

std::string_view gap_cause_name(GapCause cause);  // "launch-gap", "synchronization", ...

struct Gap {
  int64_t start_ns, end_ns;
  GapCause cause;
  uint32_t next;  // row of device_events that ended it
  uint32_t
      host;  // row of operators (or ranges) the host was in for it: the synchronizing one, the loader; kNone if none
  uint32_t sample = kNone;  // row of other_events: the code that the launching thread was in for most of it
};

/// `peer_waits`: when collectives on this device waited for other ranks. Gaps of `device` within [start, end) between
/// its activities; times before the first and after the last are not gaps.
std::vector<Gap> find_gaps(const Profile& profile, const Forest& operators, const Links& links, uint32_t device,
                           int64_t start_ns, int64_t end_ns, const TimeSet& peer_waits = {});

}  // namespace warplens::analysis
