// Perfetto's own format: the tracks in its packets, as the trace events that torch.profiler would write.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "warplens/trace/readers/input/growth.h"

namespace warplens::perfetto {

bool sniff(std::string_view head);

struct Converted {
  std::string json;  // trace events
  int64_t events = 0;
  std::map<uint32_t, int64_t> left_out;  // packets that hold no tracks, by the number of their field
  int64_t without_track = 0, unopened = 0, unclosed = 0, without_state = 0, unknown_clock = 0, dropped = 0;
  Growth growth{0};
  bool damaged = false;  // the file ends early or is broken; the part before is read
};

Converted to_trace_events(std::string_view trace);

}  // namespace warplens::perfetto
