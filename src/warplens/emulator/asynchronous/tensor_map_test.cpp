#include "warplens/emulator/asynchronous/tensor_map.h"

#include <gmock/gmock.h>

namespace warplens::emulator {
namespace {

using ::testing::HasSubstr;

constexpr uint8_t kF16 = 6;

TiledTensor matrix() { return {4096, kF16, {160, 200}, {320}, {64, 32}, 3, false}; }

std::string why_not(const TiledTensor& tensor) {
  const Result<TensorMap> map = encode(tensor);
  return map.ok() ? "" : map.status().message();
}

TEST(TensorMap, HoldsWhatItWasMadeFrom) {
  const Result<TensorMap> made = encode(matrix());
  ASSERT_TRUE(made.ok());
  const TensorMap& map = made.value();
  EXPECT_EQ(map.rank, 1);  // dimensions - 1
  EXPECT_EQ(map.dimensions[1], 200u);
  EXPECT_EQ(map.strides[0], 320u);
  EXPECT_EQ(box_bytes(map), 64u * 32u * 2u);
}

TEST(TensorMap, SaysWhatDoesNotFit) {
  TiledTensor tensor = matrix();
  tensor.address = 4104;
  EXPECT_THAT(why_not(tensor), HasSubstr("16 divides"));
  tensor = matrix();
  tensor.strides = {312};
  EXPECT_THAT(why_not(tensor), HasSubstr("stride of dimension 1 is 312 bytes"));
  tensor = matrix();
  tensor.strides.clear();
  EXPECT_THAT(why_not(tensor), HasSubstr("a stride for each"));
  tensor = matrix();
  tensor.box = {128, 32};
  EXPECT_THAT(why_not(tensor), HasSubstr("wider than its swizzle"));
  tensor = matrix();
  tensor.dimensions[0] = 0;
  EXPECT_THAT(why_not(tensor), HasSubstr("0 elements in dimension 0"));
  tensor = matrix();
  tensor.dimensions.assign(6, 8);
  EXPECT_THAT(why_not(tensor), HasSubstr("1 to 5 dimensions"));
}

}  // namespace
}  // namespace warplens::emulator
