#include "warplens/program/analysis/diff/match.h"

#include <gmock/gmock.h>

namespace warplens::analysis::diff {
namespace {

KernelCost kernel(std::string op, std::string shapes, std::string name, std::string class_name = "gemm",
                  int64_t ns = 1) {
  return {.op = std::move(op),
          .shapes = std::move(shapes),
          .kernel = std::move(name),
          .class_name = std::move(class_name),
          .step_ns = {ns}};
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

TEST(MatchKernels, KernelsOfOtherClassesAreNoPartners) {
  const ProgramCost base =
      program({kernel("region", "", "fmha_fwd", "attention"), kernel("region", "", "triton_red_1", "reduction"),
               kernel("region", "", "triton_red_2", "reduction")});
  const ProgramCost fresh =
      program({kernel("region", "", "triton_red_3", "reduction"), kernel("region", "", "sage_quant", "elementwise"),
               kernel("region", "", "triton_red_4", "reduction")});
  for (const Pair& pair : match_kernels(base, fresh)) EXPECT_TRUE(pair.base == kNone || pair.fresh == kNone);
}

TEST(MatchKernels, RenamedKernelsPairByCost) {
  const ProgramCost base = program({kernel("conv", "[[8]]", "offsets", "convolution", 36),
                                    kernel("conv", "[[8]]", "scudnn", "convolution", 11'800)});
  const ProgramCost fresh = program({kernel("conv", "[[8]]", "wgrad_alg0", "convolution", 12'600),
                                     kernel("conv", "[[8]]", "compute_offsets", "convolution", 40)});
  EXPECT_THAT(match_kernels(base, fresh), testing::ElementsAre(Pair{0, 1}, Pair{1, 0}));
}

TEST(MatchKernels, ShapesThatBothSidesHaveAreNotMistakenForOneAnother) {
  const ProgramCost base =
      program({kernel("conv", "[[1, 64]]", "a", "convolution"), kernel("conv", "[[1, 32]]", "b", "convolution")});
  const ProgramCost fresh =
      program({kernel("conv", "[[1, 32]]", "b", "convolution"), kernel("conv", "[[1, 32]]", "a", "convolution"),
               kernel("conv", "[[1, 64]]", "b", "convolution")});
  EXPECT_THAT(
      match_kernels(base, fresh),
      testing::ElementsAre(Pair{0, 2}, Pair{1, 0}, Pair{kNone, 1}));  // renamed on [[1, 64]]; one more on [[1, 32]]
}

TEST(MatchKernels, LeavesTheRestAddedOrRemoved) {
  const ProgramCost base = program({kernel("softmax", "[8]", "softmax_warp"), kernel("", "", "Memcpy HtoD")});
  const ProgramCost fresh = program({kernel("sdpa", "[8]", "flash_fwd"), kernel("", "", "Memset")});
  EXPECT_THAT(match_kernels(base, fresh),
              testing::ElementsAre(Pair{0, kNone}, Pair{1, kNone}, Pair{kNone, 0}, Pair{kNone, 1}));
}

}  // namespace
}  // namespace warplens::analysis::diff
