#include "warplens/libraries/time/attention_time.h"

#include <gtest/gtest.h>

namespace warplens::libraries {
namespace {

const gpu::Device& timed() { return **gpu::find_device("h200"); }

struct MeasuredAttention {
  const char* name;
  AttentionShape shape;
  double us;
};

/// Heads of 64 elements.
AttentionShape lengths_of(int64_t heads, int64_t length, bool masked, bool gradient, bool drops) {
  const double matrices = gradient ? 8 : 4;
  const auto bytes = matrices * 2 * 64 * static_cast<double>(heads * length);
  return {heads, length, length, 64, masked, drops, gradient, bytes};
}

/// Medians of recordings of an H200: tests/data/traces/attention, gpt2_train and gpt2_compiled. A gradient has three
/// kernels.
const MeasuredAttention kMeasuredAttention[] = {
    {"of 128", lengths_of(64, 128, false, false, false), 4.35},
    {"of 256", lengths_of(64, 256, false, false, false), 5.95},
    {"of 512", lengths_of(64, 512, false, false, false), 13.86},
    {"of 1024", lengths_of(64, 1024, false, false, false), 41.9},
    {"of 2048", lengths_of(64, 2048, false, false, false), 151.2},
    {"of 4096", lengths_of(64, 4096, false, false, false), 577.1},
    {"causal with dropout", lengths_of(96, 512, true, false, true), 36.9},
    {"with dropout", lengths_of(96, 512, false, false, true), 63.2},
    {"causal gradient", lengths_of(96, 512, true, true, true), 54.1 + 7.2 + 6.85},
    {"gradient", lengths_of(96, 512, false, true, true), 92.4 + 8.16 + 6.69},
};

TEST(AttentionTime, IsNearWhatAnH200Took) {
  for (const MeasuredAttention& m : kMeasuredAttention)
    EXPECT_NEAR(attention_time(m.shape, timed()).ns / 1e3 / m.us, 1, 0.16) << m.name;
}

TEST(AttentionTime, OfFewQueriesIsThatOfReadingTheKeys) {
  AttentionShape decoding{.heads = 8192, .queries = 1, .keys = 8192, .depth = 128};
  decoding.memory_bytes = 2.0 * 2 * 128 * 8192 * 8192;
  const LibraryTime time = attention_time(decoding, timed());
  EXPECT_GE(time.ns, decoding.memory_bytes / timed().dram_gbs);
}

}  // namespace
}  // namespace warplens::libraries
