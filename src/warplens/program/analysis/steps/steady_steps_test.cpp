#include "warplens/program/analysis/steps/steady_steps.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// A program of one thread that is written down as it runs.
class Loop {
 public:
  int64_t now_us() const { return now_us_; }
  void rest(int64_t us) { now_us_ += us; }
  /// `count` launches of 5 us, each within an operator.
  void work(int count, const char* op = "aten::mm") {
    for (int i = 0; i < count; ++i) {
      test.op("main", op, now_us_ * kUs, 5 * kUs);
      test.call("main", "cudaLaunchKernel", now_us_ * kUs, 4 * kUs, ++correlation_);
      test.kernel("k", (now_us_ + 4) * kUs, 1 * kUs, correlation_);
      now_us_ += 5;
    }
  }
  void backward(int count) { work(count, "autograd::engine::evaluate_function: MmBackward0"); }
  void optimizer(const char* name = "SGD", int count = 2) {
    const int64_t begin_us = now_us_;
    work(count, "aten::_foreach_add_");
    range(std::string("Optimizer.step#") + name + ".step", begin_us);
  }
  void range(const std::string& name, int64_t begin_us) {
    test.op("main", name, begin_us * kUs, (now_us_ - begin_us) * kUs, {OperatorKind::kRange});
  }
  void module(const char* name, int64_t begin_us) {
    auto& frames = test.profile.python_frames;
    frames.start_ns.push_back(begin_us * kUs);
    frames.duration_ns.push_back((now_us_ - begin_us) * kUs);
    frames.name.push_back(test.text(name));
    frames.thread.push_back(test.thread("main"));
    frames.python_id.push_back(static_cast<int64_t>(frames.size()) + 1);
    frames.python_parent_id.push_back(-1);
    frames.python_module_id.push_back(-1);
  }
  void train() {
    work(4);
    backward(4);
    optimizer();
  }
  StepSet set() const { return step_set(test.profile, link_device_calls(test.profile)); }
  StepSummary summary() const { return step_summary(set(), 0); }

  TestProfile test;

 private:
  int64_t now_us_ = 0, correlation_ = 0;
};

TEST(SteadySteps, AProfilersRangesGoBeforeTheOptimizer) {
  Loop loop;
  for (int i = 0; i < 20; ++i) {
    const int64_t begin_us = loop.now_us();
    loop.rest(i == 0 ? 900 : 20);
    loop.train();
    loop.range("ProfilerStep#" + std::to_string(i), begin_us);
  }
  const int64_t begin_us = loop.now_us();
  loop.rest(500);  // the profiler opens one more, in which nothing runs
  loop.range("ProfilerStep#20", begin_us);
  EXPECT_EQ(loop.set().source, StepSource::kProfiler);
  const StepSummary steps = loop.summary();
  EXPECT_EQ(steps.steps, 21u);
  EXPECT_EQ(steps.steady, 19u);
  EXPECT_EQ(steps.start, 1u);
  EXPECT_EQ(steps.torn, 1u);
  EXPECT_NEAR(static_cast<double>(steps.mean_ns), 70.0 * kUs, 2.0 * kUs);
  EXPECT_EQ(left_out_text(steps), "left out: 1 at the start (950 us), 1 torn");
}

TEST(SteadySteps, RangesOfTheProgramGoBeforeTheOptimizer) {
  Loop loop;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const int64_t epoch_us = loop.now_us();
    for (int i = 0; i < 5; ++i) {
      const int64_t begin_us = loop.now_us();
      const int64_t forward_us = loop.now_us();
      loop.work(4);
      loop.range("forward", forward_us);
      loop.backward(4);
      loop.optimizer();
      loop.range("train step " + std::to_string(i), begin_us);
      loop.rest(30);  // a loader between the ranges belongs to the loop
    }
    loop.range("epoch", epoch_us);
  }
  const StepSet set = loop.set();
  EXPECT_EQ(set.source, StepSource::kRange);
  EXPECT_EQ(set.steps.size(), 15u);
  EXPECT_EQ(set.steps[4].kind, "train step");
  EXPECT_EQ(set.steps[4].number, 4);
  EXPECT_EQ(step_summary(set, 0).median_ns, 80 * kUs);
}

TEST(SteadySteps, AccumulatedGradientsAreOneStep) {
  Loop loop;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 4; ++k) {
      const int64_t begin_us = loop.now_us();
      loop.work(4);
      loop.backward(4);
      loop.range("micro-batch " + std::to_string(k), begin_us);
    }
    loop.optimizer();
  }
  EXPECT_EQ(loop.set().source, StepSource::kOptimizer);
  EXPECT_EQ(loop.summary().steps, 6u);
  EXPECT_EQ(loop.summary().median_ns, 170 * kUs);
}

