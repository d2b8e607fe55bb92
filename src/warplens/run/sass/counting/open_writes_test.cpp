#include "warplens/run/sass/counting/open_writes.h"

#include <gtest/gtest.h>

namespace warplens::simt::sass_machine {
namespace {

TEST(OpenWrites, SectorsOfOneLineComeTogether) {
  OpenWrites writes;
  EXPECT_EQ(writes.add(7, 0b0011), 0u);
  EXPECT_EQ(writes.add(7, 0b0110), 1u);
  EXPECT_EQ(writes.add(7, 0b1111), 3u);
  EXPECT_EQ(writes.add(8, 0b1111), 0u);
}

TEST(OpenWrites, MoreLinesThanAreHeldDoNot) {
  OpenWrites writes;
  for (int round = 0; round < 2; ++round) {
    for (uint64_t line = 1; line <= 2 * OpenWrites::kLines; ++line) EXPECT_EQ(writes.add(line, 1), 0u);
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine
