#include "warplens/trace/profile/checks/checks.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

/// A healthy rank: launches every 100 us whose kernels begin 10 us later and last 50 us.
class Checks : public testing::Test {
 protected:
  Checks() { add_rank(0); }

  void add_rank(int64_t clock_ns) {
    const auto rank = static_cast<uint32_t>(profile.ranks.size());
    rows = {.rank = rank,
            .operators = profile.operators.size(),
            .calls = profile.calls.size(),
            .device_events = profile.device_events.size()};
    append(profile.ranks, {.file = profile.strings.intern("trace.json"),
                           .rank = static_cast<int32_t>(rank),
                           .window_start_ns = clock_ns,
                           .window_end_ns = clock_ns + 3'000'000});
    append(profile.threads, {.rank = rank});
    append(profile.devices, {.rank = rank});
    for (int64_t i = 1; i <= 20; ++i) {
      launch(i, clock_ns + i * 100'000, "cudaLaunchKernel");
      kernel(i, clock_ns + i * 100'000 + 10'000);
    }
  }
  void launch(int64_t correlation, int64_t start_ns, const char* name) {
    append(profile.calls, {.start_ns = start_ns,
                           .duration_ns = 5'000,
                           .name = profile.strings.intern(name),
                           .thread = rows.rank,
                           .correlation = correlation});
  }
  void kernel(int64_t correlation, int64_t start_ns, const char* name = "k", uint32_t collective = kNone) {
    append(profile.device_events, {.start_ns = start_ns,
                                   .duration_ns = 50'000,
                                   .name = profile.strings.intern(name),
                                   .kind = DeviceEventKind::kKernel,
                                   .device = rows.rank,
                                   .correlation = correlation,
                                   .launch_config = kNone,
                                   .collective = collective});
  }
  const IntegrityIssue* found(const char* id) {
    if (!checked_) {
      check_rank(profile, rows);
      check_ranks(profile);
    }
    checked_ = true;
    return profile.integrity.find(id);
  }
  void expect_only(const char* id, Severity severity, int64_t count) {
    const IntegrityIssue* issue = found(id);
    ASSERT_NE(issue, nullptr);
    EXPECT_EQ(issue->severity, severity);
    EXPECT_EQ(issue->count, count);
    EXPECT_FALSE(issue->detail.empty() || issue->advice.empty());
    EXPECT_EQ(profile.integrity.issues().size(), 1u);
  }

  Profile profile;
  RankRows rows;

 private:
  bool checked_ = false;
};

TEST_F(Checks, AHealthyTraceHasNothing) {
  EXPECT_EQ(found("anything"), nullptr);
  EXPECT_TRUE(profile.integrity.issues().empty());
}

TEST_F(Checks, WorkFromBeforeTheRecordingIsNoDamage) {
  kernel(900, 20'000);
  expect_only("launched-before-recording", Severity::kInfo, 1);
}

TEST_F(Checks, WorkAmidTheRecordingNeedsALaunch) {
  kernel(900, 560'000);
  expect_only("kernels-without-launch", Severity::kWarning, 1);
}

TEST_F(Checks, LaunchesAtTheEndMayHaveBeenCutOff) {
  launch(900, 2'500'000, "cudaLaunchKernel");
  expect_only("tail-lost", Severity::kWarning, 1);
}

TEST_F(Checks, LaunchesAmidTheRecordingMeanDroppedRecords) {
  launch(900, 1'050'000, "cudaLaunchKernelExC");
  expect_only("dropped-records", Severity::kWarning, 1);
}

TEST_F(Checks, CapturedLaunchesAndEmptyCopiesAreNormal) {
  launch(0, 1'010'000, "cudaStreamBeginCapture");
  launch(900, 1'020'000, "cudaLaunchKernel");
  launch(0, 1'030'000, "cudaStreamEndCapture");
  launch(901, 1'050'000, "cudaMemcpyAsync");
  launch(902, 1'060'000, "cudaFuncSetAttribute");
  EXPECT_EQ(found("dropped-records"), nullptr);
}

TEST_F(Checks, CopiesWithoutAnyDeviceWorkAreNoIdleDevice) {
  Profile copies;
  append(copies.ranks, {.window_end_ns = 3'000'000});
  append(copies.threads, {.rank = 0});
  append(copies.calls,
         {.start_ns = 5, .duration_ns = 1'000'000, .name = copies.strings.intern("cudaMemcpy"), .correlation = 1});
  check_rank(copies, {});
  const IntegrityIssue* issue = copies.integrity.find("no-device-activity");
  ASSERT_NE(issue, nullptr);
  EXPECT_EQ(issue->severity, Severity::kError);
  EXPECT_NE(issue->detail.find("the program copied to or from a device"), std::string::npos);
}

TEST_F(Checks, EventsThatStandTwiceAreCounted) {
  kernel(7, 7 * 100'000 + 10'000);
  kernel(8, 8 * 100'000 + 10'000);
  ASSERT_NE(found("duplicated-events"), nullptr);
  EXPECT_EQ(found("duplicated-events")->count, 2);
}

TEST_F(Checks, CallsOfSeveralProcessesAreMergedRanks) {
  append(profile.threads, {.rank = 0, .process = profile.strings.intern("other")});
  launch(900, 2'200'000, "cudaLaunchKernel");
  profile.calls.thread.at(profile.calls.size() - 1) = 1;
  kernel(900, 2'210'000);
  launch(5, 2'400'000, "cudaLaunchKernel");  // as the first process numbered one, too
  profile.calls.thread.at(profile.calls.size() - 1) = 1;
  ASSERT_NE(found("merged-ranks"), nullptr);
  EXPECT_EQ(found("merged-ranks")->count, 2);
}

TEST_F(Checks, HipCapturesRunNothingOnAnyThread) {
  append(profile.threads, {.rank = 0});
  launch(0, 1'010'000, "hipStreamBeginCapture");
  launch(900, 1'020'000, "hipModuleLaunchKernel");
  launch(901, 1'025'000, "hipExtModuleLaunchKernel");
  profile.calls.thread.at(profile.calls.size() - 1) = 1;  // autograd's thread joined the capture
  launch(0, 1'030'000, "hipStreamEndCapture");
  EXPECT_EQ(found("dropped-records"), nullptr);
}

TEST_F(Checks, AKernelBeforeItsLaunchShowsTheClocks) {
  launch(900, 2'300'000, "cudaLaunchKernel");
  kernel(900, 2'250'000);
  expect_only("clocks-apart", Severity::kWarning, 1);
  EXPECT_NE(found("clocks-apart")->detail.find("by 50.0 us or more"), std::string::npos);
}

TEST_F(Checks, ASynchronizationBeforeTheEndOfItsWorkShowsTheClocks) {
  launch(900, 2'300'000, "cudaLaunchKernel");
  kernel(900, 2'310'000);
  launch(901, 2'320'000, "cudaDeviceSynchronize");  // 5 us long; the kernel ends 35 us after it
  expect_only("clock-ahead", Severity::kWarning, 1);
  EXPECT_NE(found("clock-ahead")->detail.find("by 35.0 us or more"), std::string::npos);
}

TEST_F(Checks, ASynchronizationWaitsOnlyForWhatWasLaunchedBefore) {
  launch(901, 2'290'000, "cudaDeviceSynchronize");
  launch(900, 2'296'000, "cudaLaunchKernel");
  kernel(900, 2'310'000);
  EXPECT_EQ(found("clock-ahead"), nullptr);
}

TEST_F(Checks, OverlapOnAStreamIsWorthKnowing) {
  launch(900, 2'000'000, "cudaLaunchKernel");
  kernel(900, 2'030'000);
  expect_only("overlapping-kernels", Severity::kInfo, 1);
}

TEST_F(Checks, ReplaysOfAGraphAreCompared) {
  for (int64_t replay = 0; replay < 5; ++replay) {
    const int64_t at = 2'200'000 + replay * 300'000;
    launch(900 + replay, at, "cudaGraphLaunch");
    for (int64_t node = 0; node < 3; ++node) {
      if (replay != 3 || node != 1)
        kernel(900 + replay, at + 20'000 + node * 60'000, node == 0 ? "a" : node == 1 ? "b" : "c");
    }
  }
  expect_only("incomplete-graph-replays", Severity::kWarning, 1);
}

TEST_F(Checks, TimesFarFromTheRestAreAbsurd) {
  append(profile.operators, {.start_ns = 0, .duration_ns = 10});
  append(profile.operators, {.start_ns = 10, .duration_ns = 10});
  append(profile.operators, {.start_ns = INT64_MAX / 2, .duration_ns = 10});
  ASSERT_NE(found("absurd-times"), nullptr);
  EXPECT_EQ(found("absurd-times")->count, 1);
}

TEST_F(Checks, SpansThatOverlapPartlyAreCounted) {
  append(profile.operators, {.start_ns = 100, .duration_ns = 100});
  append(profile.operators, {.start_ns = 120, .duration_ns = 20});
  append(profile.operators, {.start_ns = 150, .duration_ns = 100});
  expect_only("partly-overlapping-spans", Severity::kInfo, 1);
}

TEST_F(Checks, ClocksOfRanksAreAlignedByTheirCollectives) {
  const int64_t skew_ns = 7'000'000;
  for (const int64_t clock_ns : {int64_t{0}, skew_ns}) {
    if (clock_ns > 0) add_rank(clock_ns);
    for (int64_t i = 0; i < 5; ++i) {
      append(profile.collectives, {.name = profile.strings.intern("allreduce"), .in_elements = i});
      launch(500 + i, clock_ns + 2'500'000 + i * 90'000, "cudaLaunchKernel");
      kernel(500 + i, clock_ns + 2'520'000 + i * 90'000, "nccl", static_cast<uint32_t>(profile.collectives.size() - 1));
    }
  }
  expect_only("rank-clocks-apart", Severity::kInfo, 1);
  EXPECT_EQ(profile.ranks.clock_shift_ns[1], -skew_ns);
  EXPECT_EQ(profile.ranks.window_start_ns[1], 0);
  EXPECT_EQ(profile.calls.start_ns[rows.calls], profile.calls.start_ns[0]);
}

}  // namespace
}  // namespace warplens
