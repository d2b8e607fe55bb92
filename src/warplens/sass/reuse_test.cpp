#include "warplens/sass/reuse.h"

#include <gtest/gtest.h>

#include <memory>

namespace warplens::sass {
namespace {

/// `rounds` walks over `sectors` sectors.
void walk(Reuse* reuse, uint64_t sectors, int rounds, bool store = false) {
  const auto last = std::make_unique<std::atomic<uint32_t>[]>(sectors / Reuse::kSample + 1);
  for (int round = 0; round < rounds; ++round)
    for (uint64_t k = 0; k < sectors; ++k)
      if (Reuse::watched(k)) reuse->touch(last[k / Reuse::kSample], store);
}

TEST(Reuse, WalksThatFitLoseNothing) {
  Reuse reuse;
  walk(&reuse, 61000, 4);
  EXPECT_EQ(reuse.lost(200000, 1), 0);
}

TEST(Reuse, LongerWalksLoseWhatTheyComeBackTo) {
  Reuse reuse;
  walk(&reuse, 61000, 4);
  EXPECT_DOUBLE_EQ(reuse.lost(10000, 1), 3 * 61000);  // the first walk does not come back
  EXPECT_EQ(reuse.lost(10000, 0.05), 0);              // a nearer cache answers nearly all
}

TEST(Reuse, StoresWaitForNothing) {
  Reuse reuse;
  walk(&reuse, 61000, 4, true);
  EXPECT_EQ(reuse.lost(10000, 1), 0);
}

}  // namespace
}  // namespace warplens::sass
