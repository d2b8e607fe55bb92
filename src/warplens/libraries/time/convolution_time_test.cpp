#include "warplens/libraries/time/convolution_time.h"

#include <gtest/gtest.h>

namespace warplens::libraries {
namespace {

const gpu::Device& modelled() { return **gpu::find_device("h200"); }

/// 64 channels of 56 by 56 in 16 images, by 64 filters of 3 by 3.
ConvolutionShape shape(ConvolutionResult result, bool channels_last) {
  return {.result = result,
          .images = 16,
          .channels = 64,
          .filters = 64,
          .input_space = 56 * 56,
          .output_space = 56 * 56,
          .filter_space = 9,
          .unit = Unit::kF16,
          .element_bytes = 2,
          .channels_last = channels_last};
}

TEST(ConvolutionTime, IsTheProductsButReadsItsInputOnce) {
  const double ns = convolution_time(shape(ConvolutionResult::kOutput, true), modelled()).ns;
  ProductShape product{.m = 16 * 56 * 56, .n = 64, .k = 64 * 9, .unit = Unit::kF16};
  product.a_bytes = product.b_bytes = product.d_bytes = 2;
  product.implicit = true;
  product.splits = false;
  EXPECT_LT(ns, product_time(product, modelled()).ns);  // which reads nine times as much
  product.memory_bytes = 2.0 * (2 * 16 * 56 * 56 * 64 + 64 * 64 * 9);
  EXPECT_DOUBLE_EQ(ns, product_time(product, modelled()).ns);
}

constexpr double kTurnNs = 1500;  // of each kernel that turns a tensor, at least

TEST(ConvolutionTime, TurnsTensorsToWhatItsKernelsWant) {
  for (const auto result : {ConvolutionResult::kOutput, ConvolutionResult::kInput, ConvolutionResult::kFilter}) {
    ConvolutionShape s = shape(result, true);
    const double last = convolution_time(s, modelled()).ns;
    s.channels_last = false;
    EXPECT_GT(convolution_time(s, modelled()).ns, last + 3 * kTurnNs) << static_cast<int>(result);
  }
  ConvolutionShape s = shape(ConvolutionResult::kOutput, false);  // float32 wants the pixels closest
  s.unit = Unit::kF32;
  const double first = convolution_time(s, modelled()).ns;
  s.channels_last = true;
  EXPECT_GT(convolution_time(s, modelled()).ns, first + 3 * kTurnNs);
}

TEST(ConvolutionTime, TurnsAFiltersFewPixelsSlowly) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, false);
  s.images = 1, s.channels = s.filters = 1024, s.input_space = s.output_space = 64;
  const double nine = convolution_time(s, modelled()).ns;
  s.channels_last = true;
  constexpr double kElements = 1024.0 * 1024 * 9;  // a third of the squares is used at most
  EXPECT_GT(nine - convolution_time(s, modelled()).ns, kElements / 900 * 3);
}

TEST(ConvolutionTime, PadsThreeChannelsForTensorCores) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, true);
  s.channels = 8;
  const double eight = convolution_time(s, modelled()).ns;
  s.channels = 3;
  EXPECT_GT(convolution_time(s, modelled()).ns, eight + 2 * kTurnNs);  // the input and the filter
  s.images = 1, s.channels_last = false;                               // small: float32, as it is
  EXPECT_LT(convolution_time(s, modelled()).ns, eight);
}

TEST(ConvolutionTime, AFilterForEachChannelIsNoProduct) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, true);
  s.images = 1;
  s.groups = 64;
  const double small = convolution_time(s, modelled()).ns;
  EXPECT_LT(small, 4000);
  s.filter_space = 49;
  EXPECT_GT(convolution_time(s, modelled()).ns, small + 40 * 60);  // a thread passes over the taps
  s.groups = 32;                                                   // two channels each: products again
  EXPECT_NE(convolution_time(s, modelled()).ns, small);
}

TEST(ConvolutionTime, GroupsOfUnlikeWidthsRunOneAfterAnother) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, false);
  s.channels = 16, s.filters = 32;
  const double one = convolution_time(s, modelled()).ns;
  s.channels = 64, s.filters = 128, s.groups = 4;
  EXPECT_DOUBLE_EQ(convolution_time(s, modelled()).ns, 4 * one);
  s.channels_last = true;  // each group's channels are copied out and back
  const double last = convolution_time(s, modelled()).ns;
  s.channels = 16, s.filters = 32, s.groups = 1;
  EXPECT_GT(last, 4 * (convolution_time(s, modelled()).ns + 2 * kTurnNs));
}

TEST(ConvolutionTime, ManySmallGroupsShareAKernel) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, true);
  s.channels = s.filters = 8;
  const double one = convolution_time(s, modelled()).ns;
  s.channels = s.filters = 256, s.groups = 32;
  EXPECT_LT(convolution_time(s, modelled()).ns, 16 * one);
}

TEST(ConvolutionTime, AFiltersGradientInFloat32IsWinograds) {
  ConvolutionShape s = shape(ConvolutionResult::kFilter, false);
  s.unit = Unit::kF32, s.element_bytes = 4, s.channels = s.filters = 256;
  const double nine = convolution_time(s, modelled()).ns;
  s.filter_space = 25;
  EXPECT_GT(convolution_time(s, modelled()).ns, nine * 25 / 9 * 1.5);
}

TEST(ConvolutionTime, AFilterOfOnePixelIsAProduct) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, true);
  s.filter_space = 1;
  const double last = convolution_time(s, modelled()).ns;
  ProductShape product{.m = 16 * 56 * 56, .n = 64, .k = 64, .unit = Unit::kF16};
  product.a_bytes = product.b_bytes = product.d_bytes = 2;
  EXPECT_NEAR(last, product_time(product, modelled()).ns, 1);
  s.channels_last = false;  // nothing is turned
  EXPECT_LT(convolution_time(s, modelled()).ns, last + 3 * kTurnNs);
}

TEST(ConvolutionTime, AStrideLeavesTheGradientsWorkAsItIs) {
  ConvolutionShape s = shape(ConvolutionResult::kInput, true);
  const double whole = convolution_time(s, modelled()).ns;
  s.output_space = 28 * 28;
  EXPECT_LT(convolution_time(s, modelled()).ns, whole);
}

}  // namespace
}  // namespace warplens::libraries
