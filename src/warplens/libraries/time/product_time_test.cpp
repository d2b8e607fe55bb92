#include "warplens/libraries/time/product_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/library_shapes.h"
#include "tests/source_path.h"

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

TEST(ProductTime, LinesThatAreNotAlignedCost) {
  ProductShape s = halves(2048, 2048, 2048);
  const double aligned = product_time(s, h200()).ns;
  s.aligned = false;
  EXPECT_GT(product_time(s, h200()).ns, 1.5 * aligned);
}

TEST(ProductTime, OperandsInL2SaveTheirWayFromDram) {
  const LibraryTime thin = product_time(halves(8192, 16, 512), h200());
  EXPECT_LT(thin.warm_ns, 0.85 * thin.ns);
  EXPECT_GT(thin.warm_ns, 2000);
  const LibraryTime large = product_time(halves(8192, 8192, 8192), h200());
  EXPECT_EQ(large.warm_ns, large.ns);  // L2 cannot hold them
}

TEST(ProductTime, DeepThinProductsAreSplit) { EXPECT_GT(product_time(halves(64, 64, 1 << 18), h200()).sm_share, 0.05); }

struct Measured {
  double ns;
  LibraryTime modelled;
};
/// The measured products of a set.
std::vector<Measured> products_of(const std::string& set) {
  std::ifstream file(tests::source_path("tests/data/library_times.txt"));
  std::vector<Measured> out;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double ns = 0;
    words >> name;
    if (name != set) continue;
    const ProductShape shape = tests::product_line(words);
    words >> ns;
    out.push_back({ns, product_time(shape, h200())});
  }
  return out;
}

/// Of shapes that the model was not fitted to.
TEST(ProductTime, LiesNearWhatAnH200Takes) {
  std::vector<double> errors;
  for (const Measured& product : products_of("check"))
    errors.push_back(std::fabs(product.modelled.ns / product.ns - 1));
  ASSERT_EQ(errors.size(), 330u);
  std::ranges::sort(errors);
  double sum = 0;
  for (const double error : errors) sum += error;
  EXPECT_LT(sum / 330, 0.15);
  EXPECT_LT(errors[330 / 2], 0.10);
}

TEST(ProductTime, TheBandHoldsFourOfFive) {
  const std::vector<Measured> products = products_of("check");
  const auto held = std::ranges::count_if(
      products, [](const Measured& p) { return p.ns >= p.modelled.low_ns && p.ns <= p.modelled.high_ns; });
  EXPECT_NEAR(static_cast<double>(held) / static_cast<double>(products.size()), 0.8, 0.05);
}

TEST(StreamingTime, GrowsWithBytes) {
  EXPECT_NEAR(streaming_time(2e9, 0, h200()).ns - streaming_time(1e9, 0, h200()).ns, 1e9 / (h200().dram_gbs * 0.88), 1);
}

}  // namespace
}  // namespace warplens::libraries
