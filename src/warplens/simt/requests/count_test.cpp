#include "warplens/simt/requests/count.h"

#include <gtest/gtest.h>

namespace warplens::simt {
namespace {

Wavefronts wavefronts(uint32_t size, uint32_t mask, auto address) {
  Address at[32];
  for (uint32_t i = 0; i < 32; ++i) at[i] = address(i);
  return count_wavefronts(at, mask, size);
}

TEST(Access, BanksOfFourByteAccesses) {
  EXPECT_EQ(wavefronts(4, ~0u, [](uint32_t i) { return i * 4; }).actual, 1u);
  EXPECT_EQ(wavefronts(4, ~0u, [](uint32_t i) { return i * 8; }).actual, 2u);
  EXPECT_EQ(wavefronts(4, ~0u, [](uint32_t i) { return i * 128; }).actual, 32u);
  EXPECT_EQ(wavefronts(4, ~0u, [](uint32_t i) { return i * 132; }).actual, 1u);
  EXPECT_EQ(wavefronts(4, ~0u, [](uint32_t) { return 64; }).actual, 1u);
  EXPECT_EQ(wavefronts(4, 0xf, [](uint32_t i) { return i * 128; }).actual, 4u);
  EXPECT_EQ(wavefronts(1, ~0u, [](uint32_t i) { return i; }).actual, 1u);
}

TEST(Access, WiderAccessesGoInHalvesAndQuarters) {
  EXPECT_EQ(wavefronts(8, ~0u, [](uint32_t i) { return i * 8; }).actual, 2u);
  EXPECT_EQ(wavefronts(8, ~0u, [](uint32_t i) { return i / 2 * 8; }).actual, 1u);      // pairs of lanes share
  EXPECT_EQ(wavefronts(8, ~0u, [](uint32_t i) { return (i & ~2u) * 8; }).actual, 2u);  // lane ^ 2 shares: joined
  EXPECT_EQ(wavefronts(16, ~0u, [](uint32_t i) { return i * 16; }).actual, 4u);
  EXPECT_EQ(wavefronts(16, ~0u, [](uint32_t) { return 0; }).actual, 2u);  // halves never join
  EXPECT_EQ(wavefronts(16, 0xff, [](uint32_t i) { return i * 16; }).actual, 1u);
}

TEST(Access, HalvesOfALoadJoinWherePairsOfLanesDoAndThoseOfAStoreNever) {
  Address pairs[32], apart[32];
  for (uint32_t i = 0; i < 32; ++i) {
    pairs[i] = i / 2 * 8;
    apart[i] = i * 8;
  }
  EXPECT_EQ(count_wavefronts(pairs, ~0u, 8).actual, 1u);
  EXPECT_EQ(count_wavefronts(pairs, ~0u, 8, Joins::kNever).actual, 2u);
  constexpr uint32_t kLoneLanes = 0x00010001;  // their partners are off
  EXPECT_EQ(count_wavefronts(pairs, kLoneLanes, 8).actual, 1u);
  EXPECT_EQ(count_wavefronts(apart, kLoneLanes, 8, Joins::kNever).actual, 2u);
  EXPECT_EQ(count_wavefronts(apart, 0xffff, 8, Joins::kNever).actual, 1u);
}

TEST(Access, SectorsAreDistinctSegments) {
  Address at[32];
  for (uint32_t i = 0; i < 32; ++i) at[i] = 4096 + i * 4;
  EXPECT_EQ(count_sectors(at, ~0u, 4), 4u);
  for (uint32_t i = 0; i < 32; ++i) at[i] = 4096 + (31 - i) * 33;
  EXPECT_EQ(count_sectors(at, ~0u, 1), 32u);
  EXPECT_EQ(count_sectors(at, 1, 1), 1u);
}

}  // namespace
}  // namespace warplens::simt
