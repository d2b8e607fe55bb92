#include "warplens/writers/chrome/chrome.h"

#include "warplens/base/json.h"
#include "warplens/base/timing.h"
#include "warplens/trace/events/event_text.h"
#include "warplens/writers/events/profile_events.h"

namespace warplens::writers {

Status chrome_trace(const Profile& profile, const ByteSink& to) {
  const TimedScope timed("write Chrome trace");
  std::string out = "{\n";
  for (const auto& [key, value] : profile_head(profile)) out += json::quoted(key) + ": " + value + ",\n";
  out += "\"traceEvents\": [";
  EventText events(out, to);
  write_profile_events(profile, events, true);
  out += "\n]}\n";
  return events.flush();
}

}  // namespace warplens::writers
