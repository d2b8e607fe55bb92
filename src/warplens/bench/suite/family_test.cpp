#include "warplens/bench/suite/family.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "warplens/base/files.h"

namespace warplens::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGood =
    R"({"title": "Twice", "bound": "bandwidth", "size": "n", "small": [{"n": 100}], "full": [{"n": 1000}],
  "bytes": "8*n", "flops": "n", "references": ["y = 2 * x"],
  "buffers": {"x": "f32[${n}]:uniform", "y": "f32[${n}]"},
  "steps": [{"name": "plain", "source": "a.cu", "needs": ["n%4"],
             "launches": [{"kernel": "twice", "grid": "${n/^64}", "block": [64, "${n/n}"], "args": ["x", "y", "i32=${n}"]}]}]})";

/// A folder with one family, "twice".
class FamilyTest : public ::testing::Test {
 protected:
  FamilyTest() : folder_(std::filesystem::temp_directory_path() / ("family-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_ / "twice");
  }
  ~FamilyTest() override { std::filesystem::remove_all(folder_); }

  Result<Family> family(const std::string& text) {
    EXPECT_TRUE(write_file(folder_ / "twice/family.json", text, true).ok());
    return read_family(folder_, "twice");
  }

  std::filesystem::path folder_;
};

TEST_F(FamilyTest, AStepIsALaunchFileWithItsExpressionsFilledIn) {
  const Result<Family> read = family(kGood);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Result<KernelCase> made = case_of(*read, read->steps[0], {{"n", "100"}});
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->name, "twice/plain");
  EXPECT_EQ(made->bytes, 800);
  EXPECT_EQ(made->description.launches[0].grid[0], 2u);
  EXPECT_EQ(made->description.launches[0].block[0], 64u);
  EXPECT_EQ(made->description.buffer("y")->count(), 100u);
  EXPECT_EQ(made->references[0].output, "y");
}

TEST_F(FamilyTest, SizesThatAStepDoesNotTakeAreErrors) {
  const Result<Family> read = family(kGood);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(case_of(*read, read->steps[0], {{"n", "101"}}).status().message(), "twice/plain needs n%4 to be 0, not 1");
}

TEST_F(FamilyTest, MistakesNameTheFileAndThePlace) {
  const std::string good = kGood;
  const auto said = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return family(text).status().message();
  };
  EXPECT_THAT(said("\"name\": \"plain\"", "\"nmae\": \"plain\""), HasSubstr("family.json"));
  EXPECT_THAT(said("\"name\": \"plain\"", "\"title\": \"plain\""), HasSubstr("steps[0].name: is missing"));
  EXPECT_THAT(said("\"small\": [{\"n\": 100}]", "\"small\": 3"), HasSubstr("small: must be a list of sizes"));
  EXPECT_THAT(said("[\"y = 2 * x\"]", "[]"), HasSubstr("must not be empty"));
  EXPECT_THAT(said("{\"title\"", "[\"title\""), HasSubstr("family.json"));
  EXPECT_THAT(read_family(folder_, "twcie").status().message(), HasSubstr("did you mean twice?"));
}

/// What a reference gives where x is 1 2 3 / 4 5 6, t is 2 0, and y is asked for.
Result<ReferenceValues> value_of(const std::string& text) {
  launch::Description description;
  description.buffers = {
      {"x", launch::DType::kF32, {2, 3}}, {"t", launch::DType::kI32, {2}}, {"y", launch::DType::kF32, {3, 2}}};
  WL_ASSIGN(const Reference reference, parse_reference(text, description));
  return reference_values(description, reference,
                          [](const std::string& name, const std::vector<Stretch>&) -> Result<std::vector<double>> {
                            return name == "t" ? std::vector<double>{2, 0} : std::vector<double>{1, 2, 3, 4, 5, 6};
                          });
}

TEST(Reference, ArrayFunctionsAndFormulasTakeTurns) {
  EXPECT_THAT(value_of("y = transpose(x)")->values, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(value_of("y = scan(x)")->values, ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(value_of("d = 2 * x; y = column_sum(d)")->values, ElementsAre(10, 14, 18));
  EXPECT_THAT(value_of("p = pick(x, t); y = 10 * p")->values, ElementsAre(30, 40));
  EXPECT_THAT(value_of("h = one_hot(t, x); y = x * h")->values, ElementsAre(0, 0, 3, 4, 0, 0));
  EXPECT_THAT(value_of("s = sum(x); c = column(s); y = c + 1")->values, ElementsAre(7, 16));
  EXPECT_THAT(value_of("y = histogram(t)")->values, ElementsAre(1, 0, 1, 0, 0, 0));
  EXPECT_THAT(value_of("b = transpose(x); y = matmul(x, b)")->values, ElementsAre(14, 32, 32, 77));
}

TEST(Reference, MistakesAreTold) {
  EXPECT_THAT(value_of("y = transpose(x, t)").status().message(), HasSubstr("transpose takes 1 argument"));
  EXPECT_THAT(value_of("y = transpose(z)").status().message(), HasSubstr("no buffer 'z'"));
  EXPECT_THAT(value_of("z = transpose(x)").status().message(), HasSubstr("no buffer 'z'"));
  EXPECT_THAT(value_of(";").status().message(), HasSubstr("expected NAME = EXPRESSION"));
}

TEST(Reference, OfASampleOnlyThosePlacesAreCompared) {
  const Output output = checked_output("y", {1, 2, 3, 4}, {{4}, {9, 8}, {1, 3}}, 0.1);
  EXPECT_THAT(output.values, ElementsAre(2, 4));
  EXPECT_THAT(*output.reference, ElementsAre(9, 8));
}

}  // namespace
}  // namespace warplens::bench
