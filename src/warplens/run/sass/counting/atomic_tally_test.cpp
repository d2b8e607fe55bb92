#include "warplens/run/sass/counting/atomic_tally.h"

#include <gtest/gtest.h>

#include "warplens/model/constants.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint64_t kBase = uint64_t{1} << 40;

TEST(AtomicTally, OneSliceTakesPacketsOneByOne) {
  AtomicTally tally;
  for (uint64_t k = 0; k < 1000; ++k) tally.add_packets(k / 100, kBase + 4 * (k % 64), 8);
  EXPECT_EQ(tally.busiest_cycles(), 8000 * model::kPacketCycles);  // whatever the wave
}

TEST(AtomicTally, PlacesOfOneWaveShareItsTime) {
  AtomicTally two;
  for (uint64_t k = 0; k < 1000; ++k) two.add_packets(0, kBase + kSliceBytes * (k % 2), 8);
  EXPECT_EQ(two.busiest_cycles(), 5800u);
}

TEST(AtomicTally, ALaunchThatWalksThroughItsSumsUsesASliceAtATime) {
  AtomicTally walk;
  for (uint64_t k = 0; k < 1000; ++k) walk.add_packets(k / 100, kBase + kSliceBytes * (k / 100), 8);
  EXPECT_EQ(walk.busiest_cycles(), 11600u);
}

TEST(AtomicTally, FloatsOnOneAddressWaitForEachOther) {
  AtomicTally tally;
  tally.add_packets(0, kBase, 32);
  tally.add_floats(0, kBase, 32);
  EXPECT_EQ(tally.busiest_cycles(), 32 * model::kFloatCycles);
}

TEST(AtomicTally, NeighbouringFloatsTakeTheirBytes) {
  AtomicTally tally;
  for (uint64_t k = 0; k < 100; ++k) tally.add_float_run(0, kBase + 128 * (k % 4), 128);
  EXPECT_EQ(tally.busiest_cycles(), 100 * model::kFloatRunCycles);
}

TEST(AtomicTally, SumsOfSeveralAddUp) {
  AtomicTally all, part;
  part.add_packets(3, kBase, 100);
  all.add(part);
  all.add(part);
  EXPECT_EQ(all.busiest_cycles(), 290u);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
