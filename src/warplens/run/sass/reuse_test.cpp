#include "warplens/run/sass/reuse.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace warplens::simt::sass_machine {
namespace {

/// `rounds` walks over `sectors` sectors.
void walk(Reuse* reuse, uint64_t sectors, int rounds, bool store = false) {
  const auto last = std::make_unique<std::atomic<uint32_t>[]>(sectors / Reuse::kSample + 1);
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t k = 0; k < sectors; ++k) {
      if (Reuse::watched(k)) reuse->touch(last[k / Reuse::kSample], store);
    }
  }
}

TEST(Reuse, WalksThatFitLoseNothing) {
  Reuse reuse;
  walk(&reuse, 61000, 4);
  EXPECT_EQ(reuse.lost(200000), 0);
}

TEST(Reuse, LongerWalksLoseWhatTheyComeBackTo) {
  Reuse reuse;
  walk(&reuse, 61000, 4);
  EXPECT_DOUBLE_EQ(reuse.lost(10000), 3 * 61000);  // the first walk does not come back
}

TEST(Reuse, ManyTouchesOfFewSectorsFillNoCache) {
  Reuse reuse;
  std::vector<std::atomic<uint32_t>> last(1000);
  uint32_t random = 1;
  for (int k = 0; k < 100000; ++k) reuse.touch(last[(random = random * 1664525 + 1013904223) % 65521 % 1000], false);
  EXPECT_LT(reuse.lost(1100 * Reuse::kSample), 0.02 * 100000 * Reuse::kSample);
  EXPECT_NEAR(reuse.lost(500 * Reuse::kSample), 50000 * Reuse::kSample, 5000 * Reuse::kSample);
}

TEST(Reuse, StoresWaitForNothing) {
  Reuse reuse;
  walk(&reuse, 61000, 4, true);
  EXPECT_EQ(reuse.lost(10000), 0);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
