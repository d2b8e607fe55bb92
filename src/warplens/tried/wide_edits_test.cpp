// Kernels that take several neighbours a thread, without running any.
#include <gtest/gtest.h>

#include "warplens/tried/find_edit_test.h"

namespace warplens::tried {
namespace {

std::vector<Edit> edits_for(const std::string& source, int64_t offset_bytes = 0, uint32_t grid = 64) {
  launch::LaunchSpec launch;
  launch.grid = {grid, 1, 1};
  launch.block = {256, 1, 1};
  launch.args = {{.buffer = "x"}, {.buffer = "y", .offset_bytes = offset_bytes}};
  return wide_edits(source, *find_kernel(source, "k"), launch);
}
std::string kernel(const std::string& body, const std::string& parameters = "const float* x, float* y") {
  return "__global__ void k(" + parameters + ") { " + body + " }";
}

constexpr const char* kPlain = "int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i];";

TEST(WideEdits, FourNeighboursAThreadAndAQuarterOfTheBlocks) {
  const std::vector<Edit> edits = edits_for(kernel(kPlain));
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].what, "4 neighbours a thread, in loads of 16 bytes");
  EXPECT_EQ(edits[0].shape->grid[0], 16u);
  EXPECT_NE(edits[0].source.find("int i = number_(blockIdx.x * blockDim.x + threadIdx.x); y[i] = x[i];"),
            std::string::npos);
  EXPECT_NE(edits[0].source.find("const float* __restrict__ x"), std::string::npos);
  EXPECT_NE(edits[0].source.find("thread * 4 + which_; __builtin_assume(n_ < 16384)"), std::string::npos);
}

TEST(WideEdits, ElementsDecideHowManyNeighbours) {
  EXPECT_EQ(edits_for(kernel(kPlain, "const unsigned char* x, float* y"))[0].shape->grid[0], 4u);
  EXPECT_EQ(edits_for(kernel(kPlain, "const __half* x, __half* y"))[0].shape->grid[0], 8u);
  EXPECT_EQ(edits_for(kernel(kPlain, "const double* x, double* y"))[0].shape->grid[0], 32u);
}

TEST(WideEdits, OnlyWhereTheLaunchProvesAlignmentAndTheBodyAsksOnce) {
  EXPECT_TRUE(edits_for(kernel(kPlain), 4).empty());
  EXPECT_EQ(edits_for(kernel(kPlain), 32).size(), 1u);
  EXPECT_TRUE(edits_for(kernel(kPlain), 0, 63).empty());
  EXPECT_TRUE(edits_for(kernel(kPlain, "const float4* x, float* y")).empty());
  for (const char* body : {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (threadIdx.x) y[i] = x[i];",
                           "__shared__ float s[4]; int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i];",
                           "int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = __shfl_xor_sync(~0u, x[i], 1);",
                           "int i = blockIdx.x * blockDim.x + threadIdx.x * 2; y[i] = x[i];",
                           "int i = 2 * blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i];",
                           "int i = blockIdx.x * 128 + threadIdx.x; y[i] = x[i];"})
    EXPECT_TRUE(edits_for(kernel(body)).empty()) << body;
  EXPECT_EQ(edits_for(kernel("int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i];")).size(), 1u);
}

}  // namespace
}  // namespace warplens::tried
