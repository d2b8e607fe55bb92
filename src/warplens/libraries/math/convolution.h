// Convolutions of one to three dimensions and their gradients, by products of matrices.
#pragma once
#include "warplens/base/status.h"
#include "warplens/libraries/math/tensor.h"

namespace warplens::libraries {

enum class ConvolutionPass : uint8_t { kForward, kBackwardData, kBackwardFilter };

/// y = x * w; of the backward passes, the result is x or w. x is (images, channels, space), w is (channels of y,
/// channels of x of one group, space), y is (images, channels of y, space).
struct Convolution {
  ConvolutionPass pass = ConvolutionPass::kForward;
  Tensor x, w, y;
  std::array<int64_t, 3> padding{0, 0, 0}, stride{1, 1, 1}, dilation{1, 1, 1};
  int64_t groups = 1;
  bool flipped = false;  // the filter is mirrored: a convolution in its strict meaning
  bool tf32 = false;
  double alpha = 1, beta = 0;  // of the result

  const Tensor& result() const;
  /// Elements of a filter's space, and of y's.
  int64_t filter_space() const { return w.size[2] * w.size[3] * w.size[4]; }
  int64_t result_space() const { return y.size[2] * y.size[3] * y.size[4]; }
  double flops() const;
};

/// Whether the sizes of x, w and y agree.
bool is_consistent(const Convolution& c);
/// Errors: no CPU library; sizes above 2^31.
Status run(const Convolution& convolution);

}  // namespace warplens::libraries
