#include "warplens/libraries/cudnn/graph_rows.h"

#include <algorithm>

namespace warplens::libraries {
namespace {

constexpr TensorPlace kNone = {-1, false};

constexpr TensorPlace optional(int attribute) { return {attribute, false}; }

namespace numbered::forward {
constexpr int kAlpha = 700, kBeta = 701, kSettings = 702, kW = 703, kX = 704, kY = 705;
}
namespace numbered::data {
constexpr int kAlpha = 706, kBeta = 707, kSettings = 708, kW = 709, kDx = 710, kDy = 711;
}
namespace numbered::filter {
constexpr int kAlpha = 712, kBeta = 713, kSettings = 714, kDw = 715, kX = 716, kDy = 717;
}
namespace numbered::pointwise {
constexpr int kSettings = 750, kX = 751, kB = 752, kY = 753, kDx = 756, kDy = 757, kT = 758;
}
namespace numbered::matmul {
constexpr int kA = 1520, kB = 1521, kC = 1522, kSettings = 1523, kRows = 1525, kColumns = 1526, kDepth = 1527;
}
namespace numbered::reduction {
constexpr int kX = 1610, kY = 1611, kSettings = 1612;
}
namespace numbered::reshape {
constexpr int kX = 2200, kY = 2201, kMode = 2202;
}
namespace numbered::random {
constexpr int kY = 2310, kSettings = 2312, kOffset = 2313;
}
namespace numbered::mask {
constexpr int kX = 3000, kKeysLength = 3001, kQueriesLength = 3002, kLeft = 3003, kRight = 3004, kOther = 3005,
              kY = 3006;
}
namespace numbered::softmax {
constexpr int kX = 3100, kWeights = 3101, kStats = 3102, kLargest = 3103, kSums = 3104, kSink = 3105;
}

const std::vector<OperationRow>& rows() {
  using enum OperationKind;
  using enum ConvolutionPass;
  static const std::vector<OperationRow> table = {
      {.type = 10,
       .name = "a convolution",
       .kind = kConvolution,
       .inputs = {{numbered::forward::kX}, {numbered::forward::kW}, kNone},
       .outputs = {{numbered::forward::kY}},
       .settings = numbered::forward::kSettings,
       .others = {numbered::forward::kAlpha, numbered::forward::kBeta}},
      {.type = 11,
       .name = "a filter's gradient",
       .kind = kConvolution,
       .inputs = {{numbered::filter::kX}, kNone, {numbered::filter::kDy}},
       .outputs = {{numbered::filter::kDw}},
       .settings = numbered::filter::kSettings,
       .others = {numbered::filter::kAlpha, numbered::filter::kBeta},
       .pass = kBackwardFilter},
      {.type = 12,
       .name = "an input's gradient",
       .kind = kConvolution,
       .inputs = {kNone, {numbered::data::kW}, {numbered::data::kDy}},
       .outputs = {{numbered::data::kDx}},
       .settings = numbered::data::kSettings,
       .others = {numbered::data::kAlpha, numbered::data::kBeta},
       .pass = kBackwardData},
      {.type = 13,
       .name = "a pointwise operation",
       .kind = kPointwise,
       .inputs = {optional(numbered::pointwise::kX), optional(numbered::pointwise::kB),
                  optional(numbered::pointwise::kT), optional(numbered::pointwise::kDy)},
       .outputs = {optional(numbered::pointwise::kY), optional(numbered::pointwise::kDx)},
       .settings = numbered::pointwise::kSettings,
       .others = {attribute::kPointwiseFactor1, attribute::kPointwiseFactor2}},
      {.type = 19,
       .name = "a product",
       .kind = kMatmul,
       .inputs = {{numbered::matmul::kA},
                  {numbered::matmul::kB},
                  optional(numbered::matmul::kRows),
                  optional(numbered::matmul::kColumns),
                  optional(numbered::matmul::kDepth)},
       .outputs = {{numbered::matmul::kC}},
       .settings = numbered::matmul::kSettings},
      {.type = 22,
       .name = "a reduction",
       .kind = kReduction,
       .inputs = {{numbered::reduction::kX}},
       .outputs = {{numbered::reduction::kY}},
       .settings = numbered::reduction::kSettings},
      {.type = 31,
       .name = "a reshaping",
       .kind = kReshape,
       .inputs = {{numbered::reshape::kX}},
       .outputs = {{numbered::reshape::kY}},
       .others = {numbered::reshape::kMode}},
      {.type = 33,
       .name = "random numbers",
       .kind = kRandom,
       .inputs = {optional(attribute::kRandomSeed), optional(numbered::random::kOffset)},
       .outputs = {{numbered::random::kY}},
       .settings = numbered::random::kSettings},
      {.type = 44,
       .name = "a band's mask",
       .kind = kBandMask,
       .inputs = {{numbered::mask::kX},
                  optional(numbered::mask::kKeysLength),
                  optional(numbered::mask::kQueriesLength),
                  optional(numbered::mask::kLeft),
                  optional(numbered::mask::kRight),
                  {numbered::mask::kOther}},
       .outputs = {{numbered::mask::kY}},
       .others = {attribute::kMaskMode}},
      {.type = 45,
       .name = "a softmax",
       .kind = kSoftmax,
       .inputs = {{numbered::softmax::kX}, optional(numbered::softmax::kSink)},
       .outputs = {{numbered::softmax::kWeights},
                   optional(numbered::softmax::kStats),
                   optional(numbered::softmax::kLargest),
                   optional(numbered::softmax::kSums)}},
  };
  return table;
}

}  // namespace

const OperationRow* row_of_type(int type) {
  const auto row = std::ranges::find(rows(), type, &OperationRow::type);
  return row == rows().end() ? nullptr : &*row;
}

const OperationRow& softmax_row() { return *std::ranges::find(rows(), OperationKind::kSoftmax, &OperationRow::kind); }

}  // namespace warplens::libraries
