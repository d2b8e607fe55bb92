#include "warplens/model/time_model.h"

#include <gtest/gtest.h>

#include "warplens/model/constants.h"

namespace warplens::model {
namespace {

const gpu::Device& device(const char* name) { return **gpu::find_device(name); }

/// y = 2x over 16 million floats, 256 threads a block.
Work copy_like() {
  Work w;
  w.blocks = 65536;
  w.needs.threads = 256;
  w.needs.registers = 10;
  const double warps = w.blocks * 8;
  w.instructions = 17 * warps;
  w.alu = 2 * warps;
  w.fma = warps;
  w.imad = 3 * warps;
  w.memory = 8 * warps;
  w.fp32_flops = 32 * warps;
  w.load_sectors = w.store_sectors = w.read_sectors = w.written_sectors = 4 * warps;
  w.cache_lines = 2 * warps;
  w.block_cycles_l1 = 169;
  w.block_cycles_l2 = 406;
  w.block_cycles_dram = 816;
  return w;
}

TEST(EstimateTime, WhatLiesInL2ShortensTheRecordedTimeAlone) {
  const Work cold = copy_like();
  Work warm = cold;
  warm.warm_sectors = warm.read_sectors;
  const TimeEstimate before = estimate_time(cold, device("h200")), now = estimate_time(warm, device("h200"));
  EXPECT_EQ(now.ns, before.ns);
  EXPECT_EQ(now.between_events_ns, before.between_events_ns);
  EXPECT_LT(now.recorded_ns, 0.9 * before.recorded_ns);
  EXPECT_GE(now.recorded_ns, before.bound_ns);
}

TEST(EstimateTime, BoundIsBelowTheEstimateAndBelowTheMeasuredTime) {
  const TimeEstimate time = estimate_time(copy_like(), device("h200"));
  EXPECT_LE(time.bound_ns, time.ns);
  EXPECT_LE(time.bound_ns, time.cold_bound_ns);
  EXPECT_LE(time.cold_bound_ns, time.ns);
  EXPECT_LE(time.bound_ns, 51264);       // what an H200 took
  EXPECT_NEAR(time.ns / 55800, 1, 0.3);  // the same, with L2 flushed
}

TEST(EstimateTime, MoreWorkNeverTakesLess) {
  const Work base = copy_like();
  const double before = estimate_time(base, device("h200")).ns;
  for (double Work::* part :
       {&Work::instructions, &Work::alu, &Work::fma, &Work::memory, &Work::load_sectors, &Work::cache_lines,
        &Work::shared_wavefronts, &Work::hottest_atomic_cycles, &Work::read_sectors, &Work::block_cycles_l1}) {
    Work more = base;
    more.*part = more.*part * 4 + 1000;
    EXPECT_GE(estimate_time(more, device("h200")).ns, before);
  }
}

TEST(EstimateTime, HalfOfAUnitIsNeverSlowerAndOfAnIdleOneTheSame) {
  const Work work = copy_like();
  const TimeEstimate whole = estimate_time(work, device("h200"));
  for (const Resource& unit : whole.resources) {
    const double halved = estimate_with_half(work, device("h200"), unit.name);
    EXPECT_LE(halved, whole.ns) << unit.name;
    EXPECT_EQ(halved == whole.ns, unit.ns == 0) << unit.name;
  }
  EXPECT_EQ(estimate_with_half(work, device("h200"), "no unit"), whole.ns);
}

TEST(EstimateTime, EventsShowMoreThanTheDuration) {
  Work nothing;
  nothing.blocks = 132;
  nothing.needs.threads = 32;
  const TimeEstimate empty = estimate_time(nothing, device("h200"));
  EXPECT_NEAR(empty.between_events_ns / 2750, 1, 0.2);  // what an H200 showed
  EXPECT_NEAR(empty.between_events_ns - empty.ns, 1150, 1);
  const TimeEstimate copy = estimate_time(copy_like(), device("h200"));
  EXPECT_GT(copy.between_events_ns - copy.ns, 1150 + 1000);  // L2's lines are written back
}

TEST(EstimateTime, AStreamTakesAsLongAsDram) {
  Work w = copy_like();  // the same in vectors of four: 29.8 us of an H200
  w.blocks /= 4;
  for (double Work::* part : {&Work::instructions, &Work::alu, &Work::fma, &Work::imad, &Work::memory}) w.*part /= 4;
  EXPECT_NEAR(estimate_time(w, device("h200")).ns / 1000, 29.8, 0.5);
}

TEST(EstimateTime, ManyBlocksOfAnSmShareItsBarriers) {
  // A loop of 2,048 barriers in blocks of 8 warps: 39 cycles a turn of an H200 with one block an SM, 99 with eight.
  const auto cycles_a_turn = [](double blocks) {
    constexpr double kTurns = 2048;
    Work w;
    w.blocks = 132 * blocks;
    w.needs.threads = 256;
    w.barriers = w.blocks * 8 * kTurns;
    w.instructions = 3 * w.barriers;
    w.block_cycles_l1 = w.block_cycles_l2 = w.block_cycles_dram = 39 * kTurns;
    return (estimate_time(w, device("h200")).ns - kLaunchNs) * 1.98 / kTurns;
  };
  EXPECT_NEAR(cycles_a_turn(1) / 39, 1, 0.2);
  EXPECT_NEAR(cycles_a_turn(8) / 99, 1, 0.15);
}

TEST(EstimateTime, AnotherBlocksSharedMemoryComesByTheSector) {
  Work w = copy_like();
  const double before = estimate_time(w, device("h200")).ns;
  w.remote_sectors = 100 * w.load_sectors;
  const double cycles = kRemoteSectorCycles * w.remote_sectors / 132;
  EXPECT_NEAR(estimate_time(w, device("h200")).ns / (cycles / 1.98 + before), 1, 0.1);
  EXPECT_EQ(estimate_time(w, device("h200")).limited_by, "cluster network");
}

TEST(EstimateTime, ABlockThatAllOthersAskHoldsThemUp) {
  Work w = copy_like();
  w.remote_sectors = w.crowded_sectors = 100 * w.load_sectors;
  const double even = estimate_time(w, device("h200")).ns;
  w.crowded_sectors *= 2.5;
  EXPECT_NEAR(estimate_time(w, device("h200")).ns / even, 2.5, 0.1);
  w.crowded_sectors = w.remote_sectors;
  w.remote_atomic_sectors = w.remote_sectors;
  EXPECT_NEAR(estimate_time(w, device("h200")).ns / even, kRemoteAtomicCycles / kRemoteSectorCycles, 0.03);
}

/// A block of 256 threads an SM or fewer, whose warps wait for memory `waits` times, for `lines` of them each time.
Work walk(double blocks, double waits, double lines) {
  Work w;
  w.blocks = blocks;
  w.needs.threads = 256;
  w.load_sectors = w.read_sectors = 4 * 8 * blocks * waits * lines;
  w.cache_lines = w.load_sectors / 4;
  w.block_cycles_l2 = (kL2Cycles - kL1Cycles) * waits;
  w.block_cycles_dram = (kDramCycles - kL1Cycles) * waits;
  return w;
}

double cycles(const Work& w) { return (estimate_time(w, device("h200")).ns - kLaunchNs) * 1.98; }

TEST(EstimateTime, WarpsThatWaitForSeveralLinesWaitForThoseOfOthers) {
  // Sums of columns by four blocks, 16 loads of a warp under way: an H200 takes 1.26 times what one load waits.
  EXPECT_NEAR(cycles(walk(4, 256, 16)) / cycles(walk(4, 256, 1)), 1.26, 0.1);
}

TEST(EstimateTime, BlocksThatComeTogetherWaitForDram) {
  Work w = walk(132, 100, 1);
  w.read_sectors /= 132;  // all go to the same places
  const double apart = cycles(w);
  w.fresh_rate = 1;
  const double whole = (kDramCycles - kL1Cycles) / (kNearL2Cycles - kL1Cycles);
  EXPECT_NEAR(cycles(w) / apart, 1 + kSharedWait * (whole - 1), 0.3);  // who is behind waits less
}

TEST(EstimateTime, ProductsSlowTheClockOfSms) {
  Work w = copy_like();
  w.instructions *= 40;
  const auto work_ns = [&](const char* name) { return estimate_time(w, device(name)).ns - kLaunchNs; };
  const double before = work_ns("h200"), a100 = work_ns("a100");
  w.tensor = 1;
  EXPECT_NEAR(work_ns("h200") / before, 1 / kMatrixClock, 0.01);
  EXPECT_EQ(work_ns("a100"), a100);
  w.double_tensor = 1;
  EXPECT_EQ(work_ns("h200"), before);
}

TEST(EstimateTime, AnH100LaunchesLaterAndItsMemoryAnswersSooner) {
  const Work w = walk(132, 200, 1);
  const double h200 = estimate_time(w, device("h200")).ns - kLaunchNs, h100 = estimate_time(w, device("h100")).ns;
  EXPECT_NEAR((h100 - kH100LaunchNs) / h200, (kHbm3Cycles - kL1Cycles) / (kDramCycles - kL1Cycles), 0.02);
}

/// Of 17 MB written beside as many that are read, an H100 writes 2 MB to DRAM; of 67 MB, 50.
TEST(EstimateTime, WhatIsWrittenLastStaysInL2) {
  const auto dram_ns = [](double megabytes) {
    Work w = copy_like();
    w.load_sectors = w.store_sectors = w.read_sectors = w.written_sectors = megabytes * 1e6 / 32;
    for (const Resource& unit : estimate_time(w, device("h100")).resources) {
      if (unit.name == "DRAM") return unit.ns;
    }
    return 0.0;
  };
  const double rate = device("h100").dram_gbs * kDramShare;  // bytes a nanosecond
  EXPECT_NEAR(dram_ns(16.8) * rate / 1e6, 16.8, 2.5);
  EXPECT_NEAR(dram_ns(67.1) * rate / 1e6, 67.1 + 50, 4);
}

TEST(EstimateTime, PlacesOfWarpsThatHaveEndedAreTaken) {
  Work w = walk(132 * 80, 100, 1);
  w.load_sectors = w.read_sectors = w.cache_lines = 0;
  const double all_stay = cycles(w);
  w.warps_stay = 0.25;  // eight blocks of eight warps become 32 on an SM
  EXPECT_NEAR(all_stay / cycles(w), 4, 0.5);
  w.needs.dynamic_shared_bytes = 26 << 10;  // which eight blocks hold to their ends
  EXPECT_NEAR(all_stay / cycles(w), 1, 0.01);
}

TEST(EstimateTime, ALaunchTakesAsLongAsItsLongestBlock) {
  Work w = walk(132, 100, 1);
  const double even = cycles(w);
  w.longest_block = 5;
  EXPECT_NEAR(cycles(w) / even, 5, 0.5);
  w.blocks *= 8 * 40;
  EXPECT_LT(cycles(w), 45 * even);
}

TEST(EstimateTime, SpilledRegistersOfManyThreadsReachDram) {
  Work w = copy_like();
  w.local_sectors = 2 * w.load_sectors;
  w.local_store_sectors = w.local_sectors / 2;
  w.local_bytes = 32;
  const auto dram = [](const Work& work) {
    for (const Resource& unit : estimate_time(work, device("h200")).resources)
      if (unit.name == "DRAM") return unit.ns;
    return 0.0;
  };
  const double few = dram(w);
  w.local_bytes = 300;
  const double rate = device("h200").dram_gbs * kDramShare;                 // bytes a nanosecond
  EXPECT_NEAR((dram(w) - few) * rate / (32 * w.local_sectors), 0.8, 0.01);  // four fifths of it, to and fro
}

TEST(EstimateTime, RecordersShowLessThanNsightCompute) {
  const TimeEstimate copy = estimate_time(copy_like(), device("h200"));
  EXPECT_EQ(copy.recorded_ns, copy.ns - kCounterNs);
  Work nothing;
  nothing.blocks = 1;
  nothing.needs.threads = 32;
  EXPECT_GE(estimate_time(nothing, device("h200")).recorded_ns, kShortestNs);
}

TEST(EstimateTime, SlowerMemoryTakesLonger) {
  EXPECT_GT(estimate_time(copy_like(), device("t4")).ns, 5 * estimate_time(copy_like(), device("h200")).ns);
  EXPECT_EQ(estimate_time(copy_like(), device("t4")).limited_by, "DRAM");
}

}  // namespace
}  // namespace warplens::model
