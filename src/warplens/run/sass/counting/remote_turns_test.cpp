#include "warplens/run/sass/counting/remote_turns.h"

#include <gtest/gtest.h>

namespace warplens::simt::sass_machine {
namespace {

constexpr int kBlocks = 4;

/// Each block's warp asks once in each of four turns, for ten sectors of the block that `asked` says.
template <typename F>
uint64_t crowded(F asked) {
  RemoteTurns turns;
  char warps[kBlocks];
  for (int turn = 0; turn < 4; ++turn) {
    for (int rank = 0; rank < kBlocks; ++rank)
      turns.add(turns.next(&warps[rank]), static_cast<uint32_t>(asked(turn, rank)), 10);
  }
  return turns.take(kBlocks);
}

TEST(RemoteTurns, AsManySectorsIfEachBlockIsAskedByOne) {
  EXPECT_EQ(crowded([](int turn, int rank) { return (rank + turn) % kBlocks; }), 160u);
}

TEST(RemoteTurns, FourTimesAsManyIfAllAskTheSame) {
  EXPECT_EQ(crowded([](int turn, int) { return turn; }), 640u);
}

TEST(RemoteTurns, ABarrierBeginsThemAnew) {
  RemoteTurns turns;
  char first, second;
  turns.add(turns.next(&first), 0, 10);
  EXPECT_EQ(turns.take(2), 20u);
  EXPECT_EQ(turns.take(2), 0u);
  turns.add(turns.next(&second), 1, 10);
  turns.add(turns.next(&first), 0, 10);  // its second request in all, its first since the barrier
  EXPECT_EQ(turns.take(2), 20u);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
