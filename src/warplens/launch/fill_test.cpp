#include "warplens/launch/fill.h"

#include <gmock/gmock.h>

#include <cmath>

namespace warplens::launch {
namespace {

using testing::ElementsAre;

std::vector<double> filled(const Fill& how, DType dtype, size_t count) {
  std::vector<uint8_t> bytes(count * info(dtype).size_bytes);
  fill(how, dtype, bytes);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(load(dtype, bytes.data() + i * info(dtype).size_bytes));
  return values;
}

TEST(Fill, PlainKinds) {
  EXPECT_THAT(filled({.kind = FillKind::kZeros}, DType::kF16, 2), ElementsAre(0, 0));
  EXPECT_THAT(filled({.kind = FillKind::kOnes}, DType::kBf16, 2), ElementsAre(1, 1));
  EXPECT_THAT(filled({.kind = FillKind::kConstant, .value = -3}, DType::kI8, 2), ElementsAre(-3, -3));
  EXPECT_THAT(filled({.kind = FillKind::kArange, .value = 5, .step = 2}, DType::kU64, 3), ElementsAre(5, 7, 9));
}

/// SplitMix64's published first outputs for seed 1234567.
TEST(Fill, UniformIsSplitMix64) {
  const std::vector<double> values = filled({.kind = FillKind::kUniform, .seed = 1234567}, DType::kF64, 3);
  const uint64_t want[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(values[i], static_cast<double>(want[i] >> 11) * 0x1p-53);
}

TEST(Fill, UniformIntegersStayInRange) {
  std::vector<int> seen(4);
  for (const double v : filled({.kind = FillKind::kUniform, .low = -2, .high = 2}, DType::kI32, 1000))
    ++seen.at(static_cast<size_t>(v + 2));
  for (const int n : seen) EXPECT_NEAR(n, 250, 60);
}

TEST(Fill, NormalHasItsMoments) {
  const std::vector<double> values =
      filled({.kind = FillKind::kNormal, .mean = 3, .deviation = 2, .seed = 5}, DType::kF32, 100000);
  double sum = 0, squares = 0;
  for (const double v : values) {
    sum += v;
    squares += (v - 3) * (v - 3);
  }
  EXPECT_NEAR(sum / 1e5, 3, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 2, 0.03);
}

/// The same as one line of C: x ^= x >> 16; x *= 0x7feb352d; x ^= x >> 15; x *= 0x846ca68b; x ^= x >> 16.
TEST(Fill, HashIsLowbias32) {
  EXPECT_THAT(filled({.kind = FillKind::kHash}, DType::kU32, 4), ElementsAre(0, 0x688990c0u, 0xd1132181u, 0x53f1e9ddu));
  const Fill unit = {.kind = FillKind::kHash, .low = -0.5, .high = 0.5, .seed = 1, .bits = 16};
  EXPECT_THAT(filled(unit, DType::kF32, 1), ElementsAre(0x90c0 / 65536.0f - 0.5f));
}

TEST(DType, RoundsAndClamps) {
  uint8_t bytes[8];
  const auto kept = [&](DType dtype, double value) {
    store(dtype, value, bytes);
    return load(dtype, bytes);
  };
  EXPECT_EQ(kept(DType::kI8, 1000), 127);
  EXPECT_EQ(kept(DType::kU16, -1), 0);
  EXPECT_EQ(kept(DType::kU64, 1e30), 0x1p64);
  EXPECT_EQ(kept(DType::kI64, -1e30), -0x1p63);
  EXPECT_EQ(kept(DType::kI32, std::nan("")), 0);
  EXPECT_EQ(kept(DType::kBf16, 1 + 0x1p-8), 1);           // a tie, to even
  EXPECT_EQ(kept(DType::kBf16, 1 + 0x3p-8), 1 + 0x1p-6);  // a tie, to even upwards
  EXPECT_EQ(kept(DType::kF16, 1e6), INFINITY);
  for (const double v : {1 + 0x1p-10, 65504.0, 0x1p-24, 0x1p-14, 0x3ffp-24, -0.333251953125})
    EXPECT_EQ(kept(DType::kF16, v), v);
  EXPECT_EQ(kept(DType::kF16, 65519), 65504);
  EXPECT_EQ(kept(DType::kF16, 2 - 0x1p-11), 2);  // carries into the exponent
  EXPECT_EQ(kept(DType::kF16, 1 + 0x1p-11), 1);  // a tie, to even
  EXPECT_EQ(kept(DType::kF16, 1 + 0x1p-11 + 0x1p-30), 1 + 0x1p-10);
  EXPECT_EQ(kept(DType::kF16, 0x1p-25), 0);  // a tie, to even
  EXPECT_TRUE(std::isnan(kept(DType::kF16, std::nan(""))));
  EXPECT_TRUE(std::isnan(kept(DType::kBf16, std::nan(""))));
}

}  // namespace
}  // namespace warplens::launch
