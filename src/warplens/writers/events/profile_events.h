// A profile as trace events, in the shape that torch.profiler gives them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/trace/events/event_sink.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// Keys beside the events with their values as JSON: of the first rank, without the list of events itself.
std::vector<std::pair<std::string, std::string>> profile_head(const Profile& profile);

/// Every row of the profile. Events that partly overlap on one thread or stream are put on lanes of their own, "7 (lane
/// 2)"; several ranks become processes "rank 0: 751". `as_torch`: as torch.profiler, device ranges leave their
/// device to the track, and a launch's arrows share its correlation id; else each says its own.
void write_profile_events(const Profile& profile, EventSink& to, bool as_torch);

}  // namespace warplens::writers
