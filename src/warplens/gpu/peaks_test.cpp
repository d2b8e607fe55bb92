#include "warplens/gpu/peaks.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

TEST(Peaks, InstinctsAreToldByNameOrByWhatTheDriverCounts) {
  EXPECT_EQ(find_peaks({"AMD Instinct MI300X", 304, 9, 4, 64})->half_tflops, 1307.4);
  EXPECT_EQ(find_peaks({"", 304, 9, 4, 64})->dram_gbs, 5300);
  EXPECT_EQ(find_peaks({"AMD Radeon Graphics", 104, 9, 0, 64})->half_tflops, 181.0);
  EXPECT_EQ(find_peaks({"AMD Instinct MI250X", 110, 9, 0, 64})->half_tflops, 191.5);
  EXPECT_FALSE(find_peaks({"AMD Radeon Graphics", 40, 11, 0, 32}));
}

TEST(Peaks, CardsOfOneChipDifferInMemory) {
  EXPECT_EQ(find_peaks({"NVIDIA A100-PCIE-40GB", 108, 8, 0, 32})->dram_gbs, 1555);
  EXPECT_EQ(find_peaks({"NVIDIA A100-SXM4-40GB", 108, 8, 0, 32})->half_tflops, 312);
  EXPECT_EQ(find_peaks({"NVIDIA A100-SXM4-80GB", 108, 8, 0, 32})->dram_gbs, 2039);
  EXPECT_EQ(find_peaks({"NVIDIA A100 80GB PCIe", 108, 8, 0, 32})->dram_gbs, 1935);
  EXPECT_EQ(find_peaks({"Tesla V100-PCIE-16GB", 80, 7, 0, 32})->dram_gbs, 900);
}

TEST(Peaks, UnlistedCardsAreInProportionToTheKnownOne) {
  const Device& known = **device_said({"NVIDIA GeForce RTX 4090", 128, 8, 9, 32});
  EXPECT_STREQ(known.key, "rtx4090");
  const DeviceSaid said{"NVIDIA GeForce RTX 4070 Ti SUPER", 66, 8, 9, 32, 2640, 672, 48 << 20};
  const Device& card = **device_said(said);
  EXPECT_STREQ(card.name, "NVIDIA GeForce RTX 4070 Ti SUPER");
  EXPECT_EQ(card.architecture().cc(), 89);
  EXPECT_EQ(card.l2_mb, 48);
  EXPECT_EQ(card.dram_gbs, 672);
  EXPECT_NEAR(card.fp32_tflops, 44.6, 0.1);
  EXPECT_EQ(&card, *device_said(said)) << "one of each";
  EXPECT_NEAR((*device_said({"a laptop", 64, 8, 9, 32}))->dram_gbs, 504, 1) << "half the SMs, half the bandwidth";
  EXPECT_EQ((*device_said({"damaged", -5, 8, 9, 32, 1e300, 1e300, -1}))->sms, 128);
  EXPECT_FALSE(device_said({"Quadro 600", 2, 2, 1, 32}).ok());
}

TEST(Peaks, Gfx90aIsNoHopper) {
  EXPECT_TRUE(is_amd({"", 104, 9, 0, 64}));
  EXPECT_FALSE(is_amd({"NVIDIA H200", 132, 9, 0, 32}));
  EXPECT_EQ(find_peaks({"NVIDIA H200", 132, 9, 0, 32})->half_tflops, 989);
  EXPECT_FALSE(find_peaks({"Quadro 600", 2, 2, 1, 32}));
}

}  // namespace
}  // namespace warplens::gpu
