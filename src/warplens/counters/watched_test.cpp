#include <gtest/gtest.h>

#include <cmath>

#include "warplens/counters/counted_findings.h"
#include "warplens/counters/counted_lines.h"
#include "warplens/counters/joined_report.h"
#include "warplens/counters/measured_report.h"
#include "warplens/counters/over_time.h"
#include "warplens/counters/program_report.h"
#include "warplens/model/constants.h"

namespace warplens::counters {
namespace {

constexpr const char* kKept =
    "{\"warplens_counters\":1,\"process\":1,\"cupti_version\":130001}\n"
    "{\"instructions\":true,\"metrics\":[\"smsp__sass_inst_executed\",\"smsp__sass_sectors_mem_global\","
    "\"smsp__sass_sectors_mem_global_ideal\"],\"kernels\":{\"_Z3addPii\":2}}\n"
    "{\"pc\":0,\"function\":\"_Z3addPii\",\"file\":\"/a/add.cu\",\"line\":3,\"counts\":[8,0,0]}\n"
    "{\"pc\":16,\"function\":\"_Z3addPii\",\"file\":\"/a/add.cu\",\"line\":4,\"counts\":[8,256,32]}\n"
    "{\"pc\":32,\"function\":\"_Z3addPii\",\"file\":\"/a/add.cu\",\"line\":3,\"counts\":[4,0,0]}\n"
    "{\"over_time\":\"_Z3addPii\",\"interval_ns\":10000,\"overflow\":false,\"metrics\":["
    "\"sm__cycles_active.avg.pct_of_peak_sustained_elapsed\"],\"starts_ns\":[5,10005],\"values\":[[100],[50]]}\n"
    "{\"end\":true,\"launches\":2,\"graph_launches\":0}\n";

TEST(Watched, LinesAreSums) {
  const Result<Counts> counts = read_counts(kKept);
  ASSERT_TRUE(counts.ok()) << counts.status().message();
  ASSERT_TRUE(counts->instructions);
  const std::vector<CountedLine> lines = counted_lines(*counts->instructions);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, 3u);
  EXPECT_EQ(lines[0].executed, 12u);
  const std::vector<LineFinding> findings = line_findings(lines);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].finding.id, "uncoalesced-access");
  EXPECT_EQ(findings[0].finding.where, std::vector<std::string>{"add.cu:4"});
  const std::string text = counted_lines_text(*counts->instructions, 0);
  EXPECT_NE(text.find("add.cu:4"), std::string::npos) << text;
  EXPECT_NE(text.find("256 sectors of global memory move; 32 are enough"), std::string::npos) << text;
}

CountedLine counted_line(uint32_t number) {
  CountedLine line;
  line.kernel = "k";
  line.file = "k.cu";
  line.line = number;
  line.executed = 100;
  line.active_threads = line.threads = 3200;
  return line;
}

TEST(Watched, LinesThatWasteNothingHaveNoFindings) {
  CountedLine line = counted_line(1);
  line.global_sectors = 100, line.global_ideal_sectors = 95;
  line.shared_wavefronts = line.shared_ideal_wavefronts = 50;
  EXPECT_TRUE(line_findings({line}).empty());
  line.divergent_branches = 3;
  EXPECT_TRUE(line_findings({line}).empty()) << "its lanes all work";
}

TEST(Watched, FindingsAreOfEachKernelWorstLineFirst) {
  std::vector<CountedLine> lines = {counted_line(1), counted_line(2), counted_line(3)};
  lines[0].shared_wavefronts = 40, lines[0].shared_ideal_wavefronts = 10;
  lines[1].shared_wavefronts = 320, lines[1].shared_ideal_wavefronts = 10;
  lines[1].active_threads = 500, lines[1].divergent_branches = 7;
  lines[2].active_threads = 500, lines[2].divergent_branches = 9;
  lines.push_back(counted_line(4));
  lines.back().kernel = "other";
  const std::vector<LineFinding> found = line_findings(lines);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].finding.id, "bank-conflict");
  EXPECT_EQ(found[0].finding.where, (std::vector<std::string>{"k.cu:2", "k.cu:1"}));
  EXPECT_EQ(found[0].finding.detail, "360 passes over shared memory run; 20 are enough");
  EXPECT_EQ(found[1].finding.id, "divergence");
  EXPECT_EQ(found[1].finding.where, (std::vector<std::string>{"k.cu:3", "k.cu:2"}));
  EXPECT_EQ(found[1].worst.line, 3u);
}

TEST(Watched, TimeGoesByIntervals) {
  const Result<Counts> counts = read_counts(kKept);
  ASSERT_TRUE(counts.ok());
  const Table table = over_time_table(counts->over_time);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(std::get<double>(table.rows[0][4]), 0.75);
  EXPECT_EQ(std::get<std::string>(table.rows[0][6]), "\u2588\u2585");
  const std::string text = over_time_text(counts->over_time, 0);
  EXPECT_NE(text.find("20.0 us in 2 intervals of 10.0 us"), std::string::npos) << text;
}

