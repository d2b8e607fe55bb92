// A device's activity in a stretch of time: sets of time by class, and the exposed part of each.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/intervals.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Computation: kernels that are not communication. Communication: collectives. Copies: copies and sets.
struct Activity {
  TimeSet computation, communication, copies;
  TimeSet busy() const;
  TimeSet exposed_communication() const { return subtract(communication, computation); }
  TimeSet exposed_copies() const { return subtract(subtract(copies, computation), communication); }
};

/// True if a kernel communicates between devices: it carries a collective's metadata, or its name says so.
bool is_communication(const Profile& profile, uint32_t event_row);

/// The set of `activity` that a kernel, copy or set belongs to.
TimeSet& part_of(const Profile& profile, uint32_t event_row, Activity& activity);

/// Activity of spans that may overlap and have any order.
Activity united(Activity spans);

/// Of one device (row of devices), all its streams together.
Activity device_activity(const Profile& profile, uint32_t device);

/// Both cut to [start, end).
Activity clip(const Activity& activity, int64_t start_ns, int64_t end_ns);

}  // namespace warplens::analysis
