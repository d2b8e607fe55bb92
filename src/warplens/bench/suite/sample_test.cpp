#include "warplens/bench/suite/sample.h"

#include <gmock/gmock.h>

namespace warplens::bench {
namespace {

using ::testing::ElementsAre;

launch::Description described(const std::string& buffers) {
  Result<launch::Description> read =
      launch::parse_description(R"({"source": "a.cu", "kernel": "f", "buffers": {)" + buffers +
                                    R"(}, "launches": [{"grid": 1, "block": 1, "args": []}]})",
                                ".");
  EXPECT_TRUE(read.ok()) << read.status().message();
  return std::move(*read);
}

std::optional<OutputSample> drawn(const launch::Description& description, const std::string& reference,
                                  uint64_t seed = 1) {
  const Result<Reference> parsed = parse_reference(reference, description);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return draw_sample(description, *parsed, seed);
}

constexpr const char* kRows =
    R"("x": "f32[65536,1024]", "w": "f32[1024]", "y": "f32[65536,1024]", "t": "i32[65536]", "loss": "f32[65536]")";

TEST(Sample, OfLargeOutputsStretchesFromTheFirstToTheLastPlace) {
  const launch::Description description = described(kRows);
  const std::optional<OutputSample> sample = drawn(description, "y = rms_norm(x, w)");
  ASSERT_TRUE(sample.has_value());
  EXPECT_THAT(sample->arrays, ElementsAre("x", "y"));
  ASSERT_EQ(sample->stretches.size(), 64u);
  EXPECT_EQ(sample->stretches.front().begin, 0u);
  EXPECT_EQ(sample->stretches.back().begin + sample->stretches.back().count, 65536u);
  for (size_t i = 1; i < 64; ++i)
    EXPECT_GE(sample->stretches[i].begin, sample->stretches[i - 1].begin + sample->stretches[i - 1].count);
  EXPECT_NE(drawn(description, "y = rms_norm(x, w)", 2)->stretches[5].begin, sample->stretches[5].begin);
}

TEST(Sample, StatementsThatKeepToTheirRowsAreSampledTogether) {
  const std::optional<OutputSample> sample =
      drawn(described(kRows), "p = pick(x, t); s = logsumexp(x); l = column(s); loss = l - p");
  ASSERT_TRUE(sample.has_value());
  EXPECT_THAT(sample->arrays, ElementsAre("loss", "t", "x"));
}

TEST(Sample, OfProductsRowsAreSampledAndTheSecondFactorIsWhole) {
  const launch::Description description =
      described(R"("a": "u8[8192,8192]", "b": "u8[8192,8192]", "c": "bf16[8192,8192]")");
  const std::optional<OutputSample> sample =
      drawn(description, "x = e4m3(a); y = e4m3(b); c = matmul_transposed(x, y)");
  ASSERT_TRUE(sample.has_value());
  EXPECT_THAT(sample->arrays, ElementsAre("a", "c"));
  EXPECT_FALSE(drawn(description, "c = matmul(a, a)").has_value()) << "a is needed by rows and whole";
}

TEST(Sample, PlacesOfASampleAreThoseInTheWhole) {
  Output all{"y", {1, 2, 3}, std::vector<double>{1, 2, 3}},
      some{"y", {3, 1}, std::vector<double>{3, 1}, 0.1, 3, {2, 0}};
  for (Output* output : {&all, &some}) place_in_whole(*output, {{10, 2}, {50, 1}}, 100);
  EXPECT_THAT(all.places, ElementsAre(10u, 11u, 50u));
  EXPECT_THAT(some.places, ElementsAre(50u, 10u));
  EXPECT_EQ(some.of, 100u);
}

TEST(Sample, WhatDependsOnOtherPlacesIsComparedWhole) {
  const launch::Description description = described(
      R"("x": "f32[67108864]", "y": "f32[67108864]", "sum": "f32[1]", "small": "f32[4096]", "z": "f32[4096]")");
  EXPECT_TRUE(drawn(description, "y = x * x").has_value());
  EXPECT_FALSE(drawn(description, "y = scan(x)").has_value());
  EXPECT_FALSE(drawn(description, "sum = sum(x)").has_value());
  EXPECT_FALSE(drawn(description, "y = softmax(x)").has_value()) << "a reduction over the only axis";
  EXPECT_FALSE(drawn(description, "y = x + y0").has_value()) << "old contents are held whole";
  EXPECT_FALSE(drawn(description, "z = small * small").has_value()) << "small";
}

TEST(Sample, ItsReferenceIsThatOfTheWhole) {
  const launch::Description description = described(R"("x": "f32[6,4]", "w": "f32[4]", "y": "f32[6,4]")");
  const Reference reference = *parse_reference("y = softmax(x) * w", description);
  const auto whole_contents = [](const std::string& name) {
    std::vector<double> out;
    for (size_t i = 0; i < (name == "w" ? 4u : 24u); ++i) out.push_back(static_cast<double>(i * i % 7) / 4);
    return out;
  };
  const ContentsOf contents = [&](const std::string& name,
                                  const std::vector<Stretch>& stretches) -> Result<std::vector<double>> {
    const std::vector<double> whole = whole_contents(name);
    std::vector<double> out = stretches.empty() ? whole : std::vector<double>();
    for (const Stretch& s : stretches)
      out.insert(out.end(), whole.begin() + s.begin, whole.begin() + s.begin + s.count);
    return out;
  };
  const OutputSample sample{{{1, 2}, {5, 1}}, {"x", "y"}};
  const ReferenceValues whole = *reference_values(description, reference, contents);
  const ReferenceValues part = *reference_values(description, reference, contents, &sample);
  std::vector<double> want(whole.values.begin() + 4, whole.values.begin() + 12);
  want.insert(want.end(), whole.values.begin() + 20, whole.values.end());
  EXPECT_EQ(part.values, want);
}

}  // namespace
}  // namespace warplens::bench
