// The band of a convolution's time: cuDNN chooses by rules of its own among kernels that differ severalfold.
#pragma once

namespace warplens::model {

/// As shares of the estimate. A tenth of 411 measured convolutions are shorter, and a tenth longer. They are the sets
/// `models`, `again` and `third` of benchmarks/gpu/library_shapes.py.
inline constexpr double kConvolutionBandLow = 0.76, kConvolutionBandHigh = 2.07;

}  // namespace warplens::model
