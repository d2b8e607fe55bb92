#include "warplens/launch/tensor_argument.h"

#include <gmock/gmock.h>

namespace warplens::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<TensorMapSpec> parsed(std::string_view text) {
  const Result<json::Value> value = json::parse(text);
  EXPECT_TRUE(value.ok()) << value.status().message();
  return parse_tensor_map(*value, "map");
}

std::string why_not(std::string_view text) {
  const Result<TensorMapSpec> map = parsed(text);
  return map.ok() ? "" : map.status().message();
}

TEST(TensorArgument, BoxesHaveDenseStridesUnlessSaid) {
  const auto map = parsed(R"({"dtype": "f16", "dimensions": [64, 32, 8], "box": [16, 8, 1], "swizzle": 32})");
  ASSERT_TRUE(map.ok()) << map.status().message();
  EXPECT_THAT(map->strides_bytes, ElementsAre(128, 4096));
  EXPECT_THAT(map->element_strides, ElementsAre(1, 1, 1));
  EXPECT_EQ(map->swizzle_bytes, 32u);
  const auto padded = parsed(R"({"dtype": "u8", "dimensions": [60, 32], "strides_bytes": [64], "box": [16, 8]})");
  ASSERT_TRUE(padded.ok());
  EXPECT_THAT(padded->strides_bytes, ElementsAre(64));
}

TEST(TensorArgument, PixelsHaveCorners) {
  const auto map = parsed(R"({"dtype": "bf16", "dimensions": [64, 14, 14, 2], "im2col": true,
                              "channels": 32, "pixels": 64, "lower": [-1, -1], "upper": [-1, -1], "fill_nan": true})");
  ASSERT_TRUE(map.ok()) << map.status().message();
  EXPECT_THAT(map->lower, ElementsAre(-1, -1));
  EXPECT_EQ(map->pixels, 64u);
  EXPECT_TRUE(map->fill_nan);
}

TEST(TensorArgument, SaysWhatIsWrong) {
  EXPECT_THAT(why_not(R"({"dtype": "f8", "dimensions": [8], "box": [8]})"), HasSubstr("map.dtype: no dtype 'f8'"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "box": [8]})"), HasSubstr("map.dimensions: must be a list of 1 to 5"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8, 8], "box": [8]})"),
              HasSubstr("map.box: must be a list of 2"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8, 8]})"), HasSubstr("map.box: is missing"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8, 0], "box": [8, 8]})"), HasSubstr("each at least 1"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8, 8], "box": [8, 8], "swizzle": 48})"),
              HasSubstr("map.swizzle: is 0, 32, 64 or 128"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8, 8], "im2col": true})"), HasSubstr("im2col takes 3 to 5"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8, 8, 8], "im2col": true})"),
              HasSubstr("needs 'channels' and 'pixels'"));
  EXPECT_THAT(why_not(R"({"dtype": "f16", "dimensions": [8], "box": [8], "boxes": 1})"), HasSubstr("map.boxes"));
}

}  // namespace
}  // namespace warplens::launch
