#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "tests/library_shapes.h"
#include "tests/source_path.h"

namespace warplens::libraries {
namespace {

/// How far the model lies from each measured call of a kind, operands in L2: the mean.
std::map<std::string, double> mean_errors(const std::string& file_name, const char* gpu, size_t* count) {
  const gpu::Device& device = **gpu::find_device(gpu);
  std::ifstream file(tests::source_path(file_name));
  std::map<std::string, std::pair<double, double>> sums;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.find("at::native") != std::string::npos) continue;  // PyTorch's own kernels
    const size_t bar = line.find(" | ");
    std::istringstream times(line.substr(bar + 3));
    double cold_ns = 0, warm_ns = 0;
    times >> cold_ns >> warm_ns;
    auto& [sum, lines] = sums[line.substr(0, line.find(' '))];
    sum += std::fabs(tests::time_of_line(line.substr(0, bar), device).warm_ns / warm_ns - 1);
    lines += 1;
    ++*count;
  }
  std::map<std::string, double> out;
  for (const auto& [what, one] : sums) out[what] = one.first / one.second;
  return out;
}

struct Bounds {
  double product, attention, conv;
};

void expect_near(const std::string& file_name, const char* gpu, size_t calls, const Bounds& bounds) {
  size_t count = 0;
  const std::map<std::string, double> errors = mean_errors(file_name, gpu, &count);
  EXPECT_EQ(count, calls);
  EXPECT_LT(errors.at("product"), bounds.product);
  EXPECT_LT(errors.at("attention"), bounds.attention);
  EXPECT_LT(errors.at("conv"), bounds.conv);
}

TEST(LibraryTimes, LieNearWhatAnH100Took) {
  expect_near("tests/data/library_shapes.txt", "h100", 387, {.product = 0.17, .attention = 0.10, .conv = 0.28});
}

/// Products and attention were not fitted to these. Of convolutions, the rates of kernels that turn tensors were.
TEST(LibraryTimes, LieNearWhatItTookForOtherShapes) {
  expect_near("tests/data/library_shapes_check.txt", "h100", 386, {.product = 0.16, .attention = 0.16, .conv = 0.28});
}

/// Nor anything to these.
TEST(LibraryTimes, LieNearWhatAnH200TookForOthers) {
  expect_near("tests/data/library_shapes_h200.txt", "h200", 387, {.product = 0.18, .attention = 0.12, .conv = 0.36});
}

/// Nor these, but for which groups share a kernel.
TEST(LibraryTimes, LieNearWhatItTookForAFourthSet) {
  expect_near("tests/data/library_shapes_h200_fourth.txt", "h200", 407,
              {.product = 0.20, .attention = 0.13, .conv = 0.36});
}

}  // namespace
}  // namespace warplens::libraries
