#include "warplens/run/sass/counting/l1.h"

#include <gtest/gtest.h>

namespace warplens::simt::sass_machine {
namespace {

/// 64 warps that each walk along a line of their own, four sectors in eight requests.
L1Trace walks(bool wait) {
  L1Trace trace;
  trace.warps.resize(64);
  for (uint64_t warp = 0; warp < 64; ++warp) {
    for (uint64_t k = 0; k < 8; ++k) {
      trace.warps[warp].push_back(wait || k % 4 == 0 ? 1 | L1Trace::kWaited : 1);
      trace.warps[warp].push_back(4 * warp + k / 2);
    }
  }
  return trace;
}

TEST(L1, RequestsWithoutAWaitBetweenFindTheirLine) {
  const std::map<uint64_t, L1Trace> together{{0, walks(false)}}, apart{{0, walks(true)}};
  constexpr uint64_t kSmall = 8 * 128;  // far fewer lines than warps
  EXPECT_EQ(replay(together, 1, kSmall).counts.hits, 64u * 4);
  EXPECT_EQ(replay(apart, 1, kSmall).counts.hits, 0u);
  EXPECT_EQ(replay(apart, 1, 64 * 128).counts.hits, 64u * 4);
}

TEST(L1, DistinctSectorsOfWarps) {
  L1Trace trace;
  trace.warps = {{2, 10, 11, 1 | L1Trace::kWaited, 10}, {1, 10, 1, 12}};
  const DistinctSectors found = distinct_sectors({{0, trace}, {5, trace}});
  EXPECT_EQ(found.all, 2u * 5);
  EXPECT_EQ(found.of_warps, 2u * 4);  // the first warp reads sector 10 twice
}

TEST(L1, AHitIsLateUntilWarpsHaveWaited) {
  EXPECT_EQ(replay({{0, walks(true)}}, 1, 64 * 128).counts.late_hits, 0u);  // each had waited for what it reads again
  EXPECT_EQ(replay({{0, walks(false)}}, 1, 64 * 128).counts.late_hits, 64u * 4);
  L1Trace one_line;  // eight warps at once
  one_line.warps.assign(8, {1 | L1Trace::kWaited, 0, 1 | L1Trace::kWaited, 0});
  const CacheCounts counts = replay({{0, one_line}}, 1, 64 * 128).counts;
  EXPECT_EQ(counts.misses, 1u);
  EXPECT_EQ(counts.late_hits, 7u);
  EXPECT_EQ(counts.hits, 15u);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
