#include "warplens/base/quantity.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(Quantity, PercentIsAlwaysOfAHundred) {
  EXPECT_DOUBLE_EQ(*parse_percent("5%"), 0.05);
  EXPECT_DOUBLE_EQ(*parse_percent("5"), 0.05);
  EXPECT_DOUBLE_EQ(*parse_percent(" 0.5 % "), 0.005);
  for (const char* bad : {"", "%", "-1%", "five", "5ms", "5%%", "nan", "inf"})
    EXPECT_FALSE(parse_percent(bad).ok()) << bad;
}

TEST(Quantity, TimesNeedTheirUnit) {
  EXPECT_EQ(*parse_time_ns("20ms"), 20'000'000);
  EXPECT_EQ(*parse_time_ns("1.5 s"), 1'500'000'000);
  EXPECT_EQ(*parse_time_ns("300us"), 300'000);
  EXPECT_EQ(*parse_time_ns("300µs"), 300'000);
  EXPECT_EQ(*parse_time_ns("2min"), 120'000'000'000);
  EXPECT_EQ(*parse_time_ns("0"), 0);
  for (const char* bad : {"", "20", "ms", "-1ms", "1h", "20 m s", "1e30s"})
    EXPECT_FALSE(parse_time_ns(bad).ok()) << bad;
  EXPECT_NE(parse_time_ns("20").status().message().find("20ms"), std::string::npos);
}

TEST(Quantity, SizesAreBytesOrNamePowersOf1024) {
  EXPECT_EQ(*parse_bytes("49152"), 49152);
  EXPECT_EQ(*parse_bytes("48KiB"), 49152);
  EXPECT_EQ(*parse_bytes("1.5 MiB"), 1'572'864);
  for (const char* bad : {"", "48KB", "48k", "-1", "0.5", "ten"}) EXPECT_FALSE(parse_bytes(bad).ok()) << bad;
}

TEST(Quantity, RangesOfNumbersAndTimes) {
  EXPECT_EQ(*parse_numbers("3"), (std::pair<int64_t, int64_t>{3, 3}));
  EXPECT_EQ(*parse_numbers("3-5"), (std::pair<int64_t, int64_t>{3, 5}));
  for (const char* bad : {"", "a", "3-", "5-3", "3-5-7", "1.5"}) EXPECT_FALSE(parse_numbers(bad).ok()) << bad;
  EXPECT_EQ(*parse_times_ns("10ms-12.5ms"), (std::pair<int64_t, int64_t>{10'000'000, 12'500'000}));
  for (const char* bad : {"10-12", "10ms", "12ms-10ms", "10ms-", ""}) EXPECT_FALSE(parse_times_ns(bad).ok()) << bad;
}

}  // namespace
}  // namespace warplens
