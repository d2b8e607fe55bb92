// Numbers and units as ncu prints them, and tables and reports that are anything.
#include "warplens/counters/ncu/ncu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "warplens/counters/ncu/units.h"

namespace warplens::counters::ncu {
namespace {

TEST(Ncu, UnitsAreScaledToTheirBase) {
  const auto expect = [](const char* text, double factor, const char* base) {
    const Unit unit = unit_of(text);
    EXPECT_DOUBLE_EQ(unit.factor, factor) << text;
    EXPECT_EQ(unit.base, base) << text;
  };
  expect("Kbyte", 1e3, "byte");
  expect("Tbyte/s", 1e12, "byte/s");
  expect("usecond", 1e3, "ns");
  expect("ms", 1e6, "ns");
  expect("Ghz", 1e9, "hz");
  expect("sector/us", 1e6, "sector/s");
  expect("sector/ns", 1e9, "sector/s");
  expect("Kbyte/block", 1e3, "byte/block");
  expect("%/Kbyte", 1e-3, "%/byte");
  expect("register/thread", 1, "register/thread");
  expect("G", 1e9, "");
  expect("Metric", 1, "Metric");
  expect("", 1, "");
}

TEST(Ncu, NumbersOfAnyLanguage) {
  const NumberStyle english = style_of({"1,843.02", "65,536"}), german = style_of({"1.843,02", "65.536"});
  EXPECT_EQ(english.decimal, '.');
  EXPECT_EQ(german.decimal, ',');
  EXPECT_EQ(style_of({"10,396", "3.17"}).decimal, '.');
  EXPECT_EQ(style_of({"1.234.567"}).decimal, ',');
  EXPECT_EQ(style_of({"1\u202f843,021", "12,345"}).decimal, ',');  // French: three decimals everywhere
  EXPECT_EQ(style_of({"1\u00a0843,021", "12,345"}).decimal, ',');  // Swedish
  EXPECT_EQ(style_of({"1'843.021", "12,345"}).decimal, '.');
  EXPECT_EQ(style_of({"12,345 (7; 5)"}).decimal, '.');
  EXPECT_EQ(style_of({}).decimal, '.');
  EXPECT_EQ(number_of("2,368,771,084,337.35", english), 2368771084337.35);
  EXPECT_EQ(number_of("1.843,02", german), 1843.02);
  EXPECT_EQ(number_of("1\u202f843,02", german), 1843.02);
  EXPECT_EQ(number_of("1'843.02", english), 1843.02);
  EXPECT_EQ(number_of("12 (7; 5)", english), 12);
  EXPECT_EQ(number_of("1.5e-3", english), 0.0015);
  for (const char* none : {"", "nan", "n/a", "no data", "(!) nan", "NVIDIA H200", "-", "1x"})
    EXPECT_FALSE(number_of(none, english)) << none;
}

TEST(Ncu, SumsFollowFromOtherForms) {
  Counts counts;
  counts.devices.push_back(
      {.metrics = {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes_read.sum.per_second",
                   "gpu__time_duration.sum", "smsp__inst_executed.sum",
                   "smsp__thread_inst_executed_per_inst_executed.ratio"},
       .units = {"%", "byte/s", "ns", "inst", ""}});
  counts.launches.push_back({.values = {50, 1e9, 2000, 100, 31.5}});
  counts.launches.push_back({.values = {{}, {}, 2000, {}, 31.5}});
  derive(&counts);
  const auto value = [&](size_t launch, const char* metric) -> std::optional<double> {
    const auto& metrics = counts.devices[0].metrics;
    for (size_t k = 0; k < metrics.size(); ++k) {
      if (metrics[k] == metric) return counts.launches[launch].values[k];
    }
    return -1;
  };
  EXPECT_EQ(value(0, "dram__throughput.avg.pct_of_peak_sustained_elapsed"), 50);
  EXPECT_DOUBLE_EQ(value(0, "dram__bytes_read.sum").value_or(0), 2000);
  EXPECT_EQ(value(0, "smsp__thread_inst_executed.sum"), 3150);
  EXPECT_EQ(value(1, "dram__bytes_read.sum"), std::nullopt);
}

TEST(Ncu, TheSourcePageIsNoTableOfLaunches) {
  const std::string page =
      "\"Kernel Name\",\"sm80_gemm__5x_cublas\",\n\"Address\",\"Source\",\"# Samples\"\n\"1\",\"NOP\",\"0\"\n";
  ASSERT_TRUE(is_ncu(page));
  const Result<Counts> counts = read(page);
  ASSERT_FALSE(counts.ok());
  EXPECT_THAT(counts.status().message(), testing::HasSubstr("--page raw --csv"));
}

TEST(Ncu, TablesThatWindowsAndSpreadsheetsSaved) {
  const std::string plain = "\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"\",\"\",\"byte\"\n\"0\",\"k\",\"1.25\"\n";
  std::string semicolons = plain, utf16 = "\xFF\xFE";
  std::ranges::replace(semicolons, ',', ';');
  std::ranges::replace(semicolons, '.', ',');
  semicolons.replace(semicolons.find("a__b,"), 5, "a__b.");
  for (const char c : plain) utf16 += {c, '\0'};
  for (const std::string& text : {plain, semicolons, utf16, "\xEF\xBB\xBF" + plain}) {
    ASSERT_TRUE(is_ncu(text));
    const Result<Counts> counts = read(text);
    ASSERT_TRUE(counts.ok()) << counts.status().message();
    ASSERT_EQ(counts->launches.size(), 1U);
    EXPECT_EQ(counts->launches[0].kernel, "k");
    EXPECT_THAT(counts->launches[0].values, testing::ElementsAre(1.25));
  }
}

TEST(Ncu, AnythingIsReadOrRefused) {
  std::mt19937 dice(11);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes =
        round % 2 ? std::string("NVR\0\x02\0\0\0\x08\x07", 10) : "\"ID\",\"Kernel Name\",\"a__b.sum\"\n";
    const size_t head = bytes.size();
    bytes.resize(head + dice() % 200);
    for (size_t i = head; i < bytes.size(); ++i) bytes[i] = static_cast<char>(dice() % (round % 3 ? 256 : 16));
    EXPECT_TRUE(is_ncu(bytes));
    const Result<Counts> counts = read(bytes);
    EXPECT_TRUE(counts.ok() || !counts.status().message().empty());
  }
  EXPECT_FALSE(is_ncu("__global__ void k(); // \"Kernel Name\", a"));
}

}  // namespace
}  // namespace warplens::counters::ncu
