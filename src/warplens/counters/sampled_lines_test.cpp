#include "warplens/counters/sampled_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::counters {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kFile =
    "{\"warplens_counters\":1}\n"
    "{\"sampling\":true,\"reasons\":[\"smsp__pcsamp_sample_count\",\"smsp__pcsamp_warps_issue_stalled_long_"
    "scoreboard\","
    "\"smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued\",\"smsp__pcsamp_warps_issue_stalled_wait\"],"
    "\"period_cycles\":512,\"samples\":90,\"dropped\":2,\"kernels\":{\"_Z4copyPf\":3}}\n"
    "{\"pc\":16,\"function\":\"_Z4copyPf\",\"file\":\"/src/"
    "copy.cu\",\"line\":7,\"samples\":[[0,50],[1,40],[2,30],[3,10]]}\n"
    "{\"pc\":32,\"function\":\"_Z4copyPf\",\"file\":\"/src/"
    "copy.cu\",\"line\":7,\"samples\":[[0,25],[1,5],[2,5],[3,20]]}\n"
    "{\"pc\":48,\"function\":\"_Z4copyPf\",\"file\":\"\",\"line\":0,\"samples\":[[0,15],[3,15]]}\n";

TEST(SampledLines, AddsInstructionsOfALineAndCountsEachSampleOnce) {
  const Result<Counts> counts = read_counts(kFile);
  ASSERT_TRUE(counts.ok()) << counts.status().message();
  ASSERT_TRUE(counts->sampling.has_value());
  const std::vector<SampledLine> lines = sampled_lines(*counts->sampling);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].kernel, "copy");
  EXPECT_EQ(lines[0].line, 7U);
  EXPECT_EQ(lines[0].samples, 75U);
  EXPECT_THAT(lines[0].reasons, ElementsAre(Pair("long_scoreboard", 45U), Pair("wait", 30U)));
  EXPECT_EQ(lines[1].offset, 48U);
  const Table table = sampled_table(lines);
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "copy.cu:7");
  EXPECT_EQ(std::get<std::string>(table.rows[1][1]), "+0x30");
  EXPECT_EQ(std::get<std::string>(table.rows[0][4]), "long scoreboard 60 %, wait 40 %");
}

TEST(SampledLines, SamplesMustFitTheReasons) {
  const std::string text =
      std::string(kFile) + "{\"pc\":64,\"function\":\"k\",\"file\":\"\",\"line\":0,\"samples\":[[4,1]]}\n";
  EXPECT_THAT(std::string(read_counts(text).status().message()),
              ::testing::HasSubstr("line 6: samples of a reason that is none of the 4"));
}

}  // namespace
}  // namespace warplens::counters
