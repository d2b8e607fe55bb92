#include "warplens/explain/annotation.h"

#include <gmock/gmock.h>

#include <set>

#include "warplens/base/json.h"

namespace warplens::explain {
namespace {

TEST(Annotation, FindsFilesAndLinesInPlaces) {
  const auto found =
      locations_in({"aten::mm in Net_0/Linear_1 at my dir/train.py(42): forward", "aten::item", "probe.cu:47",
                    "C++ a::b at 12", "probe.cu:47", "394 MB (22.1 %) aten::mm at x.py(7): f (g)"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].file, "my dir/train.py");
  EXPECT_EQ(found[0].line, 42u);
  EXPECT_EQ(found[1].file, "probe.cu");
  EXPECT_EQ(found[1].line, 47u);
  EXPECT_EQ(found[2].file, "x.py");
  EXPECT_EQ(found[2].line, 7u);
}

TEST(Annotation, EscapesWhatGitHubReads) {
  const std::string text = to_github({{"race", Scope::kCheck, Level::kError, "50 %\nof: it,", {{"a,b:c.cu", 3}}}});
  EXPECT_EQ(text, "::error file=a%2Cb%3Ac.cu,line=3,title=race::50 %25%0Aof: it,\n");
  EXPECT_EQ(to_github({{"idle-gpu", Scope::kProgram, Level::kNote, "x", {}}}), "::notice title=idle-gpu::x\n");
}

TEST(Annotation, SarifNamesEachRuleOnceAndPlacesEveryResult) {
  const std::string text =
      to_sarif({{"low-occupancy", Scope::kKernel, Level::kWarning, "a", {{"a b.cu", 3}}},
                {"low-occupancy", Scope::kProgram, Level::kNote, "b", {}},
                {"low-occupancy", Scope::kKernel, Level::kWarning, "c", {{"c.cu", 0}, {"d.cu", 5}}}},
               "t.json", "1");
  const auto parsed = json::parse(text);
  ASSERT_TRUE(parsed.ok());
  const json::Value& run = (*parsed->find("runs")->array())[0];
  EXPECT_EQ(run.find("tool")->find("driver")->find("rules")->array()->size(), 2u);
  const auto& results = *run.find("results")->array();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[2].find("ruleIndex")->integer(), 0);
  EXPECT_EQ(results[2].find("relatedLocations")->array()->size(), 1u);
  const auto uri = [](const json::Value& result) {
    return *(*result.find("locations")->array())[0]
                .find("physicalLocation")
                ->find("artifactLocation")
                ->find("uri")
                ->string();
  };
  EXPECT_EQ(uri(results[0]), "a%20b.cu");
  EXPECT_EQ(uri(results[1]), "t.json");
}

TEST(Explanation, IsUniqueAndWhole) {
  std::set<std::pair<Scope, std::string_view>> seen;
  for (const Explanation& e : all_explanations()) {
    EXPECT_TRUE(seen.insert({e.scope, e.id}).second) << e.id;
    for (const std::string_view text : {e.meaning, e.evidence, e.advice, e.saving}) {
      EXPECT_TRUE(text.ends_with('.')) << e.id << ": " << text;
    }
    EXPECT_FALSE(e.title.ends_with('.')) << e.id;
  }
  EXPECT_EQ(find_explanation("low-occupancy", Scope::kKernel)->scope, Scope::kKernel);
  EXPECT_EQ(find_explanation("low-occupancy", Scope::kProgram)->scope, Scope::kProgram);
  EXPECT_EQ(find_explanation("race", Scope::kProgram)->scope, Scope::kCheck);
  EXPECT_EQ(find_explanation("rase", Scope::kProgram), nullptr);
}

TEST(Explanation, EveryFindingLinksToAnExplanationOfItsCause) {
  for (const Explanation& e : all_explanations()) {
    if (e.scope == Scope::kCheck) continue;  // faults that only the emulator names have none
    EXPECT_TRUE(link_of(e.id).starts_with("https://")) << e.id;
  }
}

}  // namespace
}  // namespace warplens::explain
