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

TEST(Peaks, Gfx90aIsNoHopper) {
  EXPECT_TRUE(is_amd({"", 104, 9, 0, 64}));
  EXPECT_FALSE(is_amd({"NVIDIA H200", 132, 9, 0, 32}));
  EXPECT_EQ(find_peaks({"NVIDIA H200", 132, 9, 0, 32})->half_tflops, 989);
  EXPECT_FALSE(find_peaks({"Quadro 600", 2, 2, 1, 32}));
}

}  // namespace
}  // namespace warplens::gpu
