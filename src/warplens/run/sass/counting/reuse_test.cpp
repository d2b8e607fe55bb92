#include "warplens/run/sass/counting/reuse.h"

#include <gtest/gtest.h>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint64_t kLines = 61000;

Reuse reuse_of(uint64_t resident) { return {resident, kLines / Reuse::kSample + 1}; }

/// Blocks that each walk over the same lines, one a cycle.
void walk(Reuse* reuse, uint64_t blocks, bool store = false) {
  for (uint64_t block = 0; block < blocks; ++block) {
    Touches touches;
    for (uint64_t k = 0; k < kLines; ++k) {
      touches.now = static_cast<int64_t>(k);
      if (Reuse::watched(k)) touches.watch(k / Reuse::kSample, 1, store);
    }
    reuse->take(touches.watched, reuse->start_of(block));
    reuse->end_block(kLines);
  }
}

TEST(Reuse, WalksThatFitLoseNothing) {
  Reuse reuse = reuse_of(1);
  walk(&reuse, 4);
  EXPECT_EQ(reuse.lost(200000), 0);
}

TEST(Reuse, LongerWalksLoseWhatTheyComeBackTo) {
  Reuse reuse = reuse_of(1);
  walk(&reuse, 4);
  EXPECT_NEAR(reuse.lost(10000), 3 * kLines, 1);  // the first walk does not come back
}

TEST(Reuse, BlocksThatWalkTogetherShareWhatComes) {
  Reuse reuse = reuse_of(2);
  walk(&reuse, 4);
  EXPECT_NEAR(reuse.lost(10000), kLines, 1);  // two walk first, then two
}

TEST(Reuse, ManyTouchesOfFewPlacesFillNoCache) {
  Reuse reuse = reuse_of(1);
  Touches touches;
  uint32_t random = 1;
  for (touches.now = 0; touches.now < 100000; ++touches.now)
    touches.watch((random = random * 1664525 + 1013904223) % 65521 % 1000, 1, false);
  reuse.take(touches.watched, 0);
  EXPECT_LT(reuse.lost(1100 * Reuse::kSample), 0.02 * 100000 * Reuse::kSample);
  EXPECT_NEAR(reuse.lost(500 * Reuse::kSample), 50000 * Reuse::kSample, 5000 * Reuse::kSample);
}

/// 1,000 lines, of which one half is read in each walk, and the other half in the next.
TEST(Reuse, AHalfOfALostLineIsLostOnlyIfItWasTouched) {
  Reuse reuse = reuse_of(1);
  Touches touches;
  for (uint32_t walk = 0; walk < 4; ++walk) {
    for (uint64_t line = 0; line < 1000; ++line, ++touches.now) touches.watch(line, 1 + walk % 2, false);
  }
  reuse.take(touches.watched, 0);
  EXPECT_NEAR(reuse.lost(100 * Reuse::kSample), 2000 * Reuse::kSample, 200 * Reuse::kSample);
}

TEST(Reuse, StoresWaitForNothing) {
  Reuse reuse = reuse_of(1);
  walk(&reuse, 4, true);
  EXPECT_EQ(reuse.lost(10000), 0);
}

TEST(Reuse, WhoComesBeforeTheAnswerWaitsForIt) {
  Reuse together = reuse_of(2), apart = reuse_of(1);
  walk(&together, 2);
  EXPECT_EQ(together.fresh_rate(), 1);
  walk(&apart, 2);
  EXPECT_EQ(apart.fresh_rate(), 0.5);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
