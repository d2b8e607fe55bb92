#include "warplens/cuda_api/sharing.h"

#include <gtest/gtest.h>

namespace warplens::cuda_api {
namespace {

void expect_span(const Span& span, double begin_ns, double end_ns) {
  EXPECT_DOUBLE_EQ(span.begin_ns, begin_ns);
  EXPECT_DOUBLE_EQ(span.end_ns, end_ns);
}

TEST(Residents, SmallKernelsRunSideBySide) {
  Residents residents;
  expect_span(residents.place(0, 0, 100, 0.25), 0, 100);
  expect_span(residents.place(0, 0, 100, 0.25), 0, 100);
  expect_span(residents.place(0, 50, 100, 0.5), 50, 150);
}

TEST(Residents, AKernelWaitsForOneThatFillsTheGpu) {
  Residents residents;
  expect_span(residents.place(0, 0, 100, 1), 0, 100);
  expect_span(residents.place(0, 20, 50, 0.5), 100, 150);
  expect_span(residents.place(1, 20, 50, 0.5), 20, 70);  // another GPU
}

TEST(Residents, ALargeOneTakesWhatIsLeft) {
  Residents residents;
  expect_span(residents.place(0, 0, 100, 0.5), 0, 100);
  // At half its pace for 100 ns, then alone for the other 50 ns of its 100.
  expect_span(residents.place(0, 0, 100, 1), 0, 150);
}

TEST(Residents, WhatIsOverIsNoMatter) {
  Residents residents;
  expect_span(residents.place(0, 0, 100, 1), 0, 100);
  expect_span(residents.place(0, 100, 10, 1), 100, 110);
}

}  // namespace
}  // namespace warplens::cuda_api
