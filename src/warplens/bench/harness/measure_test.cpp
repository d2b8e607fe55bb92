// Honest work is measured; each known way to fool a benchmark is tried.
#include "warplens/bench/harness/measure.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include "warplens/base/random.h"
#include "warplens/base/timing.h"
#include "warplens/bench/harness/cpu_timer.h"

namespace warplens::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// y = sqrt(x), some 20 us of it, with a `run` that a test replaces by a cheat.
struct Roots {
  std::vector<double> x = std::vector<double>(20000), y = std::vector<double>(20000);

  void compute() {
    for (size_t i = 0; i < x.size(); ++i) y[i] = std::sqrt(x[i]);
  }

  Work work(std::function<void()> run) {
    Work w;
    w.run = [run = std::move(run)](void*) {
      run();
      return Status();
    };
    w.prepare = [this](uint64_t seed) {
      Random random(seed);
      for (double& v : x) v = 1 + random.uniform();
      return Status();
    };
    w.poison = [this](uint64_t seed) {
      Random random(seed);
      for (double& v : y) v = random.normal();
      return Status();
    };
    w.outputs = [this](void*) -> Result<std::vector<Output>> {
      Output out{"y", y, std::vector<double>()};
      for (const double v : x) out.reference->push_back(std::sqrt(v));
      return std::vector<Output>{out};
    };
    return w;
  }
};

Measurement measured(const Work& work, Regime regime = Regime::kThroughput, Ceilings ceilings = {}) {
  CpuTimer timer;
  MeasureOptions options;
  options.regime = regime;
  options.ceilings = ceilings;
  options.stopping.max_samples = 60;
  options.stopping.target = 0.05;
  options.warm_up_seconds = 0.002;
  options.limit_seconds = 0.5;
  Result<Measurement> result = measure(work, timer, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : Measurement{};
}

TEST(Measure, HonestWorkIsValidAndHasATime) {
  Roots roots;
  const Measurement m = measured(roots.work([&] { roots.compute(); }));
  EXPECT_THAT(m.errors, IsEmpty());
  EXPECT_TRUE(m.valid);
  EXPECT_GT(m.median_ns, 1000);
  EXPECT_LE(m.low_ns, m.median_ns);
  EXPECT_GE(m.high_ns, m.median_ns);
  EXPECT_EQ(m.checks.size(), 1u);
  EXPECT_GE(m.samples_ns.size(), 20u);
}

TEST(Measure, ResultsCachedForAnAddressAreFound) {
  Roots roots;
  std::map<const double*, std::vector<double>> cache;
  const Measurement m = measured(roots.work([&] {
    auto& kept = cache[roots.x.data()];
    if (kept.empty()) roots.compute(), kept = roots.y;
    roots.y = kept;
  }));
  EXPECT_FALSE(m.valid);
  EXPECT_THAT(m.errors, Contains(HasSubstr("call with other inputs: output 'y'")));
}

TEST(Measure, RecognisedInputsAreFound) {
  Roots roots;
  std::vector<double> seen_x, seen_y;
  const Measurement m = measured(roots.work([&] {
    if (!seen_x.empty() && seen_x[0] == roots.x[0] && seen_x[7] == roots.x[7]) return void(roots.y[0] = seen_y[0]);
    for (int i = 0; i < 5; ++i) roots.compute();
    seen_x = roots.x, seen_y = roots.y;
  }));
  EXPECT_THAT(m.errors, Contains(HasSubstr("on new inputs")));
}

TEST(Measure, WorkSkippedWhenTheOutputIsThereIsFound) {
  Roots roots;
  const Measurement m = measured(roots.work([&] {
    if (roots.y[3] == std::sqrt(roots.x[3])) return;
    for (int i = 0; i < 5; ++i) roots.compute();
  }));
  EXPECT_THAT(m.errors, Contains(HasSubstr("work is skipped")));
}

TEST(Measure, HalfTheWorkIsFound) {
  Roots roots;
  const Measurement m = measured(roots.work([&] {
    for (size_t i = 0; i < roots.x.size() / 2; ++i) roots.y[i] = std::sqrt(roots.x[i]);
  }));
  EXPECT_FALSE(m.valid);
}

TEST(Measure, ZerosAreFoundEvenWithoutAReference) {
  Roots roots;
  Work work = roots.work([&] { std::fill(roots.y.begin(), roots.y.end(), 0); });
  work.outputs = [&](void*) -> Result<std::vector<Output>> {
    return std::vector<Output>{{"y", roots.y, std::nullopt}};
  };
  EXPECT_THAT(measured(work).errors, Contains(HasSubstr("every element is 0")));
}

TEST(Measure, WorkOnAnotherThreadIsFound) {
  Roots roots;
  std::vector<std::thread> threads;
  const Measurement m = measured(roots.work([&] {
    if (threads.size() > 40) return roots.compute();
    threads.emplace_back([&] {
      volatile double sum = 0;
      for (const int64_t end = monotonic_ns() + 20'000'000; monotonic_ns() < end;) sum = sum + 1;
    });
    roots.compute();
  }),
                                 Regime::kCold);
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(m.errors, Contains(HasSubstr("after the timed call ended")));
}

TEST(Measure, RatesAboveTheCeilingAreErrors) {
  Roots roots;
  Work work = roots.work([&] { roots.compute(); });
  work.bytes = 16.0 * 20000;
  EXPECT_THAT(measured(work, Regime::kCold, {1e6, 0}).errors, Contains(HasSubstr("above the ceiling")));
}

TEST(Measure, OfCallsThatFillTheLimitFewAreMade) {
  int calls = 0;
  Work work;
  work.run = [&](void*) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return Status();
  };
  work.prepare = [](uint64_t) { return Status(); };
  CpuTimer timer;
  MeasureOptions options;
  options.limit_seconds = 0.05;
  const Result<Measurement> m = measure(work, timer, options);
  ASSERT_TRUE(m.ok()) << m.status().message();
  EXPECT_GE(m->samples_ns.size(), 3u);
  EXPECT_LE(calls, 30) << "without a limit it would be 20 samples and 20 calls around them";
}

TEST(Measure, AFailingCallIsAnError) {
  CpuTimer timer;
  Work work;
  work.run = [](void*) { return invalid_input("no such shape"); };
  EXPECT_EQ(measure(work, timer, {}).status().message(), "no such shape");
  EXPECT_FALSE(measure({}, timer, {}).ok());
}

TEST(Race, TellsTwiceTheWorkFromOnce) {
  Roots roots;
  CpuTimer timer;
  const Work once = roots.work([&] { roots.compute(); }), twice = roots.work([&] { roots.compute(), roots.compute(); });
  RaceOptions options;
  options.regime = Regime::kWarm;
  const Result<Comparison> result = race(once, twice, timer, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->verdict, Verdict::kSlower);
  EXPECT_GT(result->ratio, 1.3);
}

}  // namespace
}  // namespace warplens::bench
