#include "warplens/bench/results/results.h"

#include <gtest/gtest.h>

#include "warplens/base/random.h"

namespace warplens::bench {
namespace {

Results sample() {
  Results results;
  results.title = "saxpy \"quoted\"";
  results.source_hash = content_hash("text");
  results.environment.device = "NVIDIA H200";
  results.environment.l2_bytes = 60 << 20;
  Measurement m;
  m.name = "saxpy";
  m.source = kMeasured;
  m.regime = "cold";
  m.axes = {{"n", "1048576"}, {"dtype", "f32"}};
  m.samples_ns = {7168, 7200, 7.25};
  m.median_ns = 7168;
  m.low_ns = 7100;
  m.high_ns = 7200;
  m.dropped = {{"clock changed", 2}};
  m.metrics = {{"smsp__inst_executed.sum", 1234567890123}};
  m.checks = {{"y", "largest error at 5", true, 1e-7, 1e-5}};
  m.errors = {"one"};
  m.valid = false;
  results.measurements.push_back(m);
  return results;
}

TEST(Results, ReadBackEqual) {
  const std::string text = to_json(sample());
  const Result<Results> back = parse_results(text);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(to_json(*back), text);
  EXPECT_EQ(back->measurements[0].key(), "saxpy n=1048576 dtype=f32 [measured cold]");
  EXPECT_EQ(back->measurements[0].samples_ns[2], 7.25);
  EXPECT_EQ(back->measurements[0].dropped.at("clock changed"), 2);
}

TEST(Results, ErrorsSayWhere) {
  const auto message = [](const char* text) { return parse_results(text).status().message(); };
  EXPECT_NE(message("{}").find("not benchmark results"), std::string::npos);
  EXPECT_EQ(message(R"({"kind":"warplens-bench","schema_version":99})"),
            "schema_version is 99; this program reads up to 1");
  EXPECT_EQ(message(R"({"kind":"warplens-bench","schema_version":1,"measurements":[{"name":"a"},{"name":5}]})"),
            "'measurements[1].name' is of the wrong type");
  EXPECT_EQ(message(R"({"kind":"warplens-bench","schema_version":1,"measurements":7})"),
            "'measurements' is of the wrong type");
}

TEST(Results, DamagedTextIsAnErrorOrReadsBack) {
  const std::string text = to_json(sample());
  Random random(11);
  size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (uint32_t k = random.below(4) + 1; k > 0; --k)
      damaged[random.below(static_cast<uint32_t>(damaged.size()))] = static_cast<char>(random.below(128));
    if (random.below(5) == 0) damaged.resize(random.below(static_cast<uint32_t>(damaged.size())));
    const Result<Results> read = parse_results(damaged);
    if (!read.ok()) ++refused;
    else EXPECT_TRUE(parse_results(to_json(*read)).ok());
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace warplens::bench
