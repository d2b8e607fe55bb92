#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/counters/code_text.h"
#include "warplens/counters/counts.h"
#include "warplens/counters/measured_report.h"
#include "warplens/counters/metric_sets.h"

namespace warplens::counters {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Counts recorded(const char* name) {
  const Result<std::string> text = read_file(tests::source_path(std::string("tests/data/counters/") + name));
  EXPECT_TRUE(text.ok());
  Result<Counts> counts = read_counts(*text);
  EXPECT_TRUE(counts.ok()) << counts.status().message();
  return counts.ok() ? *counts : Counts();
}

std::string beginning() { return "{\"warplens_counters\":1}\n"; }

TEST(ReadCounts, WhatAnH200Counted) {
  const Counts counts = recorded("probe.counts");
  ASSERT_EQ(counts.launches.size(), 28U);
  EXPECT_EQ(counts.devices.at(0).chip, "GH100");
  EXPECT_EQ(counts.launches[1].grid[0], 4096U);
  EXPECT_TRUE(counts.ended);
}

TEST(ReadCounts, CutShortKeepsWhatIsWhole) {
  const Result<std::string> text = read_file(tests::source_path("tests/data/counters/probe.counts"));
  ASSERT_TRUE(text.ok());
  const Result<Counts> counts = read_counts(std::string_view(*text).substr(0, text->size() / 2));
  ASSERT_TRUE(counts.ok());
  EXPECT_FALSE(counts->ended);
  EXPECT_GT(counts->launches.size(), 5U);
}

TEST(ReadCounts, ComputeCapabilitiesAreThoseOfChips) {
  for (const char* odd : {"[1000000000000000000, 0]", "[-9, 0]", "[9, 10]", "[9]", "9"}) {
    const Result<Counts> counts = read_counts(beginning() + R"({"device":0,"name":"x","compute":)" + odd + "}\n");
    ASSERT_TRUE(counts.ok()) << odd;
    EXPECT_EQ(counts->devices.at(0).compute, CountedDevice().compute) << odd;
  }
}

TEST(ReadCounts, MachineCodeIsText) {
  const Result<Counts> counts = read_counts(
      "{\"warplens_counters\":1,\"process\":1}\n"
      "{\"code\":\"k\",\"hex\":\"4d790000000000000000800300ea0f00184900000000000000000000000fc000\"}\n");
  ASSERT_TRUE(counts.ok()) << counts.status().message();
  ASSERT_EQ(counts->code.at("k").size(), 32u);
  EXPECT_THAT(code_text(counts->code.at("k"), 90), testing::ElementsAre("EXIT"));  // the NOP behind it is padding
  EXPECT_EQ(read_counts("{\"warplens_counters\":1}\n{\"code\":\"k\",\"hex\":\"zz\"}\n").status().message(),
            "line 2: machine code that is not in hexadecimal digits");
}

TEST(ReadCounts, ErrorsNameTheLine) {
  const auto message = [](const std::string& text) { return std::string(read_counts(text).status().message()); };
  EXPECT_THAT(message("{}"), HasSubstr("no counters"));
  EXPECT_THAT(message("{\"warplens_counters\":2}\n"), HasSubstr("version 2"));
  EXPECT_THAT(message(beginning() + "{\"kernel\":\"k\"}\n"), HasSubstr("line 2: \"grid\" has not three sizes"));
  EXPECT_THAT(message(beginning() + "{\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"cluster\":[1,1,1]}\n"),
              HasSubstr("device 0 was not described"));
  EXPECT_THAT(
      message(beginning() + "{\"device\":0,\"name\":\"NVIDIA H200\",\"metrics\":[\"a.sum\"]}\n"
                            "{\"kernel\":\"k\",\"device\":0,\"grid\":[1,1,1],\"block\":[1,1,1],\"cluster\":[1,1,1],"
                            "\"values\":[1,2]}\n"),
      HasSubstr("line 3: 2 values for 1 metrics"));
}

TEST(MeasuredReport, FindsTheDefectsOfRecordedLaunches) {
  const Counts counts = recorded("defects.counts");
  std::map<std::string, std::vector<std::string>> found;
  for (const CountedLaunch& launch : counts.launches) {
    const Result<report::KernelReport> report = measured_report(launch, counts.devices.at(launch.device), {});
    ASSERT_TRUE(report.ok()) << report.status().message();
    for (const Finding& finding : report->findings) found[report->kernel].push_back(finding.id);
    EXPECT_EQ(report->time.ns, report->metric("gpu__time_duration.sum")->value);
  }
  EXPECT_THAT(found["aos_bad"], Contains("uncoalesced-access"));
  EXPECT_THAT(found["aos_fixed"], ::testing::Not(Contains("uncoalesced-access")));
  EXPECT_THAT(found["banks_bad"], Contains("bank-conflict"));
  EXPECT_THAT(found["banks_fixed"], ::testing::Not(Contains("bank-conflict")));
  EXPECT_THAT(found["diverge_bad"], Contains("divergence"));
  EXPECT_THAT(found["diverge_fixed"], ::testing::Not(Contains("divergence")));
  EXPECT_THAT(found["occupancy_bad"], Contains("low-occupancy"));
  EXPECT_THAT(found["occupancy_fixed"], ::testing::Not(Contains("low-occupancy")));
  EXPECT_THAT(found["tail_bad"], Contains("tail-effect"));
  EXPECT_THAT(found["double_bad"], Contains("accidental-double"));
  EXPECT_THAT(found["double_fixed"], ::testing::Not(Contains("accidental-double")));
  EXPECT_THAT(found["chain_bad"], Contains("stall-bound"));
}

TEST(MetricSets, EachIsThereAndFullHoldsThemAll) {
  const std::vector<std::string> full = *metrics_of_set("full");
  for (const MetricSet& set : metric_sets()) {
    const auto metrics = metrics_of_set(set.name);
    ASSERT_TRUE(metrics.ok()) << set.name;
    for (const std::string& metric : *metrics) EXPECT_THAT(full, Contains(metric)) << set.name;
  }
  EXPECT_FALSE(metrics_of_set("everything").ok());
}

}  // namespace
}  // namespace warplens::counters
