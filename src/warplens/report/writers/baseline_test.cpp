#include "warplens/report/writers/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warplens/report/writers/write_json.h"

namespace warplens::report {
namespace {

KernelReport report(double sectors, uint64_t line_sectors) {
  KernelReport out;
  out.kernel = "k";
  out.device = *gpu::find_device("h200");
  out.metrics = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors, Fidelity::kExact},
                 {"gpu__time_duration.sum", sectors * 2, Fidelity::kEstimated}};
  LineCounts line;
  line.file = "k.cu";
  line.line = 7;
  line.global_load.sectors = line_sectors;
  out.lines.push_back(line);
  return out;
}

json::Value saved(const KernelReport& report) {
  json::Writer w;
  w.begin_object().key("launches").begin_array().begin_object().member("kernel", report.kernel);
  for (const auto& [key, sizes] : {std::pair("grid", report.grid), std::pair("block", report.block)}) {
    w.list(key, sizes);
  }
  write_report(w, report);
  w.end_object().end_array().end_object();
  return *json::parse(w.text());
}

TEST(CompareWithBaseline, NothingChangedWhenNothingDid) {
  const KernelReport now = report(100, 100);
  const auto compared = compare_with_baseline(saved(now), {&now});
  EXPECT_TRUE(compared->changes.empty());
  EXPECT_TRUE(compared->notes.empty());
  EXPECT_TRUE(compared->other.empty());
  ASSERT_EQ(compared->times.size(), 1u);
  EXPECT_EQ(compared->times[0].growth(), 0);
}

TEST(CompareWithBaseline, SaysThatTheMachineCodeIsTheSame) {
  KernelReport before = report(100, 100), now = before;
  before.code_digest = now.code_digest = "0123456789abcdef";
  EXPECT_EQ(compare_with_baseline(saved(before), {&now})->notes,
            std::vector<std::string>{"k: its machine code is the same as before, instruction by instruction"});
  now.kernel = "branchless";
  EXPECT_EQ(compare_with_baseline(saved(before), {&now}, {.as = "k"})->notes[0],
            "branchless: its machine code is the same as k's, instruction by instruction");
  now.code_digest = "fedcba9876543210";
  EXPECT_TRUE(compare_with_baseline(saved(before), {&now}, {.as = "k"})->notes.empty());
}

TEST(CompareWithBaseline, CountersOfTheUnitsWhoseTimeChangedMostComeFirst) {
  KernelReport before = report(100, 100);
  before.metrics = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 4000, Fidelity::kExact},
                    {"launch__waves_per_multiprocessor", 1, Fidelity::kExact},
                    {"sm__inst_executed_pipe_tensor.sum", 10, Fidelity::kExact},
                    {"smsp__inst_executed.sum", 1000, Fidelity::kExact}};
  before.time.resources = {{"L2", 5000}, {"issue slots", 300}};
  KernelReport now = before;
  for (Metric& metric : now.metrics) metric.value *= 3;
  now.time.resources = {{"L2", 900}, {"issue slots", 800}};
  std::vector<std::string> order;
  const auto compared = compare_with_baseline(saved(before), {&now});
  for (const Change& change : compared->changes) order.push_back(change.metric);
  EXPECT_THAT(order, testing::ElementsAre("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "smsp__inst_executed.sum",
                                          "sm__inst_executed_pipe_tensor.sum", "launch__waves_per_multiprocessor"));
}

TEST(CompareWithBaseline, NamesTheMetricAndTheLineButNoEstimate) {
  const KernelReport before = report(100, 100), now = report(150, 150);
  const auto changes = compare_with_baseline(saved(before), {&now})->changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].metric, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_DOUBLE_EQ(changes[0].growth(), 0.5);
  EXPECT_EQ(changes[1].where, "k.cu:7");
}

TEST(CompareWithBaseline, LinesThatOnlyMovedAreTheSame) {
  const KernelReport before = report(100, 100);
  KernelReport now = before;
  now.lines[0].line = 19;
  EXPECT_TRUE(compare_with_baseline(saved(before), {&now})->changes.empty());
  now.lines[0].global_load.sectors = 5;
  EXPECT_EQ(compare_with_baseline(saved(before), {&now})->changes[0].where, "k.cu:19");
}

TEST(CompareWithBaseline, LinesOfAnotherFileAreNotCompared) {
  const KernelReport before = report(100, 100);
  KernelReport now = before;
  now.lines[0].file = "faster.cu";
  const auto compared = compare_with_baseline(saved(before), {&now});
  EXPECT_TRUE(compared->changes.empty());
  EXPECT_THAT(compared->notes, testing::Contains(testing::HasSubstr("faster.cu is another file than k.cu")));
}

