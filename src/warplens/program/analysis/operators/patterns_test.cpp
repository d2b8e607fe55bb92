#include "warplens/program/analysis/operators/patterns.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

/// Kernels one after the other, each of 10 ns with 5 ns after it, on stream 7.
Profile running(std::string_view kernels) {
  TestProfile test;
  int64_t at = 0;
  for (const char name : kernels) {
    const uint32_t op = test.op("main", std::string("aten::") + name, at, 5);
    test.call("main", "cudaLaunchKernel", at + 1, 2, at + 1, op + 1);
    test.kernel(std::string(1, name), at + 100, 10, at + 1, op + 1);
    at += 15;
  }
  return std::move(test.profile);
}

std::vector<std::string> found(std::string_view kernels, size_t least_length = 2) {
  const Profile p = running(kernels);
  std::vector<std::string> out;
  for (const KernelPattern& pattern : kernel_patterns(p, Causes(p), least_length, 10)) {
    std::string names;
    for (const uint32_t row : pattern.first) names += p.text(p.device_events.name[row]);
    out.push_back(std::to_string(pattern.count()) + " x " + names);
  }
  return out;
}

TEST(Patterns, ALoopIsFoundOnceWhateverItsRotation) {
  EXPECT_EQ(found("xyABCDEABCDEABCDEABCDEz"), std::vector<std::string>{"4 x ABCDE"});
}

TEST(Patterns, ALoopInALoopIsARowOfItsOwn) {
  const std::vector<std::string> rows = found("IABCABCABCOPQIABCABCABCOPQIABCABCABCOPQ");
  ASSERT_GE(rows.size(), 2u);
  EXPECT_EQ(rows[0], "3 x IABCABCABCOPQ");
  EXPECT_EQ(rows[1], "9 x ABC");
}

TEST(Patterns, OneKernelAgainAndAgainIsNoSequenceNorAreTwoTimes) {
  EXPECT_TRUE(found("AAAAAAAAAAAA").empty());
  EXPECT_TRUE(found("ABCxABC").empty());
  EXPECT_TRUE(found("ABABABAB", 3).empty());
  EXPECT_TRUE(found("").empty());
}

TEST(Patterns, TimesAreThoseOfAllOccurrences) {
  const Profile p = running("ABCABCABC");
  const auto rows = kernel_patterns(p, Causes(p), 3, 10);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].device_ns, 90);
  EXPECT_EQ(rows[0].gap_ns, 30);
  EXPECT_EQ(rows[0].span_ns, 120);
  EXPECT_EQ(rows[0].around, kNone);
}

}  // namespace
}  // namespace warplens::analysis
