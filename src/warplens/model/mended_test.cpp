#include "warplens/model/mended.h"

#include <gtest/gtest.h>

namespace warplens::model {
namespace {

TEST(WithBoth, WhatBothSpareIsSparedOnce) {
  Work now;
  now.load_sectors = 100, now.instructions = 50, now.barriers = 10;
  Work first = now, second = now;
  first.load_sectors = 40, first.instructions = 30;
  second.load_sectors = 70, second.barriers = 0, second.shared_wavefronts = 5;
  const Work both = with_both(now, first, second);
  EXPECT_EQ(both.load_sectors, 40);
  EXPECT_EQ(both.instructions, 30);
  EXPECT_EQ(both.barriers, 0);
  EXPECT_EQ(both.shared_wavefronts, 5);
}

TEST(WithBoth, WhatOneSparesAndTheOtherAddsIsBoth) {
  Work now;
  now.needs.registers = 64, now.blocks = 1000;
  Work first = now, second = now;
  first.needs.registers = 32, first.blocks = 500;
  second.needs.registers = 80;
  const Work both = with_both(now, first, second);
  EXPECT_EQ(both.needs.registers, 48);
  EXPECT_EQ(both.blocks, 500);
}

}  // namespace
}  // namespace warplens::model
