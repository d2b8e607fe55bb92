// Filters: an H100's answers (driver 580.159.04).
#include "warplens/simt/texture/texture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace warplens::simt {
namespace {

/// 2 x 2 x 2 texels, each with a one of its own: what is sampled is the weight of texel `k` in 256ths.
int weight(TextureShape shape, std::array<int, 3> place, size_t k) {
  std::array<float, 8> texels{};
  texels[k] = 1;
  Texture texture;
  texture.image = {reinterpret_cast<Address>(texels.data()), 2, 2, 2, 8, 16, {}};
  texture.linear = true;
  std::array<float, 3> at{};
  for (size_t axis = 0; axis < 3; ++axis) at[axis] = 0.5f + static_cast<float>(place[axis]) / 256;
  return static_cast<int>(256 * std::bit_cast<float>(sample(texture, shape, at, 0)[0]));
}

TEST(Filter, WeightsOfAPlaneKeepItsMargins) {
  const auto plane = [](int x, int y, size_t k) { return weight(TextureShape::k2D, {x, y, 0}, k); };
  EXPECT_EQ(plane(136, 57, 0), 93);
  EXPECT_EQ(plane(136, 57, 1), 106);
  EXPECT_EQ(plane(136, 57, 2), 27);
  EXPECT_EQ(plane(136, 57, 3), 30);
  EXPECT_EQ(plane(44, 3, 3), 1);
  EXPECT_EQ(plane(44, 3, 2), 2);
  EXPECT_EQ(plane(128, 129, 3), 65) << "64.5 goes up";
  EXPECT_EQ(plane(128, 129, 2), 64) << "and 64.5 down";
}

/// An H100 rounds the height last: its margin may be off by 1.
TEST(Filter, WeightsOfAVolume) {
  const auto height = [](int x, int y, int z) {
    int sum = 0;
    for (const size_t k : {2U, 3U, 6U, 7U}) sum += weight(TextureShape::k3D, {x, y, z}, k);
    return sum;
  };
  EXPECT_EQ(height(153, 15, 13), 14);
  EXPECT_EQ(height(204, 45, 13), 46);
  EXPECT_EQ(height(17, 75, 13), 76);
  EXPECT_EQ(height(102, 75, 13), 74);
}

TEST(Sample, LinearMemoryHasWholeCoordinatesOnly) {
  const std::array<float, 4> texels{1, 2, 3, 4};
  Texture texture;
  texture.image = {reinterpret_cast<Address>(texels.data()), 4, 1, 1, 16, 16, {}};
  texture.image.is_linear_memory = true;
  EXPECT_EQ(std::bit_cast<float>(fetch(texture, {2, 0, 0})[0]), 3);
  for (const bool linear : {false, true}) {
    texture.linear = texture.normalised = linear;
    EXPECT_EQ(sample(texture, TextureShape::k1D, {0.5f, 0, 0}, 0), Texel{});
  }
}

/// An H200's answers (driver 580.159.04).
TEST(Sample, SrgbBytesBecomeIntensities) {
  const std::array<uint8_t, 16> texels{6, 6, 6, 6, 7, 7, 7, 7, 20, 50, 200, 200, 255, 255, 255, 255};
  Texture texture;
  texture.image = {reinterpret_cast<Address>(texels.data()), 4, 1, 1, 16, 16, {TexelFormat::Kind::kUnsigned, 4, 8}};
  texture.normalised_values = texture.from_srgb = true;
  const auto at = [&](float x, size_t k) {
    return std::bit_cast<float>(sample(texture, TextureShape::k2D, {x, 0.5f, 0}, 0)[k]);
  };
  EXPECT_EQ(at(2.5f, 0), 460 / 65536.0f);
  EXPECT_EQ(at(2.5f, 1), 2096 / 65536.0f);
  EXPECT_EQ(at(2.5f, 2), 37888 / 65536.0f);
  EXPECT_NEAR(at(2.5f, 3), 200 / 255.0, 1e-6) << "alpha is linear";
  EXPECT_EQ(at(3.5f, 0), 1);
  texture.linear = true;
  EXPECT_EQ(at(0.75f, 0), 125 / 65536.0f);
}

TEST(Level, FollowsFromGradientsAsOnAnH200) {
  Texture square, flat;
  square.image.width = square.image.height = flat.image.width = 256;
  flat.image.height = 64;
  const float d = 0.0353553407f;  // 0.05 along a diagonal
  constexpr float kNear = 1.0f / 256;
  EXPECT_NEAR(level_of(square, {0.05f, 0}, {}), 3.67578125, kNear);
  EXPECT_NEAR(level_of(square, {d, d}, {}), 3.60546875, kNear);
  EXPECT_NEAR(level_of(square, {0.0461939753f, 0.0191341713f}, {-0.0133939199f, 0.0323357805f}), 3.75390625, kNear);
  EXPECT_NEAR(level_of(square, {d, d}, {d, d}), 4.0625, kNear);
  EXPECT_NEAR(level_of(flat, {d, d}, {d, d}), 3.7578125, kNear);
  EXPECT_NEAR(level_of(flat, {d, d}, {}), 3.296875, kNear);
}

TEST(Filter, IntegersHave16Bits) {
  const std::array<uint8_t, 2> texels{77, 78};
  Texture texture;
  texture.image = {reinterpret_cast<Address>(texels.data()), 2, 1, 1, 2, 2, {TexelFormat::Kind::kUnsigned, 1, 8}};
  texture.linear = texture.normalised_values = true;
  const Texel half = sample(texture, TextureShape::k1D, {1, 0, 0}, 0);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(half[0]) * 65535, std::floor(77.5f * 257 + 0.5f));
  texture.beyond.fill(TexelAddress::kBorder);
  texture.border[0] = 0.1f;  // 25.5 of 255
  EXPECT_FLOAT_EQ(std::bit_cast<float>(sample(texture, TextureShape::k1D, {-5, 0, 0}, 0)[0]), 25.0f / 255);
}

