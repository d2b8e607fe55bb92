#include "warplens/launch/signature.h"

#include <gmock/gmock.h>

namespace warplens::launch {
namespace {

using ::testing::HasSubstr;

TEST(Signature, ComesFromTheMangledName) {
  const Signature s = signature_of("_Z5saxpyifPKfPf", "");  // saxpy(int, float, float const*, float*)
  ASSERT_EQ(s.size(), 4u);
  EXPECT_EQ(s[0].dtype, DType::kI32);
  EXPECT_EQ(s[1].dtype, DType::kF32);
  EXPECT_TRUE(s[2].pointer && !s[2].writes);
  EXPECT_TRUE(s[3].pointer && s[3].writes);
  EXPECT_EQ(s[3].dtype, DType::kF32);
}

TEST(Signature, ComesFromTheSourceOfAnUnmangledOne) {
  constexpr const char* kSource = R"(
    __device__ float k2(double x);
    // __global__ void k(double wrong)
    extern "C" __global__ void __launch_bounds__(256) k(const float* __restrict__ x, __half *y, unsigned int n = 3,
                                                        MyStruct s, float4* v, int counts[]) { k2(1); })";
  const Signature s = signature_of("k", kSource);
  ASSERT_EQ(s.size(), 6u);
  EXPECT_TRUE(s[0].pointer && !s[0].writes);
  EXPECT_EQ(s[0].dtype, DType::kF32);
  EXPECT_EQ(s[1].dtype, DType::kF16);
  EXPECT_EQ(s[2].dtype, DType::kU32);
  EXPECT_FALSE(s[3].dtype);
  EXPECT_EQ(s[4].dtype, DType::kF32);
  EXPECT_TRUE(s[5].pointer);
  EXPECT_TRUE(signature_of("absent", kSource).empty());
  EXPECT_TRUE(signature_of("k", "").empty());
}

class Types : public testing::Test {
 protected:
  std::string problem(const Argument& argument, size_t place) {
    std::vector<Argument> args = {{.buffer = "x"}, {.bytes = {0, 0, 0, 0}, .text = "i32"}};
    args[place] = argument;
    return check_types("_Z1kPfi", signature_of("_Z1kPfi", ""), args, description).message();
  }
  Description description{.buffers = {{.name = "x", .dtype = DType::kF32},
                                      {.name = "d", .dtype = DType::kF64},
                                      {.name = "i", .dtype = DType::kI32}}};
};

TEST_F(Types, FitOrAreNamed) {
  EXPECT_EQ(problem({.buffer = "x"}, 0), "");
  EXPECT_EQ(problem({.buffer = "d"}, 0),
            "argument 0 of k is the buffer 'd' of f64, but the kernel takes 'float*': give the buffer as f32");
  EXPECT_THAT(problem({.buffer = "i"}, 0), HasSubstr("of i32"));
  EXPECT_EQ(problem({.bytes = {0, 0, 0, 0}, .text = "u32"}, 1), "");
  EXPECT_EQ(problem({.bytes = {0, 0, 0, 0}, .text = "f32"}, 1),
            "argument 1 of k is f32=..., but the kernel takes 'int': write i32=VALUE");
  EXPECT_THAT(problem({.buffer = "x"}, 1), HasSubstr("no pointer"));
  EXPECT_THAT(problem({.bytes = {0, 0, 0, 0}, .text = "f32"}, 0), HasSubstr("a pointer: give a buffer, as f32[SIZE]"));
  EXPECT_EQ(problem({.bytes = std::vector<uint8_t>(8), .text = "u64"}, 0), "");
}

TEST(Signature, BytesMayBeAnythingAndHalvesLieInIntegers) {
  Description d{.buffers = {{.name = "x", .dtype = DType::kF64}, {.name = "h", .dtype = DType::kU16}}};
  EXPECT_TRUE(check_types("_Z1kPhPv", signature_of("_Z1kPhPv", ""), {{.buffer = "x"}, {.buffer = "x"}}, d).ok());
  EXPECT_TRUE(check_types("_Z1kP6__half", signature_of("_Z1kP6__half", ""), {{.buffer = "h"}}, d).ok());
  EXPECT_FALSE(check_types("_Z1kP6__half", signature_of("_Z1kP6__half", ""), {{.buffer = "x"}}, d).ok());
}

}  // namespace
}  // namespace warplens::launch
