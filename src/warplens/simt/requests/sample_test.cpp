#include "warplens/simt/requests/sample.h"

#include <gtest/gtest.h>

#include <random>

#include "warplens/simt/requests/count_lanes.h"

namespace warplens::simt {
namespace {

AccessSample shared_sample(uint32_t size, uint64_t stride, uint32_t lanes = 0xffffffff) {
  AccessSample s;
  s.space = AccessSample::Space::kShared;
  s.size_bytes = size;
  s.lanes = lanes;
  for (size_t lane = 0; lane < 32; ++lane) s.addresses[lane] = 1024 + lane * stride;
  return s;
}

TEST(SharedPasses, AreAsManyAsAreCountedInLanesAndOneByOne) {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 3000; ++trial) {
    AccessSample s = shared_sample(1u << (trial % 3 + 2), 0);
    for (uint64_t& address : s.addresses) address = rng() % (trial % 7 ? 4096 : 128) / s.size_bytes * s.size_bytes;
    s.lanes = static_cast<uint32_t>(rng()) | (trial % 2 ? 0xffffffff : 1);
    if (trial % 11 == 0) s.lanes &= 0x01010101;  // no lane whose neighbour is on
    for (const Joins joins : {Joins::kByActive, Joins::kByAll, Joins::kNever}) {
      s.joins = joins;
      const Wavefronts counted = count_wavefronts(s.addresses.data(), s.lanes, s.size_bytes, joins);
      ASSERT_EQ(shared_passes(s).size(), counted.actual) << trial;
      InstructionCounts row;
      count_shared_lanes(row, s.addresses.data(), s.lanes, s.size_bytes, false, joins);
      ASSERT_EQ(row.wavefronts, counted.actual) << trial;
      ASSERT_EQ(row.ideal_wavefronts, counted.ideal) << trial;
    }
  }
}

TEST(SharedPasses, LanesThatAreOffHaveASayWhereNoPairIsOn) {
  AccessSample s = shared_sample(8, 8, 0x00010001);  // two lanes on one word, a half each; their neighbours elsewhere
  s.addresses[16] = s.addresses[0];
  s.joins = Joins::kByActive;
  EXPECT_EQ(shared_passes(s).size(), 1u);
  s.joins = Joins::kByAll;
  EXPECT_EQ(shared_passes(s).size(), 2u);
  for (size_t lane = 1; lane < 32; lane += 2) s.addresses[lane] = s.addresses[lane - 1];
  EXPECT_EQ(shared_passes(s).size(), 1u);
}

TEST(SharedPasses, NameTheLaneThatEachBankServes) {
  const auto passes = shared_passes(shared_sample(4, 64));  // two banks, 16 words of each
  ASSERT_EQ(passes.size(), 16u);
  EXPECT_EQ(passes[0][0], 0);
  EXPECT_EQ(passes[0][16], 1);
  EXPECT_EQ(passes[15][16], 31);
  EXPECT_EQ(passes[3][5], -1);
}

}  // namespace
}  // namespace warplens::simt
