#include "warplens/libraries/curand/engine.h"

#include <gtest/gtest.h>

namespace warplens::libraries {
namespace {

std::array<uint32_t, 2> integers(Engine& engine) {
  return {static_cast<uint32_t>(engine.draw(0, Draw::kInteger, true)[0]),
          static_cast<uint32_t>(engine.draw(1, Draw::kInteger, true)[0])};
}

/// The first known answer of Random123's own tests: counter and key are 0.
TEST(Philox, KnownAnswer) {
  const Results drawn = make_philox(0, 0)->draw(0, Draw::kInteger, false);
  EXPECT_EQ(drawn, (Results{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
}

/// What cuRAND 10.4 gives for seed 0.
TEST(Lanes, BeginAsCurandsDo) {
  EXPECT_EQ(integers(*make_xorwow(0, 0)), (std::array<uint32_t, 2>{3179217846u, 3955638199u}));
  EXPECT_EQ(integers(*make_mrg32k3a(0, 0)), (std::array<uint32_t, 2>{545508615u, 341016064u}));
}

/// Skipping is drawing: each lane once, lane 0 twice.
TEST(Lanes, SkipWhatWasDrawn) {
  for (const auto make : {make_xorwow, make_mrg32k3a, make_philox}) {
    const auto drawn = make(7, 0);
    const size_t turn = drawn->results(Draw::kInteger);
    for (size_t k = 0; k <= drawn->lanes(); ++k) (void)drawn->draw(k % drawn->lanes(), Draw::kInteger, true);
    const auto skipped = make(7, (drawn->lanes() + 1) * turn);
    for (const size_t lane : {size_t{0}, size_t{1}, drawn->lanes() - 1})
      EXPECT_EQ(drawn->draw(lane, Draw::kInteger, false), skipped->draw(lane, Draw::kInteger, false)) << lane;
  }
}

TEST(Draws, AreWithinTheirBounds) {
  EXPECT_GT(unit(0), 0);
  EXPECT_EQ(unit(0xffffffff), 1);
  EXPECT_GT(unit(0, 0), 0);
  EXPECT_EQ(normals(1, 0.25), (std::array<double, 2>{0, 0}));
}

}  // namespace
}  // namespace warplens::libraries