TEST(Watched, RangesAreToldAsWholes) {
  const std::string kept =
      "{\"warplens_counters\":1,\"process\":1,\"cupti_version\":130001}\n"
      "{\"device\":0,\"name\":\"NVIDIA "
      "H200\",\"chip\":\"GH100\",\"sms\":132,\"compute\":[9,0],\"passes\":8,\"metrics\":["
      "\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
      "\"dram__throughput.avg.pct_of_peak_sustained_elapsed\"],\"units\":[],\"missing\":[]}\n"
      "{\"range\":\"step\",\"device\":0,\"times\":8,\"least_launches\":930,\"most_launches\":931,\"graph_launches\":8,"
      "\"values\":[1000000,3000000,1000000,62.5]}\n"
      "{\"range\":\"other\",\"device\":0,\"times\":2,\"skipped\":\"the program came to it 2 times\"}\n"
      "{\"end\":true,\"launches\":7440,\"graph_launches\":8}\n";
  const Result<Counts> counts = read_counts(kept);
  ASSERT_TRUE(counts.ok()) << counts.status().message();
  const Result<ProgramReport> report = program_report(*counts, {});
  ASSERT_TRUE(report.ok());
  const std::string text = to_text(*report, 0);
  for (const char* part : {"930 to 931", "1.00 ms", "DRAM", "62.5 %", "and those of CUDA graphs",
                           "launched different kernels", "other was not counted: the program came to it 2 times"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("kernels in graphs are not counted"), std::string::npos) << text;
  EXPECT_NE(to_json(*report).find("\"dram__bytes_read.sum\": 3000000"), std::string::npos) << to_json(*report);
  EXPECT_EQ(read_counts(kept.substr(0, kept.find("{\"device")) + kept.substr(kept.find("{\"range"))).status().message(),
            "line 2: device 0 was not described");
}

TEST(Watched, NonsenseIsNamed) {
  std::string bad = kKept;
  bad.replace(bad.find("[8,256,32]"), 10, "[8,256]");
  EXPECT_EQ(read_counts(bad).status().message(), "line 4: 2 counts for 3 metrics");
  bad = kKept;
  bad.replace(bad.find("[5,10005]"), 9, "[5]");
  EXPECT_EQ(read_counts(bad).status().message(), "line 6: 2 samples at 1 times");
}

CountedDevice h200(std::vector<std::string> metrics) {
  return {.ordinal = 0,
          .sms = 132,
          .passes = 1,
          .compute = 90,
          .name = "NVIDIA H200",
          .chip = "GH100",
          .metrics = std::move(metrics),
          .units = {},
          .missing = {},
          .refused = ""};
}

report::KernelReport measured(double ns) {
  CountedLaunch launch;
  launch.kernel = "_Z3addPii";
  launch.grid = {4096, 1, 1};
  launch.block = {256, 1, 1};
  launch.registers = 16;
  launch.values = {ns, 1e6, 60.0};
  const auto report = measured_report(
      launch,
      h200({"gpu__time_duration.sum", "smsp__inst_executed.sum", "dram__throughput.avg.pct_of_peak_sustained_elapsed"}),
      nullptr);
  EXPECT_TRUE(report.ok());
  return *report;
}

TEST(Watched, TimeAloneSaysNothingOfLanes) {
  for (const Finding& finding : measured(5000).findings) EXPECT_NE(finding.id, "divergence");
}

TEST(Joined, SavingsGoByTheMeasuredTime) {
  report::KernelReport emulated = measured(5000);
  emulated.measured.reset();
  emulated.metrics = {{"smsp__inst_executed.sum", 1e6, report::Fidelity::kExact}};
  emulated.findings = {Finding{.id = "bank-conflict"}};
  emulated.findings[0].saving_fraction = 0.5;
  emulated.time.ns = 10000 + model::kLaunchNs;
  report::KernelReport slower = emulated, same = emulated;
  join_hardware(&same, measured(10000));
  EXPECT_NEAR(*same.findings[0].saving_fraction, 0.5, 1e-9);
  EXPECT_EQ(same.time.ns, 10000);
  EXPECT_NE(same.metric("dram__throughput.avg.pct_of_peak_sustained_elapsed"), nullptr);
  join_hardware(&slower, measured(4 * 11900 - model::kLaunchNs));  // the model says a quarter of what was measured
  EXPECT_NEAR(*slower.findings[0].saving_fraction, 1 - 0.5 / std::sqrt(3.0),
              1e-9);  // a third is the most it is believed to be off
}

TEST(Joined, LaunchesOfAKernelMatchInOrder) {
  std::vector<report::KernelReport> hardware = {measured(1000), measured(1001), measured(2000), measured(2001)};
  report::KernelReport first = measured(1), second = measured(1), other = measured(1);
  other.kernel = "other";
  std::vector<const report::KernelReport*> all;
  for (const report::KernelReport& each : hardware) all.push_back(&each);
  EXPECT_EQ(join_hardware({&first, &other, &second}, all), 2u);
  EXPECT_EQ(first.time.ns, 1000);
  EXPECT_EQ(second.time.ns, 2000);
  EXPECT_EQ(other.time.ns, 1);
}

}  // namespace
}  // namespace warplens::counters
