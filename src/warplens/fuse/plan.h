// A formula made ready to run: fused, as a chain, and in float64.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/fuse/chain.h"
#include "warplens/fuse/emit.h"

namespace warplens::fuse {

struct FusionRequest {
  std::string formula;
  Shape shape;                                // of inputs that `inputs` does not name
  launch::DType dtype = launch::DType::kF32;  // of those
  std::vector<Operand> inputs;
  std::optional<launch::DType> output_dtype;  // of all outputs; else as PyTorch would have it
};

struct FusionPlan {
  Formula formula;
  Graph graph;
  std::vector<Operand> inputs, outputs;
  GeneratedKernel fused;
  std::vector<ChainStep> chain;
  int64_t chain_bytes() const;
  std::vector<launch::DType> input_dtypes() const;
  std::vector<launch::DType> output_dtypes() const;
};

/// "w=f32[1024]" or "w=[1024]" (of `dtype`).
Result<Operand> parse_operand(const std::string& text, launch::DType dtype);

Result<FusionPlan> plan_fusion(const FusionRequest& request);

/// The fused kernel again with other options, for tuning.
Result<GeneratedKernel> emit_fused(const FusionPlan& plan, const EmitOptions& options);

/// The error that computing in `plan`'s types may have: the widest of its operands' tolerances.
double tolerance_of(const FusionPlan& plan);

/// NVRTC's options for generated kernels: divisions and roots to 2 ulp, as PyTorch's compiler has them.
const std::vector<std::string>& generated_options();

}  // namespace warplens::fuse
