#include "warplens/gpu/device.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

TEST(FindDevice, TakesNamesAndAliasesInAnyCase) {
  for (const char* name : {"h200", "H200 SXM", "NVIDIA H200", "h200_sxm"}) {
    const auto device = find_device(name);
    ASSERT_TRUE(device.ok()) << name;
    EXPECT_STREQ((*device)->key, "h200");
  }
  EXPECT_STREQ((*find_device("RTX 4090"))->key, "rtx4090");
  EXPECT_EQ((*find_device("a100"))->architecture().cc(), 80);
}

TEST(FindDevice, SuggestsTheNearest) {
  const auto device = find_device("h20");
  ASSERT_FALSE(device.ok());
  EXPECT_NE(device.status().message().find("did you mean"), std::string::npos) << device.status().message();
}

TEST(Catalogue, LanesTimesClockGiveTheDataSheetsPeak) {
  for (const Device& device : all_devices()) {
    const double tflops = 2e-12 * device.sms * device.architecture().fp32_lanes * device.clock_hz();
    EXPECT_NEAR(tflops / device.fp32_tflops, 1, 0.03) << device.name;
  }
}

TEST(Catalogue, EveryArchitectureHasADefaultDevice) {
  for (const Arch& arch : all_archs()) EXPECT_EQ(default_device(arch).architecture().major, arch.major) << arch.name();
  EXPECT_STREQ(default_device(**find_arch("sm_90")).key, "h200");
}

}  // namespace
}  // namespace warplens::gpu
