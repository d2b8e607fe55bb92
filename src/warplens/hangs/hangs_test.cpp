#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warplens/base/text.h"
#include "warplens/hangs/analysis.h"

namespace warplens::hangs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Entry entry(const char* name, int64_t sequence, State state, const char* group = "0", const char* sizes = "[[4]]") {
  return {group, name, sequence, false, state, sizes, "[Float]", 1000 + sequence, 600000, "train.py:5 step"};
}

Dump dump(int64_t rank, std::vector<Entry> entries) {
  Dump out;
  out.rank = rank;
  out.groups["0"] = {"default_pg", {0, 1, 2}};
  out.entries = std::move(entries);
  return out;
}

constexpr State kDone = State::kCompleted, kWaits = State::kStarted;

TEST(Hangs, NamesWhoIsMissingAndWhere) {
  const HangReport report =
      analyse({dump(0, {entry("nccl:all_reduce", 1, kDone), entry("nccl:all_reduce", 2, kWaits)}),
               dump(1, {entry("nccl:all_reduce", 1, kDone)}),
               dump(2, {entry("nccl:all_reduce", 1, kDone), entry("nccl:all_reduce", 2, State::kScheduled)})});
  ASSERT_EQ(report.hangs.size(), 1U);
  const Hang& hang = report.hangs[0];
  EXPECT_EQ(hang.sequence, 2);
  EXPECT_THAT(hang.missing(), ElementsAre(1));
  EXPECT_THAT(report.culprits, ElementsAre(1));
  EXPECT_EQ(hang.ranks[1].last, "nccl:all_reduce number 1 of group 0");
  EXPECT_EQ(hang.ranks[1].last_place, "train.py:5 step");
  EXPECT_FALSE(hang.names_differ || hang.sizes_differ);
}

TEST(Hangs, RanksWithoutADumpAreMissingToo) {
  const HangReport report =
      analyse({dump(0, {entry("nccl:all_gather", 7, kWaits)}), dump(2, {entry("nccl:all_gather", 7, kWaits)})});
  EXPECT_THAT(report.culprits, ElementsAre(1));
  EXPECT_FALSE(report.hangs[0].ranks[1].has_dump);
  EXPECT_EQ(findings_of(report.hangs[0])[0].title, "rank 1 may have arrived: no dump shows it");
}

TEST(Hangs, WhoWaitsElsewhereIsNoCulprit) {
  // Rank 1 waits in another group for rank 2, which does something else.
  std::vector<Dump> dumps = {dump(0, {entry("nccl:all_reduce", 2, kWaits)}),
                             dump(1, {entry("nccl:all_reduce", 1, kDone), entry("nccl:broadcast", 9, kWaits, "tp")}),
                             dump(2, {entry("nccl:all_reduce", 1, kDone)})};
  dumps[1].groups["tp"] = {"tensor", {1, 2}};
  const HangReport report = analyse(dumps);
  ASSERT_EQ(report.hangs.size(), 2U);
  EXPECT_THAT(report.culprits, ElementsAre(2));
}

TEST(Hangs, DifferencesBetweenRanksAreTold) {
  const auto two = [](Entry a, Entry b) {
    return analyse({dump(0, {std::move(a)}), dump(1, {b}), dump(2, {b})}).hangs.at(0);
  };
  EXPECT_TRUE(two(entry("nccl:all_reduce", 3, kWaits), entry("nccl:broadcast", 3, kWaits)).names_differ);
  EXPECT_TRUE(two(entry("nccl:all_reduce", 3, kWaits), entry("nccl:all_reduce", 3, kWaits, "0", "[[5]]")).sizes_differ);
  EXPECT_FALSE(
      two(entry("nccl:all_to_all", 3, kWaits), entry("nccl:all_to_all", 3, kWaits, "0", "[[5]]")).sizes_differ);
  EXPECT_EQ(two(entry("nccl:all_reduce", 3, kWaits), entry("nccl:broadcast", 3, kWaits)).name, "nccl:broadcast");
}

TEST(Hangs, DroppedEntriesAreNotMissing) {
  // Rank 1's ring begins later: it passed number 2 long ago.
  const HangReport report =
      analyse({dump(0, {entry("nccl:all_reduce", 2, kWaits)}), dump(1, {entry("nccl:all_reduce", 5, kDone)}),
               dump(2, {entry("nccl:all_reduce", 2, kWaits)})});
  EXPECT_THAT(report.hangs[0].missing(), IsEmpty());
  EXPECT_THAT(analyse({dump(0, {entry("nccl:all_reduce", 1, kDone)})}).hangs, IsEmpty());
}

constexpr const char* kJson =
    R"({"version":"2.4","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[{"record_id":0,)"
    R"("pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":4,"p2p_seq_id":0,"profiling_name":"nccl:all_reduce",)"
    R"("time_created_ns":17,"input_sizes":[[2,3]],"input_dtypes":["Float"],"state":"scheduled","is_p2p":false,"timeout_ms":600000,)"
    R"("frames":[{"filename":"/v/site-packages/torch/x.py","name":"all_reduce","line":1},{"filename":"t.py","name":"go","line":8}]},)"
    R"({"state":"nonsense"}]})";

TEST(Hangs, ReadsDumps) {
  const auto read = read_dump("dumps/nccl_trace_rank_11.json", kJson);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->rank, 11);
  EXPECT_EQ(read->left_out, 1);
  EXPECT_THAT(read->groups.at("0").ranks, ElementsAre(0, 1));
  ASSERT_EQ(read->entries.size(), 1U);
  EXPECT_EQ(read->entries[0].sequence, 4);
  EXPECT_EQ(read->entries[0].sizes, "[[2, 3]]");
  EXPECT_EQ(read->entries[0].place, "t.py:8 go");
  EXPECT_THAT(read_dump("dump", kJson).status().message(), HasSubstr("does not name its rank"));
  EXPECT_THAT(read_dump("job.py", "print(1)").status().message(), HasSubstr("TORCH_NCCL_DUMP_ON_TIMEOUT=1"));
  EXPECT_THAT(read_dump("d1", "{}").status().message(), HasSubstr("not a dump of the flight recorder"));
  const std::string whole = kJson;
  for (size_t size = 0; size < whole.size(); size += 3) EXPECT_FALSE(read_dump("d1", whole.substr(0, size)).ok());
}

TEST(Hangs, PicklesThatRepeatThemselvesEnd) {
  std::string bomb(
      "\x80\x02}X\x07\x00\x00\x00"
      "entries]q\x00",
      18);
  for (int i = 0; i < 60; ++i)
    bomb += std::string(
        "]q\x01(h\x00h\x00"
        "eq\x00",
        11);
  EXPECT_FALSE(read_dump("rank_0", bomb + "s.").ok());
}

}  // namespace
}  // namespace warplens::hangs
