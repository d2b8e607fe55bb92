// What counters of a launch tell, on GPUs of the catalogue and others, and where few of them were counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warplens/counters/program_report.h"

namespace warplens::counters {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTime = "gpu__time_duration.sum";
constexpr const char* kOccupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* kFp64Elapsed = "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kDramShare = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kBusiest = "sm__cycles_active.max";
constexpr const char* kAverage = "sm__cycles_active.avg";
constexpr const char* kCycles = "gpc__cycles_elapsed.max";

/// A laptop's GPU, as Nsight Compute's attributes of the device give it.
Counts laptop(std::vector<std::string> metrics, std::vector<std::optional<double>> values, uint32_t blocks,
              uint32_t threads) {
  Counts out;
  out.ended = true;
  CountedDevice& device = out.devices.emplace_back();
  device.name = "NVIDIA GeForce RTX 3060 Laptop GPU";
  device.compute = 86;
  device.sms = 30;
  device.clock_khz = 1'605'000;
  device.memory_khz = 7'001'000;
  device.memory_bits = 192;
  device.metrics = std::move(metrics);
  CountedLaunch& launch = out.launches.emplace_back();
  launch.kernel = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.registers = 16;
  launch.values = std::move(values);
  return out;
}

std::string text_of(const Counts& counts) {
  const Result<ProgramReport> report = program_report(counts, {});
  EXPECT_TRUE(report.ok());
  return to_text(*report, 0);
}

TEST(Measured, AnUnlistedGpuHasItsOwnNameAndSizes) {
  const Counts counts = laptop({kTime}, {1000}, 15, 256);
  const std::string text = text_of(counts);
  EXPECT_THAT(text, HasSubstr("measured on NVIDIA GeForce RTX 3060 Laptop GPU"));
  EXPECT_THAT(text, HasSubstr("The file gives its 30 SMs, 1605 MHz, memory bandwidth."));
  const Result<ProgramReport> report = program_report(counts, {});
  const gpu::Device& device = *report->launches[0].report->device;
  EXPECT_EQ(device.sms, 30);
  EXPECT_NEAR(device.dram_gbs, 336, 0.1);  // as its data sheet has it
  EXPECT_NEAR(device.fp32_tflops, 12.3, 0.1);
}

TEST(Measured, OneBlockIsNeitherUnevenNorShortOfWarps) {
  const std::string text =
      text_of(laptop({kTime, kCycles, kBusiest, kAverage, kOccupancy}, {2850, 3540, 1880, 62.7, 4.1}, 1, 64));
  EXPECT_THAT(text, Not(HasSubstr("uneven-sms")));
  EXPECT_THAT(text, Not(HasSubstr("unachieved-occupancy")));
  EXPECT_THAT(text, HasSubstr("small grid"));
}

TEST(Measured, UnevenBlocksAreToldInAFullGrid) {
  const std::string text = text_of(laptop({kTime, kCycles, kBusiest, kAverage}, {20000, 32000, 30000, 9000}, 300, 256));
  EXPECT_THAT(text, HasSubstr("uneven-sms"));
}

TEST(Measured, TheBasicSetNamesTheBusyPipe) {
  const std::string text = text_of(laptop({kTime, kDramShare, kFp64Elapsed}, {1.57e6, 0.6, 85.3}, 4096, 256));
  EXPECT_THAT(text, HasSubstr("FP64 pipe 85 %"));
  EXPECT_THAT(text, HasSubstr("busy-unit"));
}

TEST(Measured, FewWarpsAreNoDefectWhereAUnitIsAtItsPeak) {
  EXPECT_THAT(text_of(laptop({kTime, kOccupancy, kDramShare}, {1e6, 62, 95}, 4096, 256)),
              Not(HasSubstr("unachieved-occupancy")));
  EXPECT_THAT(text_of(laptop({kTime, kOccupancy, kDramShare}, {1e6, 62, 50}, 4096, 256)),
              HasSubstr("unachieved-occupancy"));
}

TEST(Measured, AnUnnamedPartIsToldWhereNoUnitExplainsIt) {
  constexpr const char* kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
  EXPECT_THAT(text_of(laptop({kTime, kDramShare, kSm}, {1.57e6, 0.6, 85.3}, 4096, 256)),
              HasSubstr("busiest unit of the SM 85 %"));
  constexpr const char* kIssue = "sm__issue_active.avg.pct_of_peak_sustained_elapsed";
  EXPECT_THAT(text_of(laptop({kTime, kDramShare, kIssue, kFp64Elapsed, kSm}, {1.57e6, 0.6, 3, 85.3, 85.3}, 4096, 256)),
              Not(HasSubstr("busiest unit")));
}

TEST(Measured, WhatWasNotCountedHasNoTime) {
  EXPECT_THAT(text_of(laptop({kDramShare}, {0.6}, 4096, 256)), HasSubstr("time not counted"));
  EXPECT_THAT(text_of(laptop({kTime}, {std::nullopt}, 4096, 256)), Not(HasSubstr("0 ns")));
  const std::string failed = text_of(laptop({kTime}, {std::nullopt}, 0, 256));
  EXPECT_THAT(failed, HasSubstr("1 launch not counted (k): its grid has no size"));
  EXPECT_THAT(failed, Not(HasSubstr("0 ns")));
}

TEST(Measured, LatencyIsNotConcludedFromOneUnit) {
  EXPECT_THAT(text_of(laptop({kTime, kDramShare}, {1.57e6, 0.6}, 4096, 256)), Not(HasSubstr("latency")));
  EXPECT_THAT(text_of(laptop({kTime, kDramShare}, {1.57e6, 0.6}, 4096, 256)), Not(HasSubstr("cycles)")));
  // The details page of the basic set gives each whole.
  EXPECT_THAT(text_of(laptop({kTime, kDramShare, "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                              "l1tex__throughput.avg.pct_of_peak_sustained_active",
                              "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
                             {1.57e6, 0.6, 3, 4, 5}, 4096, 256)),
              HasSubstr("latency"));
}

}  // namespace
}  // namespace warplens::counters
