#include "warplens/simt/asynchronous/tensor_map.h"

#include <gmock/gmock.h>

#include "warplens/simt/asynchronous/tensor_box.h"

namespace warplens::simt {
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

/// What cuTensorMapEncodeTiled wrote on an H200 for five dimensions of f32, box 8x3x5x7x2, element strides 1 to 5.
TEST(TensorMap, LiesInMemoryAsTheDriverWritesIt) {
  const uint32_t words[32] = {0x4c800000, 0x00007f3c, 0x000003c0, 0x0000048e, 0x00008000,
                              0x00200000, 0x23456780, 0x00001000, 0x00001233, 0x00000055,
                              0x00000077, 0x00000099, 0x000000bb, 0x07004688, 0x01060402};
  const TensorMap map = read_map(reinterpret_cast<const uint8_t*>(words));
  EXPECT_EQ(map.address, 0x7f3c4c800000u);
  EXPECT_EQ(map.rank, 4);
  EXPECT_EQ(map.element_type, 7);
  EXPECT_THAT(map.dimensions, ::testing::ElementsAre(0x1234, 0x56, 0x78, 0x9a, 0xbc));
  EXPECT_THAT(map.strides, ::testing::ElementsAre(0x48e0, 0x80000, 0x2000000, 0x1234567800));
  EXPECT_THAT(map.box, ::testing::ElementsAre(8, 3, 5, 7, 2));
  EXPECT_THAT(map.element_strides, ::testing::ElementsAre(1, 2, 3, 4, 5));
  uint32_t written[32] = {};
  EXPECT_TRUE(write_map(map, reinterpret_cast<uint8_t*>(written)));
  EXPECT_THAT(written, ::testing::ElementsAreArray(words));
}

TEST(TensorMap, FieldsHoldSwizzleFillAndTf32) {
  uint32_t words[32] = {0, 0, 0x0001e390};
  const TensorMap map = read_map(reinterpret_cast<const uint8_t*>(words));
  EXPECT_EQ(map.element_type, 11);
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.fill_nan, 1);
  TensorMap large;
  large.box[0] = 257;
  EXPECT_FALSE(write_map(large, reinterpret_cast<uint8_t*>(words)));
}

TEST(TensorMap, SaysWhatDoesNotFit) {
  TiledTensor tensor = matrix();
  tensor.address = 4104;
  EXPECT_THAT(why_not(tensor), HasSubstr("a multiple of 16"));
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

/// An H100's answers.
TEST(TensorBox, FillsRoundsAndSpreadsRows) {
  TensorMap map;
  map.element_type = 7;
  map.fill_nan = 1;
  uint32_t filled[2];
  fill_outside(map, reinterpret_cast<uint8_t*>(filled), sizeof filled);
  EXPECT_EQ(filled[1], 0x7ff77ff7U);
  constexpr uint32_t kFrom[] = {0x3f801fff, 0x3f803000, 0x3f801000, 0x40490fdb, 0x7f7fffff, 0x7f800001, 0x807fffff};
  constexpr uint32_t kRounded[] = {0x3f802000, 0x3f804000, 0x3f800000, 0x40490000, 0x7f800000, 0x7fffe000, 0x80800000};
  uint32_t to[7];
  load_piece(map, reinterpret_cast<uint8_t*>(to), reinterpret_cast<const uint8_t*>(kFrom), sizeof to);
  EXPECT_EQ(to[0], kFrom[0]);
  map.element_type = 11;
  load_piece(map, reinterpret_cast<uint8_t*>(to), reinterpret_cast<const uint8_t*>(kFrom), sizeof to);
  for (size_t i = 0; i < std::size(to); ++i) EXPECT_EQ(to[i], kRounded[i]);
  map.box[0] = 8;
  EXPECT_EQ(row_pitch(map), 32U);
  map.swizzle = 3;
  EXPECT_EQ(row_pitch(map), 128U);
}

}  // namespace
}  // namespace warplens::simt
