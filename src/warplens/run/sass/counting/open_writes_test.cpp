#include "warplens/run/sass/counting/open_writes.h"

#include <gtest/gtest.h>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kLow = 0x0000ffff, kHigh = 0xffff0000;

TEST(OpenWrites, SectorsOfOneLineComeTogether) {
  OpenWrites writes;
  writes.add(7, {kLow, kLow, 0, 0}, 0);
  writes.add(7, {0, kHigh, kLow, 0}, 1);
  EXPECT_EQ(writes.merged(), 1u);
  writes.add(7, {kHigh, kHigh, kLow, kLow}, 2);
  EXPECT_EQ(writes.merged(), 4u);
  writes.add(8, {kLow, 0, 0, 0}, 3);
  EXPECT_EQ(writes.merged(), 4u);
  EXPECT_EQ(writes.completed(), 0u);
  writes.close();
  EXPECT_EQ(writes.completed(), 2u);
}

TEST(OpenWrites, MoreLinesThanAreHeldDoNot) {
  OpenWrites writes;
  for (int round = 0; round < 2; ++round) {
    for (uint64_t line = 1; line <= 2 * OpenWrites::kLines; ++line) writes.add(line, {kLow, 0, 0, 0}, 0);
  }
  EXPECT_EQ(writes.merged(), 0u);
}

TEST(OpenWrites, WhatComesAfterAWaitDoesNot) {
  OpenWrites writes;
  writes.add(7, {kLow, 0, 0, 0}, 0);
  writes.add(7, {kHigh, 0, 0, 0}, OpenWrites::kOpenCycles + 1);
  writes.close();
  EXPECT_EQ(writes.merged(), 0u);
  EXPECT_EQ(writes.completed(), 0u);
}

}  // namespace
}  // namespace warplens::simt::sass_machine
