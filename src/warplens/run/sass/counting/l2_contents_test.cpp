#include "warplens/run/sass/counting/l2_contents.h"

#include <gtest/gtest.h>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint16_t kAll = TouchedRun::kPieceSectors;
constexpr uint64_t kL2Bytes = 150 * TouchedRun::kPieceBytes;  // 100 pieces stay

TEST(L2Contents, HoldsWhatTheLaunchBeforeTouched) {
  L2Contents l2(kL2Bytes);
  const TouchedRun read{1000, 40, kAll, kAll}, written{2000, 40, 0, kAll};
  EXPECT_EQ(l2.pass(std::vector{read, written}), 0u);
  const TouchedRun again{2000, 40, kAll, kAll};
  EXPECT_EQ(l2.pass(std::vector{again}), 40u * kAll);
  EXPECT_EQ(l2.pass(std::vector{read}), 40u * kAll);
}

TEST(L2Contents, LosesWhatWasTouchedLongestAgo) {
  L2Contents l2(kL2Bytes);
  const TouchedRun first{0, 60, kAll, kAll}, second{100, 60, kAll, kAll};
  l2.pass(std::vector{first});
  l2.pass(std::vector{second});
  const TouchedRun rest{20, 40, kAll, kAll};  // of the first, the last 40
  EXPECT_EQ(l2.pass(std::vector{rest}), 40u * kAll);
}

TEST(L2Contents, APassOverMoreThanItHoldsFindsNothing) {
  L2Contents l2(kL2Bytes);
  const TouchedRun large{0, 400, kAll, kAll};
  l2.pass(std::vector{large});
  EXPECT_EQ(l2.pass(std::vector{large}), 0u);
}

TEST(L2Contents, StretchesOfALaunchArePassedSideBySide) {
  L2Contents l2(kL2Bytes);
  const TouchedRun a{0, 200, kAll, kAll}, b{1000, 200, 0, kAll};
  l2.pass(std::vector{a, b});
  const TouchedRun end_a{150, 50, kAll, kAll}, end_b{1150, 50, kAll, kAll};
  const uint64_t warm = l2.pass(std::vector{end_a, end_b});
  EXPECT_GE(warm, 84u * kAll);  // half of what stays is of either, but for the size of a step
}

TEST(L2Contents, BytesAreTouchedByParts) {
  L2Contents l2(kL2Bytes);
  l2.touch_bytes(TouchedRun::kPieceBytes - 64, 128);  // two sectors each of two pieces
  EXPECT_EQ(l2.pass(std::vector{TouchedRun{0, 2, kAll, kAll}}), 4u);
  l2.touch_bytes(uint64_t{1} << 40, uint64_t{1} << 32);  // more than L2: nothing else stays
  EXPECT_EQ(l2.pass(std::vector{TouchedRun{0, 2, kAll, kAll}}), 0u);
  EXPECT_EQ(l2.pass(std::vector{TouchedRun{((uint64_t{1} << 40) + (uint64_t{1} << 32)) / 4096 - 2, 2, kAll, kAll}}),
            2u * kAll);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
