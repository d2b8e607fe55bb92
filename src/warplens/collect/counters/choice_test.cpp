#include "warplens/collect/counters/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::collect {
namespace {

using ::testing::Contains;

TEST(Choice, Globs) {
  EXPECT_TRUE(matches_glob("*gemm*", "ampere_sgemm_128x64"));
  EXPECT_TRUE(matches_glob("gelu", "gelu"));
  EXPECT_FALSE(matches_glob("gelu", "gelu_double"));
  EXPECT_TRUE(matches_glob("step ?", "step 1"));
  EXPECT_FALSE(matches_glob("step ?", "step 10"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("", "x"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbYbZc"));
}

TEST(Choice, NamesOfKernels) {
  EXPECT_THAT(names_to_match("_Z9square_1dPKfPfi"), Contains("square_1d"));
  const auto nested = names_to_match("_ZN2at6native4copyIfLi4EEEvPT_i");
  EXPECT_THAT(nested, Contains("copy"));
  EXPECT_THAT(nested, Contains("at::native::copy"));
  EXPECT_THAT(names_to_match("triton_poi_fused_add_0"), Contains("triton_poi_fused_add_0"));
  EXPECT_THAT(names_to_match("_ZN12_GLOBAL__N_14scanEPi"), Contains("scan"));
}

TEST(Choice, SkipAndCountGoOverWhatMatches) {
  Choice choice({.kernel = "square*", .skip = 1, .count = 2});
  EXPECT_FALSE(choice.take("_Z9square_1dPKfPfi", false));
  EXPECT_FALSE(choice.take("_Z4gelui", false));
  EXPECT_TRUE(choice.take("_Z9square_1dPKfPfi", false));
  EXPECT_FALSE(choice.done());
  EXPECT_TRUE(choice.take("_Z9square_2dPKfPfi", false));
  EXPECT_TRUE(choice.done());
  EXPECT_FALSE(choice.take("_Z9square_1dPKfPfi", false));
}

TEST(Choice, RegularExpressionsAndRanges) {
  Choice choice({.kernel = "regex:gemm|conv", .range = "step *"});
  EXPECT_FALSE(choice.take("sm90_gemm", false));
  EXPECT_TRUE(choice.take("sm90_gemm", true));
  EXPECT_FALSE(choice.take("softmax", true));
  EXPECT_TRUE(choice.is_range("step 3"));
  EXPECT_FALSE(choice.is_range("warmup"));
}

}  // namespace
}  // namespace warplens::collect
