#include "warplens/program/findings/ranking.h"

#include <gtest/gtest.h>

namespace warplens::findings {
namespace {

Finding finding(std::string id, std::optional<double> saving, double concerned = 0) {
  Finding f;
  f.id = std::move(id);
  f.saving_fraction = saving;
  f.level = saving.value_or(0) < 0.05 ? Level::kInfo : Level::kWarn;
  if (concerned > 0) f.evidence = {{"concerned_fraction", concerned}};
  return f;
}

std::vector<std::string> order(std::vector<Finding> findings, const std::vector<std::string>& before_capture = {}) {
  rank(findings, before_capture);
  std::vector<std::string> out;
  for (const Finding& f : findings) out.push_back(f.id);
  return out;
}

using Ids = std::vector<std::string>;

TEST(Ranking, IdleTimeThatNobodyExplainsComesBeforeSmallSavings) {
  EXPECT_EQ(order({finding("fusable-chain", 0.08), finding("idle-gpu", std::nullopt, 0.4)}),
            Ids({"idle-gpu", "fusable-chain"}));
}

TEST(Ranking, IdleTimeComesBehindWhatExplainsIt) {
  EXPECT_EQ(
      order({finding("idle-gpu", std::nullopt, 0.9), finding("launch-bound", 0.8), finding("fusable-chain", 0.1)}),
      Ids({"launch-bound", "fusable-chain", "idle-gpu"}));
}

TEST(Ranking, ALoaderExplainsItsWholeTimeWhateverWorkersSaveOfIt) {
  EXPECT_EQ(order({finding("idle-gpu", std::nullopt, 0.44), finding("input-bound", 0.14, 0.28)}),
            Ids({"input-bound", "idle-gpu"}));
}

TEST(Ranking, ExposedCommunicationCountsByItsShareWhereLittleOfItCanBeHidden) {
  EXPECT_EQ(order({finding("repeated-cast", 0.11), finding("exposed-communication", 0.06, 0.29)}),
            Ids({"exposed-communication", "repeated-cast"}));
}

TEST(Ranking, WaitingForOtherRanksIsMoreThanThatItIsExposed) {
  EXPECT_EQ(order({finding("exposed-communication", std::nullopt, 0.78), finding("uneven-collective", 0.12, 0.7)}),
            Ids({"uneven-collective", "exposed-communication"}));
}

TEST(Ranking, AKernelOfUnknownWorkFollowsWhatIsKnownToSave) {
  EXPECT_EQ(order({finding("hot-kernel", std::nullopt, 0.6), finding("repeated-cast", 0.2), finding("host-sync", 0.1)}),
            Ids({"repeated-cast", "host-sync", "hot-kernel"}));
}

TEST(Ranking, WhatMustBeMendedBeforeAGraphComesBeforeIt) {
  const std::vector<Finding> findings = {finding("launch-bound", 0.6), finding("allocator-churn", 0.2),
                                         finding("repeated-cast", 0.3)};
  EXPECT_EQ(order(findings), Ids({"launch-bound", "repeated-cast", "allocator-churn"}));
  EXPECT_EQ(order(findings, {"allocator-churn"}), Ids({"allocator-churn", "launch-bound", "repeated-cast"}));
  EXPECT_EQ(order(findings, {"uncached-allocator-churn"}), Ids({"launch-bound", "repeated-cast", "allocator-churn"}));
}

}  // namespace
}  // namespace warplens::findings
