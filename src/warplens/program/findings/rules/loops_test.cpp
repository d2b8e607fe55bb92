// Loops of the program over its tensors and over groups of rows: what they cost is in the finding that they cause.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// A program that launches one operator after the other, each of which keeps the host busy for 20 us.
struct LoopProgram {
  TestProfile test;
  int64_t at_us = 0;
  uint32_t launched = 0;

  uint32_t launch(std::string_view name, std::string_view shapes, int64_t kernel_us = 2,
                  const TestProfile::Op& more = {}, std::string_view thread = "main") {
    TestProfile::Op op_with = more;
    op_with.shapes = shapes;
    op_with.types = "[\"float\", \"float\"]";
    const uint32_t op = test.op(thread, name, at_us * kMicrosecond, 18 * kMicrosecond, op_with);
    test.call(thread, "cudaLaunchKernel", (at_us + 5) * kMicrosecond, 4 * kMicrosecond, ++launched, op + 1);
    test.kernel(kernel_of(name), (at_us + 12) * kMicrosecond, kernel_us * kMicrosecond, launched, op + 1);
    at_us += 20;
    return op;
  }
  static std::string kernel_of(std::string_view op) {
    if (op == "aten::mm") return "sm90_xmma_gemm_f32f32_f32f32";
    return contains(op, "norm") ? "void at::native::reduce_kernel<512, 1>(int)"
                                : "void at::native::vectorized_elementwise_kernel<4>(int)";
  }
  /// A slice, for which nothing runs.
  void take(std::string_view shapes, std::string_view concrete) {
    test.op("main", "aten::select", at_us * kMicrosecond, kMicrosecond,
            {.shapes = shapes, .types = "[\"float\"]", .concrete = concrete});
    at_us += 2;
  }
  void wait() {
    const uint32_t op = test.op("main", "aten::item", at_us * kMicrosecond, 18 * kMicrosecond);
    test.call("main", "cudaStreamSynchronize", at_us * kMicrosecond, 15 * kMicrosecond, 9000 + at_us, op + 1);
    at_us += 20;
  }
  double saving(std::string_view id) const {
    const Report report = find_all(test.profile);
    const Finding* finding = find_finding(report, id);
    return finding ? finding->saving_fraction.value_or(0) : 0;
  }
};

std::string shape(int turn) { return turn % 2 ? "[[256], [256]]" : "[[256, 256], [256, 256]]"; }

/// `products` of a model, then two operators on each of 40 tensors.
LoopProgram loop_over_tensors(const std::vector<std::string>& operators, int products, bool of_equal_shapes = false,
                              bool waits = false) {
  LoopProgram out;
  for (int i = 0; i < products; ++i) out.launch("aten::mm", "[[256, 256], [256, 256]]");
  for (int turn = 0; turn < 40; ++turn) {
    for (const std::string& name : operators) out.launch(name, shape(of_equal_shapes ? 0 : turn));
    if (waits) out.wait();
  }
  for (int i = 0; i < products; ++i) out.launch("aten::mm", "[[256, 256], [256, 256]]");
  return out;
}

TEST(UnfusedOptimizer, KnowsALoopThatUpdatesTensorsInPlace) {
  const LoopProgram program = loop_over_tensors({"aten::mul_", "aten::add_"}, 30);
  // 80 of 140 launches, of which the lists leave two and the listing of 40 tensors.
  EXPECT_NEAR(program.saving("unfused-optimizer"), (78 * 20 - 100) / (140 * 20.0), 0.05);
  EXPECT_EQ(loop_over_tensors({"aten::mul_", "aten::add_"}, 30, true).saving("unfused-optimizer"), 0)
      << "tensors of one shape may be one tensor, which each turn changes anew";
}

