#include "warplens/program/analysis/diff/match.h"

#include <gmock/gmock.h>

namespace warplens::analysis {
namespace {

KernelCost kernel(std::string op, std::string shapes, std::string name) {
  KernelCost cost;
  cost.op = std::move(op), cost.shapes = std::move(shapes), cost.kernel = std::move(name);
  return cost;
}

ProgramCost program(std::vector<KernelCost> kernels) {
  ProgramCost cost;
  cost.kernels = std::move(kernels);
  return cost;
}

TEST(MatchKernels, PairsByOperatorShapesAndName) {
  const ProgramCost base = program({kernel("mm", "[1]", "gemm"), kernel("mm", "[2]", "gemm")});
  const ProgramCost fresh = program({kernel("mm", "[2]", "gemm"), kernel("mm", "[1]", "gemm")});
  EXPECT_THAT(match_kernels(base, fresh), testing::ElementsAre(Pair{0, 1}, Pair{1, 0}));
}

TEST(MatchKernels, PairsRenamedKernelsByTheirPlaceInTheOperator) {
  const ProgramCost base = program({kernel("mm", "[1]", "cutlass_75_align1"), kernel("mm", "[1]", "splitK_reduce")});
  const ProgramCost fresh = program({kernel("mm", "[1]", "nvjet_tst"), kernel("mm", "[1]", "splitK_reduce")});
  EXPECT_THAT(match_kernels(base, fresh), testing::ElementsAre(Pair{0, 0}, Pair{1, 1}));
}

TEST(MatchKernels, PairsAcrossChangedShapes) {
  const ProgramCost base = program({kernel("addmm", "[[4096, 768], [768, 50257]]", "cutlass_75")});
  const ProgramCost fresh = program({kernel("addmm", "[[4096, 768], [768, 50304]]", "nvjet")});
  EXPECT_THAT(match_kernels(base, fresh), testing::ElementsAre(Pair{0, 0}));
}

TEST(MatchKernels, LeavesTheRestAddedOrRemoved) {
  const ProgramCost base = program({kernel("softmax", "[8]", "softmax_warp"), kernel("", "", "Memcpy HtoD")});
  const ProgramCost fresh = program({kernel("sdpa", "[8]", "flash_fwd"), kernel("", "", "Memset")});
  EXPECT_THAT(match_kernels(base, fresh),
              testing::ElementsAre(Pair{0, kNone}, Pair{1, kNone}, Pair{kNone, 0}, Pair{kNone, 1}));
}

}  // namespace
}  // namespace warplens::analysis
