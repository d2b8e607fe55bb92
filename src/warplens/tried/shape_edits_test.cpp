// Changes of a launch's grid, blocks and axes, without running any.
#include <gtest/gtest.h>

#include "warplens/tried/find_edit_test.h"

namespace warplens::tried {
namespace {

using simt::Dim3;

std::vector<Edit> edits_for(const std::string& source, Dim3 grid, Dim3 block) {
  launch::LaunchSpec launch;
  launch.grid = grid;
  launch.block = block;
  return shape_edits(source, *find_kernel(source, "k"), launch);
}

TEST(ShapeEdits, OtherBlocksHaveAsManyThreads) {
  const std::string source = "__global__ void k(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }";
  const std::vector<Edit> edits = edits_for(source, {6, 1, 1}, {256, 1, 1});
  ASSERT_NE(find(edits, "blocks of 512"), nullptr);
  EXPECT_EQ(find(edits, "blocks of 512")->shape->grid[0], 3u);
  EXPECT_EQ(find(edits, "blocks of 1024"), nullptr);  // 1,536 threads are no whole number of these
  const std::string fixed = "__global__ void k(float* x) { x[blockIdx.x * 256 + threadIdx.x] = 1; }";
  EXPECT_EQ(find(edits_for(fixed, {6, 1, 1}, {256, 1, 1}), "blocks of"), nullptr);
}

constexpr const char* kVolume =
    "__global__ void k(float* o) { int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx . y * blockDim.y + "
    "threadIdx.y, l = blockIdx.z * blockDim.z + threadIdx.z; o[i] = i.x; }";

TEST(ShapeEdits, AxesAreSwappedInIndicesAndShape) {
  const std::vector<Edit> edits = edits_for(kVolume, {16, 16, 32}, {8, 8, 4});
  const Edit* swap = find(edits, "swap axes x and z, grid 32 x 16 x 16, blocks of 4 x 8 x 8 threads");
  ASSERT_NE(swap, nullptr);
  EXPECT_EQ(
      swap->source,
      "__global__ void k(float* o) { int i = blockIdx.z * blockDim.z + threadIdx.z, j = blockIdx . y * blockDim.y "
      "+ threadIdx.y, l = blockIdx.x * blockDim.x + threadIdx.x; o[i] = i.x; }");
  EXPECT_EQ(swap->shape->grid, (Dim3{32, 16, 16}));
  EXPECT_EQ(swap->shape->block, (Dim3{4, 8, 8}));
  const Edit* wide = find(edits, "swap axes x and z, grid 4 x 16 x 128, blocks of 32 x 8 threads");
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(wide->source, swap->source);
}

TEST(ShapeEdits, EveryShapeHasTheThreadsOfEachAxis) {
  for (const Dim3& block : {Dim3{8, 8, 4}, Dim3{3, 5, 1}, Dim3{1, 1, 64}, Dim3{2, 96, 1}}) {
    const Dim3 grid{24, 7, 10};
    for (const Edit& edit : edits_for(kVolume, grid, block)) {
      ASSERT_TRUE(edit.shape);
      const size_t turned = edit.what.find("swap axes x and y") == 0   ? 1
                            : edit.what.find("swap axes x and z") == 0 ? 2
                                                                       : 0;
      for (size_t axis = 0; axis < 3; ++axis) {
        const size_t was = axis == 0 ? turned : axis == turned ? 0 : axis;
        EXPECT_EQ(edit.shape->grid[axis] * edit.shape->block[axis], grid[was] * block[was]) << edit.what;
      }
      EXPECT_EQ(edit.shape->block[0] * edit.shape->block[1] * edit.shape->block[2], block[0] * block[1] * block[2])
          << edit.what;
    }
  }
}

TEST(ShapeEdits, BlocksOfASharedArrayKeepTheirShape) {
  const std::string source =
      "__global__ void k(float* o) { __shared__ float t[8]; t[threadIdx.x] = blockDim.x; o[threadIdx.y] = t[0]; }";
  for (const Edit& edit : edits_for(source, {4, 4, 1}, {8, 4, 1}))
    EXPECT_EQ(edit.what, "swap axes x and y, grid 4 x 4, blocks of 4 x 8 threads");
}

TEST(ShapeEdits, LoopsOverTheGridGetOtherGrids) {
  const std::string source =
      "__global__ void k(float* o, int n) { for (int i = blockIdx.x; i < n; i += gridDim.x) o[i] = threadIdx.x; }";
  const std::vector<Edit> edits = edits_for(source, {6, 1, 1}, {128, 1, 1});
  ASSERT_NE(find(edits, "grid 48, blocks of 128"), nullptr);
  EXPECT_EQ(find(edits, "grid 48, blocks of 128")->answers[0], "small-grid");
  ASSERT_NE(find(edits, "grid 3, blocks of 128"), nullptr);
  ASSERT_NE(find(edits, "swap the indices"), nullptr);
  EXPECT_EQ(
      find(edits, "swap the indices")->source,
      "__global__ void k(float* o, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) o[i] = blockIdx.x; }");
  EXPECT_EQ(edits.size(), 5u);  // 6 blocks have no quarter
}

}  // namespace
}  // namespace warplens::tried
