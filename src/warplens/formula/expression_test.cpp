#include "warplens/formula/expression.h"

#include <gmock/gmock.h>

#include "warplens/base/random.h"
#include "warplens/formula/evaluate.h"

namespace warplens::formula {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string round_trip(const char* text) {
  const Result<Formula> formula = parse_formula(text);
  return formula.ok() ? to_text(formula->assignments[0].term) : formula.status().message();
}

TEST(Expression, KeepsPrecedence) {
  EXPECT_EQ(round_trip("y = a + b * c"), "a + b * c");
  EXPECT_EQ(round_trip("y = (a + b) * c"), "(a + b) * c");
  EXPECT_EQ(round_trip("y = a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(round_trip("y = -x**2"), "-x ** 2");
  EXPECT_EQ(round_trip("y = (-x)**2"), "(-x) ** 2");
  EXPECT_EQ(round_trip("y = x**2**3"), "x ** 2 ** 3");
  EXPECT_EQ(round_trip("y = a < b + 1"), "a < b + 1");
  EXPECT_EQ(round_trip("y = 1e-5*x + .5"), "1e-05 * x + 0.5");
  EXPECT_EQ(round_trip("y = softmax(x) # rows"), "softmax(x)");
}

TEST(Expression, FindsInputsAndOutputs) {
  const Result<Formula> formula = parse_formula("m = mean(x); y = (x - m) * w; z = m * 2");
  ASSERT_TRUE(formula.ok());
  EXPECT_THAT(formula->inputs, ElementsAre("x", "w"));
  EXPECT_THAT(formula->outputs, ElementsAre("y", "z"));
}

TEST(Expression, ErrorsShowThePlace) {
  EXPECT_EQ(round_trip("y = x + * 2"), "expected a number, a name or ( at column 9:\n  y = x + * 2\n          ^");
  EXPECT_EQ(round_trip("y = (x + 1"), "expected ) at column 11:\n  y = (x + 1\n            ^");
  EXPECT_THAT(round_trip("y = sofmax(x)"), HasSubstr("no function 'sofmax'; did you mean softmax?"));
  EXPECT_THAT(round_trip("y = tanh(x, x)"), HasSubstr("tanh does not take 2 arguments"));
  EXPECT_THAT(round_trip("x + 1"), HasSubstr("expected = after the name"));
  EXPECT_THAT(round_trip(""), HasSubstr("expected NAME = EXPRESSION"));
  EXPECT_THAT(round_trip("y = x; y = x"), HasSubstr("'y' is assigned twice"));
  EXPECT_THAT(round_trip("y = z + 1; z = x"), HasSubstr("'z' is used before it is assigned"));
  EXPECT_THAT(round_trip("y = 3"), HasSubstr("no input"));
  EXPECT_THAT(round_trip("a = x\nb = a +"), HasSubstr("at column 8:\n  b = a +\n         ^"));
  EXPECT_THAT(round_trip(("y = " + std::string(5000, '(') + "x").c_str()), HasSubstr("nested too deeply"));
}

TEST(Expression, DamagedFormulasDoNotCrash) {
  const std::string text = "m = mean(x); y = (x - m)**2 * rsqrt(var(x) + 1e-5) * w + where(x > 0, b, -1.5)";
  const std::string letters = "xwbm()+-*/=;,<>!.0123456789 e#\n";
  Random random(3);
  size_t parsed = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = text;
    for (uint32_t k = random.below(4) + 1; k > 0; --k)
      damaged[random.below(static_cast<uint32_t>(damaged.size()))] =
          letters[random.below(static_cast<uint32_t>(letters.size()))];
    const Result<Formula> formula = parse_formula(damaged);
    if (!formula.ok()) continue;
    ++parsed;
    for (const Assignment& a : formula->assignments) {
      const Result<Formula> again = parse_formula("y = " + to_text(a.term));
      if (!again.ok()) continue;  // a constant has no input, and so is no formula
      EXPECT_EQ(to_text(again->assignments[0].term), to_text(a.term));
    }
  }
  EXPECT_GT(parsed, 20u);
}

std::vector<double> evaluated(const char* text, const std::vector<NamedShape>& shapes,
                              const std::vector<std::vector<double>>& inputs) {
  const Result<Formula> formula = parse_formula(text);
  if (!formula.ok()) {
    ADD_FAILURE() << formula.status().message();
    return std::vector<double>();
  }
  const Result<Graph> graph = build_graph(*formula, shapes);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().message();
    return std::vector<double>();
  }
  const std::vector<std::span<const double>> spans(inputs.begin(), inputs.end());
  return evaluate(*graph, spans)[0];
}

TEST(Evaluate, ElementsAndBroadcasting) {
  EXPECT_THAT(evaluated("y = x * w + r", {{"x", {2, 3}}, {"w", {3}}, {"r", {2, 1}}},
                        {{1, 2, 3, 4, 5, 6}, {1, 10, 100}, {0.5, 7}}),
              ElementsAre(1.5, 20.5, 300.5, 11, 57, 607));
  EXPECT_THAT(evaluated("y = where(x > 2, x ** 3, -x ** 2)", {{"x", {3}}}, {{1, 2, 3}}), ElementsAre(-1, -4, 27));
  EXPECT_THAT(evaluated("y = x + b", {{"x", {2, 2, 2}}, {"b", {2, 1, 1}}}, {{1, 2, 3, 4, 5, 6, 7, 8}, {10, 20}}),
              ElementsAre(11, 12, 13, 14, 25, 26, 27, 28));
}

TEST(Evaluate, Reductions) {
  EXPECT_THAT(evaluated("y = sum(x)", {{"x", {2, 3}}}, {{1, 2, 3, 4, 5, 6}}), ElementsAre(6, 15));
  EXPECT_THAT(evaluated("y = x - max(x)", {{"x", {2, 2}}}, {{1, 5, 9, 2}}), ElementsAre(-4, 0, 0, -7));
  const std::vector<double> soft = evaluated("y = softmax(x)", {{"x", {1, 3}}}, {{1000, 1000, 1000}});
  EXPECT_NEAR(soft[0], 1.0 / 3, 1e-15);
  EXPECT_THAT(evaluated("y = var(x)", {{"x", {4}}}, {{1, 2, 3, 4}}), ElementsAre(1.25));
}

TEST(Graph, SharesEqualNodesAndFoldsConstants) {
  const Result<Graph> graph = build_graph(*parse_formula("y = softmax(x) * (2 * 3)"), {{"x", {4, 8}}});
  ASSERT_TRUE(graph.ok());
  size_t exps = 0;
  for (const Node& n : graph->nodes) exps += n.function != nullptr && n.function->name == "exp";
  EXPECT_EQ(exps, 1u);
  EXPECT_EQ(build_graph(*parse_formula("y = x ** -3"), {{"x", {4}}})->nodes.size(), 6u);  // x, -3, x*x, x*x*x, 1, 1/
}

TEST(Graph, ErrorsNameTheInput) {
  EXPECT_EQ(build_graph(*parse_formula("y = x + w"), {{"x", {4, 3}}, {"w", {4}}}).status().message(),
            "input 'w': shapes 4x3 and 4 do not broadcast: 3 and 4 along axis -1");
  EXPECT_EQ(build_graph(*parse_formula("y = x + w"), {{"x", {4}}}).status().message(), "no shape for the input 'w'");
}

TEST(Shape, ReadsPowersAndRefusesNonsense) {
  EXPECT_THAT(*parse_shape("2^3x5"), ElementsAre(8, 5));
  for (const char* bad : {"", "0", "-4", "3xx4", "axb", "2^99", "1048576x1048576x1048576"})
    EXPECT_FALSE(parse_shape(bad).ok()) << bad;
}

}  // namespace
}  // namespace warplens::formula