/// Two levels, 0 and 1: the value of a fetch is its level.
float level(float wanted, bool mixes, float bias = 0) {
  const std::array<float, 2> large{0, 0};
  const float small = 1;
  Texture texture;
  texture.image = {reinterpret_cast<Address>(large.data()), 2, 1, 1, 8, 8, {}};
  texture.smaller = {{reinterpret_cast<Address>(&small), 1, 1, 1, 4, 4, {}}};
  texture.normalised = true;
  texture.mixes_levels = mixes;
  texture.level_bias = bias;
  texture.most_level = 99;
  return std::bit_cast<float>(sample(texture, TextureShape::k1D, {0.3f, 0, 0}, 0, wanted)[0]);
}

TEST(Levels, MixedIn256thsOrTheNearest) {
  EXPECT_EQ(level(0.5f, false), 1);
  EXPECT_EQ(level(0.49f, false), 0);
  EXPECT_EQ(level(0.3f, true), 76.0f / 256) << "76.8 goes down";
  EXPECT_EQ(level(-3, true), 0);
  EXPECT_EQ(level(7, true), 1);
  EXPECT_EQ(level(0.25f, true, 0.5f), 0.75f);
}

/// The level's weight is split like any other: all weights are integers.
TEST(Levels, FiltersOfTwoLevelsShare256Weights) {
  const std::array<float, 2> large{0, 1};
  const float small = 0;
  Texture texture;
  texture.image = {reinterpret_cast<Address>(large.data()), 2, 1, 1, 8, 8, {}};
  texture.smaller = {{reinterpret_cast<Address>(&small), 1, 1, 1, 4, 4, {}}};
  texture.normalised = texture.linear = texture.mixes_levels = true;
  texture.most_level = 99;
  const Texel half = sample(texture, TextureShape::k1D, {0.5f, 0, 0}, 0, 1.0f / 256);
  EXPECT_EQ(std::bit_cast<float>(half[0]), 128.0f / 256) << "127.5 of 255 goes up";
}

}  // namespace
}  // namespace warplens::simt
