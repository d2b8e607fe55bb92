// Lanes: viewers draw a track right only where its events nest, so events that partly overlap get tracks of their own.
#pragma once
#include <cstdint>
#include <vector>

namespace warplens::writers {

struct LaneEvent {
  int64_t start_ns, end_ns;
  uint32_t track;     // numbered from 0
  uint32_t lane = 0;  // filled in: 0 is the track itself
};

/// Gives each event the first lane of its track in which it is wholly inside an open event, or beside it.
void assign_lanes(std::vector<LaneEvent>& events);

}  // namespace warplens::writers
