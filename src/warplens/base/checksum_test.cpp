#include "warplens/base/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warplens {
namespace {

TEST(Checksum, DependsOnEveryBitAndOnTheLength) {
  std::set<uint64_t> seen;
  for (size_t size = 0; size < 100; ++size) seen.insert(checksum(std::string(size, '\0')));
  for (size_t bit = 0; bit < 800; ++bit) {
    std::string bytes(100, '\0');
    bytes[bit / 8] = static_cast<char>(1 << (bit % 8));
    seen.insert(checksum(bytes));
  }
  EXPECT_EQ(seen.size(), 900u);
}

TEST(Checksum, IsPartOfTheFileFormat) { EXPECT_EQ(checksum("warplens"), 14367906882442159403u); }

}  // namespace
}  // namespace warplens
