// How long a fused kernel takes for attention, or for its gradient.
#pragma once
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

struct AttentionShape {
  int64_t heads = 0;  // of all images
  int64_t queries = 0, keys = 0, depth = 0;
  bool masked = false;  // tiles beyond the diagonal are left out
  bool drops = false;   // weights are dropped at random
  bool gradient = false;
  double memory_bytes = 0;  // read and written
};

LibraryTime attention_time(const AttentionShape& shape, const gpu::Device& device);

}  // namespace warplens::libraries
