#include "warplens/gpu/launch_limits.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

const Device& device(const char* name) { return **find_device(name); }

LaunchDemands demands(uint32_t blocks, uint32_t threads, int64_t shared_bytes, int registers = 32) {
  LaunchDemands out;
  out.grid = {blocks, 1, 1};
  out.block = {threads, 1, 1};
  out.needs.dynamic_shared_bytes = shared_bytes;
  out.needs.registers = registers;
  return out;
}

LaunchLimit limit_of(const char* name, const LaunchDemands& asked) {
  const LaunchRefusal refusal = refuse_launch(device(name), asked);
  EXPECT_EQ(refusal.why.empty(), refusal.limit == LaunchLimit::kNone);
  return refusal.limit;
}

TEST(LaunchLimits, SharedMemoryIsWhatTheGpuHas) {
  constexpr int64_t kKib = 1024;
  struct Case {
    const char* gpu;
    int64_t most_kib;
  };
  for (const auto& [gpu, most_kib] : {Case{"t4", 64}, Case{"a100", 163}, Case{"a10", 99}, Case{"h200", 227}}) {
    EXPECT_EQ(limit_of(gpu, demands(1, 128, most_kib * kKib)), LaunchLimit::kNone) << gpu;
    EXPECT_EQ(limit_of(gpu, demands(1, 128, most_kib * kKib + 1)), LaunchLimit::kShared) << gpu;
  }
  EXPECT_EQ(refuse_launch(device("a100"), demands(1, 128, 220 * kKib)).why,
            "a block takes 225280 bytes of shared memory (0 static, 225280 dynamic): at most 166912 on the A100 SXM "
            "80GB");
}

TEST(LaunchLimits, WhatTheKernelWasAllowedComesFirst) {
  LaunchDemands asked = demands(1, 128, 60 << 10);
  asked.shared_opted_in = 48 << 10;
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kShared);
  asked.shared_opted_in = 60 << 10;
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kNone);
}

TEST(LaunchLimits, ShapesHaveAnEnd) {
  EXPECT_EQ(limit_of("h200", demands(0, 128, 0)), LaunchLimit::kEmpty);
  EXPECT_EQ(limit_of("h200", demands(1, 0, 0)), LaunchLimit::kEmpty);
  EXPECT_EQ(limit_of("h200", demands(1, 1024, 0)), LaunchLimit::kNone);
  EXPECT_EQ(limit_of("h200", demands(1, 2048, 0)), LaunchLimit::kBlock);
  LaunchDemands deep = demands(1, 1, 0);
  deep.block = {1, 1, 65};
  EXPECT_EQ(limit_of("h200", deep), LaunchLimit::kBlock);
  LaunchDemands tall = demands(1, 1, 0);
  tall.grid = {1, 65536, 1};
  EXPECT_EQ(limit_of("h200", tall), LaunchLimit::kGrid);
  LaunchDemands bound = demands(1, 256, 0);
  bound.kernel_threads = 128;
  EXPECT_EQ(limit_of("h200", bound), LaunchLimit::kKernelThreads);
}

TEST(LaunchLimits, RegistersOfABlockFitAnSm) {
  EXPECT_EQ(limit_of("h200", demands(1, 1024, 0, 64)), LaunchLimit::kNone);
  EXPECT_EQ(limit_of("h200", demands(1, 1024, 0, 72)), LaunchLimit::kRegisters);
  EXPECT_EQ(limit_of("h200", demands(1, 1024, 0, 0)), LaunchLimit::kNone) << "not known";
}

TEST(LaunchLimits, ClustersDivideTheGrid) {
  LaunchDemands asked = demands(12, 128, 0);
  asked.cluster = {4, 1, 1};
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kNone);
  EXPECT_EQ(limit_of("a100", asked), LaunchLimit::kNoClusters);
  asked.cluster = {5, 1, 1};
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kClusterShape);
  asked.cluster = {12, 1, 1};
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kNone);
  asked.large_clusters = false;
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kClusterShape);
}

TEST(LaunchLimits, ACooperativeGridIsResident) {
  LaunchDemands asked = demands(2 * 132, 1024, 0);
  asked.cooperative = true;
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kNone);
  asked.grid = {2 * 132 + 1, 1, 1};
  EXPECT_EQ(limit_of("h200", asked), LaunchLimit::kCooperative);
}

TEST(LaunchLimits, CodeOfAnyAgeHasAGpu) {
  EXPECT_STREQ(device_for(80).key, default_device(**find_arch("sm_80")).key);
  EXPECT_STREQ(device_for(88).key, default_device(**find_arch("sm_87")).key);
  EXPECT_STREQ(device_for(35).key, "h200");
}

}  // namespace
}  // namespace warplens::gpu
