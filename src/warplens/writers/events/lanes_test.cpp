#include "warplens/writers/events/lanes.h"

#include <gtest/gtest.h>

namespace warplens::writers {
namespace {

TEST(Lanes, KeepNestedEventsTogetherAndPartOverlappingOnes) {
  std::vector<LaneEvent> events = {{0, 100, 0}, {10, 20, 0}, {90, 120, 0}, {95, 110, 0}, {100, 130, 0}, {5, 7, 1}};
  assign_lanes(events);
  std::vector<uint32_t> lanes;
  for (const LaneEvent& event : events) lanes.push_back(event.lane);
  EXPECT_EQ(lanes, (std::vector<uint32_t>{0, 0, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace warplens::writers