TEST(UnfusedOptimizer, KnowsALoopThatCopiesNewValuesIntoTensors) {
  const LoopProgram average = loop_over_tensors({"aten::mul", "aten::mul", "aten::add", "aten::copy_"}, 30);
  // 156 of 190 launches; the four kernels on lists take 80 us each.
  EXPECT_NEAR(average.saving("unfused-optimizer"), (156 * 20 - 4 * 80) / (190 * 20.0), 0.06);
  EXPECT_EQ(loop_over_tensors({"aten::mul", "aten::exp"}, 30).saving("unfused-optimizer"), 0) << "it changes no tensor";
}

TEST(LaunchBound, IsALoopOverTensorsWhereListsSpareMostOfIt) {
  const LoopProgram loop = loop_over_tensors({"aten::linalg_vector_norm", "aten::mul_"}, 10);
  EXPECT_NEAR(loop.saving("launch-bound"), (78 * 20 - 100) / (100 * 20.0), 0.05);
  const Report whole = find_all(loop_over_tensors({"aten::linalg_vector_norm", "aten::mul_"}, 100).test.profile);
  const Finding* finding = find_finding(whole, "launch-bound");
  ASSERT_TRUE(finding);
  EXPECT_GT(*finding->saving_fraction, 0.7) << "a graph saves more than the lists";
}

TEST(HostSync, CountsWhatIsReadOfEachTensorOnce) {
  const LoopProgram loop = loop_over_tensors({"aten::linalg_vector_norm"}, 30, false, true);
  const double reads_alone = 40.0 / 140;
  EXPECT_GT(loop.saving("host-sync"), reads_alone + 0.1);
  EXPECT_LT(loop.saving("host-sync"), 2 * reads_alone) << "one turn and the listing of all tensors stay";
}

TEST(HostSync, CountsTheSearchForTheElementsThatAMaskPicks) {
  const auto saving = [](std::string_view around) {
    LoopProgram program;
    for (int turn = 0; turn < 20; ++turn) {
      for (int i = 0; i < 2; ++i) program.launch("aten::mm", "[[256, 256], [256, 256]]");
      const int64_t start_us = program.at_us;
      const uint32_t search = program.launch("aten::nonzero", "[[65536]]");
      program.test.call("main", "cudaStreamSynchronize", (start_us + 10) * kMicrosecond, 7 * kMicrosecond, 9000 + turn,
                        search + 1);
      program.test.op("main", around, start_us * kMicrosecond, 19 * kMicrosecond);
    }
    return program.saving("host-sync");
  };
  EXPECT_GT(saving("aten::index"), saving("aten::unique_dim") + 0.1);
}

TEST(HostSync, CountsTheBackwardPassOfALoopOverGroupsAsOneTurn) {
  LoopProgram program;
  const int64_t thread = 1;
  for (int turn = 0; turn < 8; ++turn) {
    const std::string number = "[\"\", \"" + std::to_string(turn) + "\"]";
    program.launch("aten::eq", "[[4096], []]", 2, {.concrete = number});
    program.wait();
    program.launch("aten::index", "[[4096]]", 2, {.sequence = turn});
  }
  const double forward = program.saving("host-sync");
  EXPECT_NEAR(forward, 7.0 / 8, 0.06);
  for (int turn = 8; turn-- > 0;) {
    const int64_t start_us = program.at_us;
    program.launch("IndexBackward0", "[[4096]]", 2, {.sequence = turn, .forward_thread = thread}, "engine");
    program.launch("aten::add", "[[4096]]", 2, {}, "engine");
    program.test.op("engine", "autograd::engine::evaluate_function: IndexBackward0", start_us * kMicrosecond,
                    39 * kMicrosecond);
  }
  EXPECT_NEAR(program.saving("host-sync"), 7.0 / 8, 0.08) << "the backward pass has eight turns, too";
}

