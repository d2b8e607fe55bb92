#include "warplens/writers/events/lanes.h"

#include <algorithm>

namespace warplens::writers {
namespace {

/// Ends of the open events of one lane, outermost first.
using OpenEnds = std::vector<int64_t>;

bool fits(OpenEnds& open, const LaneEvent& event) {
  while (!open.empty() && open.back() <= event.start_ns) open.pop_back();
  return open.empty() || event.end_ns <= open.back();
}

}  // namespace

void assign_lanes(std::vector<LaneEvent>& events) {
  std::vector<LaneEvent*> sorted;
  for (LaneEvent& event : events) sorted.push_back(&event);
  std::stable_sort(sorted.begin(), sorted.end(), [](const LaneEvent* a, const LaneEvent* b) {
    if (a->track != b->track) return a->track < b->track;
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
  });
  std::vector<OpenEnds> lanes;
  uint32_t track = UINT32_MAX;
  for (LaneEvent* event : sorted) {
    if (event->track != track) {
      lanes.clear();
      track = event->track;
    }
    uint32_t lane = 0;
    while (lane < lanes.size() && !fits(lanes[lane], *event)) ++lane;
    if (lane == lanes.size()) lanes.emplace_back();
    lanes[lane].push_back(event->end_ns);
    event->lane = lane;
  }
}

}  // namespace warplens::writers
