#include "warplens/simt/checks/race_advice.h"

#include <gtest/gtest.h>

#include "warplens/base/text.h"
#include "warplens/simt/checks/remedies.h"
#include "warplens/simt/checks/words.h"

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
  seen.saw_update(kLoad, kStore, false);
  for (const auto& [row, earlier] : {std::pair(kStore, kLoad), std::pair(kLoad, kStore), std::pair(kStore, kStore)})
    EXPECT_TRUE(contains(advice(seen, row, earlier), "an atomic operation")) << row << " " << earlier;
}

TEST(RaceAdvice, WhatIsNotStoredBackWantsOrder) {
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore, false);
  EXPECT_EQ(advice(seen, kStore, kOtherLoad), "not ordered: a barrier") << "a neighbour's value";
  EXPECT_EQ(advice(seen, kOtherStore, kStore), "not ordered: a barrier");
  EXPECT_EQ(advice({}, kStore, kLoad), "not ordered: a barrier");
}

TEST(RaceAdvice, ReadsBeforeAtomicWritesAreToBeAtomicToo) {
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore, true);
  for (const auto& [row, earlier] : {std::pair(kStore, kLoad), std::pair(kLoad, kStore)}) {
    EXPECT_TRUE(contains(advice(seen, row, earlier), "and the read before it is not")) << row << " " << earlier;
    EXPECT_FALSE(contains(advice(seen, row, earlier), "atomicAdd")) << row << " " << earlier;
  }
  EXPECT_EQ(advice(seen, kStore, kOtherLoad), "not ordered: a barrier");
}

TEST(RaceAdvice, ReadsThatTheirThreadSwapsAreConfirmed) {
  const auto swaps = [](uint32_t row) { return row == kStore; };
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore, true);
  seen.add(0, kStore, kLoad, "a barrier");
  seen.add(1, kLoad, kOtherStore, "a barrier");
  seen.add(2, kStore, kOtherLoad, "a barrier");
  EXPECT_TRUE(seen.is_of_swaps(0, swaps));
  EXPECT_FALSE(seen.is_of_swaps(1, swaps)) << "of an ordinary store";
  EXPECT_FALSE(seen.is_of_swaps(2, swaps)) << "of a read that is not followed by a swap";
  EXPECT_FALSE(seen.is_of_swaps(3, swaps)) << "of no race";
  seen.add(0, kOtherStore, kLoad, "a barrier");
  EXPECT_FALSE(seen.is_of_swaps(0, swaps)) << "of an ordinary store, too";
}

TEST(RaceAdvice, OnePairOfALineIsEnough) {
  RaceAdvice seen;
  seen.saw_update(kLoad, kStore, false);
  seen.add(0, kStore, kOtherLoad, "a barrier");
  seen.add(0, kStore, kLoad, "a flag");
  std::vector<Report> reports(1);
  seen.finish(&reports);
  EXPECT_TRUE(contains(reports[0].message, "atomicAdd"));
}

TEST(RaceAdvice, TheStrongestRemedyIsTold) {
  const std::string_view of_warp = kOrdersWarp, of_block = what_orders(true), of_device = what_orders(false),
                         own = "wait for the copy";
  const auto told = [](std::string_view first, std::string_view second) {
    RaceAdvice seen;
    seen.add(0, kStore, kLoad, std::string(first));
    seen.add(0, kStore, kOtherLoad, std::string(second));
    std::vector<Report> reports(1);
    seen.finish(&reports);
    return reports[0].message;
  };
  for (const auto& [weak, strong] : {std::pair(of_warp, of_block), {of_block, of_device}, {of_device, own}}) {
    EXPECT_EQ(told(weak, strong), ": " + std::string(strong));
    EXPECT_EQ(told(strong, weak), ": " + std::string(strong));
  }
}

TEST(RaceAdvice, ALineThatNeedsTheBlockNeedsItForItsWarpsToo) {
  RaceAdvice seen;
  seen.add(0, kStore, kLoad, std::string(kOrdersWarp));
  seen.add(1, kOtherStore, kLoad, std::string(what_orders(true)));
  const auto told = [&](uint32_t line, uint32_t other) {
    std::vector<Report> reports(2);
    reports[0].place.line = line;
    reports[0].other = reports[0].place;
    reports[1].place.line = 4;
    reports[1].other = Place{};
    reports[1].other->line = other;
    seen.finish(&reports);
    return reports[0].message;
  };
  EXPECT_TRUE(contains(told(7, 7), "__syncthreads()"));
  EXPECT_TRUE(contains(told(7, 9), "__syncwarp()"));
}

}  // namespace
}  // namespace warplens::simt