TEST(HostSync, KnowsALoopWhoseTurnsCompareTwice) {
  const auto saving = [](std::string_view then) {
    LoopProgram program;
    for (int turn = 0; turn < 8; ++turn) {
      const std::string number = "[\"\", \"" + std::to_string(turn) + "\"]";
      for (int i = 0; i < 2; ++i) program.launch("aten::eq", "[[4096], []]", 30, {.concrete = number});
      program.launch("aten::bitwise_and", then, 30);
      program.wait();
    }
    return program.saving("host-sync");
  };
  EXPECT_NEAR(saving("[[4096], [4096]]"), 7.0 / 8, 0.06) << "one pass over all rows does all turns";
  EXPECT_LT(saving("[[512], [512]]"), 0.7) << "rows of a group are as many in one pass";
}

TEST(HostSync, KnowsALoopOverMasksThatAreSearched) {
  const auto saving = [](std::string_view searches) {
    LoopProgram program;
    for (int turn = 0; turn < 8; ++turn) {
      const std::string number = "[\"\", \"0\", \"" + std::to_string(turn) + "\"]";
      program.launch("aten::select", "[[8, 4096], [], []]", 2, {.concrete = number});
      program.launch(searches, "[[4096]]");
      program.wait();
      program.launch("aten::mm", "[[512, 64], [64, 64]]", 5);
    }
    return program.saving("host-sync");
  };
  EXPECT_NEAR(saving("aten::where"), 7.0 / 8, 0.06);
  EXPECT_LT(saving("aten::exp"), 0.6) << "rows that are taken in turn may depend on each other";
}

/// Turns that take the next slice and work on it; then what they made comes together.
LoopProgram loop_over_slices(std::string_view works, std::string_view shapes, bool counts = true) {
  LoopProgram program;
  for (int turn = 0; turn < 30; ++turn) {
    const std::string place = "[\"\", \"0\", \"" + std::to_string(counts ? turn : turn * turn % 7) + "\"]";
    program.take("[[30, 4096], [], []]", place);
    program.launch("aten::abs", "[[4096]]");
    program.launch(works, shapes);
  }
  program.launch("aten::stack", "[]");
  for (int i = 0; i < 10; ++i) program.launch("aten::mm", "[[256, 256], [256, 256]]");
  return program;
}

TEST(LaunchBound, IsALoopOverABatchWhoseTurnsNeedNothingOfEachOther) {
  const auto batched = [](const LoopProgram& program) {
    const Report report = find_all(program.test.profile);
    const Finding* finding = find_finding(report, "launch-bound");
    return finding && contains(finding->detail, "slices of a tensor");
  };
  EXPECT_GT(loop_over_slices("aten::exp", "[[4096]]").saving("launch-bound"), 29 * 42 / (71 * 20 + 60.0));
  EXPECT_TRUE(batched(loop_over_slices("aten::exp", "[[4096]]")));
  EXPECT_TRUE(batched(loop_over_slices("aten::mm", "[[1, 4096], [4096, 64]]")));
  EXPECT_FALSE(batched(loop_over_slices("aten::add", "[[4096], [4096]]"))) << "the other may be the turn's before";
  EXPECT_FALSE(batched(loop_over_slices("aten::exp", "[[4096]]", false))) << "places that the data may give";
}

TEST(ManySmallCopies, OfALoopThatReadsEachSliceAreOfOneBatch) {
  const auto saving = [](std::string_view then) {
    LoopProgram program;
    for (int turn = 0; turn < 40; ++turn) {  // the loop runs twice
      const std::string number = "[\"\", \"0\", \"" + std::to_string(turn % 20) + "\"]";
      program.take("[[20, 4096], [], []]", number);
      program.launch("aten::argmax", "[[4096], [], []]");
      program.wait();
      if (!then.empty()) program.launch(then, "[[64]]");
    }
    return program.saving("host-sync");
  };
  EXPECT_NEAR(saving(""), 19.0 / 20, 0.06);
  EXPECT_LT(saving("aten::mul"), 0.6) << "what is computed with a value may go to the next turn";
}

}  // namespace
}  // namespace warplens::findings