TEST(CompareWithBaseline, UnitsWithTheLargestDifferenceComeFirst) {
  KernelReport before = report(100, 100);
  before.time.resources = {{"L2", 9000}, {"DRAM", 1000}, {"FMA pipe", 500}};
  KernelReport now = report(100, 100);
  now.time.ns = 5000;
  now.time.resources = {{"DRAM", 1500}, {"L2", 1000}, {"FMA pipe", 500}};
  const auto units = compare_with_baseline(saved(before), {&now})->units;
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].unit, "L2");
  EXPECT_EQ(units[0].before_ns, 9000);
  EXPECT_EQ(units[1].unit, "DRAM");
}

TEST(CompareWithBaseline, ALineThatIsGoneHasNothingNow) {
  KernelReport before = report(100, 100);
  before.lines.push_back(before.lines[0]);
  before.lines[1].line = 9;
  const KernelReport now = report(100, 100);
  const auto changes = compare_with_baseline(saved(before), {&now})->changes;
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].where, "k.cu:9");
  EXPECT_EQ(changes[0].after, 0);
}

TEST(CompareWithBaseline, WhatWasNothingGrowsWithoutBound) {
  const KernelReport before = report(0, 0), now = report(3, 0);
  const auto changes = compare_with_baseline(saved(before), {&now})->changes;
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_GT(changes[0].growth(), 1e300);
  EXPECT_EQ(std::get<std::string>(change_table(changes).rows[0][5]), "new");
}

TEST(CompareWithBaseline, SaysWhatWasNotCompared) {
  const KernelReport before = report(1, 1);
  KernelReport other = before, adjusted = before;
  other.kernel = "other";
  adjusted.metrics[0].fidelity = Fidelity::kAdjusted;
  adjusted.why_adjusted = "because";
  EXPECT_EQ(compare_with_baseline(saved(before), {&before, &other})->other,
            std::vector<std::string>{"other: a launch that the baseline does not have"});
  EXPECT_EQ(compare_with_baseline(saved(before), {&adjusted})->notes,
            std::vector<std::string>{"k: 1 counters are exact on only one side and were not compared: because"});
  const auto none = compare_with_baseline(saved(before), {&other});
  EXPECT_EQ(none->matched, 0u);
  EXPECT_EQ(none->other,
            std::vector<std::string>{"the baseline has none of these launches (other); it has k: --as NAME "
                                     "compares with a kernel of another name"});
  EXPECT_FALSE(compare_with_baseline(*json::parse("{}"), {&before}).ok());
  EXPECT_FALSE(compare_with_baseline(*json::parse(R"({"schema_version":2,"launches":[]})"), {&before}).ok());
}

TEST(CompareWithBaseline, TimeGrowsByWhatTheWorkTakes) {
  KernelReport before = report(1, 1), now = before;
  before.time.ns = 2900;
  now.time.ns = 3900;
  EXPECT_DOUBLE_EQ(compare_with_baseline(saved(before), {&now})->times[0].growth(), 1.0);
}

TEST(CompareWithBaseline, OtherLaunchesAreNamed) {
  const KernelReport before = report(1, 1);
  KernelReport wider = before, reshaped = before;
  wider.grid[0] = 2;
  EXPECT_EQ(compare_with_baseline(saved(before), {&wider})->other,
            std::vector<std::string>{"k: grid was 1,1,1, is 2,1,1"});
  KernelReport wide = before;
  wide.block[0] = 64;
  wide.grid[0] = 2;
  reshaped.block[0] = 128;
  EXPECT_TRUE(compare_with_baseline(saved(wide), {&reshaped})->other.empty());
  EXPECT_EQ(compare_with_baseline(saved(wide), {&reshaped})->notes.size(), 2u);
}

TEST(CompareWithBaseline, AnotherNameIsComparedWhenAsked) {
  KernelReport before = report(100, 1), now = report(50, 1);
  now.kernel = "faster";
  now.grid[0] = 8;
  const auto compared = compare_with_baseline(saved(before), {&now}, {.as = "k"});
  ASSERT_TRUE(compared.ok());
  EXPECT_TRUE(compared->other.empty());
  ASSERT_EQ(compared->changes.size(), 1u);
  EXPECT_DOUBLE_EQ(compared->changes[0].growth(), -0.5);
}

TEST(CompareWithBaseline, LaunchesThatWereNotAskedForAreNotMissed) {
  const KernelReport one = report(1, 1);
  json::Value base = saved(one);
  json::Writer w;
  w.begin_object().key("launches").begin_array();
  for (const char* name : {"k", "rest"}) {
    w.begin_object().member("kernel", name);
    write_report(w, one);
    w.end_object();
  }
  const json::Value two = *json::parse(w.end_array().end_object().text());
  EXPECT_EQ(compare_with_baseline(two, {&one})->other.size(), 1u);
  EXPECT_TRUE(compare_with_baseline(two, {&one}, {.some = true})->other.empty());
}

}  // namespace
}  // namespace warplens::report
