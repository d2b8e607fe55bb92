// A profile as trace events, in torch.profiler's form.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/trace/events/event_sink.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

/// Keys outside the events, with their values as JSON: of the first rank, without the list of events itself.
std::vector<std::pair<std::string, std::string>> profile_head(const Profile& profile);

/// Every row of the profile. Events that partly overlap on one thread or stream get lanes of their own, "7 (lane 2)";
/// several ranks become processes "rank 0: 751". `as_torch`: as in torch.profiler, device ranges take their device from
/// the track, and a launch's arrows share its correlation id. Otherwise each has its own.
void write_profile_events(const Profile& profile, EventSink& to, bool as_torch);

}  // namespace warplens::writers
