#include "warplens/libraries/math/convolution.h"

#include <gtest/gtest.h>

namespace warplens::libraries {
namespace {

/// A tensor of small whole numbers, so that sums are exact; channels last where asked for.
struct TensorSample {
  std::vector<float> values;
  Tensor tensor;

  TensorSample(Dims size, int seed, bool channels_last = false) {
    tensor.size = size;
    values.resize(static_cast<size_t>(tensor.count()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>((i * 7 + static_cast<size_t>(seed) * 5) % 5) - 2;
    const auto [n, c, d, h, w] = size;
    tensor.step =
        channels_last ? Dims{c * d * h * w, 1, h * w * c, w * c, c} : Dims{c * d * h * w, d * h * w, h * w, w, 1};
    tensor.data = values.data();
  }
  float& at(const Dims& i) {
    int64_t offset = 0;
    for (size_t k = 0; k < i.size(); ++k) offset += i[k] * tensor.step[k];
    return values[static_cast<size_t>(offset)];
  }
};

struct ConvolutionCase {
  int64_t groups, stride, padding, dilation;
  bool channels_last, flipped;
};
class Convolutions : public testing::TestWithParam<ConvolutionCase> {};

/// y of every pass is linear in x and in w: each meeting of an element of x with one of w adds its part.
TEST_P(Convolutions, AreSumsOverAllMeetings) {
  const auto [groups, stride, padding, dilation, last, flipped] = GetParam();
  const int64_t out_h = (6 + 2 * padding - dilation * 2 - 1) / stride + 1, out_w = (5 - dilation - 1) / stride + 1;
  TensorSample x({2, 4, 1, 6, 5}, 1, last), w({6, 4 / groups, 1, 3, 2}, 2, last), y({2, 6, 1, out_h, out_w}, 3, last);
  Convolution c{.x = x.tensor,
                .w = w.tensor,
                .y = y.tensor,
                .padding = {0, padding, 0},
                .stride = {1, stride, stride},
                .dilation = {1, dilation, dilation},
                .groups = groups,
                .flipped = flipped,
                .alpha = 2,
                .beta = 3};
  ASSERT_TRUE(is_consistent(c));
  TensorSample want_x = x, want_w = w, want_y = y;
  for (TensorSample* want : {&want_x, &want_w, &want_y})
    for (float& value : want->values) value *= 3;
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t k = 0; k < 6; ++k)
      for (int64_t cc = 0; cc < 4 / groups; ++cc)
        for (int64_t i = 0; i < out_h; ++i)
          for (int64_t j = 0; j < out_w; ++j)
            for (int64_t r = 0; r < 3; ++r)
              for (int64_t s = 0; s < 2; ++s) {
                const int64_t tap_r = flipped ? 2 - r : r, tap_s = flipped ? 1 - s : s;
                const int64_t h = i * stride - padding + tap_r * dilation, v = j * stride + tap_s * dilation;
                if (h < 0 || h >= 6 || v >= 5) continue;
                const Dims in{n, k / (6 / groups) * (4 / groups) + cc, 0, h, v}, at{n, k, 0, i, j}, tap{k, cc, 0, r, s};
                want_y.at(at) += 2 * x.at(in) * w.at(tap);
                want_x.at(in) += 2 * y.at(at) * w.at(tap);
                want_w.at(tap) += 2 * x.at(in) * y.at(at);
              }
  const TensorSample given_x = x, given_w = w, given_y = y;
  for (const auto& [pass, result, want] :
       {std::tuple(ConvolutionPass::kForward, &y, &want_y), std::tuple(ConvolutionPass::kBackwardData, &x, &want_x),
        std::tuple(ConvolutionPass::kBackwardFilter, &w, &want_w)}) {
    x.values = given_x.values, w.values = given_w.values, y.values = given_y.values;
    c.pass = pass;
    const Status ran = run(c);
    ASSERT_TRUE(ran.ok()) << ran.message();
    EXPECT_EQ(result->values, want->values) << static_cast<int>(pass);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Convolutions,
                         testing::Values(ConvolutionCase{1, 1, 0, 1, false, false},
                                         ConvolutionCase{1, 1, 1, 1, true, false},
                                         ConvolutionCase{2, 2, 1, 1, false, false},
                                         ConvolutionCase{2, 1, 2, 2, true, false},
                                         ConvolutionCase{1, 2, 1, 1, false, true}));

TEST(Convolutions, SizesMustAgree) {
  TensorSample x({1, 4, 1, 6, 5}, 1), w({6, 4, 1, 3, 3}, 2), y({1, 6, 1, 4, 4}, 3);
  EXPECT_FALSE(is_consistent({.x = x.tensor, .w = w.tensor, .y = y.tensor}));
}

}  // namespace
}  // namespace warplens::libraries
