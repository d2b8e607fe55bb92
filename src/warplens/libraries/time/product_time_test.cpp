#include "warplens/libraries/time/product_time.h"

#include <gtest/gtest.h>

namespace warplens::libraries {
namespace {

const gpu::Device& h200() { return **gpu::find_device("h200"); }

ProductShape halves(int64_t m, int64_t n, int64_t k) {
  return {.m = m, .n = n, .k = k, .unit = Unit::kF16, .a_bytes = 2, .b_bytes = 2, .d_bytes = 2};
}
double peak_ns(const ProductShape& s) {
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) /
         (h200().half_tflops * 1e3);
}

TEST(ProductTime, IsNeverBelowThePeaksOfUnitsAndMemory) {
  for (const int64_t size : {16, 200, 1000, 4096, 8192}) {
    const ProductShape s = halves(size, size + 8, size / 2);
    const double bytes = 2.0 * static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
    EXPECT_GT(product_time(s, h200()).ns, peak_ns(s)) << size;
    EXPECT_GT(product_time(s, h200()).ns, bytes / h200().dram_gbs) << size;
  }
}

TEST(ProductTime, LargeProductsReachMostOfThePeak) {
  const ProductShape s = halves(8192, 8192, 8192);
  EXPECT_LT(product_time(s, h200()).ns, peak_ns(s) / 0.65);
}

TEST(ProductTime, AFewMoreTilesThanSmsCostAnotherWave) {
  const double full = product_time(halves(11 * 128, 12 * 128, 8192), h200()).ns;  // 132 tiles of 128 x 128
  const double more = product_time(halves(12 * 128, 12 * 128, 8192), h200()).ns;
  EXPECT_GT(more, 1.2 * full);
}

TEST(ProductTime, DeepThinProductsAreSplit) { EXPECT_GT(product_time(halves(64, 64, 1 << 18), h200()).sm_share, 0.05); }

TEST(StreamingTime, GrowsWithBytes) {
  EXPECT_NEAR(streaming_time(2e9, 0, h200()).ns - streaming_time(1e9, 0, h200()).ns, 1e9 / (h200().dram_gbs * 0.88), 1);
}

}  // namespace
}  // namespace warplens::libraries