TEST(SteadySteps, TwoOptimizersMakeOneStepWhetherTogetherOrInTurns) {
  Loop together, turns;
  for (int i = 0; i < 6; ++i) {
    together.work(4);
    together.backward(4);
    together.optimizer("Muon");
    together.optimizer("AdamW");
    for (const char* name : {"D", "D", "G"}) {
      turns.work(4);
      turns.backward(4);
      turns.optimizer(name);
    }
  }
  EXPECT_EQ(together.summary().steps, 6u);
  EXPECT_EQ(together.summary().median_ns, 60 * kUs);
  EXPECT_EQ(turns.summary().steps, 6u);
  EXPECT_EQ(turns.summary().median_ns, 150 * kUs);
}

TEST(SteadySteps, AClosureThatRunsTheBackwardPassMakesAStep) {
  Loop loop;
  for (int i = 0; i < 6; ++i) {
    const int64_t begin_us = loop.now_us();
    loop.work(4);
    loop.backward(4);
    loop.range("Optimizer.step#LBFGS.step", begin_us);
    loop.rest(10);
  }
  EXPECT_EQ(loop.set().source, StepSource::kOptimizer);
  EXPECT_EQ(loop.summary().steps, 6u);
}

TEST(SteadySteps, ValidationIsAnotherKindOfStep) {
  Loop named, unnamed;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 10; ++i) {
      const int64_t begin_us = named.now_us();
      named.train();
      named.range("train", begin_us);
      unnamed.train();
    }
    for (int i = 0; i < 5; ++i) {
      const int64_t begin_us = named.now_us();
      named.work(4);
      named.range("validate", begin_us);
      unnamed.work(4);
    }
  }
  EXPECT_EQ(named.summary().steady, 30u);
  EXPECT_EQ(named.summary().other, 15u);
  EXPECT_EQ(named.summary().median_ns, 50 * kUs);
  EXPECT_EQ(unnamed.summary().steady, 28u);
  EXPECT_EQ(unnamed.summary().other, 2u);  // behind the third epoch no update follows
}

TEST(SteadySteps, FewUpdatesAreNoSteps) {
  Loop loop;
  loop.train();
  loop.train();
  EXPECT_TRUE(loop.set().empty());
}

TEST(SteadySteps, ARareSlowStepStandsApartAndARegularOneDoesNot) {
  Loop rare, regular;
  for (int i = 0; i < 40; ++i) {
    rare.rest(i == 20 ? 400 : 0);
    rare.train();
    regular.rest(i % 5 == 4 ? 400 : 0);
    regular.train();
  }
  EXPECT_EQ(rare.summary().apart, 1u);
  EXPECT_EQ(rare.summary().steady, 39u);
  EXPECT_EQ(longest_run(rare.set()).steps.size(), 20u);
  EXPECT_EQ(regular.summary().apart, 0u);
  EXPECT_EQ(regular.summary().steady, 40u);
}

TEST(SteadySteps, PassesOfInferenceAreCallsOfTheOutermostModule) {
  Loop loop;
  for (int i = 0; i < 6; ++i) {
    const int64_t begin_us = loop.now_us();
    loop.work(4);
    loop.module("nn.Module: Model_0", begin_us);
    loop.rest(10);
  }
  EXPECT_EQ(loop.set().source, StepSource::kModule);
  EXPECT_EQ(loop.summary().steady, 5u);
  EXPECT_EQ(loop.summary().torn, 1u);
  EXPECT_EQ(loop.summary().median_ns, 30 * kUs);
}

TEST(SteadySteps, OfATrainingLoopWithoutAnOptimizerRunFromOneForwardPassToTheNext) {
  Loop trains, infers;
  for (int i = 0; i < 6; ++i) {
    for (Loop* loop : {&trains, &infers}) {
      const int64_t begin_us = loop->now_us();
      loop->work(4);
      loop->module("nn.Module: Model_0", begin_us);
      if (loop == &trains) loop->backward(8);
      else loop->work(8);
      loop->work(6, "aten::add_");
    }
  }
  EXPECT_EQ(trains.set().source, StepSource::kModule);
  EXPECT_EQ(trains.summary().median_ns, 90 * kUs);
  EXPECT_EQ(infers.set().source, StepSource::kNone) << "most of the work lies outside the module";
}

}  // namespace
}  // namespace warplens::analysis
