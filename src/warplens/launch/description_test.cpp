#include "warplens/launch/description.h"

#include <gmock/gmock.h>

#include <random>

#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

using testing::ElementsAre;

constexpr const char* kGood =
    R"({"source": "probe.cu", "arch": "sm_90", "options": ["-lineinfo"], "kernel": "square_1d",
 "buffers": {"x": {"dtype": "f32", "count": 1048576, "fill": "uniform", "low": -0.5, "high": 0.5, "seed": 7},
             "w": {"npy": "w.npy"},
             "y": {"dtype": "f32", "shape": [1024, 1024], "fill": "zeros"}},
 "symbols": {"lut": {"npy": "lut.npy"}},
 "launches": [{"grid": [4096, 1, 1], "block": [256, 1, 1], "shared_bytes": 0, "cooperative": false, "cluster": [1, 1, 1],
               "args": [{"buffer": "x"}, {"buffer": "y", "offset_bytes": 8}, {"i32": 1048576}]},
              {"kernel": "other", "grid": 4, "args": [{"f32": "inf"}, {"bytes": "00ff"}]}],
 "save": {"y": "y.npy"},
 "expect": {"y": {"npy": "/want.npy", "rtol": 1e-3}}})";

TEST(Description, ReadsEverything) {
  const Result<Description> parsed = parse_description(kGood, "dir");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->source, "dir/probe.cu");
  EXPECT_THAT(parsed->options, ElementsAre("-lineinfo"));
  ASSERT_EQ(parsed->buffers.size(), 3u);
  EXPECT_EQ(parsed->buffers[0].fill.seed, 7u);
  EXPECT_EQ(parsed->buffers[1].npy, "dir/w.npy");
  EXPECT_EQ(parsed->buffers[2].count(), 1048576u);
  EXPECT_EQ(parsed->symbols[0].name, "lut");
  ASSERT_EQ(parsed->launches.size(), 2u);
  EXPECT_EQ(parsed->launches[0].kernel, "square_1d");
  EXPECT_EQ(parsed->launches[0].args[1].offset_bytes, 8);
  EXPECT_EQ(parsed->launches[1].kernel, "other");
  EXPECT_THAT(parsed->launches[1].grid, ElementsAre(4, 1, 1));
  EXPECT_THAT(parsed->launches[1].args[0].bytes, ElementsAre(0, 0, 0x80, 0x7f));
  EXPECT_EQ(parsed->save.at("y"), "dir/y.npy");
  EXPECT_EQ(parsed->expect.at("y").npy, "/want.npy");
  EXPECT_EQ(parsed->expect.at("y").rtol, 1e-3);
}

/// A part of the good file replaced, and the message that must name it.
struct Mistake {
  const char *from, *to, *message;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedByTheirPlace) {
  const std::string text = replace_all(kGood, GetParam().from, GetParam().to);
  ASSERT_NE(text, kGood);
  EXPECT_EQ(parse_description(text, "").status().message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{
            R"("dtype": "f32", "count")", R"("dtype": "float", "count")",
            "buffers.x.dtype: no dtype 'float'; there are i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64"},
        Mistake{R"("uniform")", R"("random")",
                "buffers.x.fill: no fill 'random'; there are zeros, ones, constant, arange, uniform, normal, hash, "
                "values, uninitialised"},
        Mistake{R"("seed": 7)", R"("sed": 7)", "buffers.x.sed: is not known here; did you mean 'seed'?"},
        Mistake{R"("seed": 7)", R"("seed": -7)", "buffers.x.seed: is -7; it must be 0 to 9223372036854775807"},
        Mistake{R"("count": 1048576)", R"("count": 1.5)", "buffers.x.count: must be a whole number, not a fraction"},
        Mistake{R"("count": 1048576)", R"("count": 1099511627776)", "buffers.x: is larger than 1 TB"},
        Mistake{R"("low": -0.5)", R"("low": "a")", "buffers.x.low: must be a number, not a text"},
        Mistake{R"([1024, 1024])", R"([1024, -1])", "buffers.y.shape: must be a list of whole numbers"},
        Mistake{R"([256, 1, 1])", R"([256, 5, 1])", "launches[0]: block: has 1280 threads; a block has at most 1024"},
        Mistake{R"([256, 1, 1])", R"([0])", "launches[0]: block: its x is 0; it must be 1 to 1024"},
        Mistake{R"([4096, 1, 1])", R"(["a"])",
                "launches[0].grid: must be one to three whole numbers, such as [256, 1, 1]"},
        Mistake{R"({"buffer": "x"})", R"({"buffer": "z"})", "launches[0].args[0]: no buffer 'z'; there are x, w, y"},
        Mistake{R"("offset_bytes": 8)", R"("offset_bytes": 4194305)",
                "launches[0].args[1]: offset_bytes: 4194305 is outside 'y'"},
        Mistake{R"({"i32": 1048576})", R"({"i32": 3000000000})", "launches[0].args[2]: 3000000000 does not fit i32"},
        Mistake{R"({"i32": 1048576})", R"({})",
                R"(launches[0].args[2]: must be {"buffer": NAME}, {DTYPE: NUMBER}, {"bytes": HEX} )"
                R"(or {"struct": [MEMBER, ...]})"},
        Mistake{R"({"i32": 1048576})", R"(7)", "launches[0].args[2]: must be an object, not a number"},
        Mistake{R"("00ff")", R"("0g")", "launches[1].args[1]: bytes: '0g' is not pairs of hexadecimal digits"},
        Mistake{R"("save": {"y")", R"("save": {"q")", "save.q: no such buffer; there are x, w, y"},
        Mistake{R"("npy": "/want.npy", )", "",
                "expect.y: needs its expected content: 'npy' (a file), 'buffer' (another one), 'fill' or 'values'"},
        Mistake{R"("npy": "/want.npy")", R"("buffer": "z")", "expect.y: no buffer 'z'; there are x, w, y"},
        Mistake{R"("npy": "/want.npy")", R"("values": [1, "2"])", "expect.y.values[1]: must be a number, not a text"},
        Mistake{R"({"i32": 1048576}]})", R"({"struct": [{"buffer": "z"}]}]})",
                "launches[0].args[2]: struct[0]: no buffer 'z'; there are x, w, y"},
        Mistake{R"("cooperative": false)", R"("cooperative": 0)",
                "launches[0].cooperative: must be true or false, not a number"},
        Mistake{R"("source": "probe.cu", )", "", "source: names no file"},
        Mistake{R"("arch": "sm_90")", R"("source": "a")", "the file: has 'source' twice"}));

TEST(Description, MutatedFilesNeverCrash) {
  std::mt19937 random(1);
  const std::string good = kGood;
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 2; ++i) bad[random() % bad.size()] = R"({}[]",:0159-ex)"[random() % 14];
    const Result<Description> parsed = parse_description(bad, "");
    read += parsed.ok();
    EXPECT_TRUE(parsed.ok() || !parsed.status().message().empty());
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace warplens::launch
