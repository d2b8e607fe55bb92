#include "warplens/writers/perfetto/perfetto.h"

#include "warplens/base/timing.h"
#include "warplens/writers/events/profile_events.h"
#include "warplens/writers/perfetto/packets.h"

namespace warplens::writers {

Status perfetto_trace(const Profile& profile, const ByteSink& to) {
  const TimedScope timed("write Perfetto trace");
  PacketEvents events(profile_head(profile), to);
  write_profile_events(profile, events, false);
  return events.flush();
}

}  // namespace warplens::writers
