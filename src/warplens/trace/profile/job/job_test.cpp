#include "warplens/trace/profile/job/job.h"

#include <gtest/gtest.h>

#include <random>

#include "warplens/trace/profile/job/fit.h"

namespace warplens::job {
namespace {

constexpr int64_t kDay2026 = 1'790'000'000'000'000'000;

struct RankSays {
  int64_t clock_ns = 0;  // its clock is ahead by this
  double recorded = 1;   // share of the collectives that it kept
  int32_t world_size = 0;
  int32_t rank = -1;  // -1: its position
};

/// A job whose collectives end at moments that `seed` chooses, all within 2 s; each rank notices an end up to 3 us
/// late.
class JobOf {
 public:
  explicit JobOf(unsigned seed) : random_(seed) {}

  void add_rank(const RankSays& says, const char* group = "0", const char* members = "", unsigned other_times = 0) {
    const auto row = static_cast<uint32_t>(profile.ranks.size());
    append(profile.ranks, {.file = profile.strings.intern("rank" + std::to_string(row) + ".json"),
                           .rank = says.rank < 0 ? static_cast<int32_t>(row) : says.rank,
                           .world_size = says.world_size,
                           .window_start_ns = kDay2026 + says.clock_ns,
                           .window_end_ns = kDay2026 + says.clock_ns + 2'000'000'000});
    append(profile.devices, {.rank = row});
    append(profile.collectives, {.name = profile.strings.intern("allreduce"),
                                 .in_elements = 1024,
                                 .group_name = profile.strings.intern(group),
                                 .group_ranks = profile.strings.intern(members),
                                 .sequence = -1});
    std::mt19937 times(other_times ? other_times : 7), fate(random_());
    const auto collective = static_cast<uint32_t>(profile.collectives.size() - 1);
    for (int i = 0; i < 60; ++i) {
      const int64_t end_ns = kDay2026 + says.clock_ns + static_cast<int64_t>(times() % 2'000'000'000u);
      if (static_cast<double>(fate() % 1000) >= says.recorded * 1000) continue;
      const int64_t noticed_ns = end_ns + static_cast<int64_t>(fate() % 3000), waited_ns = fate() % 500'000;
      append(profile.device_events, {.start_ns = noticed_ns - waited_ns,
                                     .duration_ns = waited_ns,
                                     .name = profile.strings.intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
                                     .kind = DeviceEventKind::kKernel,
                                     .device = row,
                                     .collective = collective});
    }
  }
  Job aligned() const { return align_ranks(profile); }

  Profile profile;

 private:
  std::mt19937 random_;
};

TEST(Job, RanksThatKeptDifferentPartsAreAlignedByWhatBothHave) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    JobOf test(seed);
    for (int rank = 0; rank < 4; ++rank) test.add_rank({.recorded = 0.5, .world_size = 128});
    const Job job = test.aligned();
    for (const RankClock& clock : job.clocks) {
      EXPECT_TRUE(clock.sure) << seed;
      EXPECT_EQ(clock.shift_ns, 0) << seed;
    }
    EXPECT_EQ(not_one_job(test.profile, job), std::nullopt);
    for (const MatchedCollective& matched : job.collectives) {
      for (const uint32_t a : matched.events) {
        for (const uint32_t b : matched.events) {
          if (a != kNone && b != kNone) {
            const auto& e = test.profile.device_events;
            EXPECT_LT(std::abs(e.start_ns[a] + e.duration_ns[a] - e.start_ns[b] - e.duration_ns[b]), 3000);
          }
        }
      }
    }
  }
}

TEST(Job, FindsHowFarClocksAreApart) {
  for (const int64_t clock_ns : {int64_t{5'000'000}, int64_t{-3'000'000'000}, int64_t{7'200'000'000'000}}) {
    JobOf test(3);
    test.add_rank({});
    test.add_rank({.clock_ns = clock_ns, .recorded = 0.95});
    const Job job = test.aligned();
    EXPECT_TRUE(job.clocks[1].sure) << clock_ns;
    EXPECT_NEAR(static_cast<double>(job.clocks[1].shift_ns), static_cast<double>(-clock_ns), 3000);
    EXPECT_GE(job.clocks[1].matched, 50u);
  }
}

TEST(Job, AShiftThatIsNoiseStillMatchesEveryCollective) {
  JobOf test(3);
  test.add_rank({.world_size = 2});
  test.add_rank({.clock_ns = 60'000, .world_size = 2});
  const Job job = test.aligned();
  EXPECT_EQ(job.clocks[1].shift_ns, 0);
  EXPECT_EQ(job.collectives.size(), 60);
  EXPECT_EQ(job.unmatched, 0);
}

TEST(Job, CollectivesOfOtherProgramsDoNotFit) {
  for (unsigned seed = 100; seed < 150; ++seed) {
    JobOf test(seed);
    test.add_rank({});
    test.add_rank({}, "0", "", seed);
    const Job job = test.aligned();
    EXPECT_FALSE(job.clocks[1].sure) << seed << ": " << job.clocks[1].matched << " matched";
    EXPECT_EQ(job.clocks[1].shift_ns, 0);
    EXPECT_EQ(not_one_job(test.profile, job), std::nullopt) << "clocks alone do not refuse them";
  }
}

TEST(Job, RefusesWhatCannotBeOneJob) {
  const auto why = [](const RankSays& a, const RankSays& b) {
    JobOf test(5);
    test.add_rank(a);
    test.add_rank(b, "0", "", 99);
    return not_one_job(test.profile, test.aligned()).value_or("");
  };
  EXPECT_EQ(why({.world_size = 8, .rank = 3}, {.world_size = 2, .rank = 1}),
            "rank0.json is from a job of 8 ranks, rank1.json from one of 2");
  EXPECT_EQ(why({.world_size = 8, .rank = 3}, {.world_size = 8, .rank = 3}),
            "rank0.json and rank1.json are both rank 3");
  EXPECT_EQ(why({}, {.clock_ns = 730'000'000'000'000}),
            "rank1.json was recorded 8.4 days after rank0.json, and their collectives do not fit");
}

TEST(Job, RanksWithoutACommonGroupAreAlignedByWayOfOthers) {
  JobOf test(11);
  test.add_rank({}, "1", "[0, 1]");
  test.add_rank({.clock_ns = 40'000'000}, "1", "[0, 1]");
  test.add_rank({.clock_ns = 90'000'000}, "2", "[1, 2]");
  // Rank 1 is in the second group, too, which meets at other moments.
  const size_t before = test.profile.device_events.size();
  for (size_t e = 0; e < before; ++e) {
    device_events_row event = row_of(test.profile.device_events, e);
    if (event.device != 2) continue;
    event.device = 1;
    event.start_ns -= 50'000'000;
    append(test.profile.device_events, event);
  }
  const Job job = test.aligned();
  EXPECT_TRUE(job.clocks[2].sure);
  EXPECT_NEAR(static_cast<double>(job.clocks[2].shift_ns), -90e6, 10e3);
}

TEST(Job, SequenceNumbersIdentifyWhatEndsApart) {
  Profile profile;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    append(profile.ranks, {.rank = static_cast<int32_t>(rank), .window_end_ns = 1'000'000'000});
    append(profile.devices, {.rank = rank});
    for (int64_t i = 0; i < 10; ++i) {
      append(profile.collectives, {.group_name = profile.strings.intern("0"), .sequence = i});
      append(profile.device_events, {.start_ns = i * 50'000'000,
                                     .duration_ns = 1000 + (rank == 0 && i % 3 == 0 ? 20'000'000 : 0),
                                     .name = profile.strings.intern("ncclDevKernel_Broadcast_RING_LL"),
                                     .kind = DeviceEventKind::kKernel,
                                     .device = rank,
                                     .collective = static_cast<uint32_t>(profile.collectives.size() - 1)});
    }
  }
  const Job job = align_ranks(profile);
  EXPECT_EQ(job.collectives.size(), 10u);
  EXPECT_EQ(job.unmatched, 0);
  EXPECT_TRUE(job.clocks[1].sure);
}

/// 300 all-reduces, one every 60 us or so, as of a program that reduces each gradient alone.
TEST(Fit, OfCollectivesThatFollowEachOtherClosely) {
  std::mt19937 random(3);
  Meetings first, second;
  int64_t at = kDay2026;
  for (uint32_t i = 0; i < 300; ++i) {
    at += 30'000 + static_cast<int64_t>(random() % 60'000);
    const int64_t end_ns[] = {at, at + 700'000'000 + static_cast<int64_t>(random() % 3'000)};
    for (const int64_t end : end_ns)
      (end == at ? first : second)
          .push_back({.event = i,
                      .function = Function::kAllReduce,
                      .group_name = StringId::kEmpty,
                      .group_ranks = StringId::kEmpty,
                      .elements = 4096,
                      .sequence = -1,
                      .start_ns = end - 20'000,
                      .end_ns = end});
  }
  const Fit fit = fit_meetings(first, second, true);
  EXPECT_TRUE(fit.sure);
  EXPECT_EQ(fit.pairs.size(), 300u);
  EXPECT_NEAR(static_cast<double>(fit.shift_ns), -700e6, 3e3);
  EXPECT_LT(fit.spread_ns, 3'000);
}

TEST(Job, FunctionsByName) {
  EXPECT_EQ(function_of("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgs)"), Function::kReduceScatter);
  EXPECT_EQ(function_of("_allgather_base"), Function::kAllGather);
  EXPECT_EQ(function_of("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"), Function::kSendReceive);
  EXPECT_EQ(function_of("ncclDevKernel_Generic_1(ncclReduce)"), Function::kUnknown);
}

}  // namespace
}  // namespace warplens::job
