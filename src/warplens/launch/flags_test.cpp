#include "warplens/launch/flags.h"

#include <gmock/gmock.h>

namespace warplens::launch {
namespace {

using testing::ElementsAre;

Flags with_args(std::vector<std::string> args) { return {.source = "k.cu", .kernel = "k", .args = std::move(args)}; }

TEST(Flags, ArgumentsOfEveryForm) {
  const Result<Description> parsed =
      description_of(with_args({"x=f32[4,8]:uniform(-0.5,0.5,seed=7)", "i32=-2", "x+16", "bf16@w.npy", "v=@v.npy",
                                "u8[3]", "bytes=0aff", "f32=1e-1", "x"}));
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const std::vector<Argument>& args = parsed->launches[0].args;
  ASSERT_EQ(args.size(), 9u);
  const BufferSpec& x = parsed->buffers[0];
  EXPECT_THAT(x.shape, ElementsAre(4, 8));
  EXPECT_EQ(x.fill.kind, FillKind::kUniform);
  EXPECT_EQ(x.fill.low, -0.5);
  EXPECT_EQ(x.fill.seed, 7u);
  EXPECT_THAT(args[1].bytes, ElementsAre(0xfe, 0xff, 0xff, 0xff));
  EXPECT_EQ(args[2].buffer, "x");
  EXPECT_EQ(args[2].offset_bytes, 16);
  EXPECT_EQ(parsed->buffer("arg3")->npy, "w.npy");
  EXPECT_EQ(parsed->buffer("arg3")->dtype, DType::kBf16);
  EXPECT_FALSE(parsed->buffer("v")->dtype_given);
  EXPECT_EQ(parsed->buffer("arg5")->fill.kind, FillKind::kZeros);
  EXPECT_THAT(args[6].bytes, ElementsAre(0x0a, 0xff));
  EXPECT_THAT(args[7].bytes, ElementsAre(0xcd, 0xcc, 0xcc, 0x3d));
  EXPECT_EQ(args[8].buffer, "x");
}

TEST(Flags, ErrorsQuoteTheFlag) {
  const auto message = [](const std::string& arg) { return description_of(with_args({arg})).status().message(); };
  EXPECT_EQ(message("i32=1.5"), "--arg i32=1.5: '1.5' is not a whole number");
  EXPECT_EQ(message("u8=256"), "--arg u8=256: 256 does not fit u8");
  EXPECT_EQ(message("x=f31[4]"),
            "--arg x=f31[4]: no dtype 'f31'; there are i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64");
  EXPECT_EQ(message("f32[4"), "--arg f32[4: ']' is missing");
  EXPECT_EQ(message("f32[4]:uniform(1,2,3)"), "--arg f32[4]:uniform(1,2,3): uniform takes 2 values by place, not '3'");
  EXPECT_EQ(message("f32[4]:random"),
            "--arg f32[4]:random: no fill 'random'; there are zeros, ones, constant, arange, uniform, normal, hash, "
            "values, uninitialised");
  EXPECT_EQ(message("y"), "argument 0: no buffer 'y'; there are none; a new one is NAME=f32[SIZE]");
  EXPECT_EQ(message("12"), "--arg 12: a number names its type: i32=12 or f32=12");
  EXPECT_EQ(message(""), "--arg : '' is not a buffer: write f32[1024], f32[1024]:uniform or @file.npy");
}

TEST(Flags, BuffersOfRandomNumbersDiffer) {
  const auto parsed =
      description_of(with_args({"x=f32[4]:uniform", "y=f32[4]:uniform", "z=f32[4]:uniform(0,1,seed=0)"}));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->buffer("x")->fill.seed, 0u);
  EXPECT_EQ(parsed->buffer("y")->fill.seed, 1u);
  EXPECT_EQ(parsed->buffer("z")->fill.seed, 0u);
}

TEST(Flags, Dimensions) {
  EXPECT_THAT(*parse_dim3("grid", "16x8"), ElementsAre(16, 8, 1));
  EXPECT_THAT(*parse_dim3("grid", "1, 2, 3"), ElementsAre(1, 2, 3));
  for (const char* bad : {"", "0", "a", "1,2,3,4", "-1", "4294967296"})
    EXPECT_FALSE(parse_dim3("grid", bad).ok()) << bad;
}

TEST(Flags, LimitsOfEveryGpu) {
  Flags flags = with_args({});
  flags.block = "32,33";
  EXPECT_EQ(description_of(flags).status().message(), "block: has 1056 threads; a block has at most 1024");
  flags.block = "32";
  flags.grid = "3";
  flags.cluster = "2";
  EXPECT_EQ(description_of(flags).status().message(), "cluster: its x is 2, which does not divide the grid's 3");
}

}  // namespace
}  // namespace warplens::launch
