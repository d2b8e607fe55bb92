#include "warplens/run/sass/counting/reuse.h"

#include <gtest/gtest.h>

#include <vector>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint64_t kGranules = 61000;

/// Blocks one after the other, as the CPU takes them; each walks over the same granules, one a cycle.
void walk(Reuse* reuse, int blocks, bool store = false) {
  std::vector<Reuse::Times> times(kGranules / Reuse::kSample + 1);
  for (int block = 0; block < blocks; ++block) {
    const int64_t start = reuse->start_of(static_cast<uint64_t>(block));
    for (uint64_t k = 0; k < kGranules; ++k) {
      if (Reuse::watched(k)) reuse->touch(&times[k / Reuse::kSample], start + static_cast<int64_t>(k), store);
    }
    reuse->end_block(kGranules);
  }
}

TEST(Reuse, WalksThatFitLoseNothing) {
  Reuse reuse(1);
  walk(&reuse, 4);
  EXPECT_EQ(reuse.lost(200000), 0);
}

TEST(Reuse, LongerWalksLoseWhatTheyComeBackTo) {
  Reuse reuse(1);
  walk(&reuse, 4);
  EXPECT_NEAR(reuse.lost(10000), 3 * kGranules, 1);  // the first walk does not come back
}

TEST(Reuse, BlocksThatWalkTogetherShareWhatComes) {
  Reuse reuse(2);
  walk(&reuse, 4);
  EXPECT_NEAR(reuse.lost(10000), kGranules, 1);  // two walk first, then two
}

TEST(Reuse, ManyTouchesOfFewPlacesFillNoCache) {
  Reuse reuse(1);
  std::vector<Reuse::Times> times(1000);
  uint32_t random = 1;
  for (int k = 0; k < 100000; ++k)
    reuse.touch(&times[(random = random * 1664525 + 1013904223) % 65521 % 1000], k, false);
  EXPECT_LT(reuse.lost(1100 * Reuse::kSample), 0.02 * 100000 * Reuse::kSample);
  EXPECT_NEAR(reuse.lost(500 * Reuse::kSample), 50000 * Reuse::kSample, 5000 * Reuse::kSample);
}

TEST(Reuse, StoresWaitForNothing) {
  Reuse reuse(1);
  walk(&reuse, 4, true);
  EXPECT_EQ(reuse.lost(10000), 0);
}

TEST(Reuse, WhoComesBeforeTheAnswerWaitsForIt) {
  Reuse together(2), apart(1);
  walk(&together, 2);
  EXPECT_EQ(together.fresh_rate(), 1);
  walk(&apart, 2);
  EXPECT_EQ(apart.fresh_rate(), 0.5);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
