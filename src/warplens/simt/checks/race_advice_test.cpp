#include "warplens/simt/checks/race_advice.h"

#include <gtest/gtest.h>

#include "warplens/base/text.h"

namespace warplens::simt {
namespace {

constexpr uint32_t kLoad = 3, kOtherLoad = 4, kStore = 7, kOtherStore = 9;

/// What one race between two rows is told to need.
std::string advice(const RaceAdvice& seen, uint32_t row, uint32_t earlier) {
  RaceAdvice all = seen;
  all.add(0, row, earlier, "a barrier");
  std::vector<Report> reports(1);
  reports[0].message = "not ordered";
  all.finish(&reports);
  return reports[0].message;
}

TEST(RaceAdvice, UpdatesWantAnAtomic) {
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore);
  for (const auto& [row, earlier] : {std::pair(kStore, kLoad), std::pair(kLoad, kStore), std::pair(kStore, kStore)})
    EXPECT_TRUE(contains(advice(seen, row, earlier), "an atomic operation")) << row << " " << earlier;
}

TEST(RaceAdvice, WhatIsNotStoredBackWantsOrder) {
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore);
  EXPECT_EQ(advice(seen, kStore, kOtherLoad), "not ordered: a barrier") << "a neighbour's value";
  EXPECT_EQ(advice(seen, kOtherStore, kStore), "not ordered: a barrier");
  EXPECT_EQ(advice({}, kStore, kLoad), "not ordered: a barrier");
}

TEST(RaceAdvice, OnePairOfALineIsEnough) {
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore);
  seen.add(0, kStore, kOtherLoad, "a barrier");
  seen.add(0, kStore, kLoad, "a flag");
  std::vector<Report> reports(1);
  seen.finish(&reports);
  EXPECT_TRUE(contains(reports[0].message, "atomicAdd"));
}

}  // namespace
}  // namespace warplens::simt
