// How long cuDNN's batch normalisation in training takes, and its gradient.
#pragma once
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

struct BatchNormShape {
  int64_t images = 0, channels = 0, space = 0;
  int element_bytes = 4;
  bool gradient = false;
  bool channels_last = false;
};

LibraryTime batch_norm_time(const BatchNormShape& shape, const gpu::Device& device);

}  // namespace warplens::libraries
