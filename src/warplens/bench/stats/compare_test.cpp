#include "warplens/bench/stats/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warplens/bench/stats/series_for_test.h"

namespace warplens::bench {
namespace {

struct Machine {
  double noise = 0.01;  // relative, of one timing
  double spike = 0;     // chance of a timing three times as long
  double drift = 0;     // share by which timings grow from one pair to the next
  double step_ns = 0;   // the timer's step
};

/// A verdict on two kernels of 50 us whose true ratio is `ratio`, timed on `machine`.
Comparison race(double ratio, const Machine& machine, uint64_t seed, PairedOptions options = {}) {
  Random random(seed);
  double level = 50000;
  const auto timing = [&](double factor) {
    double t = level * factor * (1 + machine.noise * random.normal());
    if (random.uniform() < machine.spike) t *= 3;
    return machine.step_ns > 0 ? std::round(t / machine.step_ns) * machine.step_ns : t;
  };
  PairedTest test(options);
  while (!test.done()) {
    for (size_t i = test.wanted(); i > 0; --i) {
      const double a = timing(1), b = timing(ratio);
      test.add(a, b);
      level *= 1 + machine.drift;
    }
  }
  return test.result();
}

size_t count(Verdict verdict, double ratio, const Machine& machine, PairedOptions options = {}) {
  size_t n = 0;
  for (uint64_t t = 0; t < 200; ++t) n += race(ratio, machine, 1000 + t, options).verdict == verdict;
  return n;
}

TEST(PairedTest, AgainstItselfItSaysEquivalent) {
  for (const Machine& machine :
       {Machine{0.01}, Machine{0.003, 0.05}, Machine{0.01, 0.02, 0.001}, Machine{0.004, 0, 0, 500}}) {
    EXPECT_GE(count(Verdict::kEquivalent, 1, machine), 190u);
    EXPECT_LE(count(Verdict::kFaster, 1, machine) + count(Verdict::kSlower, 1, machine), 4u);
  }
}

TEST(PairedTest, LookingOftenDoesNotMakeFalseVerdicts) {
  PairedOptions strict;
  strict.margin = 0;  // without a margin every false verdict is an error of the interval alone
  const Machine noisy{0.03, 0.02};
  EXPECT_LE(count(Verdict::kFaster, 1, noisy, strict) + count(Verdict::kSlower, 1, noisy, strict), 10u);
}

TEST(PairedTest, FindsOnePercent) {
  for (const Machine& machine : {Machine{0.01}, Machine{0.01, 0.05}, Machine{0.01, 0.02, 0.001}}) {
    EXPECT_GE(count(Verdict::kSlower, 1.01, machine), 190u);
    EXPECT_GE(count(Verdict::kFaster, 1 / 1.01, machine), 190u);
  }
}

TEST(PairedTest, SeesADifferenceBelowTheTimersStep) {
  EXPECT_GE(count(Verdict::kSlower, 1.01, {0.015, 0, 0, 1000}), 190u);
}

TEST(PairedTest, AClearDifferenceTakesFewPairs) {
  const Comparison result = race(1.2, {0.01}, 7);
  EXPECT_EQ(result.verdict, Verdict::kSlower);
  EXPECT_EQ(result.pairs, 20u);
  EXPECT_NEAR(result.ratio, 1.2, 0.02);
}

TEST(PairedTest, SaysInconclusiveWhenItIs) {
  PairedOptions few;
  few.max_pairs = 20;
  EXPECT_EQ(race(1, {0.2}, 7, few).verdict, Verdict::kInconclusive);
}

TEST(PairedTest, StopsWhenToldTo) {
  PairedTest test({});
  for (int i = 0; i < 5; ++i) test.add(100, 200);
  test.stop();
  EXPECT_TRUE(test.done());
  EXPECT_EQ(test.result().verdict, Verdict::kSlower);
  PairedTest empty({});
  empty.stop();
  EXPECT_EQ(empty.result().verdict, Verdict::kInconclusive);
}

TEST(CompareStored, NeedsMoreThanTheNoiseBetweenRuns) {
  Random random(8);
  std::vector<double> a = independent_series(Noise::kNormal, 200, random),
                      b = independent_series(Noise::kNormal, 200, random);
  for (double& x : b) x *= 1.02;
  EXPECT_EQ(compare_stored(a, b, 0.005, 0.95, 0, 0).verdict, Verdict::kSlower);
  EXPECT_EQ(compare_stored(a, b, 0.005, 0.95, 0.03, 0).verdict, Verdict::kInconclusive);
}

TEST(LookSchedule, SharesTheErrorAmongItsLooks) {
  LookSchedule schedule({0.95, 0.01, 20, 200});
  size_t looks = 1;
  EXPECT_EQ(schedule.next(), 20u);
  while (!schedule.last()) {
    schedule.advance();
    ++looks;
  }
  EXPECT_EQ(schedule.next(), 200u);
  EXPECT_NEAR(schedule.alpha_per_look() * static_cast<double>(looks), 0.05, 1e-12);
}

}  // namespace
}  // namespace warplens::bench
