#include "warplens/libraries/time/batch_norm_time.h"

#include <gtest/gtest.h>

namespace warplens::libraries {
namespace {

double warm_ns(int64_t channels, int64_t space, bool gradient, const char* device = "h200") {
  const BatchNormShape s{.images = 16, .channels = channels, .space = space, .gradient = gradient};
  return batch_norm_time(s, **gpu::find_device(device)).warm_ns;
}

/// A training step of ResNet-18, 16 images of 96 by 96, float32.
TEST(BatchNormTime, LiesNearWhatAnH200Took) {
  struct Row {
    int64_t channels, space;
    double forward_ns, gradient_ns;
  };
  for (const Row& row : {Row{64, 2304, 18370, 39170}, Row{64, 576, 5600, 11620}, Row{128, 144, 4220, 5630},
                         Row{256, 36, 3920, 4130}, Row{512, 9, 6240, 6030}}) {
    EXPECT_NEAR(warm_ns(row.channels, row.space, false) / row.forward_ns, 1, 0.1) << row.channels << " " << row.space;
    EXPECT_NEAR(warm_ns(row.channels, row.space, true) / row.gradient_ns, 1, 0.1) << row.channels << " " << row.space;
  }
}

TEST(BatchNormTime, StreamsWhatL2CannotHold) {
  const BatchNormShape large{.images = 64, .channels = 2048, .space = 3136};
  const gpu::Device& device = **gpu::find_device("h200");
  EXPECT_GT(batch_norm_time(large, device).ns, 3.0 * 64 * 2048 * 3136 * 4 / device.dram_gbs);
  BatchNormShape last = large;
  last.channels_last = true;
  EXPECT_LE(batch_norm_time(last, device).ns, batch_norm_time(large, device).ns);
}

}  // namespace
}  // namespace warplens::libraries
