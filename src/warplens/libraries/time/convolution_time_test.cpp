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

TEST(ConvolutionTime, TurnsTensorsForTensorCoresAlone) {
  for (const auto result : {ConvolutionResult::kOutput, ConvolutionResult::kInput, ConvolutionResult::kFilter}) {
    const double last = convolution_time(shape(result, true), modelled()).ns,
                 first = convolution_time(shape(result, false), modelled()).ns;
    EXPECT_GT(first, last + 3 * 1650) << static_cast<int>(result);
  }
  ConvolutionShape plain = shape(ConvolutionResult::kOutput, false);
  plain.unit = Unit::kF32;
  const double first = convolution_time(plain, modelled()).ns;
  plain.channels_last = true;
  EXPECT_EQ(first, convolution_time(plain, modelled()).ns);
}

TEST(ConvolutionTime, AFilterOfOnePixelIsAProduct) {
  ConvolutionShape s = shape(ConvolutionResult::kOutput, true);
  s.filter_space = 1;
  const double last = convolution_time(s, modelled()).ns;
  ProductShape product{.m = 16 * 56 * 56, .n = 64, .k = 64, .unit = Unit::kF16};
  product.a_bytes = product.b_bytes = product.d_bytes = 2;
  EXPECT_NEAR(last, product_time(product, modelled()).ns, 1);
  s.channels_last = false;  // nothing is turned
  EXPECT_LT(convolution_time(s, modelled()).ns, last + 3 * 1650);
}

TEST(ConvolutionTime, AStrideLeavesTheGradientsWorkAsItIs) {
  ConvolutionShape s = shape(ConvolutionResult::kInput, true);
  const double whole = convolution_time(s, modelled()).ns;
  s.output_space = 28 * 28;
  EXPECT_LT(convolution_time(s, modelled()).ns, whole);
}

}  // namespace
}  // namespace warplens::libraries
