#include "warplens/program/analysis/ranks/waiting.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// Two ranks; rank 1 starts each of its all-reduces `late_ns` after rank 0, has lost the first `lost`, and its clock is
/// ahead by `clock_ns`. Rank 1 transfers for 100 ns, rank 0 waits besides.
Profile two_ranks(int count, int lost, int64_t late_ns, int64_t clock_ns) {
  TestProfile test;
  Profile& p = test.profile;
  p.ranks.file.push_back(test.text("other.json"));
  p.ranks.rank.push_back(1);
  p.ranks.world_size.push_back(2);
  p.ranks.clock_shift_ns.push_back(0);
  p.ranks.window_start_ns.push_back(clock_ns);
  p.ranks.window_end_ns.push_back(clock_ns + 1'000'000'000);
  p.devices.rank.push_back(1);
  p.devices.ordinal.push_back(1);
  p.devices.name.push_back(test.text("NVIDIA H200"));
  p.devices.memory_bytes.push_back(0);
  for (auto* column :
       {&p.devices.sm_count, &p.devices.compute_major, &p.devices.compute_minor, &p.devices.max_threads_per_sm,
        &p.devices.registers_per_sm, &p.devices.shared_bytes_per_sm, &p.devices.warp_size})
    column->push_back(0);
  auto& c = p.collectives;
  for (int64_t elements : {1000, 2000}) {
    c.name.push_back(test.text("allreduce"));
    c.dtype.push_back(test.text("Float"));
    c.in_elements.push_back(elements);
    c.out_elements.push_back(elements);
    c.group_size.push_back(2);
    c.group_name.push_back(test.text("0"));
    c.group_description.push_back(StringId::kEmpty);
    c.group_ranks.push_back(test.text("[0, 1]"));
    c.sequence.push_back(-1);
    c.source_rank.push_back(-1);
    c.destination_rank.push_back(-1);
  }
  for (int i = 0; i < count; ++i) {
    const int64_t begin = 1000 + i * 100'000 + i * i * 1000;  // gaps differ, so that only one alignment is steady
    const uint32_t a = test.kernel("ncclDevKernel_AllReduce", begin, 100 + late_ns, 0);
    p.device_events.collective.at(a) = i % 3 == 0;
    if (i < lost) continue;
    const uint32_t b = test.kernel("ncclDevKernel_AllReduce", begin + late_ns + clock_ns, 100, 0);
    p.device_events.device.at(b) = 1;
    p.device_events.collective.at(b) = i % 3 == 0;
  }
  return std::move(p);
}

TEST(Ranks, TellsWaitingFromTransferAndNamesTheLateRank) {
  const RankAnalysis analysis = analyse_ranks(two_ranks(12, 0, 5000, 0));
  ASSERT_EQ(analysis.collectives.size(), 12u);
  EXPECT_EQ(analysis.collectives[0].transfer_ns, 100);
  EXPECT_EQ(analysis.collectives[0].waiting_ns, 5000);
  EXPECT_EQ(analysis.collectives[0].last_rank, 1u);
  EXPECT_EQ(analysis.collectives[0].late_idle_ns, 5000);
  EXPECT_EQ(analysis.ranks[1].caused_waiting_ns, 60'000);
  EXPECT_EQ(analysis.ranks[0].waiting_ns, 60'000);
}

TEST(Ranks, AlignsSequencesThatLostDifferentHeads) {
  const RankAnalysis analysis = analyse_ranks(two_ranks(20, 3, 700, 0));
  EXPECT_EQ(analysis.collectives.size(), 17u);
  EXPECT_EQ(analysis.unmatched, 3);
  for (const CollectiveCost& c : analysis.collectives) EXPECT_EQ(c.waiting_ns, 700);
}

TEST(Ranks, AlignsClocks) {
  const RankAnalysis analysis = analyse_ranks(two_ranks(20, 0, 700, 50'000'000));
  EXPECT_EQ(analysis.ranks[1].clock.shift_ns, -50'000'000);
  ASSERT_EQ(analysis.collectives.size(), 20u);
  EXPECT_EQ(analysis.collectives[5].late_ns, 700);
}

TEST(Ranks, LeavesOutWaitingForAProfilerToStart) {
  Profile profile = two_ranks(5, 0, 700, 0);
  profile.ranks.window_start_ns.at(1) = 1500;  // the first collective began before rank 1 was recorded
  const RankAnalysis analysis = analyse_ranks(profile);
  EXPECT_EQ(analysis.before_all_recorded, 1);
  EXPECT_EQ(analysis.collectives.size(), 4u);
}

TEST(Ranks, BandwidthsAreNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor("allreduce", 8), 2.0 * 7 / 8);
  EXPECT_DOUBLE_EQ(bus_factor("_allgather_base", 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor("broadcast", 4), 1);
  EXPECT_EQ(element_bytes("BFloat16"), 2);
  const RankAnalysis analysis = analyse_ranks(two_ranks(12, 0, 0, 0));
  EXPECT_DOUBLE_EQ(analysis.collectives[1].algorithm_gbs, 1000 * 4 / 100.0);
}

}  // namespace
}  // namespace warplens::analysis
