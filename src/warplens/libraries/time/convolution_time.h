// How long cuDNN takes for a convolution or a gradient of it: as the product of matrices that it does in place.
#pragma once
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

enum class ConvolutionResult : uint8_t { kOutput, kInput, kFilter };

struct ConvolutionShape {
  ConvolutionResult result = ConvolutionResult::kOutput;
  int64_t images = 0, channels = 0, filters = 0, groups = 1;  // `channels` of the input, `filters` of the output
  int64_t input_space = 0, output_space = 0, filter_space = 0;
  Unit unit = Unit::kF32;
  int element_bytes = 4;
  bool channels_last = false;
};

/// Tensor cores want the channels closest: where they are not, input, filter and output are turned by kernels of their
/// own. A filter of one pixel makes a plain product, which needs none.
LibraryTime convolution_time(const ConvolutionShape& shape, const gpu::Device& device);

}  // namespace warplens::libraries
